//! Whom allow and block lists let pass (`wire.md`, section 3, List entry).
//!
//! Lists only ever restrict: mail must pass at every level that reaches it. Within one level an address beats a domain,
//! then block beats allow, and where an allow list has entries, whoever is on neither list does not pass.

use std::collections::BTreeSet;

use inboxd_mail::{EmailAddress, HeaderAddress, ParsedMail};

use crate::model::{EntryName, ListDirection, ListExcerpt, ListKey, ListLevel, ListType};

/// The most labels of a domain that an entry names. Whoever is looked for has no more parent domains than this.
pub const MOST_LABELS: usize = 10;
/// The most octets of a domain (RFC 1035, section 2.3.4).
const LONGEST_DOMAIN: usize = 253;
/// The most senders of one mail that are looked for. A mail that names more has something to hide.
pub const MOST_SENDERS: usize = 50;
/// The most characters of a reason.
const LONGEST_REASON: usize = 1000;

/// The stored form of an entry: an address or a domain in lower case, its domain as the DNS writes it (RFC 5890).
///
/// # Errors
/// What is wrong with it.
pub fn entry(text: &str) -> Result<EntryName, String> {
    const WANTED: &str = "an entry is an e-mail address (anna@example.org) or a domain (example.org)";
    let text = text.trim();
    if text.contains('@') {
        let address: EmailAddress = text.parse().map_err(|error| format!("{error}; {WANTED}"))?;
        return Ok(EntryName::stored(Party::of(&address).address));
    }
    let is_domain = !text.contains('[') && format!("x@{text}").parse::<EmailAddress>().is_ok();
    let domain = if is_domain { canonical_domain(text) } else { String::new() };
    if domain.is_empty() {
        return Err(format!("neither an address nor a domain; {WANTED}"));
    }
    if domain.split('.').count() > MOST_LABELS {
        return Err(format!("a domain entry has at most {MOST_LABELS} labels"));
    }
    Ok(EntryName::stored(domain))
}

/// Checks a reason.
///
/// # Errors
/// What is wrong with it.
pub fn reason(text: &str) -> Result<(), String> {
    if text.chars().count() > LONGEST_REASON {
        return Err(format!("a reason has at most {LONGEST_REASON} characters"));
    }
    if text.contains('\0') { Err("a reason holds no NUL".to_owned()) } else { Ok(()) }
}

/// Somebody who may be on a list, in the forms in which entries could name them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Party {
    address: String,
    /// Their domain and its parents, the longest first.
    domains: Vec<String>,
}

impl Party {
    /// The party of an address.
    #[must_use]
    pub fn of(address: &EmailAddress) -> Self {
        Self::written(address.as_str())
    }

    /// The party of whatever stood in a header in the place of an address: letter case, needless quotes, dots at the end
    /// and the spelling of an international domain do not make another.
    #[must_use]
    pub fn written(text: &str) -> Self {
        let text = text.trim().to_lowercase();
        let Some((local, domain)) = text.rsplit_once('@') else {
            return Self { address: text, domains: Vec::new() };
        };
        let domain = canonical_domain(domain);
        Self { address: format!("{}@{domain}", canonical_local(local)), domains: with_parents(&domain) }
    }

    /// Every entry that would name them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.address.as_str()).chain(self.domains.iter().map(String::as_str))
    }
}

fn canonical_domain(domain: &str) -> String {
    let domain = domain.trim_end_matches('.');
    let ascii = if domain.is_ascii() { None } else { idna::domain_to_ascii(domain).ok() };
    ascii.unwrap_or_else(|| domain.to_lowercase()).trim_end_matches('.').to_owned()
}

/// A local part without quotes that it could do without (RFC 5322, section 3.4.1).
fn canonical_local(local: &str) -> String {
    let Some(quoted) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return local.to_owned();
    };
    let mut plain = String::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    while let Some(c) = chars.next() {
        plain.extend(if c == '\\' { chars.next() } else { Some(c) });
    }
    let is_same = format!("{plain}@example.org").parse::<EmailAddress>().is_ok();
    if is_same { plain } else { local.to_owned() }
}

fn with_parents(domain: &str) -> Vec<String> {
    let labels: Vec<&str> = domain.split('.').collect();
    let beyond = labels.len().saturating_sub(MOST_LABELS);
    let suffixes = (beyond..labels.len()).filter_map(|from| Some(labels.get(from..)?.join(".")));
    suffixes.filter(|suffix| !suffix.is_empty() && suffix.len() <= LONGEST_DOMAIN).collect()
}

/// Why somebody does not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// An entry of a block list names them.
    Blocked {
        /// The list.
        list: ListKey,
        /// The entry.
        entry: EntryName,
    },
    /// An allow list has entries, and none of them names them.
    NotAllowed {
        /// The list.
        list: ListKey,
    },
}

