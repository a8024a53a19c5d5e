//! Inbound pipeline: stores a mail for all recipients or for none.

mod acquaintances;
mod aggregate_reports;
mod arriving;
mod batch;
mod inbound_batcher;
mod known;
mod postmaster;
mod recipient;
mod recipient_cache;
mod reports;
mod store_batch;
mod targets;
mod trust;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use inboxd_mail::{
    AggregateReports, BounceReport, EmailAddress, ParsedMail, header_values, normalize_envelope_lines, parse,
    read_aggregate_reports, remove_auth_results,
};

use self::arriving::Arriving;
use self::targets::MailTargets;
use super::assess::AssessedMail;
use super::reports::{Returned, judge};
use super::{App, MAX_INLINE_BYTES, assess};
use crate::Error;
use crate::model::mail_report::{ReceivedReport, ReportOutcome};
use crate::model::{InboxId, MessageId, StoredBlob};
use crate::ports::{Destination, IntakeHold, StoreError, WorkOwner};
use crate::rules::deduplication;
use crate::rules::lists::MessageSenders;

pub(super) use self::acquaintances::AcquaintanceCache;
pub(super) use self::inbound_batcher::InboundBatcher;
pub(super) use self::recipient::target_of;
pub use self::recipient::{Place, Recipient, recipient};
pub(super) use self::recipient_cache::RecipientCache;

/// Limit of Received fields; more indicate a loop (RFC 5321, section 6.3, recommends a large number).
const MAX_HOPS: usize = 25;
/// Trace field of mail that an inbox has received. It is signed, because a sender could write any other value.
const TRACE: &str = "X-Inboxd-Trace";

/// Received mail with its envelope.
#[derive(Debug, Clone)]
pub struct IncomingMail {
    /// The return path; `None` for a report, which must never cause another report.
    pub envelope_from: Option<EmailAddress>,
    /// Envelope recipients, resolved by [`recipient`].
    pub recipients: Vec<Recipient>,
    /// Unchanged content.
    pub raw: Vec<u8>,
    /// The SMTP client; `None` for mail from this service.
    pub client: Option<Client>,
}

/// SMTP client that transmitted a mail.
#[derive(Debug, Clone)]
pub struct Client {
    /// IP address.
    pub ip: IpAddr,
    /// Name in HELO or EHLO.
    pub helo: String,
    /// Protocol name according to RFC 3848.
    pub protocol: &'static str,
}

impl Client {
    /// Returns the beginning of a Received field of a host (RFC 5321, section 4.4).
    fn received_by(&self, host: &str) -> String {
        let Self { ip, helo, protocol } = self;
        let literal = if ip.is_ipv6() { format!("[IPv6:{ip}]") } else { format!("[{ip}]") };
        format!("from {helo} ({literal}) by {host} with {protocol}")
    }
}

/// Result for an accepted mail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// Created messages with their inboxes; none for an inbox that already has the mail.
    pub messages: Vec<(InboxId, MessageId)>,
    /// Reports accepted at return paths, which store no message.
    pub returned: Vec<Returned>,
    /// Aggregate reports (DMARC, SMTP TLS) received at their addresses, which store no message.
    pub aggregate: Vec<ReceivedReport>,
    /// Whether the mail is held for the operator.
    pub is_held: bool,
}

impl Arrived {
    /// Returns whether the mail had aggregate reports alone, and none of them is stored.
    #[must_use]
    pub fn is_dropped(&self) -> bool {
        let is_stored =
            |received: &ReceivedReport| matches!(received.outcome, ReportOutcome::Stored | ReportOutcome::Duplicate);
        let has_reports_alone = self.messages.is_empty() && self.returned.is_empty() && !self.is_held;
        has_reports_alone && !self.aggregate.is_empty() && !self.aggregate.iter().any(is_stored)
    }
}

/// Created messages of a mail with their inboxes.
type Stored = Result<Vec<(InboxId, MessageId)>, NotReceived>;

