//! Attachments by URL: a request to a URL carries its text out, so policies judge it first.

use inboxd_testkit::{FileServer, Persona, TestServer};
use serde_json::{Value, json};

use super::{owner, put};
use crate::drafts::create_draft;
use crate::support::options;

async fn fetching_server() -> (TestServer, Persona) {
    let server = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    (server, agent)
}

fn with_url(url: &str) -> Value {
    json!({"to": "bob@outside.example", "subject": "File", "text": "Here it is.", "attachments": [{"url": url}]})
}

#[tokio::test]
async fn url_that_the_policies_do_not_let_leave_is_never_fetched() {
    let (server, agent) = fetching_server().await;
    let person = owner(&server).await;
    let web = FileServer::start("text/csv", b"a,b").await;
    let (plain, secret) = (web.url(), format!("{}?k=%41KIAIOSFODNN7ABCDEFG", web.url()));
    let (send, drafts) = (agent.inbox("/messages/send"), agent.inbox("/drafts"));
    let draft = create_draft(&agent, json!({"text": "Later"})).await;
    let draft = agent.inbox(&format!("/drafts/{}", draft["draft_id"].as_str().unwrap()));
    let added = |url: &str| json!({"add_attachments": [{"url": url}]});

    // The default policy holds secrets. A held fetch is refused, since nobody could approve it before it left.
    for body in
        [with_url(&secret), json!({"dry_run": true, "to": "bob@outside.example", "attachments": [{"url": secret}]})]
    {
        assert_eq!(agent.post(&send, body).await.bad_fields(), ["attachments[0].url"]);
    }
    assert_eq!(agent.post(&drafts, with_url(&secret)).await.bad_fields(), ["attachments[0].url"]);
    assert_eq!(agent.patch(&draft, added(&secret)).await.bad_fields(), ["add_attachments[0].url"]);

    // Its host counts as a recipient, and a refused message fetches nothing.
    let rules = [
        json!({"recipients": {"first_contact": "hold", "allow": ["outside.example"]}}),
        json!({"recipients": {"first_contact": "refuse", "allow": ["outside.example"]}}),
        json!({"content": {"secrets": "refuse"}}),
        json!({"content": {"attachments": "refuse"}}),
    ];
    for (rules, url, code) in [
        (&rules[0], &plain, None),
        (&rules[1], &plain, Some("policy_refused")),
        (&rules[2], &secret, Some("policy_refused")),
        (&rules[3], &plain, Some("policy_refused")),
    ] {
        put(&person, "/v0/policy", rules).await.ok();
        let refused = agent.post(&send, with_url(url)).await;
        match code {
            Some(code) => assert_eq!(refused.require_error(403, code)["code"], code, "{rules}"),
            None => assert_eq!(refused.bad_fields(), ["attachments[0].url"], "{rules}"),
        }
    }
    put(&person, "/v0/policy", &rules[0]).await.ok();
    assert_eq!(agent.post(&drafts, with_url(&plain)).await.bad_fields(), ["attachments[0].url"]);
    assert_eq!(agent.patch(&draft, added(&plain)).await.bad_fields(), ["add_attachments[0].url"]);
    assert_eq!(web.request_count(), 0);

    // A message that is held for another reason is held with its file; a dry run of it fetches nothing.
    put(&person, "/v0/policy", &json!({"content": {"attachments": "hold"}})).await.ok();
    let mut trial = with_url(&plain);
    trial["dry_run"] = json!(true);
    let shown = agent.post(&send, trial).await.ok();
    assert_eq!((&shown["result"], &shown["message"]["attachments"][0]["size"]), (&json!("hold"), &json!(0)));
    assert_eq!(web.request_count(), 0);
    let held = agent.post(&send, with_url(&plain)).await;
    assert_eq!((held.status, web.request_count()), (202, 1));
}
