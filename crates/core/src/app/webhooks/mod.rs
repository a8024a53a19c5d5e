//! Webhooks: their management and the delivery of events.
//!
//! A worker claims due deliveries, prepares them, attempts each one and records the results.

mod attempt;
mod attempts;
mod claim;
mod create;
mod delete;
mod find;
mod get;
mod headers;
mod list;
mod polling;
mod prepare;
mod record;
mod replay;
mod rotate;
mod seals;
mod selection;
mod update;

pub use attempt::{Outcome, attempt};
pub use attempts::{AttemptFilter, attempts};
pub use claim::{LEASE, Room, claim};
pub use create::{MadeWebhook, NewWebhook, create, problems_of_new};
pub use delete::delete;
pub use get::get;
pub use headers::{header_names, update_headers};
pub use list::list;
pub(in crate::app) use list::scope_of;
pub use polling::{
    NewPollingWebhook, authenticate_polling, create_polling, delete_polling, get_polling, list_polling,
    problems_of_new_polling, read_polling, watched,
};
pub use prepare::{Prepared, prepare};
pub use record::{GivenUp, purge, record};
pub use replay::{Again, Replayed, go_on, replay};
pub use rotate::rotate_secret;
pub use seals::{open_headers, open_secrets};
pub use update::{WebhookChange, problems_of_change, update};
