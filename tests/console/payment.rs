//! Plan and payment, with a stub of the payment provider.

use serde_json::json;

use super::signed_in;
use crate::billing::stripe::{Stripe, deliver_event, event, subscription};
use crate::people::invite_and_join;

const SETTINGS: &str = "/console/settings";
const PLAN: &str = "/console/settings/plan";
const PORTAL: &str = "/console/settings/billing";

#[tokio::test]
async fn plan_is_paid_and_changed_at_the_provider() {
    let stripe = Stripe::start().await;
    let server = stripe.options().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let settings = owner.get(SETTINGS).await.require_console(200, "Settings");
    settings.require_text("Change to startup");
    assert!(!settings.text().contains(PORTAL), "a customer without payments has no invoices: {}", settings.text());
    stripe.answers(200, &json!({"id": "cs_1", "url": "https://checkout.stripe.com/c/pay/cs_1?a=1&b=2"}));
    let page = owner.submit(&settings, PLAN, &[("plan", "startup")]).await.require_console(200, "Pay for the plan");
    page.require_text("href=\"https://checkout.stripe.com/c/pay/cs_1?a=1&b=2\"");
    let [call] = stripe.calls().try_into().unwrap();
    let home = format!("{}{SETTINGS}", server.base_url());
    let asked = ["success_url", "cancel_url", "metadata[plan]"].map(|name| call.field(name));
    assert_eq!(asked, [Some(home.as_str()), Some(&home), Some("startup")]);

    stripe.answers(500, &json!({"error": {"type": "api_error", "message": "our fault"}}));
    owner.submit(&settings, PLAN, &[("plan", "business")]).await.require_console(503, "This did not work");
    owner.submit(&settings, PLAN, &[("plan", "gold")]).await.require_console(422, "This did not work");

    let paid = subscription(&agent.organization_id, "active", "price_startup");
    deliver_event(&server, &event("evt_1", "customer.subscription.created", 1, &paid)).await;
    let settings = owner.get(SETTINGS).await.require_console(200, "Settings");
    settings.require_text("Invoices and payment");
    assert!(!settings.text().contains(PLAN), "a second subscription would be paid too: {}", settings.text());
    stripe.answers(200, &json!({"id": "bps_1", "url": "https://billing.stripe.com/p/session/1"}));
    let page = owner.submit(&settings, PORTAL, &[]).await.require_console(200, "Plan and invoices");
    page.require_text("href=\"https://billing.stripe.com/p/session/1\"");
    let call = stripe.calls().pop().unwrap();
    assert_eq!((call.field("customer"), call.field("return_url")), (Some("cus_1"), Some(home.as_str())));
}

#[tokio::test]
async fn member_does_not_pay() {
    let stripe = Stripe::start().await;
    let server = stripe.options().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    invite_and_join(&server, &agent, "maria@example.org", "member", json!(null)).await;
    let mut maria = signed_in(&server, "maria@example.org").await;
    let settings = maria.get(SETTINGS).await.require_console(200, "Settings");
    assert!(![PLAN, PORTAL].iter().any(|action| settings.text().contains(action)), "{}", settings.text());
    let token = ("csrf_token".to_owned(), settings.values("csrf_token")[0].clone());
    for action in [PLAN, PORTAL] {
        let fields = [token.clone(), ("plan".to_owned(), "startup".to_owned())];
        maria.post(action, &fields).await.require_console(403, "This did not work");
    }
    assert!(stripe.calls().is_empty());
}
