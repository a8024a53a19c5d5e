//! Messages of real programs, of broken ones and of hostile ones.
#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected has failed")]

mod addresses;
mod charsets;
mod codes_said;
mod compose;
mod cost;
mod enclosed;
mod findings;
mod findings_cost;
mod hidden;
mod hostile;
mod html;
mod html_quotes;
mod links_said;
mod mbox;
mod multiparts;
mod newsletters;
mod parse;
mod properties;
mod reply;
mod reply_devices;
mod reply_languages;
mod reply_marks;
mod reply_prose;
mod reply_standing;
mod reports;
mod structure;
mod trace;
