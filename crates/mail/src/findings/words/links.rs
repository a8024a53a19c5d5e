//! Meanings of words near a link.

use super::link_actions::{ACCEPT, ACCOUNT, COMPLETE, CONFIRM, INVITED, MAGIC, PASSWORD, RESET, SIGN_IN};
use super::link_other_actions::{AWAY, CLICK, DENIAL, IGNORE};
use super::link_subjects::{DONE, ONCE, TEAM, THING};
use super::shared::{BARGAINS, BOUGHT, LASTING, SIGNING_IN};
use crate::findings::lexicon::{WordMeaning, WordTable};

/// Meaning of a word in a link or near it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::findings) enum LinkWord {
    /// Confirm, verify or activate.
    Confirm,
    /// Complete a process.
    Complete,
    /// Object of a confirmation: an address, an account, a subscription.
    Account,
    /// Sign in.
    SignIn,
    /// The link itself signs in.
    Magic,
    Password,
    /// Set again.
    Reset,
    /// Accept or join.
    Accept,
    /// Invitation.
    Invited,
    /// Object of an invitation: a team, a workspace, a project.
    Team,
    /// Other objects of confirmation or acceptance: orders, appointments, calls, offers.
    Thing,
    /// A link that leads elsewhere, regardless of nearby words.
    Away,
    /// The reader did not request this.
    Denial,
    /// The reader may ignore the message, which makes a denial a courtesy.
    Ignore,
    /// A link that does not describe its effect.
    Click,
    /// The link lasts for hours only or works once.
    Care,
    /// The message reports a completed action.
    Done,
}

use LinkWord as W;

impl WordMeaning for LinkWord {
    fn is_subject(self) -> bool {
        matches!(
            self,
            Self::Magic | Self::Denial | Self::Ignore | Self::Care | Self::Done | Self::Click | Self::Account
        )
    }

    fn number(self) -> u32 {
        self as u32
    }
}

pub(in crate::findings) const LINK_WORDS: &WordTable<LinkWord> = &[
    (W::Confirm, CONFIRM),
    (W::Complete, COMPLETE),
    (W::Account, ACCOUNT),
    (W::SignIn, SIGN_IN),
    (W::SignIn, SIGNING_IN),
    (W::Magic, MAGIC),
    (W::Password, PASSWORD),
    (W::Reset, RESET),
    (W::Accept, ACCEPT),
    (W::Invited, INVITED),
    (W::Team, TEAM),
    (W::Thing, THING),
    (W::Thing, BOUGHT),
    (W::Thing, BARGAINS),
    (W::Away, AWAY),
    (W::Denial, DENIAL),
    (W::Ignore, IGNORE),
    (W::Click, CLICK),
    (W::Care, LASTING),
    (W::Care, ONCE),
    (W::Done, DONE),
];
