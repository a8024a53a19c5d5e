//! Protection against mail loops between agents and automatic responders (`wire.md`, section 2).

use inboxd_mail::find_automatic_field;
use time::{Duration, OffsetDateTime};

use crate::model::{Actor, Message};
use crate::{Error, LoopRefusal};

/// Messages that keys may send to one address in one thread within [`THREAD_WINDOW`].
pub const THREAD_BUDGET: u32 = 50;
/// Time for which a message counts against the budget of a thread.
pub const THREAD_WINDOW: Duration = Duration::hours(24);
/// Messages that keys may send from one inbox to one address within [`HOURLY_WINDOW`], over all threads, unless the
/// operator decides otherwise.
pub const HOURLY_BUDGET: u32 = 100;
/// Time for which a message counts against the hourly budget.
pub const HOURLY_WINDOW: Duration = Duration::hours(1);

/// An address with an exhausted thread budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExhaustedLoopBudget {
    /// The address, in lower case.
    pub address: String,
    /// Time of the oldest message that counts.
    pub oldest: OffsetDateTime,
}

/// Returns whether loop protection applies to an actor. People are exempt: they write by hand and see the recipient. A
/// client that acts for a person is not.
#[must_use]
pub fn applies_to(actor: &Actor) -> bool {
    matches!(actor, Actor::ApiKey { .. } | Actor::Member { connection_id: Some(_), .. })
}

/// Refuses a key's reply to an automatic or bulk message, unless the request allows it.
///
/// # Errors
/// [`Error::Loop`].
pub fn refuse_automatic(actor: &Actor, answered: &Message, allow_automatic: bool) -> Result<(), Error> {
    // A message that the inbox itself sent is continued, not replied to.
    if allow_automatic || !applies_to(actor) || answered.item.labels.contains("sent") {
        return Ok(());
    }
    match find_automatic_field(&answered.body.headers) {
        Some(sign) => Err(Error::Loop(LoopRefusal::Automatic { sign })),
        None => Ok(()),
    }
}

/// Refuses a message to addresses with an exhausted budget, until the last of these budgets has capacity again.
///
/// # Errors
/// [`Error::Loop`].
pub fn require_loop_budget(spent: Vec<ExhaustedLoopBudget>) -> Result<(), Error> {
    match spent.into_iter().max_by_key(|spent| spent.oldest) {
        Some(ExhaustedLoopBudget { address, oldest }) => {
            Err(Error::Loop(LoopRefusal::BudgetReached { recipient: address, until: oldest + THREAD_WINDOW }))
        }
        None => Ok(()),
    }
}

/// Returns the refusal of a message to an address with an exhausted hourly budget.
#[must_use]
pub fn hourly_refusal(recipient: String, budget: u32, oldest: OffsetDateTime) -> Error {
    Error::Loop(LoopRefusal::HourlyBudgetReached { recipient, budget, until: oldest + HOURLY_WINDOW })
}
