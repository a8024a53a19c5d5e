//! Results of tools, written for models: bounded, clean, with the trust facts of each message.
//!
//! Mail is content of strangers. A model must be able to tell it from instructions, so
//!
//! - each result that holds mail begins with a notice, and mail stands in JSON strings alone;
//! - text has no invisible characters ([`clean`](crate::clean::clean));
//! - the new text of a message comes first, quoted history and HTML only on request;
//! - a result has at most [`budget::MAX_RESULT_CHARS`] characters, and names truncations and the call for the rest.

pub(crate) mod budget;
pub(crate) mod draft;
pub(crate) mod event;
pub(crate) mod message;
mod output;
mod shape;
#[cfg(test)]
mod tests;
pub(crate) mod thread;

pub(crate) use output::{NOTICE_FIELD, Output};
pub(crate) use shape::{shape, shape_fields, with_highlights};
