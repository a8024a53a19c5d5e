//! Plan of an organization, from its subscriptions.

use crate::FieldError;
use crate::model::{Plan, Subscription, SubscriptionState, SubscriptionUpdate};

/// Maximum length in bytes of a URL to which a customer returns.
const MAX_URL_BYTES: usize = 2_000;

/// Returns the paid plan: the largest of the running subscriptions.
#[must_use]
pub fn paid_plan(subscriptions: &[Subscription]) -> Plan {
    let running = subscriptions.iter().filter(|subscription| subscription.state == SubscriptionState::Live);
    running.filter_map(|subscription| subscription.plan).max().unwrap_or(Plan::Free)
}

/// Returns the plan of an organization after a change of its subscriptions.
///
/// A plan that was paid for follows the payment. A plan set by the operator is never lowered, because no payment gave
/// it; a payment can raise it.
#[must_use]
pub fn plan_after(present: Plan, paid_before: Plan, paid_now: Plan) -> Plan {
    if paid_before == paid_now {
        present
    } else if present == paid_before {
        paid_now
    } else {
        present.max(paid_now)
    }
}

/// Returns whether an update of a subscription is newer than its stored state. The provider reports times in whole
/// seconds and in any order. Within one second, the beginning sorts first and the end last.
#[must_use]
pub fn is_newer(update: &SubscriptionUpdate, notified_at: time::OffsetDateTime, known: &Subscription) -> bool {
    if notified_at == known.said_at {
        return !update.is_beginning && known.state != SubscriptionState::Ended;
    }
    notified_at > known.said_at
}

/// Returns the error of a plan that cannot be bought. `for_sale` has at least one plan.
#[must_use]
pub fn validate_plan(wanted: Option<&str>, for_sale: &[Plan]) -> Option<FieldError> {
    let names: Vec<&str> = for_sale.iter().map(|plan| plan.as_str()).collect();
    let names = names.join(", ");
    let message = match wanted.map(str::parse::<Plan>) {
        Some(Ok(plan)) if for_sale.contains(&plan) => return None,
        Some(Ok(Plan::Free)) => {
            format!("costs nothing; cancel the subscription with POST /v0/billing/portal, or choose one of {names}")
        }
        Some(Ok(plan)) => format!("{plan} is not for sale here; choose one of {names}, or ask the operator"),
        Some(Err(_)) => format!("is not a plan; choose one of {names}"),
        None => format!("is required; choose one of {names}"),
    };
    Some(FieldError::new("plan", message))
}

/// Returns the error of a URL to which a customer cannot be sent back.
#[must_use]
pub fn validate_return_url(path: &str, url: &str) -> Option<FieldError> {
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let begins = url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        if begins { url.get(scheme.len()..) } else { None }
    });
    let host = rest.unwrap_or_default().split(['/', '?', '#']).next().unwrap_or_default();
    let message = if url.len() > MAX_URL_BYTES {
        format!("is longer than {MAX_URL_BYTES} bytes")
    } else if host.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        "must be an absolute http or https URL such as https://app.example.org/billing".to_owned()
    } else if host.contains('@') {
        "must not carry a user name or password".to_owned()
    } else {
        return None;
    };
    Some(FieldError::new(path, message))
}
