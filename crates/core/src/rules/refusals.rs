//! Record of mail that was refused at SMTP: a stranger must neither fill the disk nor slow receiving.

use std::collections::HashMap;
use std::net::IpAddr;

use inboxd_mail::EmailAddress;
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::model::{RefusedMail, SmtpRefusal, SmtpRefusalId, SmtpStage};
use crate::ports::Destination;
use crate::rules::networks::ClientNetwork;

/// Retention of refusals.
pub const REFUSAL_TTL: Duration = Duration::days(7);
/// Stored refusals of an inbox; the oldest go first.
pub const MAX_PER_INBOX: u64 = 500;
/// Stored refusals of an organization; the oldest go first.
pub const MAX_PER_ORGANIZATION: u64 = 5_000;
/// Different refusals that a process holds until they are stored.
pub const MAX_PENDING: usize = 1_000;
/// Different refusals of one client network among them.
pub const MAX_PENDING_OF_NETWORK: usize = 100;
/// Maximum characters of a stored text.
const MAX_TEXT_CHARS: usize = 500;
/// Text of a reply that concerns another recipient of the same mail, of whom this inbox must not learn.
const OF_ANOTHER: &str = "the mail was refused for another of its recipients";

/// Common features of refusals that are stored as one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RefusalKey {
    recipient: String,
    network: IpAddr,
    sender: Option<String>,
    stage: SmtpStage,
    code: u16,
    status: &'static str,
    hour: i64,
}

/// Refusals with common features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingRefusal {
    /// The first of them, with bounded texts.
    pub first: RefusedMail,
    /// Their number.
    pub count: u64,
    /// Time of the first one.
    pub first_at: OffsetDateTime,
    /// Time of the last one.
    pub last_at: OffsetDateTime,
}

/// Refusals that are not stored yet.
#[derive(Debug, Default)]
pub struct RefusalLedger {
    pending: HashMap<RefusalKey, PendingRefusal>,
    by_network: HashMap<IpAddr, usize>,
    dropped: u64,
}

impl RefusalLedger {
    /// Notes a refusal, or drops it beyond a bound.
    pub fn note(&mut self, mail: RefusedMail, at: OffsetDateTime) {
        self.add(PendingRefusal { first: mail, count: 1, first_at: at, last_at: at });
    }

    /// Adds refusals to the pending ones.
    pub fn add(&mut self, refusal: PendingRefusal) {
        let key = key_of(&refusal);
        if let Some(known) = self.pending.get_mut(&key) {
            known.count = known.count.saturating_add(refusal.count);
            known.first_at = known.first_at.min(refusal.first_at);
            known.last_at = known.last_at.max(refusal.last_at);
            return;
        }
        let of_network = self.by_network.get(&key.network).copied().unwrap_or_default();
        if self.pending.len() >= MAX_PENDING || of_network >= MAX_PENDING_OF_NETWORK {
            self.dropped = self.dropped.saturating_add(refusal.count);
            return;
        }
        self.by_network.insert(key.network, of_network + 1);
        let first = bounded(refusal.first);
        self.pending.insert(key, PendingRefusal { first, ..refusal });
    }

    /// Takes the pending refusals.
    pub fn take(&mut self) -> Vec<PendingRefusal> {
        self.by_network.clear();
        std::mem::take(&mut self.pending).into_values().collect()
    }

    /// Returns the number of dropped refusals since the last call.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }
}

/// Returns refusals as they are stored for an inbox.
#[must_use]
pub fn stored(refusal: PendingRefusal, inbox: &Destination) -> SmtpRefusal {
    let refusal_id = id_of(&key_of(&refusal), inbox);
    let PendingRefusal { first, count, first_at, last_at } = refusal;
    SmtpRefusal {
        organization_id: inbox.organization_id,
        inbox_id: inbox.inbox_id.clone(),
        refusal_id,
        client: first.client.to_canonical().to_string(),
        helo: first.helo,
        envelope_from: first.envelope_from.as_ref().map(EmailAddress::normalized),
        recipient: first.recipient.to_string(),
        stage: first.stage,
        code: first.code,
        status: first.status.to_owned(),
        reply: first.reply,
        count,
        refused_at: first_at,
        last_refused_at: last_at,
    }
}

fn key_of(refusal: &PendingRefusal) -> RefusalKey {
    let PendingRefusal { first, first_at, .. } = refusal;
    RefusalKey {
        recipient: first.recipient.normalized(),
        network: ClientNetwork::of(first.client).network,
        sender: first.envelope_from.as_ref().map(EmailAddress::normalized),
        stage: first.stage,
        code: first.code,
        status: first.status,
        hour: first_at.unix_timestamp().div_euclid(3600),
    }
}

/// Returns the id of refusals of an inbox, which is the same in all processes. Addresses of the inbox make no difference.
fn id_of(key: &RefusalKey, inbox: &Destination) -> SmtpRefusalId {
    let mut hash = Sha256::new();
    let sender = key.sender.as_ref().map_or_else(|| "-".to_owned(), |sender| format!("<{sender}>"));
    let network = key.network.to_string();
    for text in [inbox.inbox_id.as_str(), &network, &sender, key.stage.as_str(), key.status] {
        hash.update(text);
        hash.update([0]);
    }
    hash.update(key.code.to_be_bytes());
    hash.update(key.hour.to_be_bytes());
    let digest: [u8; 32] = hash.finalize().into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    Uuid::from_bytes(bytes).into()
}

/// Shortens the texts, which a stranger chose, and removes what concerns other recipients.
fn bounded(mail: RefusedMail) -> RefusedMail {
    let reply = if names_another(&mail.reply, &mail.recipient) { OF_ANOTHER } else { &mail.reply };
    RefusedMail { helo: one_line(&mail.helo), reply: one_line(reply), ..mail }
}

/// Returns whether a text has an address other than this one.
fn names_another(text: &str, recipient: &EmailAddress) -> bool {
    let own = recipient.without_tag();
    let is_own = |word: &str| {
        let address = word.trim_matches(|c: char| !c.is_alphanumeric()).parse::<EmailAddress>();
        address.is_ok_and(|address| address.without_tag() == own)
    };
    text.split_whitespace().any(|word| word.contains('@') && !is_own(word))
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_TEXT_CHARS).collect()
}
