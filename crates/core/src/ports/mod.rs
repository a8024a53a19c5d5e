//! What the use cases need of the world, as traits. Adapters implement them; nothing in here knows which.
//!
//! Storage comes in two halves. Reads ([`Reads`]) are single questions, one round trip each, outside any transaction.
//! Writes go through a unit of work ([`Tx`]): all that is done through it happens, or nothing does.

mod accounts;
mod api_keys;
mod authenticator;
mod billing;
mod client_ids;
mod deliveries;
mod destinations;
mod dns;
mod domains;
mod drafts;
mod environment;
mod event_json;
mod events;
mod feed;
mod fetch;
mod inboxes;
mod key_maker;
mod label_history;
mod lists;
mod members;
mod messages;
mod metrics;
mod notes;
mod outgoing;
mod payments;
mod pods;
mod replays;
mod send_keys;
mod sign_ins;
mod signals;
mod spam_filter;
mod store;
mod suppressions;
mod threads;
mod transport;
mod usage;
mod vault;
mod webhook_sender;
mod webhooks;
mod work_journal;

pub use accounts::{AccountReads, Accounts};
pub use api_keys::{ApiKeyQuery, ApiKeyReads, ApiKeys, Credential};
pub use authenticator::{
    Authenticator, DmarcEvidence, DmarcPolicy, Evidence, HandedMail, SignatureEvidence, SpfEvidence,
};
pub use billing::{Billing, BillingReads};
pub use client_ids::{ClientIdKind, ClientIds};
pub use deliveries::{Deliveries, DeliveryClaim, DeliveryReads, EventKey, FailureRun, Settlement, WholeEvent};
pub use destinations::{DestinationError, Destinations};
pub use dns::{Dns, Lookup, MxHost};
pub use domains::{AskedDomain, DomainQuery, DomainReads, Domains, Standing};
pub use drafts::{DraftContent, DraftQuery, DraftReads, Drafts, MadeDraft};
pub use environment::{Clock, Random, Wake};
pub use event_json::EventJson;
pub use events::{EventQuery, EventReads, Events};
pub use feed::{FeedPage, FeedQuery, FeedReads, Sequenced};
pub use fetch::{Fetch, FetchError, Fetched};
pub use inboxes::{Destination, InboxQuery, InboxReads, Inboxes};
pub use key_maker::{KeyMaker, KeyMakerError, KeyPair};
pub use label_history::{LabelEventQuery, LabelHistory, LabelHistoryReads};
pub use lists::{ExcerptQuery, ListReads, Lists};
pub use members::{MOST_INVITATIONS, MemberQuery, MemberReads, Members};
pub use messages::{MessageQuery, MessageReads, Messages, PossibleRepeat, RawSource};
pub use metrics::{EventCountQuery, EventCounts, MetricReads};
pub use notes::{NoteReads, Notes};
pub use outgoing::{CapturedMail, OutgoingClaim, OutgoingQueue, OutgoingReads};
pub use payments::{CheckoutOrder, NoticeError, Payments, PaymentsError, PortalVisit};
pub use pods::{PodQuery, PodReads, Pods};
pub use replays::{QueuedEvent, ReplaySpan, Replays, Walked};
pub use send_keys::{ClaimTimes, SendKeys};
pub use sign_ins::SignIns;
pub use signals::{Signal, Signals};
pub use spam_filter::{SpamFilter, SuspectMail};
pub use store::{Constraint, Reads, Store, StoreError, Tx};
pub use suppressions::{SuppressionQuery, SuppressionReads, Suppressions};
pub use threads::{AssigneeFilter, ThreadQuery, ThreadReads, ThreadScope, Threads};
pub use transport::{OutgoingMail, RecipientOutcome, Transport};
pub use usage::{Sampling, Usage};
pub use vault::{Vault, VaultError};
pub use webhook_sender::{NotAnswered, Notification, OnItsWay, WebhookAnswer, WebhookSender};
pub use webhooks::{AttemptQuery, AttemptResult, WebhookReads, WebhookScope, Webhooks};
pub use work_journal::WorkJournal;
