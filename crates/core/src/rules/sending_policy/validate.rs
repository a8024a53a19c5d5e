//! Validation of the rules of a policy.

use super::hours::{DAY_MINUTES, zone};
use crate::FieldError;
use crate::model::{PolicyRules, RecipientRules, SendingHours};

/// Maximum of entries of all lists of a policy together.
pub(super) const MAX_ENTRIES: usize = 1_000;
/// Maximum of an amount in an hour.
pub(super) const MAX_AMOUNT: u32 = 100_000;

/// Returns an error for each invalid field.
#[must_use]
pub fn validate_rules(rules: &PolicyRules) -> Vec<FieldError> {
    let mut problems = Vec::new();
    let RecipientRules { allow, hold, refuse, .. } = &rules.recipients;
    if allow.len() + hold.len() + refuse.len() > MAX_ENTRIES {
        problems.push(FieldError::new(
            "recipients",
            format!("the lists of a policy have at most {MAX_ENTRIES} entries together"),
        ));
    }
    let amounts = [("per_hour", rules.amount.per_hour), ("per_recipient_hour", rules.amount.per_recipient_hour)];
    for (name, amount) in amounts {
        if amount.is_some_and(|amount| amount == 0 || amount > MAX_AMOUNT) {
            problems.push(FieldError::new(format!("amount.{name}"), format!("is a number from 1 to {MAX_AMOUNT}")));
        }
    }
    problems.extend(rules.hours.iter().flat_map(problems_of_hours));
    problems
}

fn problems_of_hours(hours: &SendingHours) -> Vec<FieldError> {
    let mut problems = Vec::new();
    if zone(&hours.zone).is_none() {
        problems.push(FieldError::new("hours.zone", "is not a time zone; name one such as Europe/Berlin or UTC"));
    }
    if hours.days.is_empty() {
        problems.push(FieldError::new("hours.days", "names at least one of mon, tue, wed, thu, fri, sat, sun"));
    }
    for (name, minute) in [("from", hours.from), ("until", hours.until)] {
        if minute >= DAY_MINUTES {
            problems.push(FieldError::new(format!("hours.{name}"), "is a time of day such as 09:00"));
        }
    }
    problems
}
