//! Refusals of replies that no person would read.

use time::OffsetDateTime;

/// Reason for which a message is refused that could begin or continue a loop of automatic replies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoopRefusal {
    /// A key would reply to an automatic or bulk message.
    #[error(
        "the message is automatic, according to its field `{sign}`: no person would read the reply, or an agent would reply to it"
    )]
    Automatic {
        /// Header field that identifies the message as automatic.
        sign: String,
    },
    /// A reply without named recipients would go to another domain than that of an unknown sender.
    #[error("the message asks for replies to {address}, which is another domain than that of its unknown sender")]
    ReplyToElsewhere {
        /// Address for replies.
        address: String,
    },
    /// The loop budget of an address in a thread is exhausted.
    #[error(
        "{} messages were sent to {recipient} in this thread within 24 hours; two agents that reply to each other must be stopped",
        crate::rules::loops::THREAD_BUDGET
    )]
    BudgetReached {
        /// The address.
        recipient: String,
        /// Time at which the next message can be sent.
        until: OffsetDateTime,
    },
    /// The hourly loop budget of an inbox and an address is exhausted.
    #[error(
        "{budget} messages were sent from this inbox to {recipient} within an hour; two agents that reply to each other must be stopped"
    )]
    HourlyBudgetReached {
        /// The address, without its tag.
        recipient: String,
        /// Messages within an hour that the operator permits.
        budget: u32,
        /// Time at which the next message can be sent.
        until: OffsetDateTime,
    },
}
