//! What the use cases need of the world, as traits. Adapters implement them; nothing in here knows which.
//!
//! Storage comes in two halves. Reads ([`Reads`]) are single questions, one round trip each, outside any transaction.
//! Writes go through a unit of work ([`Tx`]): all that is done through it happens, or nothing does.

mod accounts;
mod api_keys;
mod environment;
mod events;
mod fetch;
mod inboxes;
mod label_history;
mod messages;
mod notes;
mod outgoing;
mod pods;
mod store;
mod suppressions;
mod threads;
mod transport;
mod usage;
mod vault;

pub use accounts::{AccountReads, Accounts};
pub use api_keys::{ApiKeyQuery, ApiKeyReads, ApiKeys, Credential};
pub use environment::{Clock, Random, Wake};
pub use events::{EventQuery, EventReads, Events};
pub use fetch::{Fetch, FetchError, Fetched};
pub use inboxes::{Destination, InboxQuery, InboxReads, Inboxes};
pub use label_history::{LabelEventQuery, LabelHistory, LabelHistoryReads};
pub use messages::{MessageQuery, MessageReads, Messages, PossibleRepeat, RawSource};
pub use notes::{NoteReads, Notes};
pub use outgoing::{CapturedMail, OutgoingQueue, OutgoingReads};
pub use pods::{PodQuery, PodReads, Pods};
pub use store::{Constraint, Reads, Store, StoreError, Tx};
pub use suppressions::{SuppressionReads, Suppressions};
pub use threads::{AssigneeFilter, ThreadQuery, ThreadReads, ThreadScope, Threads};
pub use transport::{OutgoingMail, RecipientOutcome, Transport};
pub use usage::Usage;
pub use vault::{Vault, VaultError};
