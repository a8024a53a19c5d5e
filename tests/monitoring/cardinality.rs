//! Traffic of many clients adds no series.

use std::collections::BTreeSet;

use inboxd_testkit::{HttpRequest, TestServer};

use super::samples::series;
use super::{observed, scrape};

/// Different senders, recipients, paths, methods and keys.
const CLIENTS: usize = 1000;

/// Makes one request and one SMTP transaction of each client. Four clients have one of each kind of request.
async fn visit(server: &TestServer, numbers: std::ops::Range<usize>) {
    let mut smtp = server.smtp().await;
    smtp.ehlo().await;
    for number in numbers {
        let http = server.http();
        let _ = match number % 4 {
            0 => http.get(&format!("/v0/inboxes/a{number}@d{number}.example/messages/m{number}")).await,
            1 => http.get(&format!("/path{number}")).await,
            2 => http.call(HttpRequest::new(&format!("METHOD{number}"), "/v0/inboxes")).await,
            _ => http.with_key(&format!("am_{number}")).get("/v0/inboxes").await,
        };
        let (from, to) = (format!("a{number}@d{number}.example"), format!("b{number}@inboxd.localhost"));
        smtp.write(format!("MAIL FROM:<{from}>\r\nRCPT TO:<{to}>\r\nRSET\r\n").as_bytes()).await;
        for _ in 0..3 {
            smtp.reply().await;
        }
        if number % 50 == 0 {
            // A session ends after many unknown recipients.
            smtp = server.smtp().await;
            smtp.ehlo().await;
        }
    }
}

#[tokio::test]
async fn thousand_addresses_organizations_and_paths_add_no_series() {
    let server = observed().start().await;
    visit(&server, 0..4).await;
    for number in 0..2 {
        server.sign_up(&format!("owner{number}@example.org"), &format!("agent{number}")).await;
    }
    let few = settled(&server).await;
    visit(&server, 4..CLIENTS).await;
    for number in 2..10 {
        server.sign_up(&format!("owner{number}@example.org"), &format!("agent{number}")).await;
    }
    let many = settled(&server).await;
    let added: Vec<_> = many.difference(&few).collect();
    assert!(added.is_empty(), "{added:#?}");
}

/// Returns the series once the queues are sampled.
async fn settled(server: &TestServer) -> BTreeSet<String> {
    inboxd_testkit::eventually("the queues are sampled", async || {
        let found = series(&scrape(server).await);
        found.iter().any(|one| one.starts_with("inboxd_queue_items")).then_some(found)
    })
    .await
}
