//! What the words around a number say of it.

use super::code_names::{CODE, CONFIRMATION, ONE_TIME, PURPOSE, YOUR, YOUR_CODE};
use super::code_other_numbers::{NUMBERED, OTHER_NUMBER, UNIT};
use super::code_subjects::{ENTER, HOUSEHOLD, MEETING, PROMOTION, RECOVERY, SECRECY, SPENT, TECHNICAL, TRADE};
use super::shared::{BARGAINS, BOUGHT, LASTING, SIGNING_IN};
use crate::findings::lexicon::{WordMeaning, WordTable};

/// What a word near a number says of the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::findings) enum CodeWord {
    /// A code for typing in once, and nothing else.
    OneTime,
    /// Some code.
    Code,
    /// Some code, and it is the reader's.
    YourCode,
    /// That something is the reader's.
    Your,
    /// What such codes are for: signing in, proving who one is.
    Purpose,
    /// The same, but of bookings and orders too.
    Confirmation,
    /// The code lasts but minutes, or is not to be told to others.
    Care,
    /// A number with a name of its own: that of an order, a coupon, a telephone.
    OtherNumber,
    /// A thing that has a number right behind it.
    Numbered,
    /// What a number right before it counts.
    Unit,
    /// Locks, alarms, networks of people who tell one another their codes.
    Household,
    /// To enter something.
    Enter,
    /// Programs and mail servers talk of what went wrong.
    Technical,
    /// The mail is about a meeting to dial into.
    Meeting,
    /// The mail is about buying cheaply.
    Promotion,
    /// The mail is about something bought, booked or sent.
    Trade,
    /// The code before it can be used no more, or has been.
    Spent,
    /// The mail hands over a list of codes to keep.
    Recovery,
}

impl WordMeaning for CodeWord {
    fn is_subject(self) -> bool {
        matches!(
            self,
            Self::Your
                | Self::Care
                | Self::Enter
                | Self::Technical
                | Self::Household
                | Self::Meeting
                | Self::Promotion
                | Self::Trade
                | Self::Spent
                | Self::Recovery
        )
    }

    fn number(self) -> u32 {
        self as u32
    }
}

use CodeWord as W;

pub(in crate::findings) const CODE_WORDS: &WordTable<CodeWord> = &[
    (W::OneTime, ONE_TIME),
    (W::Code, CODE),
    (W::YourCode, YOUR_CODE),
    (W::Your, YOUR),
    (W::Purpose, PURPOSE),
    (W::Purpose, SIGNING_IN),
    (W::Confirmation, CONFIRMATION),
    (W::Care, LASTING),
    (W::Care, SECRECY),
    (W::OtherNumber, OTHER_NUMBER),
    (W::Numbered, NUMBERED),
    (W::Unit, UNIT),
    (W::Household, HOUSEHOLD),
    (W::Enter, ENTER),
    (W::Technical, TECHNICAL),
    (W::Meeting, MEETING),
    (W::Promotion, PROMOTION),
    (W::Promotion, BARGAINS),
    (W::Trade, TRADE),
    (W::Trade, BOUGHT),
    (W::Spent, SPENT),
    (W::Recovery, RECOVERY),
];
