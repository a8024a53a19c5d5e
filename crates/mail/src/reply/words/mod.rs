//! Words that mail programs write around messages, by purpose.
//!
//! All have the form of [`fold`](super::lines::fold). Languages are not distinguished, because a message often quotes a
//! program of another language.

pub(crate) mod closings;
pub(crate) mod devices;
pub(crate) mod footers;
pub(crate) mod labels;
pub(crate) mod marks;
pub(crate) mod prefixes;
pub(crate) mod verbs;
