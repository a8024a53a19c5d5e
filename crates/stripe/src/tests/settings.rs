//! Settings of operators.

use inboxd_core::model::Plan;

use crate::{ApiTimeouts, ApiUrl, PriceTable, SetupError, StripeOptions, StripePayments};

#[test]
fn price_table_maps_plans() {
    let prices: PriceTable = " startup = price_1 , business=price_2,startup=price_3,".parse().unwrap();
    assert_eq!(prices.plans(), [Plan::Startup, Plan::Business]);
    assert_eq!((prices.price_of(Plan::Startup), prices.price_of(Plan::Enterprise)), (Some("price_1"), None));
    assert_eq!((prices.plan_of("price_3"), prices.plan_of("price_4")), (Some(Plan::Startup), None));
    for text in ["", ",", "startup", "=price_1", "startup=", "gold=price_1", "free=price_1", "startup=price 1"] {
        assert!(text.parse::<PriceTable>().is_err(), "{text}");
    }
    assert!("startup=price_1,business=price_1".parse::<PriceTable>().is_err(), "a price is one plan");
    assert!(format!("startup={}", "x".repeat(256)).parse::<PriceTable>().is_err());
}

#[test]
fn plain_http_is_accepted_for_loopback_only() {
    assert_eq!(ApiUrl::default().join("/v1/x"), "https://api.stripe.com/v1/x");
    for (text, url) in [
        ("https://stripe.example/", "https://stripe.example/v1/x"),
        ("https://proxy.example/stripe/", "https://proxy.example/stripe/v1/x"),
        (" http://127.0.0.1:12111 ", "http://127.0.0.1:12111/v1/x"),
        ("http://[::1]:1", "http://[::1]:1/v1/x"),
        ("http://localhost:1", "http://localhost:1/v1/x"),
    ] {
        assert_eq!(text.parse::<ApiUrl>().unwrap().join("/v1/x"), url);
    }
    for text in [
        "",
        "stripe.example",
        "http://stripe.example",
        "http://127.0.0.1.example",
        "ftp://127.0.0.1",
        "https://me@stripe.example",
        "https://me:pass@stripe.example",
        "https://stripe.example?x",
        "https://x/#y",
        "data:text/plain,x",
    ] {
        assert!(text.parse::<ApiUrl>().is_err(), "{text}");
    }
}

#[test]
fn key_with_control_character_is_refused() {
    let options = StripeOptions {
        api_url: ApiUrl::default(),
        secret_key: "sk_\n".to_owned(),
        webhook_secret: "whsec_1".to_owned(),
        prices: "startup=price_1".parse().unwrap(),
        timeouts: ApiTimeouts::default(),
    };
    assert!(matches!(StripePayments::new(options), Err(SetupError::Key)));
}
