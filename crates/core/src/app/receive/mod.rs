//! A mail arrives: into every inbox it is for, or into none.

mod arriving;
mod batch;
mod inbound_batcher;
mod known;
mod postmaster;
mod recipient;
mod recipient_cache;
mod store_batch;

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
use crate::rules::lists::Senders;
use crate::rules::repeats;
use crate::rules::reports::vouching;

pub(super) use self::inbound_batcher::InboundBatcher;
pub use self::recipient::{Place, Recipient, recipient};
pub(super) use self::recipient_cache::RecipientCache;

/// More Received fields than this are a loop (RFC 5321, section 6.3, asks for a large number).
const MOST_HOPS: usize = 25;
/// The trace field that says that an inbox has received the mail. It is signed: anybody may have copied another.
const TRACE: &str = "X-Inboxd-Trace";

/// A mail as it came, with its envelope.
#[derive(Debug, Clone)]
pub struct IncomingMail {
    /// The return path; `None` for a report, which must never be answered by another.
    pub envelope_from: Option<EmailAddress>,
    /// The recipients of the envelope, as [`recipient`] found them.
    pub recipients: Vec<Recipient>,
    /// The mail, octet for octet.
    pub raw: Vec<u8>,
    /// Who handed it over; `None` for mail from within.
    pub client: Option<Client>,
}

/// The client that handed a mail over.
#[derive(Debug, Clone)]
pub struct Client {
    /// Its address.
    pub ip: IpAddr,
    /// The name it gave.
    pub helo: String,
    /// The protocol it spoke, as RFC 3848 names it.
    pub protocol: &'static str,
}

impl Client {
    /// Returns how a Received field of a host begins (RFC 5321, section 4.4).
    fn received_by(&self, host: &str) -> String {
        let Self { ip, helo, protocol } = self;
        let literal = if ip.is_ipv6() { format!("[IPv6:{ip}]") } else { format!("[{ip}]") };
        format!("from {helo} ({literal}) by {host} with {protocol}")
    }
}

/// A mail that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// In which inboxes, under which ids; a repeat of a mail that was stored before makes none.
    pub messages: Vec<(InboxId, MessageId)>,
    /// The return paths that it came to, which store no message.
    pub returned: Vec<Returned>,
    /// Whether it is held for the operator.
    pub is_held: bool,
}

/// In which inboxes a mail was stored, under which ids.
type Stored = Result<Vec<(InboxId, MessageId)>, NotReceived>;

/// Why a mail was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReceived {
    /// There is no such inbox, or no longer.
    #[error("no mailbox here has the address {0}")]
    UnknownRecipient(EmailAddress),
    /// One of several inboxes is there no longer. The mail is stored in none, for the answer is one for all.
    #[error("{0} is no mailbox here any more; send the mail again, to the other recipients")]
    OneIsGone(EmailAddress),
    /// A mailbox takes no mail at the moment. The mail is stored in none.
    #[error("the mailbox {address} {}; send the mail again later", in_words(.hold))]
    Deferred {
        /// The recipient.
        address: EmailAddress,
        /// Why.
        hold: IntakeHold,
    },
    /// The mail runs in a circle.
    #[error("mail loop: {0}")]
    Loop(&'static str),
    /// It came to the return path of a mail and is no report about it.
    #[error(
        "this address takes reports about a mail that was sent, and nothing else; write to the address in its From field"
    )]
    NoReport,
    /// The mail is too large.
    #[error("the mail is larger than {0} octets")]
    TooLarge(usize),
    /// The organization stores twice its allowance.
    #[error("{0} stores too much to take more mail at the moment")]
    MailboxFull(EmailAddress),
    /// The service is short of disk space.
    #[error("there is no disk space for mail at the moment; send it again later")]
    NoSpace,
    /// Storage failed; the mail can be sent again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn in_words(hold: &IntakeHold) -> String {
    match hold {
        IntakeHold::Paused => "is paused and takes no mail".to_owned(),
        IntakeHold::Suspended(reason) => format!("takes no mail, its organization is suspended: {reason}"),
    }
}

