//! Quality of mail extraction, measured with the messages of `crates/mail/collection`.

pub mod collection;
pub mod cost;
pub mod findings;
pub mod languages;
pub mod parts;
pub mod score;
pub mod table;
pub mod trust;
