//! A mail arrives: into every inbox it is for, or into none.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use inboxd_mail::{EmailAddress, ParsedMail, header_values, parse, with_trace_headers, without_results_of};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;

use super::App;
use super::assess::{self, Findings, RESULTS};
use super::contention::retried;
use super::ingest::{self, Origin};
use super::reports::{self, Returned, Returns};
use super::screening::{self, Screen};
use crate::model::{
    Event, EventBody, EventId, InboxId, MessageId, NewMessage, OrganizationId, Thread, ThreadId, UsageChange,
};
use crate::ports::{Constraint, Destination, StoreError, Tx};
use crate::rules::repeats::{self, Arrival};
use crate::rules::reports::vouching;
use crate::rules::threading;
use crate::rules::verdict::Verdict;

/// More Received fields than this are a loop (RFC 5321, section 6.3, asks for a large number).
const MOST_HOPS: usize = 25;
/// The trace field that says that an inbox has received the mail. It is signed: anybody may have copied another.
const TRACE: &str = "X-Inboxd-Trace";

/// A mail as it came, with its envelope.
#[derive(Debug, Clone)]
pub struct IncomingMail {
    /// The return path; `None` for a report, which must never be answered by another.
    pub envelope_from: Option<EmailAddress>,
    /// The recipients of the envelope.
    pub recipients: Vec<EmailAddress>,
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

/// A mail that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrived {
    /// In which inboxes, under which ids; a repeat of a mail that was stored before makes none.
    pub messages: Vec<(InboxId, MessageId)>,
    /// The return paths that it came to, which store no message.
    pub returned: Vec<Returned>,
}

/// Why a mail was not stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotReceived {
    /// There is no such inbox, or no longer.
    #[error("no mailbox here has the address {0}")]
    UnknownRecipient(EmailAddress),
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
    /// Storage failed; the mail can be sent again.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether mail for an address is taken here.
///
/// # Errors
/// [`NotReceived::UnknownRecipient`], [`NotReceived::Store`].
pub async fn accepts(app: &App, recipient: &EmailAddress) -> Result<(), NotReceived> {
    let Returns { others, .. } = reports::split(app, std::slice::from_ref(recipient)).await?;
    destinations(app, &others).await.map(|_| ())
}

/// Stores a mail in the inboxes of all its recipients, with its threads and events, in one unit of work. When this
/// answers, the mail is durable and can be listed, searched and read.
///
/// # Errors
/// [`NotReceived`]; then nothing was stored.
pub async fn receive(app: &App, mail: IncomingMail) -> Result<Arrived, NotReceived> {
    let limit = app.settings.max_message_bytes;
    if mail.raw.len() > limit {
        return Err(NotReceived::TooLarge(limit));
    }
    let Returns { outgoing, others } = reports::split(app, &mail.recipients).await?;
    let destinations = destinations(app, &others).await?;
    // Whoever wrote our name into such a field was not us.
    let raw = without_results_of(&app.settings.domain, &mail.raw);
    let parsed = parse(&raw);
    refuse_loops(app, &parsed, &mail.raw, &destinations)?;
    let report = if outgoing.is_empty() { None } else { reports::judge(&mail)? };
    let evidence = if destinations.is_empty() && report.is_none() { None } else { assess::evidence(app, &mail).await };
    let vouching = evidence.as_ref().map(vouching).unwrap_or_default();
    // What was told is told no more. So this comes first: should it fail, or what follows, the mail comes again, and no
    // inbox gets it twice.
    let returned = reports::take(app, &outgoing, report.as_ref(), &vouching).await?;
    if destinations.is_empty() {
        return Ok(Arrived { messages: Vec::new(), returned });
    }
    let inboxes = destinations.values().map(|(destination, _)| destination);
    let screen = screening::screen(app, &parsed, mail.envelope_from.as_ref(), inboxes).await?;
    let findings = assess::assess(app, &mail, &parsed, evidence).await;
    let digest = repeats::digest(mail.envelope_from.as_ref(), &mail.raw);
    // Few mails hold forgeries; the octets of all others are kept as they are, without a copy.
    let mail = match raw {
        Cow::Owned(raw) => IncomingMail { raw, ..mail },
        Cow::Borrowed(_) => mail,
    };
    let arrival = Arriving { digest, now: app.clock.now(), parsed, mail, destinations, screen, findings };
    // A copy of this very mail, or another change of its thread, may be stored between our look and our write.
    let came_between = |error: &NotReceived| {
        matches!(error, NotReceived::Store(StoreError::Contention | StoreError::Duplicate(Constraint::MessageId)))
    };
    let messages = retried(came_between, || store(app, &arrival)).await?;
    Ok(Arrived { messages, returned })
}

