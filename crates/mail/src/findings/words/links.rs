//! What the words at a link say of it.

use super::link_actions::{ACCEPT, ACCOUNT, COMPLETE, CONFIRM, INVITED, MAGIC, PASSWORD, RESET, SIGN_IN};
use super::link_other_actions::{AWAY, CLICK, DENIAL, IGNORE};
use super::link_subjects::{DONE, ONCE, TEAM, THING};
use super::shared::{BARGAINS, BOUGHT, LASTING, SIGNING_IN};
use crate::findings::lexicon::{WordMeaning, WordTable};

/// What a word at a link, or near one, says of what following it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::findings) enum LinkWord {
    /// To confirm, to verify, to activate.
    Confirm,
    /// To bring to an end what was begun.
    Complete,
    /// What is confirmed so: an address, an account, a subscription.
    Account,
    /// To sign in.
    SignIn,
    /// That the link itself signs in.
    Magic,
    Password,
    /// To set something anew.
    Reset,
    /// To accept, to join.
    Accept,
    /// Invitations, and having been invited.
    Invited,
    /// What one is invited to: a team, a workspace, a project.
    Team,
    /// What is confirmed, accepted and joined in other ways: orders, appointments, calls, offers.
    Thing,
    /// A link that leads elsewhere, whatever is said near it.
    Away,
    /// That the reader did not ask for this.
    Denial,
    /// That the reader may ignore the mail: then a denial is a courtesy.
    Ignore,
    /// A link that does not say what it does.
    Click,
    /// The link lasts but hours, or works but once.
    Care,
    /// The mail tells of something that has been done already.
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
