//! Use cases, one verb a file, always the same movement: load, decide, store, commit.
//!
//! Every protocol calls these and holds no rules of its own.

mod assess;
mod authenticate;
mod byte_budget;
mod claiming;
mod compute;
mod contention;
mod deliver;
mod drop_queue;
mod homes;
mod ingest;
mod large_reads;
mod letter;
mod mail_limits;
mod once;
mod permits;
mod purge;
mod queue_hold;
mod receive;
mod rejection;
mod reports;
mod row_limits;
mod scope;
mod screening;
mod standing;
mod submit;
mod turn_queue;

pub mod account;
pub mod api_keys;
pub mod billing;
pub mod dkim;
pub mod domains;
pub mod downloads;
pub mod drafts;
pub mod events;
pub mod feed;
pub mod inboxes;
pub mod label_history;
pub mod lists;
pub mod members;
pub mod messages;
pub mod metrics;
pub mod pods;
pub mod processes;
pub mod search;
pub mod threads;
pub mod webhooks;

use std::sync::Arc;

pub use authenticate::authenticate;
pub(crate) use authenticate::standing_of;
pub use byte_budget::{BudgetReached, ByteBudget, ByteShare};
pub use claiming::NotClaimed;
pub use compute::MAX_INLINE_BYTES;
pub use deliver::{
    Delivered, Finished, LEASE, MailRoom, attempt_delivery, claim_due_mail, finish, keep, settle_delivery, size_of,
};
pub use drop_queue::{drop_queued_mail, drop_scheduled_draft};
use inboxd_mail::EmailAddress;
pub use letter::{
    AttachmentSource, Letter, LetterAttachment, problems_beside_everyone, problems_of_answer, problems_of_letter,
};
pub use once::{Repeatable, once, release_abandoned_keys};
pub use purge::{
    forget_sent_mail, purge_deleted_inboxes, purge_mail_quotas, purge_removed_organizations, purge_send_keys,
    purge_sign_in_codes, remove_unconfirmed,
};
pub use receive::{Arrived, Client, IncomingMail, NotReceived, Place, Recipient, receive, recipient};
pub use reports::{Fate, Returned};
use time::{Duration, OffsetDateTime};
pub use turn_queue::{QueueFull, TurnBounds, TurnPermit, TurnQueue};
use uuid::Uuid;

pub use crate::model::SendResult;
use crate::model::{MailLimits, Route};
use crate::ports::{
    Authenticator, BlockingPool, Capacity, Clock, Courier, Destinations, Dns, Fetch, KeyMaker, Payments, Random,
    Signer, SpamFilter, Store, Vault, Wake,
};
use crate::rules::destinations::MailDestination;
use crate::rules::row_limits::RowLimits;
use crate::rules::signing::SigningKey;

/// What the operator decides about the service.
#[derive(Clone)]
pub struct Settings {
    /// Where verified organizations mint inboxes.
    pub domain: String,
    /// Where sign-up mints the first inbox.
    pub signup_domain: String,
    /// The inbox, or the address outside, that has the mail to `postmaster@` and `abuse@` of both; `None` where it is held for
    /// the operator.
    pub postmaster: Option<EmailAddress>,
    /// Largest mail in or out, in octets.
    pub max_message_bytes: usize,
    /// Whether mail leaves for the servers of its recipients, so that each destination has a way of its own.
    pub delivers_directly: bool,
    /// Upper bounds on rows that a plan does not meter.
    pub row_limits: RowLimits,
    /// How long events are kept.
    pub event_retention: Duration,
    /// Messages that keys may send from one inbox to one address within an hour; `None` is no limit.
    pub loop_budget: Option<u32>,
    /// How long an organization whose owner address is not confirmed is kept.
    pub unverified_retention: Duration,
    /// How much mail of sign-ups and invitations a mailbox gets, from all organizations together.
    pub mailbox_limits: MailLimits,
    /// How many invitations an organization sends.
    pub invitation_limits: MailLimits,
    /// The secret for signatures and keyed hashes.
    pub signing_key: SigningKey,
}

impl Settings {
    /// The domains whose addresses are ours.
    #[must_use]
    pub fn hosted_domains(&self) -> [&str; 2] {
        [&self.domain, &self.signup_domain]
    }

