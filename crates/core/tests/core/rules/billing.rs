use inboxd_core::model::{CustomerId, Plan, Subscription, SubscriptionId, SubscriptionState, SubscriptionUpdate};
use inboxd_core::rules::billing::{is_newer, paid_plan, plan_after, validate_plan, validate_return_url};
use inboxd_core::testing::fixtures::{NOW, id};
use time::Duration;

use Plan::{Business, Enterprise, Free, Startup};
use SubscriptionState::{Ended, Lapsed, Live};

fn subscription(state: SubscriptionState, plan: Option<Plan>) -> Subscription {
    let subscription_id = SubscriptionId("sub_1".to_owned());
    Subscription { organization_id: id(1), subscription_id, state, plan, said_at: NOW }
}

#[test]
fn largest_running_subscription_determines_plan() {
    let table = [
        (vec![], Free),
        (vec![(Live, Some(Startup))], Startup),
        (vec![(Lapsed, Some(Startup))], Free),
        (vec![(Ended, Some(Business)), (Live, Some(Startup))], Startup),
        (vec![(Live, Some(Business)), (Live, Some(Startup))], Business),
        (vec![(Live, None)], Free),
    ];
    for (known, expected) in table {
        let subscriptions: Vec<_> = known.iter().map(|(state, plan)| subscription(*state, *plan)).collect();
        assert_eq!(paid_plan(&subscriptions), expected, "{known:?}");
    }
}

#[test]
fn plan_follows_payment_and_manual_plan_is_never_lowered() {
    let table = [
        // Bought, raised, lowered, ended.
        (Free, Free, Startup, Startup),
        (Startup, Startup, Business, Business),
        (Business, Business, Startup, Startup),
        (Startup, Startup, Free, Free),
        // Set manually: a renewal changes nothing, an end lowers nothing, a larger payment raises it.
        (Enterprise, Startup, Startup, Enterprise),
        (Free, Startup, Startup, Free),
        (Enterprise, Startup, Free, Enterprise),
        (Startup, Free, Business, Business),
        (Enterprise, Free, Startup, Enterprise),
    ];
    for (present, before, now, expected) in table {
        assert_eq!(plan_after(present, before, now), expected, "{present} paid {before}, now {now}");
    }
}

#[test]
fn earlier_event_does_not_undo_later_one() {
    let news = |is_beginning, state| SubscriptionUpdate {
        is_beginning,
        names: None,
        customer_id: CustomerId("cus_1".to_owned()),
        subscription_id: SubscriptionId("sub_1".to_owned()),
        state,
        plan: None,
    };
    // Seconds after the known state, whether the event is a start, the known state, and whether the event is later.
    let table = [
        (1, false, Live, true),
        (1, true, Live, true),
        (1, false, Ended, true),
        (-1, false, Live, false),
        (-1, false, Lapsed, false),
        (0, false, Live, true),
        (0, false, Lapsed, true),
        (0, false, Ended, false),
        (0, true, Live, false),
        (0, true, Ended, false),
    ];
    for (seconds, is_beginning, known, expected) in table {
        let told_at = NOW + Duration::seconds(seconds);
        let later = is_newer(&news(is_beginning, Lapsed), told_at, &subscription(known, None));
        assert_eq!(later, expected, "{seconds} s, beginning: {is_beginning}, known: {known:?}");
    }
}

#[test]
fn unavailable_plan_is_refused_with_available_ones() {
    let for_sale = [Startup, Business];
    for wanted in ["startup", "business"] {
        assert_eq!(validate_plan(Some(wanted), &for_sale), None);
    }
    for wanted in [None, Some("free"), Some("enterprise"), Some("Startup"), Some("gold"), Some("")] {
        let problem = validate_plan(wanted, &for_sale).unwrap();
        assert_eq!(problem.path, "plan");
        assert!(problem.message.contains("startup, business"), "{wanted:?}: {}", problem.message);
    }
}

#[test]
fn return_url_must_be_web_page() {
    for url in [
        "https://app.example.org/billing?paid={CHECKOUT_SESSION_ID}",
        "http://127.0.0.1:3000",
        "HTTPS://app.example.org",
    ] {
        assert_eq!(validate_return_url("success_url", url), None, "{url}");
    }
    let long = format!("https://example.org/{}", "x".repeat(2_000));
    for url in [
        "",
        "/billing",
        "example.org",
        "javascript:alert(1)",
        "https://",
        "https:///x",
        "https://?x",
        "https://a b",
        "https://a\nb",
        "https://user:secret@example.org",
        "ftp://example.org",
        "é",
        long.as_str(),
    ] {
        assert_eq!(validate_return_url("cancel_url", url).unwrap().path, "cancel_url", "{url}");
    }
}