/// Reason for which a mail was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReceived {
    /// The inbox does not exist, or not any more.
    #[error("no such mailbox: {0}")]
    UnknownRecipient(EmailAddress),
    /// One of several inboxes was deleted meanwhile. No inbox stores the mail, because one SMTP reply covers all
    /// recipients.
    #[error("the mailbox {0} no longer exists; send the mail again to the other recipients")]
    OneIsGone(EmailAddress),
    /// An inbox is temporarily closed. No inbox stores the mail.
    #[error("the mailbox {address} {}; send the mail again later", in_words(.hold))]
    Deferred {
        /// The recipient.
        address: EmailAddress,
        /// The reason.
        hold: IntakeHold,
    },
    /// The mail is in a loop.
    #[error("mail loop: {0}")]
    Loop(&'static str),
    /// The recipient is the return path of a sent mail, and the mail is not a report about it.
    #[error("this address accepts only reports about a sent message; write to the address in its From field")]
    NoReport,
    /// The mail is for the address of aggregate reports alone, and all its reports are about domains of others.
    #[error("no report about a domain of this service; write to postmaster at this domain instead")]
    ForeignReports(Vec<ReceivedReport>),
    /// The mail is too large.
    #[error("the message exceeds {0} bytes")]
    TooLarge(usize),
    /// The organization stores twice its allowance.
    #[error("{0} is over its storage limit; send the mail again later")]
    MailboxFull(EmailAddress),
    /// The disk is almost full.
    #[error("the disk is full; send the mail again later")]
    NoSpace,
    /// Storage failed; the client may send the mail again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn in_words(hold: &IntakeHold) -> String {
    match hold {
        IntakeHold::Paused => "is paused and accepts no mail".to_owned(),
        IntakeHold::Suspended(reason) => format!("accepts no mail, its organization is suspended: {reason}"),
    }
}

/// Stores a mail in the inboxes of all recipients, with its threads and events, in one unit of work that other mail may
/// share. When the call returns, the mail is durable, and lists, search and reads find it.
///
/// # Errors
/// [`NotReceived`]; then nothing was stored.
pub async fn receive(app: &App, mail: IncomingMail) -> Result<Arrived, NotReceived> {
    let client = mail.client.as_ref().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |client| client.ip);
    // On the heap: the future of a receipt is large.
    Box::pin(receive_for(app, WorkOwner::of_client(client), mail)).await
}

/// Receives mail as [`receive`] does, in the compute share of an owner. The owner is the sender, never a recipient.
///
/// # Errors
/// [`NotReceived`]; then nothing was stored.
pub(super) async fn receive_for(app: &App, owner: WorkOwner, mail: IncomingMail) -> Result<Arrived, NotReceived> {
    let limit = app.settings.max_message_bytes;
    if mail.raw.len() > limit {
        return Err(NotReceived::TooLarge(limit));
    }
    let mut targets = MailTargets::of(&mail.recipients);
    targets.require_capacity(app)?;
    let (domain, is_returned) = (app.settings.domain.clone(), !targets.outgoing.is_empty());
    let has_reports = targets.reports.is_some();
    // A small report can unpack to much.
    let bytes = if has_reports { mail.raw.len().max(MAX_INLINE_BYTES + 1) } else { mail.raw.len() };
    let read = app.compute(owner, bytes, move || ReadMail::of(mail, &domain, is_returned, has_reports)).await;
    let mut read = read.map_err(broken_off)?;
    refuse_loops(app, &read.parsed, &read.traces, &targets.inboxes)?;
    let report = std::mem::replace(&mut read.report, Ok(None))?;
    let needs_evidence = !targets.inboxes.is_empty() || report.is_some() || has_reports;
    let evidence = if needs_evidence { assess::evidence(app, &read.mail).await } else { None };
    let arrived = reports::store_reports(app, &read, &mut targets, report.as_ref(), evidence.as_ref()).await?;
    if targets.inboxes.is_empty() {
        return Ok(arrived);
    }
    let ReadMail { mail, cleaned, parsed, digest, .. } = read;
    let destinations = targets.inboxes;
    let receiver = destinations.values().next().map(|(destination, _)| destination.organization_id);
    let assessed = assess::assess(app, owner, receiver, (mail, parsed), evidence).await.map_err(broken_off)?;
    let AssessedMail { mail, parsed, findings } = assessed;
    let mail = match cleaned {
        Some(raw) => IncomingMail { raw, ..mail },
        None => mail,
    };
    let senders = MessageSenders::of(&parsed, mail.envelope_from.as_ref());
    let raw_blobs = BTreeMap::new();
    let mut arriving =
        Arriving { digest, now: app.clock.now(), parsed, mail, destinations, senders, findings, raw_blobs };
    arriving.upload(app).await.map_err(broken_off)?;
    let raw_blobs = arriving.raw_blobs.clone();
    let stored = app.waiting.inbound.store(app, arriving).await;
    discard_unused(app, &raw_blobs, &stored).await;
    let messages = stored?;
    Ok(Arrived { messages, ..arrived })
}