    /// Returns whether an address is `postmaster@` or `abuse@` of a domain of the service (RFC 5321, section 4.5.1, RFC 2142).
    #[must_use]
    pub fn is_postmaster(&self, address: &EmailAddress) -> bool {
        let address = address.without_tag();
        let Some((local, domain)) = address.rsplit_once('@') else { return false };
        matches!(local, "postmaster" | "abuse") && self.hosted_domains().contains(&domain)
    }

    /// What the queue tells the destination of a recipient by; nothing where it makes no difference.
    #[must_use]
    pub fn destination_of(&self, route: Route, recipient: &EmailAddress) -> String {
        if route == Route::Local || !self.delivers_directly {
            return String::new();
        }
        MailDestination::of(recipient).map(|destination| destination.to_string()).unwrap_or_default()
    }
}

/// Everything a use case needs of the world.
#[derive(Clone)]
pub struct App {
    /// Durable storage.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Hints to workers.
    pub wake: Arc<dyn Wake>,
    /// Secrets at rest.
    pub vault: Arc<dyn Vault>,
    /// Reading what callers name by URL.
    pub fetch: Arc<dyn Fetch>,
    /// Judging where callers want events to be sent.
    pub destinations: Arc<dyn Destinations>,
    /// Asking for the records of custom domains.
    pub dns: Arc<dyn Dns>,
    /// Finding out who vouches for mail that comes in.
    pub authenticator: Arc<dyn Authenticator>,
    /// Judging whether mail that comes in is spam.
    pub spam_filter: Arc<dyn SpamFilter>,
    /// Making the keys of custom domains.
    pub key_maker: Arc<dyn KeyMaker>,
    /// Signing mail that leaves.
    pub signer: Arc<dyn Signer>,
    /// Whoever collects the money; `None` where nobody does.
    pub payments: Option<Arc<dyn Payments>>,
    /// Whoever takes mail out as soon as it is queued; `None` where it is left to others.
    pub courier: Option<Arc<dyn Courier>>,
    /// Threads for long computations.
    pub blocking: Arc<dyn BlockingPool>,
    /// Room for what grows.
    pub capacity: Arc<dyn Capacity>,
    /// The id of this process, which its claims carry.
    pub process_id: Uuid,
    /// What waits to be done together. Everybody who asks has the same.
    pub waiting: Arc<Waiting>,
    /// What the operator decided.
    pub settings: Settings,
}

/// What many ask for one by one, and is done for all of them at once; some of it is remembered for a moment.
#[derive(Default)]
pub struct Waiting {
    /// Recent recipient lookups.
    recipients: receive::RecipientCache,
    /// Inbound mail that waits for its unit of work.
    inbound: receive::InboundBatcher,
    /// The reports that are taken.
    reports: reports::Reports,
    /// The attachments that are being read from URLs.
    fetches: submit::Fetches,
    /// Submissions that wait for their unit of work.
    submissions: submit::SubmissionBatcher,
    /// Counts of what was sent within the last hour.
    recent_sends: submit::RecentSends,
    /// Delivery outcomes that wait for their unit of work.
    outcomes: deliver::OutcomeBatcher,
    /// The idempotency keys that could not be released.
    abandoned_keys: once::AbandonedKeys,
    /// Reads of whole mails.
    large_reads: large_reads::LargeReads,
}

impl Waiting {
    /// Of each kind of work that shares its connections with other tenants, at most so many units of work wait for row locks.
    #[must_use]
    pub fn with_lock_waits(max_lock_waits: usize) -> Self {
        Self {
            inbound: receive::InboundBatcher::new(max_lock_waits),
            reports: reports::Reports::new(max_lock_waits),
            ..Self::default()
        }
    }
}

impl App {
    /// A fresh id that sorts by time.
    fn mint<T: From<Uuid>>(&self, now: OffsetDateTime) -> T {
        T::from(self.random.uuid_at(now))
    }

    /// A fresh id of a claim, which ends as the id of this process does.
    fn claim_id(&self, now: OffsetDateTime) -> Uuid {
        let mut bytes = self.random.uuid_at(now).into_bytes();
        for (byte, own) in bytes.iter_mut().zip(self.process_id.as_bytes()).skip(10) {
            *byte = *own;
        }
        Uuid::from_bytes(bytes)
    }
}
