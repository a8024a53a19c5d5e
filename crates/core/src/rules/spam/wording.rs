//! Spam checks of phrases.
//!
//! A single phrase weighs little; the number of phrases of one kind counts.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use super::signal::{SpamSignal, beginning};
use crate::model::AuthResult;
use crate::ports::SuspectMail;

/// Phrases of one kind of spam in lower case, and the weights of one, two, three, and four or more of them.
struct PhraseKind {
    name: &'static str,
    description: &'static str,
    weights: [f64; 4],
    phrases: &'static [&'static str],
}

/// Maximum weight of phrases in a message that the sender's domain authenticates: less than [`super::THRESHOLD`].
const MAX_AUTHENTICATED_SCORE: f64 = 4.0;

const KINDS: &[PhraseKind] = &[
    PhraseKind {
        name: "ADVANCE_FEE",
        description: "it promises money for a reply",
        weights: [0.5, 2.5, 4.0, 6.0],
        phrases: &[
            "next of kin",
            "inheritance fund",
            "million us dollars",
            "million united states dollars",
            "million dollars",
            "million usd",
            "million euros",
            "unclaimed fund",
            "abandoned fund",
            "transfer of the fund",
            "transfer this fund",
            "transfer the fund",
            "foreign partner",
            "dear beneficiary",
            "compensation fund",
            "diplomatic courier",
            "consignment box",
            "western union",
            "atm card",
            "late client",
            "deceased client",
            "100% risk free",
            "risk-free transaction",
            "charity donation of",
        ],
    },
    PhraseKind {
        name: "PILLS",
        description: "it sells medicine",
        weights: [1.5, 3.0, 4.5, 6.0],
        phrases: &[
            "viagra",
            "v1agra",
            "vi@gra",
            "cialis",
            "c1alis",
            "ci@lis",
            "levitra",
            "male enhancement",
            "penis enlargement",
            "enlarge your penis",
            "cheap meds",
            "no prescription needed",
            "without prescription",
            "canadian pharmacy",
        ],
    },
    PhraseKind {
        name: "EXTORTION",
        description: "it threatens and asks for money that leaves no trace",
        weights: [0.5, 3.0, 5.0, 6.5],
        phrases: &[
            "your webcam",
            "recorded you",
            "recorded a video of you",
            "bitcoin wallet",
            "btc wallet",
            "bitcoin address",
            "i hacked your",
            "i have hacked",
            "your browsing history",
            "adult sites",
            "all of your contacts",
            "all your contacts",
            "pay me",
            "you have 48 hours",
            "you have 24 hours",
        ],
    },
    PhraseKind {
        name: "LOTTERY",
        description: "it tells of a prize",
        weights: [0.5, 2.5, 4.0, 6.0],
        phrases: &[
            "you have won",
            "you've won",
            "claim your prize",
            "claim your reward",
            "winning number",
            "lottery",
            "lucky winner",
            "free spins",
            "casino bonus",
            "online casino",
            "no deposit bonus",
        ],
    },
    PhraseKind {
        name: "CREDENTIAL_BAIT",
        description: "it presses for a password",
        weights: [0.5, 1.5, 2.5, 3.5],
        phrases: &[
            "account will be suspended",
            "account has been suspended",
            "account will be closed",
            "account will be deactivated",
            "confirm your password",
            "verify your password",
            "update your payment information",
            "your mailbox is full",
            "mailbox storage is full",
            "password expires today",
            "keep the same password",
            "keep current password",
            "within 24 hours",
            "avoid suspension",
        ],
    },
    PhraseKind {
        name: "UNASKED_OFFER",
        description: "it offers unsolicited services",
        weights: [0.5, 1.5, 3.0, 4.5],
        phrases: &[
            "first page of google",
            "top of google",
            "seo services",
            "boost your ranking",
            "increase your traffic",
            "buy backlinks",
            "work from home",
            "earn extra cash",
            "make money fast",
            "double your income",
            "this is not spam",
            "act now",
            "100% free",
        ],
    },
];

pub(super) fn check(mail: &SuspectMail<'_>) -> Vec<SpamSignal> {
    let parsed = mail.parsed;
    let subject = parsed.subject.as_deref().unwrap_or_default();
    let text = parsed.text.as_deref().map(beginning).unwrap_or_default();
    let text = flat(&[subject, text]);
    let mut counts = counts(&text).into_iter();
    let weigh = |kind: &PhraseKind| {
        let hits = counts.next()?;
        let weight = kind.weights.get(hits.checked_sub(1)?).or(kind.weights.last())?;
        Some(SpamSignal { name: kind.name, score: *weight, description: kind.description })
    };
    let found = KINDS.iter().filter_map(weigh);
    if mail.authentication.is_some_and(|found| found.dmarc == AuthResult::Pass) {
        // An authenticated sender may use such phrases legitimately (notary, payment reminder, newsletter about fraud).
        // They alone do not make spam.
        let heaviest = found.max_by(|one, other| one.score.total_cmp(&other.score));
        return heaviest
            .map(|found| SpamSignal { score: found.score.min(MAX_AUTHENTICATED_SCORE), ..found })
            .into_iter()
            .collect();
    }
    found.collect()
}

/// All phrases, for a search in one pass; `None` only if they exceed the capacity of the automaton.
static PHRASES: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(KINDS.iter().flat_map(|kind| kind.phrases)).ok());

/// Returns the number of phrases of each kind in a text.
fn counts(text: &str) -> Vec<usize> {
    let mut found_phrases = vec![false; KINDS.iter().map(|kind| kind.phrases.len()).sum()];
    for found in PHRASES.iter().flat_map(|phrases| phrases.find_overlapping_iter(text)) {
        if let Some(is_found) = found_phrases.get_mut(found.pattern().as_usize()) {
            *is_found = true;
        }
    }
    let mut rest = found_phrases.iter();
    let of_kind = |kind: &PhraseKind| rest.by_ref().take(kind.phrases.len()).filter(|is_found| **is_found).count();
    KINDS.iter().map(of_kind).collect()
}

/// Joins texts in lower case on one line, so that phrases match across line ends. Invisible characters are removed,
/// because spam hides words with them.
fn flat(texts: &[&str]) -> String {
    let mut flat = String::with_capacity(texts.iter().map(|text| text.len() + 2).sum());
    for text in texts {
        let is_ascii = text.is_ascii();
        for word in text.split_whitespace() {
            if is_ascii || word.is_ascii() {
                flat.push_str(word);
            } else {
                flat.extend(word.chars().filter(|c| !is_unseen(*c)).flat_map(char::to_lowercase));
            }
            flat.push(' ');
        }
        flat.push('\n');
    }
    flat.make_ascii_lowercase();
    flat
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}
