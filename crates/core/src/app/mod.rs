//! Use cases, one verb per file.
//!
//! Each use case loads, decides, stores and commits. Protocol adapters call use cases and hold no rules of their own.

mod assess;
mod attachment_text;
mod authenticate;
mod blob_contents;
mod blob_identity;
mod byte_budget;
mod captured;
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
mod operator_limits;
mod permits;
mod purge;
mod queue_hold;
mod receive;
mod received_codes;
mod rejection;
mod reports;
mod row_limits;
mod scope;
mod screening;
mod second_cache;
mod standing;
mod submit;
mod turn_queue;

pub mod account;
pub mod api_keys;
pub mod apps;
pub mod audit;
pub mod billing;
pub mod blobs;
pub mod calendar;
pub mod contacts;
pub mod dkim;
pub mod domains;
pub mod downloads;
pub mod drafts;
pub mod events;
pub mod feed;
pub mod files;
pub mod inboxes;
pub mod label_history;
pub mod legal_holds;
pub mod lists;
pub mod members;
pub mod messages;
pub mod metrics;
pub mod oauth;
pub mod pods;
pub mod policies;
pub mod processes;
pub mod quarantine;
pub mod reads;
pub mod refusals;
pub mod search;
pub mod threads;
pub mod trace;
pub mod webhooks;

use std::sync::Arc;

pub use attachment_text::AttachedText;
pub(crate) use authenticate::standing_of;
pub use authenticate::{authenticate, caller_of_membership};
pub use blob_contents::BlobContents;
pub use blob_identity::{BlobOwner, require_own_stores};
pub use byte_budget::{BudgetReached, ByteBudget, ByteShare};
pub use captured::{CAPTURED_MAIL, OpenedMail, captured};
pub use claiming::NotClaimed;
pub use compute::MAX_INLINE_BYTES;
pub use deliver::{
    Delivered, Finished, LEASE, MailRoom, attempt_delivery, claim_due_mail, finish, is_reply_to_test, keep,
    send_test_mail, settle_delivery, size_of, test_subject,
};
pub use drop_queue::{drop_queued_mail, drop_scheduled_draft};
use inboxd_mail::EmailAddress;
pub use letter::{
    AttachmentSource, Letter, LetterAttachment, problems_beside_everyone, problems_of_answer, problems_of_letter,
};
pub use once::{Repeatable, once, release_abandoned_keys};
pub use operator_limits::{CurrentLimits, Limits};
pub use purge::{
    forget_sent_mail, purge_deleted_inboxes, purge_mail_quotas, purge_mail_reports, purge_policy_counts,
    purge_removed_organizations, purge_send_keys, purge_sign_in_codes, remove_unconfirmed,
};
pub use receive::{Arrived, Client, IncomingMail, NotReceived, Place, Recipient, receive, recipient};
pub use reports::{Fate, Returned};
pub use submit::{DryRun, QuotaLeft, RecipientVerdict, SendAllowance};
use time::{Duration, OffsetDateTime};
pub use turn_queue::{QueueFull, TurnBounds, TurnPermit, TurnQueue};
use uuid::Uuid;

pub use crate::model::SendResult;
use crate::model::mail_report::{ReportKind, ReportLimits};
use crate::model::{Route, TraceContext};
use crate::ports::{
    AttachmentText, Authenticator, BlockingPool, Capacity, Clock, ContentScanner, Courier, Destinations, Dns, Fetch,
    KeyMaker, Payments, Random, Signer, SpamFilter, Store, TextRecognizer, Vault, Wake,
};
use crate::rules::destinations::MailDestination;
use crate::rules::domains::report_addresses::report_kind;
use crate::rules::signing::SigningKey;

