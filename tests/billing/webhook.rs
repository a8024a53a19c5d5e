//! `POST /v0/billing/webhook`: signed events change the plan; forged, old, repeated and late ones do not.

use inboxd_testkit::{Persona, Request};
use serde_json::{Value, json};

use super::stripe::{SECRET, Stripe, bring, event, now, signature, subscription, tell};
use crate::support::{at_once, count};

async fn plan(agent: &Persona) -> String {
    agent.get("/v0/billing").await.ok()["plan"].as_str().unwrap().to_owned()
}

fn session(agent: &Persona) -> Value {
    json!({
        "id": "cs_1", "object": "checkout.session", "mode": "subscription", "payment_status": "paid", "customer": "cus_1",
        "subscription": "sub_1", "client_reference_id": agent.organization_id,
        "metadata": {"organization_id": agent.organization_id, "plan": "startup"},
    })
}

fn of(agent: &Persona, status: &str, price: &str) -> Value {
    subscription(&agent.organization_id, status, price)
}

#[tokio::test]
async fn a_paid_checkout_changes_plan_and_limits_at_once() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    for _ in 0..2 {
        agent.post("/v0/inboxes", json!({})).await.ok();
    }
    agent.post("/v0/inboxes", json!({})).await.refused(429, "inbox_limit_reached");
    assert_eq!(tell(&server, &event("evt_1", "checkout.session.completed", 0, &session(&agent))).await, "applied");
    agent.post("/v0/inboxes", json!({})).await.ok();
    assert_eq!(plan(&agent).await, "startup");
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["plan"], &organization["inbox_limit"]), (&json!("startup"), &json!(25)));
}

#[tokio::test]
async fn a_subscription_is_followed_through_its_life() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let life = [
        ("customer.subscription.created", "incomplete", "price_startup", "free"),
        ("customer.subscription.updated", "active", "price_startup", "startup"),
        ("customer.subscription.updated", "active", "price_business", "business"),
        ("customer.subscription.updated", "past_due", "price_business", "business"),
        ("customer.subscription.updated", "unpaid", "price_business", "free"),
        ("customer.subscription.updated", "active", "price_startup", "startup"),
        ("customer.subscription.deleted", "canceled", "price_startup", "free"),
    ];
    for (step, (kind, status, price, expected)) in life.into_iter().enumerate() {
        let age = 100 - u64::try_from(step).unwrap();
        let told = event(&format!("evt_{step}"), kind, age, &of(&agent, status, price));
        assert_eq!(tell(&server, &told).await, "applied", "{kind} {status}");
        assert_eq!(plan(&agent).await, expected, "{kind} {status}");
    }
}

#[tokio::test]
async fn a_repeated_event_does_nothing() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let paid = event("evt_1", "customer.subscription.updated", 10, &of(&agent, "active", "price_startup"));
    assert_eq!(tell(&server, &paid).await, "applied");
    // The operator takes the plan away; the same event once more does not bring it back.
    server.command(&["admin", "plan", &agent.organization_id, "free"]).await;
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!(organization["plan"], "free");
    assert_eq!(tell(&server, &paid).await, "repeated");
    assert_eq!(agent.get("/v0/organizations").await.ok(), organization);
}

#[tokio::test]
async fn the_same_event_many_times_at_once_is_applied_once() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let body = event("evt_1", "customer.subscription.updated", 1, &of(&agent, "active", "price_startup")).to_string();
    let signed = signature(SECRET, now(), &body);
    let answers = at_once((0..20).map(|_| {
        let (http, body, signed) = (server.http(), body.clone(), signed.clone());
        async move { bring(&http, &body, Some(&signed)).await }
    }))
    .await;
    assert_eq!(count(&answers, 200), 20);
    let applied = answers.iter().filter(|answer| answer.json()["outcome"] == "applied").count();
    assert_eq!((applied, plan(&agent).await.as_str()), (1, "startup"));
}

#[tokio::test]
async fn forged_and_stale_signatures_are_refused() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let body = event("evt_1", "checkout.session.completed", 0, &session(&agent)).to_string();
    let other = event("evt_2", "checkout.session.completed", 0, &session(&agent)).to_string();
    let (now, http) = (now(), server.http());
    for signed in [
        None,
        Some(String::new()),
        Some("t=1,v1=zz".to_owned()),
        Some(signature("whsec_guessed", now, &body)),
        Some(signature("", now, &body)),
        Some(signature(SECRET, now, &other)),
        Some(signature(SECRET, now, &body).replace("v1=", "v0=")),
        Some(signature(SECRET, now, &body).replace(&now.to_string(), &(now - 1).to_string())),
        Some(signature(SECRET, now - 310, &body)),
        Some(signature(SECRET, now + 310, &body)),
    ] {
        let refused = bring(&http, &body, signed.as_deref()).await.refused(400, "invalid_signature");
        assert_eq!(refused["name"], "BadRequestError", "{signed:?}");
        assert!(!refused.to_string().contains(SECRET));
    }
    assert_eq!(plan(&agent).await, "free");
    // A key of the API is no signature, and a true signature needs no key.
    let with_key = Request::new("POST", "/v0/billing/webhook").body(body.clone());
    agent.call(with_key).await.refused(400, "invalid_signature");
    bring(&http, &body, Some(&signature(SECRET, now - 200, &body))).await.ok();
    assert_eq!(plan(&agent).await, "startup");
}

