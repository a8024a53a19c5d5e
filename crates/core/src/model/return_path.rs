//! What is known of a mail that left, should a report about it come back.

use inboxd_mail::EmailAddress;

use super::outgoing::SentMessage;
use super::{OrganizationId, OutgoingId};

/// A mail that left for the outside, by the id that its return path carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMail {
    /// Its id in the queue that it left by.
    pub outgoing_id: OutgoingId,
    /// Whose mail it is.
    pub organization_id: OrganizationId,
    /// The message that it carries.
    pub message: SentMessage,
    /// Whom it went to; nobody else can be reported.
    pub recipients: Vec<SentTo>,
}

/// A recipient of a mail that left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTo {
    /// The address.
    pub address: EmailAddress,
    /// What was told of it before.
    pub told: Told,
}

/// What was told of a recipient, so that it is told once, however often it is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "any of these can be told without the others")]
pub struct Told {
    /// That it is late.
    pub delayed: bool,
    /// That it failed.
    pub failed: bool,
    /// That it was unwelcome.
    pub complained: bool,
    /// That it was unwelcome to somebody who was not named. It is noted with the first recipient, for them all.
    pub unnamed: bool,
}

impl Told {
    /// As storage holds it: a bit each.
    #[must_use]
    pub fn bits(self) -> i16 {
        i16::from(self.delayed)
            | i16::from(self.failed) << 1
            | i16::from(self.complained) << 2
            | i16::from(self.unnamed) << 3
    }

    /// As storage held it.
    #[must_use]
    pub fn of_bits(bits: i16) -> Self {
        Self { delayed: bits & 1 != 0, failed: bits & 2 != 0, complained: bits & 4 != 0, unnamed: bits & 8 != 0 }
    }
}
