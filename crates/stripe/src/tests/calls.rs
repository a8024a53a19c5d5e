//! API calls and their responses.

use inboxd_core::model::{CustomerId, Plan};
use inboxd_core::ports::{CheckoutOrder, Payments, PaymentsError};

use super::server::{Act, Server};
use super::{order, stripe, visit};

fn answer(url: &str) -> Act {
    Act::Answer(200, format!(r#"{{"id": "cs_1", "object": "checkout.session", "url": "{url}"}}"#))
}

fn refusal(status: u16, code: &str, param: &str) -> Act {
    let error = r#"{"error": {"type": "invalid_request_error", "code": "CODE", "param": "PARAM", "message": "hush"}}"#;
    Act::Answer(status, error.replace("CODE", code).replace("PARAM", param))
}

fn pairs(form: &str) -> Vec<(String, String)> {
    url::form_urlencoded::parse(form.as_bytes()).into_owned().collect()
}

#[tokio::test]
async fn checkout_posts_form_with_idempotency_key() {
    let server = Server::doing([answer("https://checkout.stripe.com/c/1")]).await;
    assert_eq!(stripe(&server.url()).checkout(&order()).await.unwrap(), "https://checkout.stripe.com/c/1");
    let [(head, form)] = server.requests().try_into().unwrap();
    let head = head.to_lowercase();
    assert!(head.starts_with("post /v1/checkout/sessions http/1.1\r\n"), "{head}");
    for line in [
        "authorization: bearer sk_test_hush",
        "content-type: application/x-www-form-urlencoded",
        "idempotency-key: inboxd-key",
        "stripe-version: 2024-06-20",
    ] {
        assert!(head.lines().any(|one| one == line), "{line} is not in {head}");
    }
    let organization = order().organization_id.to_string();
    let expected = [
        ("mode", "subscription"),
        ("line_items[0][price]", "price_s"),
        ("line_items[0][quantity]", "1"),
        ("success_url", "https://app.example/?a=1&b=2"),
        ("cancel_url", "https://app.example/no"),
        ("client_reference_id", &organization),
        ("customer_email", "owner+1@example.org"),
        ("metadata[organization_id]", &organization),
        ("subscription_data[metadata][organization_id]", &organization),
        ("metadata[plan]", "startup"),
        ("subscription_data[metadata][plan]", "startup"),
    ];
    assert_eq!(pairs(&form), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[tokio::test]
async fn known_customer_replaces_email() {
    let server = Server::doing([answer("https://checkout.stripe.com/c/1")]).await;
    let order = CheckoutOrder { customer_id: Some(CustomerId("cus_1".to_owned())), plan: Plan::Business, ..order() };
    stripe(&server.url()).checkout(&order).await.unwrap();
    let form = pairs(&server.requests()[0].1);
    assert!(form.contains(&("customer".to_owned(), "cus_1".to_owned())), "{form:?}");
    assert!(form.contains(&("line_items[0][price]".to_owned(), "price_b".to_owned())), "{form:?}");
    assert!(form.iter().all(|(name, _)| name != "customer_email"), "{form:?}");
}

#[tokio::test]
async fn portal_posts_customer_and_return_url() {
    let server = Server::doing([answer("https://billing.stripe.com/p/1")]).await;
    assert_eq!(stripe(&server.url()).portal(&visit()).await.unwrap(), "https://billing.stripe.com/p/1");
    let [(head, form)] = server.requests().try_into().unwrap();
    assert!(head.starts_with("POST /v1/billing_portal/sessions "), "{head}");
    assert!(head.to_lowercase().contains("idempotency-key: inboxd-visit"), "{head}");
    assert_eq!(form, "customer=cus_1&return_url=https%3A%2F%2Fapp.example");
}

#[tokio::test]
async fn broken_connection_is_retried_with_same_key() {
    let server = Server::doing([Act::Close, answer("https://checkout.stripe.com/c/1")]).await;
    stripe(&server.url()).checkout(&order()).await.unwrap();
    let [first, second] = server.requests().try_into().unwrap();
    assert_eq!(first, second);
    assert!(first.0.to_lowercase().contains("idempotency-key: inboxd-key"));
}

#[tokio::test]
async fn failures_are_classified_without_secrets() {
    let huge = format!(r#"{{"url": "https://x", "more": "{}"}}"#, "x".repeat(2 * 1024 * 1024));
    let unavailable: Vec<(&str, Vec<Act>)> = vec![
        ("closed twice", vec![Act::Close, Act::Close]),
        ("silent", vec![Act::Wait]),
        ("no http", vec![Act::Write(b"hello\r\n\r\n".to_vec()), Act::Write(b"hello\r\n\r\n".to_vec())]),
        ("500", vec![refusal(500, "x", "y")]),
        ("503 without words", vec![Act::Answer(503, "<html>".to_owned())]),
        ("429", vec![refusal(429, "rate_limit", "")]),
        ("409", vec![refusal(409, "idempotency_key_in_use", "")]),
        ("too large", vec![Act::Answer(200, huge.clone()), Act::Answer(200, huge)]),
    ];
    for (what, acts) in unavailable {
        let server = Server::doing(acts).await;
        let error = stripe(&server.url()).checkout(&order()).await.unwrap_err();
        assert!(matches!(error, PaymentsError::Unavailable(_)), "{what}: {error:?}");
        assert!(!error.to_string().contains("hush"), "{what}: {error}");
    }
    let refused = [
        (refusal(401, "x", "y"), "INBOXD_STRIPE_SECRET_KEY"),
        (refusal(400, "resource_missing", "line_items[0][price]"), "resource_missing, param line_items[0][price]"),
        (refusal(400, "a hush", "hush\\n"), "returned 400"),
        (Act::Answer(302, String::new()), "returned 302"),
        (Act::Answer(200, "{}".to_owned()), "without a URL"),
        (Act::Answer(200, "[".to_owned()), "without a URL"),
        (answer("javascript:alert(1)"), "without a URL"),
    ];
    for (act, words) in refused {
        let server = Server::doing([act]).await;
        let error = stripe(&server.url()).portal(&visit()).await.unwrap_err();
        assert!(matches!(error, PaymentsError::Refused(_)), "{words}: {error:?}");
        assert!(error.to_string().contains(words) && !error.to_string().contains("hush"), "{words}: {error}");
    }
    let server = Server::doing([refusal(400, "url_invalid", "success_url")]).await;
    assert_eq!(stripe(&server.url()).checkout(&order()).await, Err(PaymentsError::UnusableUrl("success_url")));
    let server = Server::doing([refusal(400, "resource_missing", "customer")]).await;
    assert_eq!(stripe(&server.url()).portal(&visit()).await, Err(PaymentsError::UnknownCustomer));
}

#[tokio::test]
async fn unreachable_stripe_is_unavailable() {
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let error = stripe(&format!("http://{nobody}")).checkout(&order()).await.unwrap_err();
    assert!(matches!(&error, PaymentsError::Unavailable(words) if words.contains("refused")), "{error:?}");
}

#[tokio::test]
async fn plan_without_price_is_refused() {
    let stripe = stripe("https://stripe.invalid");
    assert_eq!(stripe.plans(), [Plan::Startup, Plan::Business]);
    let error = stripe.checkout(&CheckoutOrder { plan: Plan::Enterprise, ..order() }).await.unwrap_err();
    assert!(matches!(error, PaymentsError::Refused(_)), "{error:?}");
}
