//! Renewal by the window of the authority (RFC 9773).

use std::time::SystemTime;

use inboxd_testkit::{Pebble, RenewalServer, RenewalWindow, TestServer, eventually};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};

use super::acme::{DAYS_90, http_challenge, leaf, text, trusted};

/// Returns the window between these days from now.
#[expect(clippy::disallowed_methods, reason = "the server under test has the real time")]
fn window(start: i64, end: i64) -> RenewalWindow {
    let now = OffsetDateTime::from(SystemTime::now()).replace_nanosecond(0).unwrap();
    let text = |days| (now + Duration::days(days)).format(&Rfc3339).unwrap();
    RenewalWindow { start: text(start), end: text(end) }
}

/// Starts a server with a certificate that the authority wants to be renewed between day 70 and 80 of 90. Without a window
/// that is day 54 to 60.
async fn certified(pebble: &Pebble) -> (TestServer, RenewalServer, RenewalWindow) {
    let late = window(70, 80);
    let (server, authority) = certified_within(pebble, late.clone()).await;
    (server, authority, late)
}

/// Starts a server with a certificate of an authority that has this window for each certificate.
async fn certified_within(pebble: &Pebble, window: RenewalWindow) -> (TestServer, RenewalServer) {
    let authority = RenewalServer::start(pebble, window).await;
    let server = http_challenge(pebble).set("INBOXD_ACME_DIRECTORY", authority.directory()).start().await;
    trusted(&server, &pebble.root().await).await;
    server.log().entry("the issue", |entry| entry["message"] == "certificate issued").await;
    (server, authority)
}

/// Returns whether the time of renewal lies within a window.
async fn is_planned_within(server: &TestServer, window: &RenewalWindow) -> bool {
    let RenewalWindow { start, end } = window;
    let sql = format!("SELECT (renew_at BETWEEN '{start}' AND '{end}')::text AS text FROM acme_certificates");
    text(server, &sql).await == ["true"]
}

/// Returns the number of accepted orders.
fn orders(pebble: &Pebble) -> usize {
    pebble.log().matches("Added order").count()
}

/// Lets the server query the window now, and waits until it has stored the time of renewal.
async fn check(server: &TestServer, authority: &RenewalServer) {
    let before = authority.queries().len();
    server.database().execute("UPDATE acme_certificates SET check_at = now()").await;
    let checked = "SELECT (check_at > now() + interval '1 hour')::text AS text FROM acme_certificates";
    eventually("the window is queried", async || {
        (authority.queries().len() > before && text(server, checked).await == ["true"]).then_some(())
    })
    .await;
}

#[tokio::test]
async fn certificate_is_not_renewed_before_window_of_authority() {
    let pebble = Pebble::start(DAYS_90).await;
    let (server, authority, late) = certified(&pebble).await;
    assert!(is_planned_within(&server, &late).await);
    let planned = text(&server, "SELECT renew_at::text AS text FROM acme_certificates").await;
    check(&server, &authority).await;
    assert_eq!(text(&server, "SELECT renew_at::text AS text FROM acme_certificates").await, planned);
    let issued = authority.issued();
    assert_eq!((issued.len(), authority.replaced()), (1, Vec::new()));
    assert_eq!(authority.queries(), [issued[0].clone(), issued[0].clone()]);
}

#[tokio::test]
async fn past_window_renews_at_once_and_order_names_replaced_certificate() {
    let pebble = Pebble::start(DAYS_90).await;
    let (server, authority, late) = certified(&pebble).await;
    let root = pebble.root().await;
    let ordered = orders(&pebble);
    let first = leaf(&server, &root).await.unwrap();
    authority.move_windows(&window(-2, -1));
    check(&server, &authority).await;
    eventually("the certificate is renewed", async || leaf(&server, &root).await.filter(|leaf| *leaf != first)).await;
    let issued = authority.issued();
    assert_eq!((issued.len(), authority.replaced()), (2, vec![issued[0].clone()]));
    // The new certificate has a window of its own.
    assert_eq!(authority.queries().last(), issued.last());
    assert!(is_planned_within(&server, &late).await);
    // The client accepts the order that names the replaced certificate, and begins no other.
    assert_eq!(orders(&pebble), ordered + 1, "{}", pebble.log());
}

#[tokio::test]
async fn window_that_is_always_past_leads_to_one_order_within_a_hundredth_of_the_lifetime() {
    let pebble = Pebble::start(DAYS_90).await;
    let (server, authority) = certified_within(&pebble, window(-2, -1)).await;
    let times = "SELECT (renew_at > now() + interval '21 hours' AND check_at >= renew_at)::text AS text
        FROM acme_certificates";
    assert_eq!(text(&server, times).await, ["true"]);
    assert_eq!((authority.issued().len(), authority.replaced()), (1, Vec::new()));
}
