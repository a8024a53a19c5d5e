//! Meanings of words near a number.

use super::code_names::{CODE, CONFIRMATION, ONE_TIME, PURPOSE, YOUR, YOUR_CODE};
use super::code_other_numbers::{NUMBERED, OTHER_NUMBER, UNIT};
use super::code_subjects::{ENTER, HOUSEHOLD, MEETING, PROMOTION, RECOVERY, SECRECY, SPENT, TECHNICAL, TRADE};
use super::shared::{BARGAINS, BOUGHT, LASTING, SIGNING_IN};
use crate::findings::lexicon::{WordMeaning, WordTable};

/// Meaning of a word near a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::findings) enum CodeWord {
    /// A one-time code, unambiguously.
    OneTime,
    /// A code of any kind.
    Code,
    /// A code of the reader.
    YourCode,
    /// An object of the reader.
    Your,
    /// Purpose of a verification code: sign-in, proof of identity.
    Purpose,
    /// Confirmation; bookings and orders use the word too.
    Confirmation,
    /// The code lasts for minutes only, or must stay secret.
    Care,
    /// A number with another name, for instance of an order, a coupon or a telephone.
    OtherNumber,
    /// An object with its number right after it.
    Numbered,
    /// Unit of a number right before it.
    Unit,
    /// Codes of locks, alarms and networks, which people share.
    Household,
    /// Request to enter something.
    Enter,
    /// Error reports of programs and mail servers.
    Technical,
    /// Message about a meeting with dial-in.
    Meeting,
    /// Message about discounts.
    Promotion,
    /// Message about a purchase, booking or shipment.
    Trade,
    /// The preceding code has expired or was used.
    Spent,
    /// Message with a list of recovery codes.
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