/// A mail that was read and whose inboxes are known.
struct Arriving {
    /// As it is kept: without what others wrote in our name.
    mail: IncomingMail,
    parsed: ParsedMail,
    digest: [u8; 32],
    /// The inboxes in the order of their locks, each once, with the recipient that led there.
    destinations: BTreeMap<InboxId, (Destination, EmailAddress)>,
    /// What the lists of these inboxes say of the senders.
    screen: Screen,
    /// Who vouches for it, and how much speaks for spam.
    findings: Findings,
    now: OffsetDateTime,
}

async fn destinations(
    app: &App,
    recipients: &[EmailAddress],
) -> Result<BTreeMap<InboxId, (Destination, EmailAddress)>, NotReceived> {
    if recipients.is_empty() {
        return Ok(BTreeMap::new());
    }
    let found = app.store.destinations(recipients).await?;
    let mut destinations = BTreeMap::new();
    for (recipient, destination) in recipients.iter().zip(found) {
        let Some(destination) = destination else {
            return Err(NotReceived::UnknownRecipient(recipient.clone()));
        };
        destinations.entry(destination.inbox_id.clone()).or_insert((destination, recipient.clone()));
    }
    Ok(destinations)
}

fn refuse_loops(
    app: &App,
    parsed: &ParsedMail,
    raw: &[u8],
    destinations: &BTreeMap<InboxId, (Destination, EmailAddress)>,
) -> Result<(), NotReceived> {
    if parsed.received_count > MOST_HOPS {
        return Err(NotReceived::Loop("it has passed through more than 25 servers"));
    }
    let seen: BTreeSet<Vec<u8>> = header_values(raw, TRACE)
        .into_iter()
        .filter_map(|value| app.settings.signing_key.verify(TRACE, value.trim()))
        .collect();
    if destinations.keys().any(|inbox_id| seen.contains(inbox_id.as_str().as_bytes())) {
        return Err(NotReceived::Loop("its X-Inboxd-Trace field says that this mailbox has received it before"));
    }
    Ok(())
}

async fn store(app: &App, arriving: &Arriving) -> Result<Vec<(InboxId, MessageId)>, NotReceived> {
    let mut tx = app.store.begin().await?;
    let wanted: Vec<Destination> = arriving.destinations.values().map(|(destination, _)| destination.clone()).collect();
    let held = tx.inboxes().hold(&wanted).await?;
    let mut stored = Stored::default();
    for (destination, recipient) in arriving.destinations.values() {
        if held.is_empty() {
            return Err(NotReceived::UnknownRecipient(recipient.clone()));
        }
        if !held.contains(destination) {
            // Refused for good, the mail would be lost to the others: the sender tries again and learns at RCPT.
            return Err(NotReceived::Store(StoreError::Contention));
        }
        store_one(app, tx.as_mut(), arriving, destination, &mut stored).await?;
    }
    if stored.messages.is_empty() {
        return Ok(Vec::new());
    }
    tx.events().append(&stored.events).await?;
    for (organization_id, changes) in &stored.usage {
        tx.usage().change(*organization_id, changes).await?;
    }
    tx.commit().await?;
    Ok(stored.messages)
}

/// What one unit of work has stored so far.
#[derive(Default)]
struct Stored {
    messages: Vec<(InboxId, MessageId)>,
    events: Vec<Event>,
    usage: BTreeMap<OrganizationId, Vec<(InboxId, UsageChange)>>,
}

async fn store_one(
    app: &App,
    tx: &mut dyn Tx,
    arriving: &Arriving,
    destination: &Destination,
    stored: &mut Stored,
) -> Result<(), StoreError> {
    let Destination { organization_id, pod_id, inbox_id } = destination;
    let Arrival::New { message_id, header_message_id } = arrival(app, tx, arriving, destination).await? else {
        return Ok(());
    };
    let thread = thread_of(tx, arriving, destination).await?;
    let blocked = arriving.screen.keeps_out(tx, destination, &answered(&arriving.parsed)).await?;
    let Findings { spam, is_unauthenticated, .. } = &arriving.findings;
    let verdict = Verdict { blocked, spam: spam.is_spam, unauthenticated: *is_unauthenticated };
    let raw = with_trace(app, arriving, inbox_id);
    let origin = Origin {
        organization_id: *organization_id,
        inbox_id: inbox_id.clone(),
        thread_id: thread.as_ref().map_or_else(|| app.mint(arriving.now), |thread| thread.thread_id),
        message_id: message_id.clone(),
        labels: verdict.labels(),
        bcc: Vec::new(),
        sent_by: None,
        size: raw.len(),
        now: arriving.now,
    };
    let mut message = ingest::message(app, &arriving.parsed, origin);
    arriving.findings.note_in(&mut message.body);
    note_return_path(&mut message.body.headers, arriving.mail.envelope_from.as_ref());
    let change = UsageChange {
        storage_bytes: i64::try_from(raw.len()).unwrap_or(i64::MAX),
        messages: 1,
        threads: i64::from(thread.is_none()),
    };
    let event = Event {
        event_id: app.mint::<EventId>(arriving.now),
        event_type: verdict.event_type(),
        organization_id: *organization_id,
        pod_id: Some(*pod_id),
        inbox_id: Some(inbox_id.clone()),
        thread_id: Some(message.item.thread_id),
        message_id: Some(message_id.clone()),
        body: EventBody::Received,
        created_at: arriving.now,
    };
    match thread {
        Some(thread) => tx.threads().update(&thread.joined_by(&message.item)).await?,
        None => tx.threads().insert(&Thread::started_by(&message.item)).await?,
    }
    let search_text = ingest::search_text(&message);
    let new = NewMessage { message, raw, header_message_id, digest: Some(arriving.digest), search_text };
    tx.messages().insert(&new).await?;
    stored.messages.push((inbox_id.clone(), message_id));
    stored.events.push(event);
    stored.usage.entry(*organization_id).or_default().push((inbox_id.clone(), change));
    Ok(())
}

