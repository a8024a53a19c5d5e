//! `POST /v0/billing/webhook`: signed events change the plan; forged, old, repeated and late ones do not.

use inboxd_testkit::{HttpRequest, Persona};
use serde_json::{Value, json};

use super::stripe::{SECRET, Stripe, deliver_event, event, now, post_event, signature, subscription};
use crate::support::{count, run_concurrently};

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

fn subscription_of(agent: &Persona, status: &str, price: &str) -> Value {
    subscription(&agent.organization_id, status, price)
}

#[tokio::test]
async fn paid_checkout_changes_plan_and_limits_immediately() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    for _ in 0..2 {
        agent.post("/v0/inboxes", json!({})).await.ok();
    }
    agent.post("/v0/inboxes", json!({})).await.require_error(429, "inbox_limit_reached");
    assert_eq!(
        deliver_event(&server, &event("evt_1", "checkout.session.completed", 0, &session(&agent))).await,
        "applied"
    );
    agent.post("/v0/inboxes", json!({})).await.ok();
    assert_eq!(plan(&agent).await, "startup");
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization["plan"], &organization["inbox_limit"]), (&json!("startup"), &json!(25)));
}

#[tokio::test]
async fn subscription_changes_update_plan() {
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
        let told = event(&format!("evt_{step}"), kind, age, &subscription_of(&agent, status, price));
        assert_eq!(deliver_event(&server, &told).await, "applied", "{kind} {status}");
        assert_eq!(plan(&agent).await, expected, "{kind} {status}");
    }
}

#[tokio::test]
async fn repeated_event_has_no_effect() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let paid = event("evt_1", "customer.subscription.updated", 10, &subscription_of(&agent, "active", "price_startup"));
    assert_eq!(deliver_event(&server, &paid).await, "applied");
    // The operator resets the plan; a repetition of the event does not restore it.
    server.command(&["admin", "plan", &agent.organization_id, "free"]).await;
    let organization = agent.get("/v0/organizations").await.ok();
    assert_eq!(organization["plan"], "free");
    assert_eq!(deliver_event(&server, &paid).await, "repeated");
    assert_eq!(agent.get("/v0/organizations").await.ok(), organization);
}

#[tokio::test]
async fn concurrent_repeated_events_apply_once() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let body = event("evt_1", "customer.subscription.updated", 1, &subscription_of(&agent, "active", "price_startup"))
        .to_string();
    let signed = signature(SECRET, now(), &body);
    let answers = run_concurrently((0..20).map(|_| {
        let (http, body, signed) = (server.http(), body.clone(), signed.clone());
        async move { post_event(&http, &body, Some(&signed)).await }
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
        let refused = post_event(&http, &body, signed.as_deref()).await.require_error(400, "invalid_signature");
        assert_eq!(refused["name"], "BadRequestError", "{signed:?}");
        assert!(!refused.to_string().contains(SECRET));
    }
    assert_eq!(plan(&agent).await, "free");
    // An API key is no signature, and a valid signature needs no API key.
    let with_key = HttpRequest::new("POST", "/v0/billing/webhook").body(body.clone());
    agent.call(with_key).await.require_error(400, "invalid_signature");
    post_event(&http, &body, Some(&signature(SECRET, now - 200, &body))).await.ok();
    assert_eq!(plan(&agent).await, "startup");
}

#[tokio::test]
async fn late_events_do_not_restore_older_state() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let updated = "customer.subscription.updated";
    let upgrade = event("evt_1", updated, 10, &subscription_of(&agent, "active", "price_business"));
    assert_eq!(deliver_event(&server, &upgrade).await, "applied");
    let late = [
        event("evt_2", updated, 20, &subscription_of(&agent, "active", "price_startup")),
        event("evt_3", "customer.subscription.created", 30, &subscription_of(&agent, "incomplete", "price_startup")),
        event("evt_4", "checkout.session.completed", 25, &session(&agent)),
    ];
    for event in late {
        assert_eq!(deliver_event(&server, &event).await, "outdated", "{event}");
        assert_eq!(plan(&agent).await, "business");
    }
    let ended =
        event("evt_5", "customer.subscription.deleted", 5, &subscription_of(&agent, "canceled", "price_business"));
    assert_eq!(deliver_event(&server, &ended).await, "applied");
    assert_eq!(
        deliver_event(&server, &event("evt_6", updated, 8, &subscription_of(&agent, "active", "price_business"))).await,
        "outdated"
    );
    assert_eq!(plan(&agent).await, "free");
}

