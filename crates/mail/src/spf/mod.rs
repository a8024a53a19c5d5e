//! SPF evaluation (RFC 7208) without DNS.
//!
//! ```text
//! record.rs   terms of a record
//! target.rs   target names: macros and their expansion
//! dns.rs      queries and answers
//! check.rs    evaluation of the terms
//! ```
//!
//! [`SpfCheck::evaluate`] is a function of the answers that are known so far. It returns the result, or the queries
//! that it needs next. Its caller resolves these and evaluates again, at most about 20 times, because a check may query
//! for ten terms.

mod check;
mod dns;
mod record;
mod target;

pub use check::{SpfCheck, SpfResult};
pub use dns::{SpfAnswer, SpfAnswers, SpfQuery, SpfRecordType};
pub use record::{is_spf_record, is_valid_spf_record};