/// Settings of the service, chosen by the operator.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent switches of the operator")]
pub struct Settings {
    /// Domain of the inboxes of verified organizations.
    pub domain: String,
    /// Domain of the inbox that sign-up creates.
    pub signup_domain: String,
    /// Inbox or external address that receives the mail to `postmaster@` and `abuse@` of both domains. With `None` the
    /// mail is held for the operator.
    pub postmaster: Option<EmailAddress>,
    /// Maximum size of an inbound or outgoing message, in bytes.
    pub max_message_bytes: usize,
    /// Whether messages are delivered to the MX hosts of their recipients, so that the queue tells destinations apart.
    pub delivers_directly: bool,
    /// Limits that may change while the service runs.
    pub limits: CurrentLimits,
    /// Time in which a held message can be approved.
    pub approval_ttl: Duration,
    /// Whether approvers are mailed the link of a held message.
    pub mails_approvers: bool,
    /// Retention of events.
    pub event_retention: Duration,
    /// Retention of the audit log.
    pub audit_retention: Duration,
    /// Retention of an organization with an unconfirmed owner address.
    pub unverified_retention: Duration,
    /// Retention of received aggregate reports.
    pub report_retention: Duration,
    /// Maximum numbers of received aggregate reports.
    pub report_limits: ReportLimits,
    /// Origin of the base URL, which is the issuer of OAuth tokens; `None` for a base URL with a path, which turns OAuth
    /// off.
    pub issuer: Option<String>,
    /// Whether workers read attachments, so that searches find their words.
    pub reads_attachments: bool,
    /// Whether OAuth clients may register themselves.
    pub registers_clients: bool,
    /// Secret of signatures and keyed hashes.
    pub signing_key: SigningKey,
}

impl Settings {
    /// Returns the domains of the service.
    #[must_use]
    pub fn hosted_domains(&self) -> [&str; 2] {
        [&self.domain, &self.signup_domain]
    }

    /// Returns whether an address is `postmaster@` or `abuse@` of a domain of the service (RFC 5321, section 4.5.1, RFC
    /// 2142).
    #[must_use]
    pub fn is_postmaster(&self, address: &EmailAddress) -> bool {
        let address = address.without_tag();
        let Some((local, domain)) = address.rsplit_once('@') else { return false };
        matches!(local, "postmaster" | "abuse") && self.hosted_domains().contains(&domain)
    }

    /// Returns the kind of the aggregate reports to an address of a domain of the service; `None` for any other address.
    #[must_use]
    pub fn report_kind(&self, address: &EmailAddress) -> Option<ReportKind> {
        let address = address.without_tag();
        let (local, domain) = address.rsplit_once('@')?;
        report_kind(local).filter(|_| self.hosted_domains().contains(&domain))
    }

    /// Returns the destination of a recipient for the outgoing queue. It is empty for local mail and for mail through a
    /// relay.
    #[must_use]
    pub fn destination_of(&self, route: Route, recipient: &EmailAddress) -> String {
        if route == Route::Local || !self.delivers_directly {
            return String::new();
        }
        MailDestination::of(recipient).map(|destination| destination.to_string()).unwrap_or_default()
    }
}