#[tokio::test]
async fn events_of_one_second_apply_start_first() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let mut paid = event("evt_1", "checkout.session.completed", 3, &session(&agent));
    let mut began =
        event("evt_2", "customer.subscription.created", 3, &subscription_of(&agent, "incomplete", "price_startup"));
    paid["created"] = began["created"].clone();
    assert_eq!(deliver_event(&server, &paid).await, "applied");
    assert_eq!(deliver_event(&server, &began).await, "outdated");
    assert_eq!(plan(&agent).await, "startup");
    began["id"] = json!("evt_3");
    began["type"] = json!("customer.subscription.updated");
    began["data"]["object"]["status"] = json!("active");
    assert_eq!(deliver_event(&server, &began).await, "applied");
    assert_eq!(plan(&agent).await, "startup");
}

#[tokio::test]
async fn event_finds_organization_by_known_customer() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let mut nameless = subscription_of(&agent, "active", "price_business");
    nameless["metadata"] = json!({});
    let updated = "customer.subscription.updated";
    assert_eq!(deliver_event(&server, &event("evt_1", updated, 9, &nameless)).await, "ignored");
    // A checkout that was created at Stripe, with the organization id as its reference.
    let mut referred = session(&agent);
    referred["metadata"] = json!({});
    assert_eq!(deliver_event(&server, &event("evt_2", "checkout.session.completed", 8, &referred)).await, "applied");
    assert_eq!(plan(&agent).await, "free", "the plan is in the subscription event");
    assert_eq!(deliver_event(&server, &event("evt_3", updated, 7, &nameless)).await, "applied");
    assert_eq!(plan(&agent).await, "business");
}

#[tokio::test]
async fn foreign_events_are_accepted_and_ignored() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let nobody = subscription("org_00000000000000000000000000000000", "active", "price_startup");
    for event in [
        event("evt_1", "invoice.paid", 0, &json!({"id": "in_1"})),
        event("evt_2", "customer.subscription.updated", 0, &nobody),
    ] {
        assert_eq!(deliver_event(&server, &event).await, "ignored", "{event}");
    }
    assert_eq!(plan(&agent).await, "free");
}

#[tokio::test]
async fn unreadable_event_is_refused() {
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
        let answer = post_event(&server.http(), body, Some(&signature(SECRET, now(), body))).await;
        answer.require_error(422, "validation_error");
    }
    let large = "x".repeat(300 * 1024);
    post_event(&server.http(), &large, Some("t=1,v1=00")).await.require_error(413, "payload_too_large");
}

#[tokio::test]
async fn manual_plan_outlives_renewal_and_end_of_subscription() {
    let stripe = Stripe::start().await;
    let (server, agent) = stripe.server_and_agent().await;
    let updated = "customer.subscription.updated";
    deliver_event(&server, &event("evt_1", updated, 30, &subscription_of(&agent, "active", "price_startup"))).await;
    let output = server.command(&["admin", "plan", &agent.organization_id, "enterprise"]).await;
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("enterprise") && said.contains("Stripe"), "the output names the subscription: {said}");
    deliver_event(&server, &event("evt_2", updated, 20, &subscription_of(&agent, "active", "price_startup"))).await;
    assert_eq!(plan(&agent).await, "enterprise");
    let ended =
        event("evt_3", "customer.subscription.deleted", 10, &subscription_of(&agent, "canceled", "price_startup"));
    assert_eq!(deliver_event(&server, &ended).await, "applied");
    assert_eq!(plan(&agent).await, "enterprise");
}