/// Stores a mail in the inboxes of all its recipients, with its threads and events, in one unit of work, which it may share
/// with others. When this answers, the mail is durable and can be listed, searched and read.
///
/// # Errors
/// [`NotReceived`]; then nothing was stored.
pub async fn receive(app: &App, mail: IncomingMail) -> Result<Arrived, NotReceived> {
    let client = mail.client.as_ref().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |client| client.ip);
    receive_for(app, WorkOwner::of_client(client), mail).await
}

/// Does the same as [`receive`], in the turns of an owner: of the sender, never of a recipient.
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
    // The organization may have reached its limit since the recipient was accepted.
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
    let vouching = evidence.as_ref().map(vouching).unwrap_or_default();
    // What was told is told no more. So this comes first: should it fail, or what follows, the mail comes again, and no
    // inbox gets it twice.
    let returned = reports::take(app, &outgoing, report.as_ref(), &vouching).await?;
    // Sent again, it is held once.
    if let Some(operator) = &operator {
        postmaster::hold(app, &read, operator).await?;
    }
    if destinations.is_empty() {
        return Ok(Arrived { messages: Vec::new(), returned, is_held: operator.is_some() });
    }
    let ReadMail { mail, cleaned, parsed, digest, .. } = read;
    let assessed = assess::assess(app, owner, mail, parsed, evidence).await.map_err(broken_off)?;
    let AssessedMail { mail, parsed, findings } = assessed;
    let mail = match cleaned {
        Some(raw) => IncomingMail { raw, ..mail },
        None => mail,
    };
    let senders = Senders::of(&parsed, mail.envelope_from.as_ref());
    let arriving = Arriving { digest, now: app.clock.now(), parsed, mail, destinations, senders, findings };
    let messages = app.waiting.inbound.store(app, arriving).await?;
    Ok(Arrived { messages, returned, is_held: operator.is_some() })
}

/// A computation that broke off stored nothing.
#[expect(clippy::needless_pass_by_value, reason = "it maps errors")]
fn broken_off(error: Error) -> StoreError {
    StoreError::Unavailable(error.to_string())
}

/// A mail that was read once, so that what is stored is what was parsed.
struct ReadMail {
    /// As it came, but for what stood above its header.
    mail: IncomingMail,
    /// Its content without results that others wrote in our name. Few mails hold such forgeries; `None` for all others.
    cleaned: Option<Vec<u8>>,
    /// What was read of the content that is stored.
    parsed: ParsedMail,
    /// The values of its trace fields.
    traces: Vec<String>,
    digest: [u8; 32],
    report: Result<Option<BounceReport>, NotReceived>,
}

impl ReadMail {
    /// Reads a mail; a report where it came to a return path. Large mails keep a processor busy for long.
    fn of(mut mail: IncomingMail, domain: &str, is_returned: bool) -> Self {
        if let Cow::Owned(raw) = normalize_envelope_lines(&mail.raw) {
            mail.raw = raw;
        }
        // Whoever wrote our name into such a field was not us.
        let cleaned = match remove_auth_results(domain, &mail.raw) {
            // The line below the removed field may be an envelope line.
            Cow::Owned(raw) => Some(normalize_envelope_lines(&raw).into_owned()),
            Cow::Borrowed(_) => None,
        };
        let parsed = parse(cleaned.as_ref().unwrap_or(&mail.raw));
        let traces = header_values(&mail.raw, TRACE);
        let digest = repeats::digest(mail.envelope_from.as_ref(), &mail.raw);
        let report = if is_returned { reports::judge(&mail) } else { Ok(None) };
        Self { mail, cleaned, parsed, traces, digest, report }
    }
}

/// Where the recipients lead: the inboxes in the order of their locks, each once, with the recipient that led there, and the
/// mails that left whose return paths they are.
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
    if parsed.received_count > MOST_HOPS {
        return Err(NotReceived::Loop("it has passed through more than 25 servers"));
    }
    let seen: BTreeSet<Vec<u8>> =
        traces.iter().filter_map(|value| app.settings.signing_key.verify(TRACE, value.trim())).collect();
    if destinations.keys().any(|inbox_id| seen.contains(inbox_id.as_str().as_bytes())) {
        return Err(NotReceived::Loop("its X-Inboxd-Trace field says that this mailbox has received it before"));
    }
    Ok(())
}
