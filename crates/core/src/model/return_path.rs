//! Delivered messages, for reports to their return paths.

use inboxd_mail::EmailAddress;

use super::outgoing::SentMessage;
use super::{OrganizationId, OutgoingId};

/// A delivered message, by the id in its return path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMail {
    /// Id in the outgoing queue.
    pub outgoing_id: OutgoingId,
    /// Organization of the message.
    pub organization_id: OrganizationId,
    /// Stored message.
    pub message: SentMessage,
    /// Recipients; reports about others are ignored.
    pub recipients: Vec<SentTo>,
}

/// A recipient of a delivered message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTo {
    /// The address.
    pub address: EmailAddress,
    /// Facts reported before.
    pub reported: ReportedStatus,
}

/// Reported facts of a recipient, so that each becomes one event however often it is reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "any of these can be reported without the others")]
pub struct ReportedStatus {
    /// Delay.
    pub delayed: bool,
    /// Failure.
    pub failed: bool,
    /// Complaint.
    pub complained: bool,
    /// Complaint of an unnamed recipient, recorded for all of them with the first recipient.
    pub unnamed: bool,
}

impl ReportedStatus {
    /// Returns the stored form: one bit each.
    #[must_use]
    pub fn bits(self) -> i16 {
        i16::from(self.delayed)
            | i16::from(self.failed) << 1
            | i16::from(self.complained) << 2
            | i16::from(self.unnamed) << 3
    }

    /// Parses the stored form.
    #[must_use]
    pub fn of_bits(bits: i16) -> Self {
        Self { delayed: bits & 1 != 0, failed: bits & 2 != 0, complained: bits & 4 != 0, unnamed: bits & 8 != 0 }
    }
}