/// Who does not pass, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The first recipient that does not pass.
    pub recipient: String,
    /// Why.
    pub why: Refusal,
}

/// Refuses the first recipient that does not pass at one of the levels. What blocks somebody is named before what does
/// not hold them.
///
/// # Errors
/// [`Refused`].
pub fn allow_recipients(
    excerpts: &[ListExcerpt],
    levels: &[ListLevel],
    recipients: &[EmailAddress],
) -> Result<(), Refused> {
    let mut not_allowed = None;
    for recipient in recipients {
        let party = Party::of(recipient);
        for level in levels {
            let pool = pool(excerpts, level, &[(ListDirection::Send, None)]);
            let refused = |why| Refused { recipient: recipient.to_string(), why };
            match judged(&pool, &party) {
                Some(why @ Refusal::Blocked { .. }) => return Err(refused(why)),
                Some(why) if not_allowed.is_none() => not_allowed = Some(refused(why)),
                _ => {}
            }
        }
    }
    not_allowed.map_or(Ok(()), Err)
}

/// Everybody who says that they sent a mail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Senders {
    /// Those in From: each must pass. Where there are none, those behind them stand here.
    authors: BTreeSet<Party>,
    /// The Sender field and the return path: they may not be blocked, but need not be allowed, for they often belong to
    /// whoever carries the mail.
    carriers: BTreeSet<Party>,
    /// There were more than anybody could look for.
    are_too_many: bool,
}

impl Senders {
    /// The senders of a mail and its envelope.
    #[must_use]
    pub fn of(mail: &ParsedMail, envelope_from: Option<&EmailAddress>) -> Self {
        let written = |field: &HeaderAddress| Party::written(&field.address);
        let authors: BTreeSet<Party> = mail.from.iter().take(MOST_SENDERS).map(written).collect();
        let carriers: BTreeSet<Party> = mail.sender.iter().map(written).chain(envelope_from.map(Party::of)).collect();
        let are_too_many = mail.from.len() > MOST_SENDERS;
        if authors.is_empty() {
            return Self { authors: carriers, carriers: BTreeSet::new(), are_too_many };
        }
        Self { authors, carriers, are_too_many }
    }

    /// Every entry that would name one of them.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        self.authors.iter().chain(&self.carriers).flat_map(Party::names).collect()
    }
}

/// Whether the lists of one of these levels keep a mail out. `is_answer`: it answers mail that was sent from the inbox.
#[must_use]
pub fn is_kept_out(excerpts: &[ListExcerpt], levels: &[ListLevel], senders: &Senders, is_answer: bool) -> bool {
    let of_level = |level: &ListLevel| {
        if is_answer {
            pool(excerpts, level, &[(ListDirection::Receive, Some(ListType::Block)), (ListDirection::Reply, None)])
        } else {
            pool(excerpts, level, &[(ListDirection::Receive, None)])
        }
    };
    levels.iter().map(of_level).any(|pool| {
        let nobody_is_allowed =
            senders.authors.is_empty() && pool.iter().any(|excerpt| excerpt.list.list_type == ListType::Allow);
        let is_blocked = |party| matches!(judged(&pool, party), Some(Refusal::Blocked { .. }));
        nobody_is_allowed
            || (senders.are_too_many && !pool.is_empty())
            || senders.authors.iter().any(|party| judged(&pool, party).is_some())
            || senders.carriers.iter().any(is_blocked)
    })
}

/// The lists of a level that judge together: of these directions, of one type or both.
fn pool<'a>(
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

/// What the lists of one level say of somebody: an address beats a domain, then block beats allow.
fn judged(pool: &[&ListExcerpt], party: &Party) -> Option<Refusal> {
    let of_type = |list_type| pool.iter().filter(move |excerpt| excerpt.list.list_type == list_type);
    let domains: Vec<&str> = party.domains.iter().map(String::as_str).collect();
    for rank in [&[party.address.as_str()][..], &domains] {
        let found = |excerpt: &ListExcerpt| rank.iter().find(|name| excerpt.entries.contains(**name)).copied();
        if let Some((excerpt, name)) = of_type(ListType::Block).find_map(|excerpt| Some((excerpt, found(excerpt)?))) {
            let entry = EntryName::stored(name.to_owned());
            return Some(Refusal::Blocked { list: excerpt.list.clone(), entry });
        }
        if of_type(ListType::Allow).any(|excerpt| found(excerpt).is_some()) {
            return None;
        }
    }
    of_type(ListType::Allow).next().map(|excerpt| Refusal::NotAllowed { list: excerpt.list.clone() })
}