/// Ports and state that use cases share.
#[derive(Clone)]
pub struct App {
    /// Durable storage.
    pub store: Arc<dyn Store>,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of randomness.
    pub random: Arc<dyn Random>,
    /// Wake-up hints to workers.
    pub wake: Arc<dyn Wake>,
    /// Encryption of stored secrets.
    pub vault: Arc<dyn Vault>,
    /// HTTP client for attachments by URL.
    pub fetch: Arc<dyn Fetch>,
    /// HTTP client for metadata documents of OAuth clients: 5 s, no redirects, status 200 alone.
    pub client_documents: Arc<dyn Fetch>,
    /// Policy of allowed webhook URLs.
    pub destinations: Arc<dyn Destinations>,
    /// DNS queries for custom domains.
    pub dns: Arc<dyn Dns>,
    /// SPF, DKIM, DMARC and ARC evaluation of inbound messages.
    pub authenticator: Arc<dyn Authenticator>,
    /// Spam filter of inbound messages.
    pub spam_filter: Arc<dyn SpamFilter>,
    /// External scanner of inbound messages; `None` without one.
    pub scanner: Option<Arc<dyn ContentScanner>>,
    /// Reader of documents; `None` without one.
    pub attachment_text: Option<Arc<dyn AttachmentText>>,
    /// Reader of words in pictures; `None` without one.
    pub text_recognizer: Option<Arc<dyn TextRecognizer>>,
    /// Generator of DKIM keys for custom domains.
    pub key_maker: Arc<dyn KeyMaker>,
    /// DKIM signer of outgoing messages.
    pub signer: Arc<dyn Signer>,
    /// Payment provider; `None` without billing.
    pub payments: Option<Arc<dyn Payments>>,
    /// Immediate dispatcher of queued messages; `None` where only the delivery workers poll the queue.
    pub courier: Option<Arc<dyn Courier>>,
    /// Thread pool for long computations.
    pub blocking: Arc<dyn BlockingPool>,
    /// Capacity for growing data.
    pub capacity: Arc<dyn Capacity>,
    /// Stores of contents outside the rows.
    pub blobs: Arc<BlobContents>,
    /// Id of this process, part of the ids of its claims.
    pub process_id: Uuid,
    /// Batchers and caches, shared by all clones.
    pub waiting: Arc<Waiting>,
    /// Settings of the operator.
    pub settings: Settings,
}

/// Batchers, short-lived caches and limits of one process.
#[derive(Default)]
pub struct Waiting {
    /// Cache of recipient lookups.
    recipients: receive::RecipientCache,
    /// Cache of people and domains that senders may imitate.
    acquaintances: receive::AcquaintanceCache,
    /// Cache of DKIM keys.
    signing_keys: dkim::SigningKeyCache,
    /// Batcher of inbound messages.
    inbound: receive::InboundBatcher,
    /// Batcher of bounce reports.
    reports: reports::Reports,
    /// Running reads of attachments by URL.
    fetches: submit::Fetches,
    /// Batcher of submissions.
    submissions: submit::SubmissionBatcher,
    /// Counts of sends within the last hour.
    recent_sends: submit::RecentSends,
    /// Verdicts of the last minute that cost nothing.
    free_verdicts: submit::FreeVerdicts,
    /// Batcher of delivery outcomes.
    outcomes: deliver::OutcomeBatcher,
    /// Claims of idempotency keys that await release.
    abandoned_keys: once::AbandonedKeys,
    /// First reads that are not stored yet.
    reads: reads::ReadBuffer,
    /// Refusals at SMTP that are not stored yet.
    refusals: refusals::RefusalBuffer,
    /// Permits for reads of raw messages.
    large_reads: large_reads::LargeReads,
    /// Permits for extractions of text.
    text_extractions: attachment_text::TextExtractions,
}

impl Waiting {
    /// Creates batchers with a limit on units of work that wait for row locks. The limit applies to inbound mail and to
    /// reports, whose connections tenants share.
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
    /// Returns a new id that sorts by time.
    fn mint<T: From<Uuid>>(&self, now: OffsetDateTime) -> T {
        T::from(self.random.uuid_at(now))
    }

    /// Begins a span of the service in the trace of its cause.
    #[must_use]
    pub fn begin_span(&self, cause: TraceContext) -> TraceContext {
        let mut random = [0; 8];
        self.random.fill(&mut random);
        cause.with_span(random)
    }

    /// Returns a new claim id. Its last bytes are those of the process id.
    fn claim_id(&self, now: OffsetDateTime) -> Uuid {
        let mut bytes = self.random.uuid_at(now).into_bytes();
        for (byte, own) in bytes.iter_mut().zip(self.process_id.as_bytes()).skip(10) {
            *byte = *own;
        }
        Uuid::from_bytes(bytes)
    }
}