/// Deletes the raw mail of inboxes that did not store it: repeated mail and refused mail.
async fn discard_unused(app: &App, raw_blobs: &BTreeMap<InboxId, StoredBlob>, stored: &Stored) {
    let stored = match stored {
        Ok(messages) => messages.as_slice(),
        Err(NotReceived::Store(StoreError::Undecided(_))) => return,
        Err(_) => &[],
    };
    let is_unused = |inbox_id: &InboxId| !stored.iter().any(|(stored, _)| stored == inbox_id);
    let unused: Vec<&StoredBlob> =
        raw_blobs.iter().filter(|(inbox_id, _)| is_unused(inbox_id)).map(|(_, blob)| blob).collect();
    app.discard(&unused).await;
}

/// Converts the failure of a computation or an upload, which has stored nothing.
fn broken_off(error: Error) -> StoreError {
    match error {
        Error::Store(error) => error,
        error => StoreError::Unavailable(error.to_string()),
    }
}

/// Mail that was parsed once, so that the stored content is the parsed content.
struct ReadMail {
    /// The received mail without lines above its header.
    mail: IncomingMail,
    /// Content without forged authentication results in the service's name; `None` for mail without them, which is the
    /// usual case.
    cleaned: Option<Vec<u8>>,
    /// Result of parsing the stored content.
    parsed: ParsedMail,
    /// Values of the trace fields.
    traces: Vec<String>,
    digest: [u8; 32],
    report: Result<Option<BounceReport>, NotReceived>,
    /// Aggregate reports; none unless the mail is for their address.
    reports: AggregateReports,
}

impl ReadMail {
    /// Parses a mail, its report if it is for a return path, and its aggregate reports if it is for their address. Large
    /// mails need much processor time.
    fn of(mut mail: IncomingMail, domain: &str, is_returned: bool, has_reports: bool) -> Self {
        if let Cow::Owned(raw) = normalize_envelope_lines(&mail.raw) {
            mail.raw = raw;
        }
        // Results in the service's name that are already present are forged.
        let cleaned = match remove_auth_results(domain, &mail.raw) {
            // The line after a removed field may be an envelope line.
            Cow::Owned(raw) => Some(normalize_envelope_lines(&raw).into_owned()),
            Cow::Borrowed(_) => None,
        };
        let parsed = parse(cleaned.as_ref().unwrap_or(&mail.raw));
        let traces = header_values(&mail.raw, TRACE);
        let digest = deduplication::digest(mail.envelope_from.as_ref(), &mail.raw);
        let report = if is_returned { judge(&mail) } else { Ok(None) };
        let reports = if has_reports { read_aggregate_reports(&mail.raw) } else { AggregateReports::default() };
        Self { mail, cleaned, parsed, traces, digest, report, reports }
    }
}

fn refuse_loops(
    app: &App,
    parsed: &ParsedMail,
    traces: &[String],
    destinations: &BTreeMap<InboxId, (Destination, EmailAddress)>,
) -> Result<(), NotReceived> {
    if parsed.received_count > MAX_HOPS {
        return Err(NotReceived::Loop("it has passed through more than 25 servers"));
    }
    let seen: BTreeSet<Vec<u8>> =
        traces.iter().filter_map(|value| app.settings.signing_key.verify(TRACE, value.trim())).collect();
    if destinations.keys().any(|inbox_id| seen.contains(inbox_id.as_str().as_bytes())) {
        return Err(NotReceived::Loop("its X-Inboxd-Trace field says that this mailbox has received it before"));
    }
    Ok(())
}
