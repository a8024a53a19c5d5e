//! Lines of a journal: `begun`, `answered` or `settled`, then the claim, then the outcome of each recipient.
//!
//! ```text
//! begun mail 01990d… 01990e… 01990f…
//! answered mail 01990d… 01990e… 01990f… delivered later 5.1.1
//! settled mail 01990d… 01990e… 01990f…
//! begun draft 01990d… 01990f… 7
//! ```
//!
//! A message has the id of its claim, a draft its revision. Earlier versions wrote the number of the attempt for a claim; the
//! reader skips such a line, and the lease expires by itself.
//!
//! Lines contain ids, numbers and status codes alone: outcomes are in the order of the recipients.

use std::collections::HashMap;
use std::fmt::Write as _;

use inboxd_core::model::{Claim, ClaimedDraft, ClaimedMail, DeliveryOutcome, OpenWork};
use uuid::Uuid;

/// Open claims with their outcomes, where these are known.
pub(super) type OpenClaims = HashMap<Claim, Option<Vec<DeliveryOutcome>>>;

const BEGUN: &str = "begun";
const ANSWERED: &str = "answered";
const SETTLED: &str = "settled";

/// Returns the line of a new claim.
pub(super) fn begun(claim: &Claim) -> String {
    format!("{BEGUN} {}\n", words(claim))
}

/// Returns the line of completed work.
pub(super) fn settled(claim: &Claim) -> String {
    format!("{SETTLED} {}\n", words(claim))
}

/// Returns the line of known outcomes.
pub(super) fn answered(claim: &Claim, outcomes: &[DeliveryOutcome]) -> String {
    let mut line = format!("{ANSWERED} {}", words(claim));
    for outcome in outcomes {
        let word = match outcome {
            DeliveryOutcome::Delivered => "delivered",
            DeliveryOutcome::Deferred { .. } => "later",
            DeliveryOutcome::Refused { status, .. } if is_status(status) => status,
            // A refusal without a valid code is permanent too.
            DeliveryOutcome::Refused { .. } => "5.0.0",
        };
        // Writing to a string does not fail.
        let _ = write!(line, " {word}");
    }
    line.push('\n');
    line
}

/// Returns the shortest lines of all open claims.
pub(super) fn of_open(open: &OpenClaims) -> String {
    let line = |(claim, known): (&Claim, &Option<Vec<DeliveryOutcome>>)| match known {
        Some(outcomes) => answered(claim, outcomes),
        None => begun(claim),
    };
    open.iter().map(line).collect()
}

/// Reads the open claims of a journal. A killed process may leave half a line at the end, and a disk may contain anything: the
/// reader skips all but whole valid lines.
pub(super) fn read(bytes: &[u8]) -> Vec<OpenWork> {
    let mut open = OpenClaims::new();
    let whole = bytes.split_inclusive(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b"\n"));
    for line in whole.filter_map(|line| std::str::from_utf8(line).ok()) {
        // An invalid line changes nothing.
        let _ = apply(line, &mut open);
    }
    open.into_iter().map(|(claim, outcomes)| OpenWork { claim, outcomes }).collect()
}

fn apply(line: &str, open: &mut OpenClaims) -> Option<()> {
    let mut words = line.split(' ');
    let verb = words.next()?;
    let claim = claim(&mut words)?;
    let rest: Vec<&str> = words.collect();
    match (verb, rest.is_empty()) {
        (BEGUN, true) => {
            open.entry(claim).or_default();
        }
        (ANSWERED, false) => {
            let outcomes: Option<Vec<DeliveryOutcome>> = rest.into_iter().map(outcome).collect();
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

fn outcome(word: &str) -> Option<DeliveryOutcome> {
    match word {
        "delivered" => Some(DeliveryOutcome::Delivered),
        "later" => Some(DeliveryOutcome::Deferred { reason: String::new() }),
        status if is_status(status) => {
            Some(DeliveryOutcome::Refused { status: status.to_owned(), reply: String::new() })
        }
        _ => None,
    }
}

/// Returns whether a word is an enhanced status code (RFC 3463): three numbers with dots between.
fn is_status(word: &str) -> bool {
    let is_number = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    word.split('.').count() == 3 && word.split('.').all(is_number)
}
