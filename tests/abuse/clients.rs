//! Limits of OAuth clients.

use inboxd_testkit::HttpRequest;

use crate::support::{count, options, run_concurrently};

#[tokio::test]
async fn token_requests_have_ten_times_the_rate_of_sign_ups() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "1").start().await;
    let answers = run_concurrently((0..14).map(|number| {
        let http = server.http();
        // Both endpoints share the limit.
        let path = if number % 2 == 0 { "/oauth/token" } else { "/oauth/revoke" };
        async move { http.call(HttpRequest::new("POST", path).form(&[("token", "x"), ("client_id", "x")])).await }
    }))
    .await;
    assert_eq!(count(&answers, 429), 4, "{answers:?}");
    for refused in answers.iter().filter(|answer| answer.status == 429) {
        assert_eq!(refused.json()["error"], "temporarily_unavailable");
        assert!(refused.header("Retry-After").is_some());
    }
}
