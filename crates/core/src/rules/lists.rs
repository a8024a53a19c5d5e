//! Evaluation of allow and block lists (`wire.md`, section 3, List entry).
//!
//! Lists only restrict: a message must pass at every level above its inbox. Within one level an address beats a domain,
//! then block beats allow. A level with an allow list passes only addresses that match it.

use std::collections::BTreeSet;

use inboxd_mail::{EmailAddress, HeaderAddress, ParsedMail, canonical_local};

use crate::model::{EntryName, ListDirection, ListExcerpt, ListKey, ListLevel, ListType};

/// Maximum labels of a domain in an entry, and maximum parent domains that a lookup covers.
pub const MAX_LABELS: usize = 10;
/// Maximum length of a domain in bytes (RFC 1035, section 2.3.4).
const MAX_DOMAIN_BYTES: usize = 253;
/// Maximum senders of one message that are looked up. A message with more senders is suspect.
pub const MAX_SENDERS: usize = 50;
/// Maximum length of a reason in characters.
const MAX_REASON_CHARS: usize = 1000;

/// Returns the stored form of an entry: an address or a domain in lower case, internationalized labels as A-labels (RFC
/// 5890).
///
/// # Errors
/// The reason, for a text that is no entry.
pub fn parse_entry(text: &str) -> Result<EntryName, String> {
    const EXPECTED: &str = "an entry is an e-mail address (anna@example.org) or a domain (example.org)";
    let text = text.trim();
    if text.contains('@') {
        let address: EmailAddress = text.parse().map_err(|error| format!("{error}; {EXPECTED}"))?;
        return Ok(EntryName::stored(ListSubject::of(&address).address));
    }
    let is_domain = !text.contains('[') && format!("x@{text}").parse::<EmailAddress>().is_ok();
    let domain = if is_domain { canonical_domain(text) } else { String::new() };
    if domain.is_empty() {
        return Err(format!("neither an address nor a domain; {EXPECTED}"));
    }
    if domain.split('.').count() > MAX_LABELS {
        return Err(format!("a domain entry has at most {MAX_LABELS} labels"));
    }
    Ok(EntryName::stored(domain))
}

/// Validates the reason of an entry.
///
/// # Errors
/// The reason of the refusal.
pub fn validate_reason(text: &str) -> Result<(), String> {
    if text.chars().count() > MAX_REASON_CHARS {
        return Err(format!("a reason has at most {MAX_REASON_CHARS} characters"));
    }
    if text.contains('\0') { Err("a reason holds no NUL".to_owned()) } else { Ok(()) }
}

/// An address in all forms that a list entry can match.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListSubject {
    address: String,
    /// The domain and its parents, the longest first.
    domains: Vec<String>,
}

impl ListSubject {
    /// Returns the subject of an address.
    #[must_use]
    pub fn of(address: &EmailAddress) -> Self {
        Self::from_header(address.as_str())
    }

    /// Returns the subject of an address as written in a header, which may be malformed. Letter case, needless quotes,
    /// final dots and the form of an internationalized domain make no difference.
    #[must_use]
    pub fn from_header(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        let Some((local, domain)) = text.rsplit_once('@') else {
            return Self { address: text, domains: Vec::new() };
        };
        let domain = canonical_domain(domain);
        Self { address: format!("{}@{domain}", canonical_local(local)), domains: with_parents(&domain) }
    }

    /// Returns the address in its canonical form.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Returns all entries that would match.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.address.as_str()).chain(self.domains.iter().map(String::as_str))
    }
}

fn canonical_domain(domain: &str) -> String {
    let domain = domain.trim_end_matches('.');
    let ascii = if domain.is_ascii() { None } else { idna::domain_to_ascii(domain).ok() };
    ascii.unwrap_or_else(|| domain.to_lowercase()).trim_end_matches('.').to_owned()
}

fn with_parents(domain: &str) -> Vec<String> {
    let labels: Vec<&str> = domain.split('.').collect();
    let beyond = labels.len().saturating_sub(MAX_LABELS);
    let suffixes = (beyond..labels.len()).filter_map(|from| Some(labels.get(from..)?.join(".")));
    suffixes.filter(|suffix| !suffix.is_empty() && suffix.len() <= MAX_DOMAIN_BYTES).collect()
}

/// Reason for which an address does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListRefusal {
    /// An entry of a block list matches.
    Blocked {
        /// The block list.
        list: ListKey,
        /// The matching entry.
        entry: EntryName,
    },
    /// An allow list has entries, and none of them matches.
    NotAllowed {
        /// The allow list.
        list: ListKey,
    },
}

/// A recipient that does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedRecipient {
    /// The first such recipient.
    pub recipient: String,
    /// Reason of the refusal.
    pub why: ListRefusal,
}

/// Refuses the first recipient that does not pass at one of the levels. A match of a block list is reported before a
/// missing match of an allow list.
///
/// # Errors
/// [`RefusedRecipient`].
pub fn require_allowed_recipients(
    excerpts: &[ListExcerpt],
    levels: &[ListLevel],
    recipients: &[EmailAddress],
) -> Result<(), RefusedRecipient> {
    let mut not_allowed = None;
    for recipient in recipients {
        let subject = ListSubject::of(recipient);
        for level in levels {
            let pool = applicable_lists(excerpts, level, &[(ListDirection::Send, None)]);
            let refused = |why| RefusedRecipient { recipient: recipient.to_string(), why };
            match evaluate(&pool, &subject, false) {
                Some(why @ ListRefusal::Blocked { .. }) => return Err(refused(why)),
                Some(why) if not_allowed.is_none() => not_allowed = Some(refused(why)),
                _ => {}
            }
        }
    }
    not_allowed.map_or(Ok(()), Err)
}

