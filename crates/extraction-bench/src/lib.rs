//! How well mail is read: the mails of `crates/mail/collection`, and how near a reader comes to what is expected there.

pub mod collection;
pub mod findings;
pub mod score;
pub mod table;
