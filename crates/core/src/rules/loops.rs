//! Agents that answer each other, and the machines they meet: what keeps them from doing so for ever (`wire.md`, section 2).

use inboxd_mail::automatic_sign;
use time::{Duration, OffsetDateTime};

use crate::Error;
use crate::model::{Actor, Message};

/// How many mails keys may send to one address in one thread within [`WINDOW`].
pub const BUDGET: u32 = 50;
/// How long a mail counts against the budget.
pub const WINDOW: Duration = Duration::hours(24);
/// Messages that keys may send from one inbox to one address within [`HOURLY_WINDOW`], over all threads, unless the
/// operator decides otherwise.
pub const HOURLY_BUDGET: u32 = 100;
/// Time for which a message counts against the hourly budget.
pub const HOURLY_WINDOW: Duration = Duration::hours(1);

/// A correspondent to whom the budget of a thread is spent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// The address, in lower case.
    pub address: String,
    /// When the oldest mail of the budget was sent.
    pub oldest: OffsetDateTime,
}

/// Whether the guard looks at what somebody sends. People write by hand, and see whom they write to.
#[must_use]
pub fn applies_to(actor: &Actor) -> bool {
    matches!(actor, Actor::ApiKey { .. })
}

/// Refuses a key's answer to an automatic answer or to bulk mail, unless it says that it knows.
///
/// # Errors
/// [`Error::AutomaticMessage`].
pub fn refuse_automatic(actor: &Actor, answered: &Message, allow_automatic: bool) -> Result<(), Error> {
    // What the inbox itself has sent is continued, not answered.
    if allow_automatic || !applies_to(actor) || answered.item.labels.contains("sent") {
        return Ok(());
    }
    match automatic_sign(&answered.body.headers) {
        Some(sign) => Err(Error::AutomaticMessage { sign }),
        None => Ok(()),
    }
}

/// Refuses a mail to correspondents to whom the budget is spent, until the last of them can be written to again.
///
/// # Errors
/// [`Error::LoopBudgetReached`].
pub fn refuse_spent(spent: Vec<Spent>) -> Result<(), Error> {
    match spent.into_iter().max_by_key(|spent| spent.oldest) {
        Some(Spent { address, oldest }) => Err(Error::LoopBudgetReached { recipient: address, until: oldest + WINDOW }),
        None => Ok(()),
    }
}

/// Returns the refusal of a message to an address whose hourly budget is spent.
#[must_use]
pub fn hourly_refusal(recipient: String, oldest: OffsetDateTime) -> Error {
    Error::LoopBudgetReached { recipient, until: oldest + HOURLY_WINDOW }
}
