//! `/v0/billing`: shapes of responses, and requests to the payment provider.

use inboxd_core::model::{BillingRecord, CustomerId, PaymentNotice, Plan};
use inboxd_core::testing::{MockPayments, World, fixtures};
use serde_json::{Value, json};

use super::{answer, request, schema, with_key, world};

fn collecting(payments: MockPayments) -> World {
    let mut world = world();
    world.payments = Some(payments);
    world.store.expect_billing().returning(|_| {
        Ok(BillingRecord { customer_id: Some(CustomerId("cus_1".to_owned())), subscriptions: Vec::new() })
    });
    world
}

#[track_caller]
fn assert_described(method: &str, path: &str, answered: &Value) {
    let document = serde_json::to_value(crate::openapi()).unwrap();
    let described = schema::answered(&document, method, path);
    assert!(described.is_object(), "{path}");
    assert_eq!(schema::problems(&document, described, answered), [""; 0], "{path}");
}

#[actix_web::test]
async fn plan_response_shape() {
    let answered = answer(world(), with_key("get", "/v0/billing")).await.json();
    assert_eq!(answered, json!({"plan": "free", "configured": false}));
    assert_described("get", "/v0/billing", &answered);
}

#[actix_web::test]
async fn hosted_page_response_shapes() {
    let mut payments = MockPayments::new();
    payments.expect_plans().returning(|| vec![Plan::Startup]);
    payments.expect_checkout().once().returning(|order| {
        assert_eq!((order.plan, order.organization_id), (Plan::Startup, fixtures::id(1)));
        assert_eq!(
            (order.success_url.as_str(), order.cancel_url.as_str()),
            ("https://app.example/yes", "https://inboxd.example/docs")
        );
        Ok("https://pay.example".to_owned())
    });
    let body = json!({"plan": "startup", "success_url": "https://app.example/yes", "cancel_url": null, "other": {}});
    let path = "/v0/billing/checkout";
    let answered = answer(collecting(payments), with_key("post", path).set_json(body)).await.json();
    assert_eq!(answered, json!({"url": "https://pay.example"}));
    assert_described("post", path, &answered);

    let mut payments = MockPayments::new();
    payments.expect_portal().once().returning(|visit| {
        assert_eq!(visit.return_url, "https://inboxd.example/docs");
        Ok("https://portal.example".to_owned())
    });
    let path = "/v0/billing/portal";
    let answered = answer(collecting(payments), with_key("post", path)).await.json();
    assert_eq!(answered, json!({"url": "https://portal.example"}));
    assert_described("post", path, &answered);
}

#[actix_web::test]
async fn payment_event_is_passed_to_provider_byte_for_byte() {
    const BODY: &[u8] = b" {\"id\" :\t\"\xc3\xa4\"}\r\n";
    let mut payments = MockPayments::new();
    payments.expect_notice().once().returning(|signature, body, now| {
        assert_eq!((signature, body, now), (Some("t=1,v1=2"), BODY, fixtures::NOW));
        Ok(PaymentNotice { event_id: "evt_1".to_owned(), created_at: now, update: None })
    });
    let path = "/v0/billing/webhook";
    let told = request("post", path).insert_header(("Stripe-Signature", "t=1,v1=2")).set_payload(BODY);
    let answered = answer(collecting(payments), told).await.json();
    assert_eq!(answered, json!({"received": true, "outcome": "ignored"}));
    assert_described("post", path, &answered);
}
