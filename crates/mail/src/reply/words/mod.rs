//! The words that mail programs write around mails, in the languages they speak.
//!
//! All are kept as [`fold`](super::lines::fold) leaves them. Languages are not told apart: what counts is what a word
//! says, and a mail written in one language often quotes a program that speaks another.

pub(crate) mod devices;
pub(crate) mod labels;
pub(crate) mod marks;
pub(crate) mod prefixes;
pub(crate) mod verbs;
