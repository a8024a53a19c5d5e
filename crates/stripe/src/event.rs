//! What Stripe tells: checkouts that were completed, and every change of a subscription.

use std::collections::BTreeMap;

use inboxd_core::model::{
    CustomerId, OrganizationId, PaymentNotice, Plan, SubscriptionId, SubscriptionNews, SubscriptionState,
};
use inboxd_core::ports::NoticeError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use time::OffsetDateTime;

use crate::Prices;

/// The longest id of anything at Stripe, in octets.
const LONGEST_ID: usize = 255;

/// The key of the metadata that names the organization.
pub(crate) const ORGANIZATION: &str = "organization_id";
/// The key of the metadata that names the plan of a checkout.
pub(crate) const PLAN: &str = "plan";

#[derive(Deserialize)]
struct Event {
    id: String,
    created: i64,
    r#type: String,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    object: Value,
}

/// A checkout session, as much of it as is needed.
#[derive(Deserialize)]
struct Session {
    payment_status: Option<String>,
    customer: Option<Reference>,
    subscription: Option<Reference>,
    client_reference_id: Option<String>,
    metadata: Option<BTreeMap<String, String>>,
}

/// A subscription, as much of it as is needed.
#[derive(Deserialize)]
struct Subscription {
    id: String,
    customer: Reference,
    status: String,
    items: Items,
    metadata: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Items {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    price: Price,
}

#[derive(Deserialize)]
struct Price {
    id: String,
}

/// Another object: its id, or all of it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Reference {
    Id(String),
    Whole { id: String },
}

impl Reference {
    fn id(self) -> String {
        match self {
            Self::Id(id) | Self::Whole { id } => id,
        }
    }
}

/// Reads an event.
pub(crate) fn read(body: &[u8], prices: &Prices) -> Result<PaymentNotice, NoticeError> {
    let event: Event = serde_json::from_slice(body).map_err(|error| unreadable("", &error))?;
    let created_at =
        OffsetDateTime::from_unix_timestamp(event.created).map_err(|error| unreadable("created", &error))?;
    let object = event.data.object;
    let news = match event.r#type.as_str() {
        "checkout.session.completed" | "checkout.session.async_payment_succeeded" => of_session(part(object)?),
        "customer.subscription.deleted" => {
            Some(SubscriptionNews { state: SubscriptionState::Ended, ..of_subscription(part(object)?, prices) })
        }
        "customer.subscription.created" => {
            Some(SubscriptionNews { is_beginning: true, ..of_subscription(part(object)?, prices) })
        }
        "customer.subscription.updated" | "customer.subscription.paused" | "customer.subscription.resumed" => {
            Some(of_subscription(part(object)?, prices))
        }
        _ => None,
    };
    check_id("id", &event.id)?;
    if let Some(news) = &news {
        check_id("data.object.customer", &news.customer_id.0)?;
        check_id("data.object.subscription", &news.subscription_id.0)?;
    }
    Ok(PaymentNotice { event_id: event.id, created_at, news })
}

/// A checkout names its plan in our own metadata; its price comes with the subscription's events.
fn of_session(session: Session) -> Option<SubscriptionNews> {
    // What is not paid yet is told by the subscription once it is.
    if session.payment_status.as_deref() == Some("unpaid") {
        return None;
    }
    let metadata = session.metadata.unwrap_or_default();
    Some(SubscriptionNews {
        is_beginning: false,
        names: organization(&metadata).or_else(|| session.client_reference_id?.parse().ok()),
        customer_id: CustomerId(session.customer?.id()),
        subscription_id: SubscriptionId(session.subscription?.id()),
        state: SubscriptionState::Live,
        plan: metadata.get(PLAN).and_then(|plan| plan.parse().ok()),
    })
}

fn of_subscription(subscription: Subscription, prices: &Prices) -> SubscriptionNews {
    let state = state(&subscription.status);
    let paid = subscription.items.data.into_iter().map(|item| item.price.id).collect::<Vec<_>>();
    let plan = paid.iter().filter_map(|price| prices.plan(price)).max();
    if plan.is_none() && state == SubscriptionState::Live {
        tracing::warn!(
            prices = ?paid.iter().take(5).map(|price| shortened(price)).collect::<Vec<_>>(),
            "a subscription has no price that INBOXD_STRIPE_PRICES names: it gives no plan"
        );
    }
    SubscriptionNews {
        is_beginning: false,
        names: organization(&subscription.metadata.unwrap_or_default()),
        customer_id: CustomerId(subscription.customer.id()),
        subscription_id: SubscriptionId(subscription.id),
        state,
        plan,
    }
}

/// What a status means for the plan. While Stripe still tries to collect, the plan stays.
fn state(status: &str) -> SubscriptionState {
    match status {
        "active" | "trialing" | "past_due" => SubscriptionState::Live,
        "canceled" | "incomplete_expired" => SubscriptionState::Ended,
        _ => SubscriptionState::Lapsed,
    }
}

fn organization(metadata: &BTreeMap<String, String>) -> Option<OrganizationId> {
    metadata.get(ORGANIZATION)?.parse().ok()
}

fn part<T: DeserializeOwned>(object: Value) -> Result<T, NoticeError> {
    serde_json::from_value(object).map_err(|error| unreadable("data.object", &error))
}

fn unreadable(path: &str, error: &dyn std::error::Error) -> NoticeError {
    let message = format!("the event cannot be read: {}", shortened(&error.to_string()));
    NoticeError::Unreadable { path: path.to_owned(), message }
}

fn check_id(path: &str, id: &str) -> Result<(), NoticeError> {
    if !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(|octet| octet.is_ascii_graphic()) {
        return Ok(());
    }
    let message = format!("an id has 1 to {LONGEST_ID} printable ASCII characters");
    Err(NoticeError::Unreadable { path: path.to_owned(), message })
}

fn shortened(text: &str) -> String {
    text.chars().take(200).collect()
}

/// The metadata that an order carries, so that what Stripe tells of it names the organization.
pub(crate) fn metadata(organization_id: OrganizationId, plan: Plan) -> [(&'static str, String); 2] {
    [(ORGANIZATION, organization_id.to_string()), (PLAN, plan.as_str().to_owned())]
}