/// Return-Path is the field of whoever delivers a mail (RFC 5321, section 4.4): what its sender wrote there says nothing. That
/// there is nobody to answer is kept among the fields, for those who are about to.
fn note_return_path(fields: &mut Vec<(String, String)>, sender: Option<&EmailAddress>) {
    fields.retain(|(name, _)| !name.eq_ignore_ascii_case("return-path"));
    if sender.is_none() {
        fields.insert(0, ("Return-Path".to_owned(), "<>".to_owned()));
    }
}

async fn arrival(
    app: &App,
    tx: &mut dyn Tx,
    arriving: &Arriving,
    destination: &Destination,
) -> Result<Arrival, StoreError> {
    let domain = &app.settings.domain;
    let Some(came_with) = arriving.parsed.message_id.clone().map(MessageId::stored) else {
        return Ok(repeats::minted(app.mint(arriving.now), domain));
    };
    let known = tx.messages().possible_repeats(destination.organization_id, &destination.inbox_id, &came_with).await?;
    Ok(repeats::arrival(came_with, &arriving.digest, &known, domain))
}

/// What the mail says that it answers: In-Reply-To first, then References, the newest first.
fn answered(parsed: &ParsedMail) -> Vec<MessageId> {
    parsed.in_reply_to.iter().chain(parsed.references.iter().rev()).cloned().map(MessageId::stored).collect()
}

/// The thread that the mail answers into, locked: by In-Reply-To first, then by References, the newest first.
async fn thread_of(
    tx: &mut dyn Tx,
    arriving: &Arriving,
    destination: &Destination,
) -> Result<Option<Thread>, StoreError> {
    let answered = answered(&arriving.parsed);
    if answered.is_empty() {
        return Ok(None);
    }
    let Destination { organization_id, inbox_id, .. } = destination;
    let found: Option<ThreadId> = tx.messages().thread_of_first(*organization_id, inbox_id, &answered).await?;
    let Some(thread_id) = found else { return Ok(None) };
    // A thread that is full goes on in another.
    Ok(tx.threads().lock(*organization_id, inbox_id, &[thread_id]).await?.pop().filter(threading::has_room))
}

/// The mail with the trace fields that a final delivery adds (RFC 5321, section 4.4).
fn with_trace(app: &App, arriving: &Arriving, inbox_id: &InboxId) -> Vec<u8> {
    let return_path = format!("<{}>", arriving.mail.envelope_from.as_ref().map_or("", EmailAddress::as_str));
    let date = arriving.now.format(&Rfc2822).unwrap_or_default();
    let domain = &app.settings.domain;
    let received = match &arriving.mail.client {
        Some(Client { ip, helo, protocol }) => {
            let literal = if ip.is_ipv6() { format!("[IPv6:{ip}]") } else { format!("[{ip}]") };
            format!("from {helo} ({literal}) by {domain} with {protocol} for <{inbox_id}>; {date}")
        }
        None => format!("by {domain} for <{inbox_id}>; {date}"),
    };
    let trace = app.settings.signing_key.sign(TRACE, inbox_id.as_str().as_bytes());
    let mut fields = vec![("Return-Path", return_path.as_str()), ("Delivered-To", inbox_id.as_str()), (TRACE, &trace)];
    fields.extend(arriving.findings.results.as_deref().map(|results| (RESULTS, results)));
    fields.push(("Received", &received));
    with_trace_headers(&arriving.mail.raw, &fields)
}
