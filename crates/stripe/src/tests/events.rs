//! Events in the format of Stripe.

use inboxd_core::model::{PaymentNotice, Plan, SubscriptionState};
use inboxd_core::ports::NoticeError;
use inboxd_core::testing::fixtures;
use serde_json::{Value, json};

use crate::event::parse_notice;

fn parse(kind: &str, object: &Value) -> Result<PaymentNotice, NoticeError> {
    let event = json!({
        "id": "evt_1", "object": "event", "api_version": "2024-06-20", "created": 1_795_000_000, "livemode": false,
        "pending_webhooks": 1, "request": {"id": null}, "type": kind, "data": {"object": object},
    });
    parse_notice(event.to_string().as_bytes(), &"startup=price_s,startup=price_old,business=price_b".parse().unwrap())
}

fn organization() -> String {
    fixtures::organization().organization_id.to_string()
}

fn subscription(status: &str, prices: &[&str]) -> Value {
    let items: Vec<Value> = prices.iter().map(|price| json!({"id": "si_1", "price": {"id": price}})).collect();
    json!({
        "id": "sub_1", "object": "subscription", "customer": "cus_1", "status": status,
        "items": {"object": "list", "data": items, "has_more": false},
        "metadata": {"organization_id": organization(), "plan": "startup"},
    })
}

fn session() -> Value {
    json!({
        "id": "cs_1", "object": "checkout.session", "mode": "subscription", "payment_status": "paid",
        "customer": "cus_1", "subscription": "sub_1", "client_reference_id": organization(),
        "metadata": {"organization_id": organization(), "plan": "business"},
    })
}

#[test]
fn subscription_event_reports_state_and_plan() {
    use SubscriptionState::{Ended, Lapsed, Live};
    let of_status = [
        ("active", Live),
        ("trialing", Live),
        ("past_due", Live),
        ("incomplete", Lapsed),
        ("unpaid", Lapsed),
        ("paused", Lapsed),
        ("something_new", Lapsed),
        ("canceled", Ended),
        ("incomplete_expired", Ended),
    ];
    for (status, state) in of_status {
        let notice = parse("customer.subscription.updated", &subscription(status, &["price_s"])).unwrap();
        assert_eq!((notice.event_id.as_str(), notice.created_at.unix_timestamp()), ("evt_1", 1_795_000_000));
        let update = notice.update.unwrap();
        assert_eq!((update.state, update.plan), (state, Some(Plan::Startup)), "{status}");
        assert_eq!((update.customer_id.0.as_str(), update.subscription_id.0.as_str()), ("cus_1", "sub_1"));
        assert_eq!((update.names, update.is_beginning), (Some(fixtures::id(1)), false));
    }
    let update = |kind| parse(kind, &subscription("active", &["price_b"])).unwrap().update.unwrap();
    assert!(update("customer.subscription.created").is_beginning);
    assert_eq!(update("customer.subscription.deleted").state, Ended);
    assert_eq!(update("customer.subscription.resumed").plan, Some(Plan::Business));
}

#[test]
fn highest_priced_plan_is_reported() {
    for (prices, plan) in [
        (vec!["price_b"], Some(Plan::Business)),
        (vec!["price_old"], Some(Plan::Startup)),
        (vec!["price_s", "price_b"], Some(Plan::Business)),
        (vec!["price_addon", "price_s"], Some(Plan::Startup)),
        (vec!["price_addon"], None),
        (vec![], None),
    ] {
        let update = parse("customer.subscription.updated", &subscription("active", &prices)).unwrap().update.unwrap();
        assert_eq!(update.plan, plan, "{prices:?}");
    }
}

#[test]
fn completed_checkout_reports_organization_and_plan() {
    let update = parse("checkout.session.completed", &session()).unwrap().update.unwrap();
    assert_eq!(
        (update.names, update.plan, update.state),
        (Some(fixtures::id(1)), Some(Plan::Business), SubscriptionState::Live)
    );
    assert_eq!((update.customer_id.0.as_str(), update.subscription_id.0.as_str()), ("cus_1", "sub_1"));

    let with = |changes: Value| {
        let mut session = session();
        session.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
        parse("checkout.session.completed", &session).unwrap().update
    };
    let by_reference = with(json!({"metadata": {}})).unwrap();
    assert_eq!((by_reference.names, by_reference.plan), (Some(fixtures::id(1)), None));
    assert_eq!(with(json!({"metadata": null, "client_reference_id": "somebody"})).unwrap().names, None);
    let expanded = with(json!({"customer": {"id": "cus_9", "object": "customer"}})).unwrap();
    assert_eq!(expanded.customer_id.0, "cus_9");
    for nothing in [
        json!({"payment_status": "unpaid"}),
        json!({"subscription": null, "mode": "payment"}),
        json!({"customer": null}),
    ] {
        assert_eq!(with(nothing.clone()), None, "{nothing}");
    }
}

#[test]
fn unrelated_event_has_no_news() {
    for kind in ["invoice.paid", "customer.created", "customer.subscription.trial_will_end"] {
        assert_eq!(parse(kind, &json!({"id": "x"})).unwrap().update, None, "{kind}");
    }
}

#[test]
fn unreadable_event_names_field() {
    let mut without_customer = subscription("active", &["price_s"]);
    without_customer.as_object_mut().unwrap().remove("customer");
    let mut long = subscription("active", &["price_s"]);
    long["customer"] = json!("x".repeat(256));
    let mut odd = subscription("active", &["price_s"]);
    odd["id"] = json!("sub\u{0}");
    for (object, path) in [
        (without_customer, "data.object"),
        (json!([]), "data.object"),
        (long, "data.object.customer"),
        (odd, "data.object.subscription"),
    ] {
        let refused = parse("customer.subscription.updated", &object);
        assert!(matches!(&refused, Err(NoticeError::Unreadable { path: at, .. }) if at == path), "{path}: {refused:?}");
    }
    let prices = "startup=price_s".parse().unwrap();
    for body in ["", "{", "[]", "{}", r#"{"id": "evt_1", "type": "x", "created": 1e300, "data": {"object": {}}}"#] {
        assert!(matches!(parse_notice(body.as_bytes(), &prices), Err(NoticeError::Unreadable { .. })), "{body}");
    }
    let far = r#"{"id": "evt_1", "type": "x", "created": 9223372036854775807, "data": {"object": {}}}"#;
    assert!(matches!(parse_notice(far.as_bytes(), &prices), Err(NoticeError::Unreadable { .. })));
}