#[tokio::test]
async fn late_events_do_not_bring_back_an_older_state() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let updated = "customer.subscription.updated";
    let upgrade = event("evt_1", updated, 10, &of(&agent, "active", "price_business"));
    assert_eq!(tell(&server, &upgrade).await, "applied");
    let late = [
        event("evt_2", updated, 20, &of(&agent, "active", "price_startup")),
        event("evt_3", "customer.subscription.created", 30, &of(&agent, "incomplete", "price_startup")),
        event("evt_4", "checkout.session.completed", 25, &session(&agent)),
    ];
    for event in late {
        assert_eq!(tell(&server, &event).await, "outdated", "{event}");
        assert_eq!(plan(&agent).await, "business");
    }
    let ended = event("evt_5", "customer.subscription.deleted", 5, &of(&agent, "canceled", "price_business"));
    assert_eq!(tell(&server, &ended).await, "applied");
    assert_eq!(tell(&server, &event("evt_6", updated, 8, &of(&agent, "active", "price_business"))).await, "outdated");
    assert_eq!(plan(&agent).await, "free");
}

#[tokio::test]
async fn within_one_second_the_beginning_comes_first_whatever_the_order() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let mut paid = event("evt_1", "checkout.session.completed", 3, &session(&agent));
    let mut began = event("evt_2", "customer.subscription.created", 3, &of(&agent, "incomplete", "price_startup"));
    paid["created"] = began["created"].clone();
    assert_eq!(tell(&server, &paid).await, "applied");
    assert_eq!(tell(&server, &began).await, "outdated");
    assert_eq!(plan(&agent).await, "startup");
    began["id"] = json!("evt_3");
    began["type"] = json!("customer.subscription.updated");
    began["data"]["object"]["status"] = json!("active");
    assert_eq!(tell(&server, &began).await, "applied");
    assert_eq!(plan(&agent).await, "startup");
}

#[tokio::test]
async fn an_event_finds_its_organization_by_the_customer_it_has_seen() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let mut nameless = of(&agent, "active", "price_business");
    nameless["metadata"] = json!({});
    let updated = "customer.subscription.updated";
    assert_eq!(tell(&server, &event("evt_1", updated, 9, &nameless)).await, "ignored");
    // A checkout that somebody made at Stripe, with our id as its reference.
    let mut referred = session(&agent);
    referred["metadata"] = json!({});
    assert_eq!(tell(&server, &event("evt_2", "checkout.session.completed", 8, &referred)).await, "applied");
    assert_eq!(plan(&agent).await, "free", "it names no plan; its subscription will");
    assert_eq!(tell(&server, &event("evt_3", updated, 7, &nameless)).await, "applied");
    assert_eq!(plan(&agent).await, "business");
}

#[tokio::test]
async fn what_concerns_nobody_here_is_taken_and_ignored() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let nobody = subscription("org_00000000000000000000000000000000", "active", "price_startup");
    for event in [
        event("evt_1", "invoice.paid", 0, &json!({"id": "in_1"})),
        event("evt_2", "customer.subscription.updated", 0, &nobody),
    ] {
        assert_eq!(tell(&server, &event).await, "ignored", "{event}");
    }
    assert_eq!(plan(&agent).await, "free");
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_and_nothing_breaks() {
    let stripe = Stripe::start().await;
    let (server, _agent) = stripe.server_and_agent().await;
    for body in [
        "",
        "null",
        "{",
        "[1]",
        r#"{"id": 7}"#,
        r#"{"id":"e","created":1,"type":"customer.subscription.deleted","data":{"object":{}}}"#,
    ] {
        let answer = bring(&server.http(), body, Some(&signature(SECRET, now(), body))).await;
        answer.refused(422, "validation_error");
    }
    let large = "x".repeat(300 * 1024);
    bring(&server.http(), &large, Some("t=1,v1=00")).await.refused(413, "payload_too_large");
}

#[tokio::test]
async fn a_plan_set_by_hand_outlives_a_renewal_and_an_end() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let updated = "customer.subscription.updated";
    tell(&server, &event("evt_1", updated, 30, &of(&agent, "active", "price_startup"))).await;
    let output = server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("enterprise") && said.contains("Stripe"), "the operator hears of the subscription: {said}");
    tell(&server, &event("evt_2", updated, 20, &of(&agent, "active", "price_startup"))).await;
    assert_eq!(plan(&agent).await, "enterprise");
    let ended = event("evt_3", "customer.subscription.deleted", 10, &of(&agent, "canceled", "price_startup"));
    assert_eq!(tell(&server, &ended).await, "applied");
    assert_eq!(plan(&agent).await, "enterprise");
}
