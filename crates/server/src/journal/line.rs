//! The lines of a journal: `begun`, `answered` or `settled`, then the claim, then what became of each recipient.
//!
//! ```text
//! begun mail 01990d… 01990e… 01990f…
//! answered mail 01990d… 01990e… 01990f… delivered later 5.1.1
//! settled mail 01990d… 01990e… 01990f…
//! begun draft 01990d… 01990f… 7
//! ```
//!
//! A mail goes with its claim, a draft with its revision. Earlier programs wrote the number of the attempt for a claim; such
//! a line is passed over, and the claim runs out by itself.
//!
//! Ids, numbers and status codes are all there is: recipients go by their place in the mail.

use std::collections::HashMap;
use std::fmt::Write as _;

use inboxd_core::model::{Claim, ClaimedDraft, ClaimedMail, Outcome, Unfinished};
use uuid::Uuid;

/// What is open, and what is known of it.
pub(super) type Open = HashMap<Claim, Option<Vec<Outcome>>>;

const BEGUN: &str = "begun";
const ANSWERED: &str = "answered";
const SETTLED: &str = "settled";

/// The line that says that work was begun.
pub(super) fn begun(claim: &Claim) -> String {
    format!("{BEGUN} {}\n", words(claim))
}

/// The line that says that nothing is left to do of it.
pub(super) fn settled(claim: &Claim) -> String {
    format!("{SETTLED} {}\n", words(claim))
}

/// The line that says what the world answered.
pub(super) fn answered(claim: &Claim, outcomes: &[Outcome]) -> String {
    let mut line = format!("{ANSWERED} {}", words(claim));
    for outcome in outcomes {
        let word = match outcome {
            Outcome::Delivered => "delivered",
            Outcome::Deferred { .. } => "later",
            Outcome::Refused { status, .. } if is_status(status) => status,
            // A refusal without a code that is one: that it is for good is what counts.
            Outcome::Refused { .. } => "5.0.0",
        };
        // Writing to a string does not fail.
        let _ = write!(line, " {word}");
    }
    line.push('\n');
    line
}

/// The lines of everything that is open, as short as can be.
pub(super) fn of_open(open: &Open) -> String {
    let line = |(claim, known): (&Claim, &Option<Vec<Outcome>>)| match known {
        Some(outcomes) => answered(claim, outcomes),
        None => begun(claim),
    };
    open.iter().map(line).collect()
}

/// What a journal leaves open. A process that is killed may leave half a line at the end, and a disk may hold anything: what
/// is no whole line of ours is passed over.
pub(super) fn read(octets: &[u8]) -> Vec<Unfinished> {
    let mut open = Open::new();
    let whole = octets.split_inclusive(|octet| *octet == b'\n').filter_map(|line| line.strip_suffix(b"\n"));
    for line in whole.filter_map(|line| std::str::from_utf8(line).ok()) {
        // What cannot be read changes nothing.
        let _ = apply(line, &mut open);
    }
    open.into_iter().map(|(claim, outcomes)| Unfinished { claim, outcomes }).collect()
}

fn apply(line: &str, open: &mut Open) -> Option<()> {
    let mut words = line.split(' ');
    let verb = words.next()?;
    let claim = claim(&mut words)?;
    let rest: Vec<&str> = words.collect();
    match (verb, rest.is_empty()) {
        (BEGUN, true) => {
            open.entry(claim).or_default();
        }
        (ANSWERED, false) => {
            let outcomes: Option<Vec<Outcome>> = rest.into_iter().map(outcome).collect();
            open.insert(claim, Some(outcomes?));
        }
        (SETTLED, true) => {
            open.remove(&claim);
        }
        _ => {}
    }
    Some(())
}

fn words(claim: &Claim) -> String {
    match claim {
        Claim::Mail(ClaimedMail { organization_id, outgoing_id, claim_id }) => {
            format!("mail {} {} {claim_id}", organization_id.0, outgoing_id.0)
        }
        Claim::Draft(ClaimedDraft { organization_id, draft_id, revision }) => {
            format!("draft {} {} {revision}", organization_id.0, draft_id.0)
        }
    }
}

fn claim<'a>(words: &mut impl Iterator<Item = &'a str>) -> Option<Claim> {
    let kind = words.next()?;
    let organization_id = Uuid::parse_str(words.next()?).ok()?.into();
    let id = Uuid::parse_str(words.next()?).ok()?;
    let number = words.next()?;
    match kind {
        "mail" => {
            let claim_id = Uuid::parse_str(number).ok()?;
            Some(Claim::Mail(ClaimedMail { organization_id, outgoing_id: id.into(), claim_id }))
        }
        "draft" => {
            Some(Claim::Draft(ClaimedDraft { organization_id, draft_id: id.into(), revision: number.parse().ok()? }))
        }
        _ => None,
    }
}

fn outcome(word: &str) -> Option<Outcome> {
    match word {
        "delivered" => Some(Outcome::Delivered),
        "later" => Some(Outcome::Deferred { reason: String::new() }),
        status if is_status(status) => Some(Outcome::Refused { status: status.to_owned(), reply: String::new() }),
        _ => None,
    }
}

/// Whether it is an enhanced status code (RFC 3463): three numbers with dots between.
fn is_status(word: &str) -> bool {
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|octet| octet.is_ascii_digit());
    word.split('.').count() == 3 && word.split('.').all(is_number)
}
