//! Stripe events: completed checkouts and changes of subscriptions.

use std::collections::BTreeMap;

use inboxd_core::model::{
    CustomerId, OrganizationId, PaymentNotice, Plan, SubscriptionId, SubscriptionState, SubscriptionUpdate,
};
use inboxd_core::ports::NoticeError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use time::OffsetDateTime;

use crate::PriceTable;

/// Limit of any Stripe id.
const MAX_ID_BYTES: usize = 255;

/// Metadata key of the organization id.
pub(crate) const ORGANIZATION_KEY: &str = "organization_id";
/// Metadata key of the ordered plan.
pub(crate) const PLAN_KEY: &str = "plan";

#[derive(Deserialize)]
struct StripeEvent {
    id: String,
    created: i64,
    r#type: String,
    data: EventData,
}

#[derive(Deserialize)]
struct EventData {
    object: Value,
}

/// Checkout session, reduced to the used fields.
#[derive(Deserialize)]
struct CheckoutSession {
    payment_status: Option<String>,
    customer: Option<ObjectReference>,
    subscription: Option<ObjectReference>,
    client_reference_id: Option<String>,
    metadata: Option<BTreeMap<String, String>>,
}

/// Subscription, reduced to the used fields.
#[derive(Deserialize)]
struct StripeSubscription {
    id: String,
    customer: ObjectReference,
    status: String,
    items: SubscriptionItems,
    metadata: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct SubscriptionItems {
    data: Vec<SubscriptionItem>,
}

#[derive(Deserialize)]
struct SubscriptionItem {
    price: ItemPrice,
}

#[derive(Deserialize)]
struct ItemPrice {
    id: String,
}

/// Reference to another object: its id, or the expanded object.
#[derive(Deserialize)]
#[serde(untagged)]
enum ObjectReference {
    Id(String),
    Whole { id: String },
}

impl ObjectReference {
    fn into_id(self) -> String {
        match self {
            Self::Id(id) | Self::Whole { id } => id,
        }
    }
}

/// Parses an event body into a payment notice.
pub(crate) fn parse_notice(body: &[u8], prices: &PriceTable) -> Result<PaymentNotice, NoticeError> {
    let event: StripeEvent = serde_json::from_slice(body).map_err(|error| unreadable_event("", &error))?;
    let created_at =
        OffsetDateTime::from_unix_timestamp(event.created).map_err(|error| unreadable_event("created", &error))?;
    let object = event.data.object;
    let update = match event.r#type.as_str() {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => {
            session_news(parse_object(object)?)
        }
        "customer.subscription.deleted" => Some(SubscriptionUpdate {
            state: SubscriptionState::Ended,
            ..subscription_news(parse_object(object)?, prices)
        }),
        "customer.subscription.created" => {
            Some(SubscriptionUpdate { is_beginning: true, ..subscription_news(parse_object(object)?, prices) })
        }
        "customer.subscription.updated" | "customer.subscription.paused" | "customer.subscription.resumed" => {
            Some(subscription_news(parse_object(object)?, prices))
        }
        _ => None,
    };
    validate_id("id", &event.id)?;
    if let Some(update) = &update {
        validate_id("data.object.customer", &update.customer_id.0)?;
        validate_id("data.object.subscription", &update.subscription_id.0)?;
    }
    Ok(PaymentNotice { event_id: event.id, created_at, update })
}

/// Returns the update of a checkout. Its plan is in our metadata; its price follows with the events of the subscription.
fn session_news(session: CheckoutSession) -> Option<SubscriptionUpdate> {
    // An unpaid session is reported by the subscription once it is paid.
    if session.payment_status.as_deref() == Some("unpaid") {
        return None;
    }
    let metadata = session.metadata.unwrap_or_default();
    Some(SubscriptionUpdate {
        is_beginning: false,
        names: organization_id(&metadata).or_else(|| session.client_reference_id?.parse().ok()),
        customer_id: CustomerId(session.customer?.into_id()),
        subscription_id: SubscriptionId(session.subscription?.into_id()),
        state: SubscriptionState::Live,
        plan: metadata.get(PLAN_KEY).and_then(|plan| plan.parse().ok()),
    })
}

fn subscription_news(subscription: StripeSubscription, prices: &PriceTable) -> SubscriptionUpdate {
    let state = subscription_state(&subscription.status);
    let paid = subscription.items.data.into_iter().map(|item| item.price.id).collect::<Vec<_>>();
    let plan = paid.iter().filter_map(|price| prices.plan_of(price)).max();
    if plan.is_none() && state == SubscriptionState::Live {
        tracing::warn!(
            prices = ?paid.iter().take(5).map(|price| truncate(price)).collect::<Vec<_>>(),
            "subscription has no configured price"
        );
    }
    SubscriptionUpdate {
        is_beginning: false,
        names: organization_id(&subscription.metadata.unwrap_or_default()),
        customer_id: CustomerId(subscription.customer.into_id()),
        subscription_id: SubscriptionId(subscription.id),
        state,
        plan,
    }
}

/// Maps a subscription status to the state of the plan. While Stripe retries the collection, the plan stays.
fn subscription_state(status: &str) -> SubscriptionState {
    match status {
        "active" | "trialing" | "past_due" => SubscriptionState::Live,
        "canceled" | "incomplete_expired" => SubscriptionState::Ended,
        _ => SubscriptionState::Lapsed,
    }
}

fn organization_id(metadata: &BTreeMap<String, String>) -> Option<OrganizationId> {
    metadata.get(ORGANIZATION_KEY)?.parse().ok()
}

fn parse_object<T: DeserializeOwned>(object: Value) -> Result<T, NoticeError> {
    serde_json::from_value(object).map_err(|error| unreadable_event("data.object", &error))
}

fn unreadable_event(path: &str, error: &dyn std::error::Error) -> NoticeError {
    let message = format!("the event cannot be read: {}", truncate(&error.to_string()));
    NoticeError::Unreadable { path: path.to_owned(), message }
}

fn validate_id(path: &str, id: &str) -> Result<(), NoticeError> {
    if !id.is_empty() && id.len() <= MAX_ID_BYTES && id.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    let message = format!("an id has 1 to {MAX_ID_BYTES} printable ASCII characters");
    Err(NoticeError::Unreadable { path: path.to_owned(), message })
}

fn truncate(text: &str) -> String {
    text.chars().take(200).collect()
}

/// Returns the metadata of an order, by which later events identify the organization.
pub(crate) fn metadata(organization_id: OrganizationId, plan: Plan) -> [(&'static str, String); 2] {
    [(ORGANIZATION_KEY, organization_id.to_string()), (PLAN_KEY, plan.as_str().to_owned())]
}