/// Senders of a received message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageSenders {
    /// Addresses in From: each must pass. Without any, the carriers are here.
    authors: BTreeSet<ListSubject>,
    /// Addresses in Sender and the return path. They must not be blocked but need not be allowed, because they often
    /// belong to a forwarder or mailing list.
    carriers: BTreeSet<ListSubject>,
    /// Whether From has more than [`MAX_SENDERS`] addresses.
    are_too_many: bool,
}

impl MessageSenders {
    /// Returns the senders of a message and its envelope.
    #[must_use]
    pub fn of(mail: &ParsedMail, envelope_from: Option<&EmailAddress>) -> Self {
        let written = |field: &HeaderAddress| ListSubject::from_header(&field.address);
        let authors: BTreeSet<ListSubject> = mail.from.iter().take(MAX_SENDERS).map(written).collect();
        let carriers: BTreeSet<ListSubject> =
            mail.sender.iter().map(written).chain(envelope_from.map(ListSubject::of)).collect();
        let are_too_many = mail.from.len() > MAX_SENDERS;
        if authors.is_empty() {
            return Self { authors: carriers, carriers: BTreeSet::new(), are_too_many };
        }
        Self { authors, carriers, are_too_many }
    }

    /// Returns all entries that would match one of the senders.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        self.authors.iter().chain(&self.carriers).flat_map(ListSubject::names).collect()
    }
}

/// Facts about a message that decide which entries match its senders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MessageStanding {
    /// Whether the message replies to one sent from the inbox.
    pub is_answer: bool,
    /// Whether authentication confirms the domain of From.
    pub is_authenticated: bool,
}

/// Result of the lists for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screening {
    /// The message passes.
    Passed,
    /// The lists block the message.
    Blocked,
    /// The lists block the message only because it is not authenticated.
    Unproved,
}

/// Returns whether the lists of these levels block a message.
#[must_use]
pub fn screen(
    excerpts: &[ListExcerpt],
    levels: &[ListLevel],
    senders: &MessageSenders,
    standing: MessageStanding,
) -> Screening {
    if !is_blocked(excerpts, levels, senders, standing) {
        return Screening::Passed;
    }
    let proved = MessageStanding { is_authenticated: true, ..standing };
    if is_blocked(excerpts, levels, senders, proved) { Screening::Blocked } else { Screening::Unproved }
}

fn is_blocked(
    excerpts: &[ListExcerpt],
    levels: &[ListLevel],
    senders: &MessageSenders,
    MessageStanding { is_answer, is_authenticated }: MessageStanding,
) -> bool {
    let of_level = |level: &ListLevel| {
        if is_answer {
            applicable_lists(
                excerpts,
                level,
                &[(ListDirection::Receive, Some(ListType::Block)), (ListDirection::Reply, None)],
            )
        } else {
            applicable_lists(excerpts, level, &[(ListDirection::Receive, None)])
        }
    };
    levels.iter().map(of_level).any(|pool| {
        let lacks_allowed_sender =
            senders.authors.is_empty() && pool.iter().any(|excerpt| excerpt.list.list_type == ListType::Allow);
        let evaluate = |subject: &ListSubject| evaluate(&pool, subject, is_authenticated);
        let is_blocked = |subject: &ListSubject| matches!(evaluate(subject), Some(ListRefusal::Blocked { .. }));
        lacks_allowed_sender
            || (senders.are_too_many && !pool.is_empty())
            || senders.authors.iter().any(|subject| evaluate(subject).is_some())
            || senders.carriers.iter().any(is_blocked)
    })
}

/// Returns the lists of a level that apply together: of these directions, of one type or both.
fn applicable_lists<'a>(
    excerpts: &'a [ListExcerpt],
    level: &ListLevel,
    wanted: &[(ListDirection, Option<ListType>)],
) -> Vec<&'a ListExcerpt> {
    let is_wanted = |list: &ListKey| {
        wanted.iter().any(|(direction, list_type)| {
            list.direction == *direction && list_type.is_none_or(|list_type| list_type == list.list_type)
        })
    };
    excerpts.iter().filter(|excerpt| excerpt.list.level == *level && is_wanted(&excerpt.list)).collect()
}

/// Evaluates the lists of one level for one address: an address beats a domain, then block beats allow. An entry that
/// requires authentication is none for a message without it.
fn evaluate(pool: &[&ListExcerpt], subject: &ListSubject, is_authenticated: bool) -> Option<ListRefusal> {
    let of_type = |list_type| pool.iter().filter(move |excerpt| excerpt.list.list_type == list_type);
    let domains: Vec<&str> = subject.domains.iter().map(String::as_str).collect();
    for rank in [&[subject.address.as_str()][..], &domains] {
        let admits = |excerpt: &ListExcerpt, name: &str| {
            excerpt.entries.contains(name) && (is_authenticated || !excerpt.authenticated.contains(name))
        };
        let found = |excerpt: &ListExcerpt| rank.iter().find(|name| admits(excerpt, name)).copied();
        if let Some((excerpt, name)) = of_type(ListType::Block).find_map(|excerpt| Some((excerpt, found(excerpt)?))) {
            let entry = EntryName::stored(name.to_owned());
            return Some(ListRefusal::Blocked { list: excerpt.list.clone(), entry });
        }
        if of_type(ListType::Allow).any(|excerpt| found(excerpt).is_some()) {
            return None;
        }
    }
    of_type(ListType::Allow).next().map(|excerpt| ListRefusal::NotAllowed { list: excerpt.list.clone() })
}
