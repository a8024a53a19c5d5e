//! Messages of real programs, of broken ones and of hostile ones.
#![expect(clippy::unwrap_used, reason = "a test that meets the unexpected has failed")]

mod addresses;
mod calendars;
mod charsets;
mod client_events;
mod code_wording;
mod compose;
mod cost;
mod enclosed_files;
mod findings;
mod findings_cost;
mod hidden;
mod hostile;
mod html;
mod html_quotes;
mod language;
mod link_wording;
mod mbox;
mod multiparts;
mod newsletters;
mod parse;
mod properties;
mod recurrences;
mod reply;
mod reply_devices;
mod reply_hint;
mod reply_languages;
mod reply_marks;
mod reply_prose;
mod reports;
mod safety;
mod safety_cost;
mod spf;
mod structure;
mod surroundings;
mod trace;
