//! Inbound pipeline: stores a mail for all recipients or for none.

mod acquaintances;
mod arriving;
mod batch;
mod inbound_batcher;
mod known;
mod postmaster;
mod recipient;
mod recipient_cache;
mod store_batch;
mod trust;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use inboxd_mail::{
    BounceReport, EmailAddress, ParsedMail, header_values, normalize_envelope_lines, parse, remove_auth_results,
};

use self::arriving::Arriving;
use super::assess::AssessedMail;
use super::reports::{self, Returned};
use super::{App, assess};
use crate::Error;
use crate::model::{InboxId, MessageId, OutgoingId};
use crate::ports::{Destination, IntakeHold, StoreError, WorkOwner};
use crate::rules::deduplication;
use crate::rules::lists::MessageSenders;
use crate::rules::reports::authenticated_domains;

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
    /// Whether the mail is held for the operator.
    pub is_held: bool,
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
    let (destinations, outgoing) = places(&mail.recipients);
    let operator = mail.recipients.iter().find(|recipient| recipient.place == Place::Operator);
    let operator = operator.map(|recipient| recipient.address.clone());
    if (!destinations.is_empty() || operator.is_some()) && !app.capacity.has_space() {
        return Err(NotReceived::NoSpace);
    }
    // The organization may have reached its limit after RCPT.
    let is_full = |(place, _): &&(Destination, EmailAddress)| !app.capacity.may_receive(place.organization_id);
    if let Some((_, address)) = destinations.values().find(is_full) {
        return Err(NotReceived::MailboxFull(address.clone()));
    }
    let (domain, is_returned) = (app.settings.domain.clone(), !outgoing.is_empty());
    let read = app.compute(owner, mail.raw.len(), move || ReadMail::of(mail, &domain, is_returned)).await;
    let mut read = read.map_err(broken_off)?;
    refuse_loops(app, &read.parsed, &read.traces, &destinations)?;
    let report = std::mem::replace(&mut read.report, Ok(None))?;
    let evidence =
        if destinations.is_empty() && report.is_none() { None } else { assess::evidence(app, &read.mail).await };
    let authenticated = evidence.as_ref().map(authenticated_domains).unwrap_or_default();
    // A report that was already accepted has no effect again, so reports come first. If this or a later step fails, the
    // client sends the mail again, and no inbox receives it twice.
    let returned = reports::take(app, &outgoing, report.as_ref(), &authenticated).await?;
    // A mail that is sent again is held once.
    if let Some(operator) = &operator {
        postmaster::hold(app, &read, operator).await?;
    }
    if destinations.is_empty() {
        return Ok(Arrived { messages: Vec::new(), returned, is_held: operator.is_some() });
    }
    let ReadMail { mail, cleaned, parsed, digest, .. } = read;
    let receiver = destinations.values().next().map(|(destination, _)| destination.organization_id);
    let assessed = assess::assess(app, owner, receiver, (mail, parsed), evidence).await.map_err(broken_off)?;
    let AssessedMail { mail, parsed, findings } = assessed;
    let mail = match cleaned {
        Some(raw) => IncomingMail { raw, ..mail },
        None => mail,
    };
    let senders = MessageSenders::of(&parsed, mail.envelope_from.as_ref());
    let arriving = Arriving { digest, now: app.clock.now(), parsed, mail, destinations, senders, findings };
    let messages = app.waiting.inbound.store(app, arriving).await?;
    Ok(Arrived { messages, returned, is_held: operator.is_some() })
}

/// Converts the failure of a computation, which has stored nothing.
#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn broken_off(error: Error) -> StoreError {
    StoreError::Unavailable(error.to_string())
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
}

impl ReadMail {
    /// Parses a mail, and its report if it is for a return path. Large mails need much processor time.
    fn of(mut mail: IncomingMail, domain: &str, is_returned: bool) -> Self {
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
        let report = if is_returned { reports::judge(&mail) } else { Ok(None) };
        Self { mail, cleaned, parsed, traces, digest, report }
    }
}

/// Returns the targets of the recipients: the inboxes in lock order without duplicates, each with the address that
/// resolved to it, and the sent mails with the return paths among the recipients.
fn places(recipients: &[Recipient]) -> (BTreeMap<InboxId, (Destination, EmailAddress)>, Vec<OutgoingId>) {
    let (mut destinations, mut outgoing) = (BTreeMap::new(), Vec::new());
    for Recipient { address, place } in recipients {
        match place {
            Place::Inbox(destination) => {
                let found = || (destination.clone(), address.clone());
                destinations.entry(destination.inbox_id.clone()).or_insert_with(found);
            }
            Place::ReturnPath(outgoing_id) => outgoing.push(*outgoing_id),
            Place::Operator => {}
        }
    }
    (destinations, outgoing)
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
