//! Pages of settings and administration.

use inboxd_testkit::{TestServer, encoded};
use serde_json::json;

use super::signed_in;
use crate::browser::{Browser, Page};
use crate::oauth::insert_connection;
use crate::people::invite;
use crate::support::{options, receive_all, server_and_agent};

/// Pages with their headings.
const PAGES: [(&str, &str); 12] = [
    ("api-keys", "API keys"),
    ("connections", "Connections"),
    ("events", "Events"),
    ("members", "Members"),
    ("pods", "Pods"),
    ("domains", "Domains"),
    ("webhooks", "Webhooks"),
    ("lists", "Lists"),
    ("usage", "Usage"),
    ("settings", "Settings"),
    ("audit", "Audit log"),
    ("label-history", "Label history"),
];

/// Fills in the first form of a page with this action.
async fn submit(browser: &mut Browser, page: &str, action: &str, fields: &[(&str, &str)]) -> Page {
    let page = browser.get(page).await;
    browser.submit(&page, action, fields).await
}

/// Follows a redirect.
async fn followed(browser: &mut Browser, page: Page) -> Page {
    let location = page.location();
    browser.get(&location).await
}

/// Returns the first text between two texts of a page.
fn between(page: &Page, start: &str, end: &str) -> String {
    let text = page.text();
    let found = text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).map(|(found, _)| found.to_owned());
    found.unwrap_or_else(|| panic!("{start:?} is missing: {text}"))
}

#[tokio::test]
async fn every_page_is_shown_to_owner_and_to_member_of_one_inbox() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["<script>alert(1)</script>"]).await;
    invite(&agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let mut maria = signed_in(&server, "maria@example.org").await;
    for (path, heading) in PAGES {
        let page = owner.get(&format!("/console/{path}")).await.require_console(200, heading);
        assert!(!page.text().contains("<script>"), "{path}");
        let page = maria.get(&format!("/console/{path}")).await;
        if page.response.status == 200 {
            let page = page.require_console(200, heading);
            let forms = page.text().matches("method=\"post\"").count();
            // The frame has two; a member changes connections and sessions alone.
            assert!(forms <= 3, "{path}: {}", page.text());
        } else {
            assert_eq!(page.response.status, 403, "{path}: {}", page.text());
        }
    }
    let suppressed = owner.get("/console/suppressions").await.require_console(200, "Suppressed addresses");
    suppressed.require_text("No address is suppressed");
    owner.get("/console/operator").await.require_console(404, "This did not work");
}

#[tokio::test]
async fn key_is_shown_once_and_revoked() {
    let (server, agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let path = "/console/api-keys";
    let fields = [("name", "Reader <b>"), ("access", "read"), ("expires_in", "30")];
    let made = submit(&mut owner, path, path, &fields).await.require_console(200, "API key created");
    let key = between(&made, "readonly value=\"", "\"");
    let client = server.http().with_key(&key);
    assert_eq!(client.get("/v0/inboxes").await.status, 200);
    assert_eq!(client.get("/v0/webhooks").await.status, 403);
    let list = owner.get(path).await;
    list.require_text("Reader <b>");
    list.require_text("Read mail, drafts and events");
    assert!(!list.text().contains(&key) && !list.text().contains("Reader <b>"), "{}", list.text());
    let refused = submit(&mut owner, path, path, &[("name", ""), ("access", "read")]).await;
    let refused = refused.require_console(422, "API keys");
    assert!(refused.text().contains("<option value=\"read\" selected>"), "{}", refused.text());
    let key_id = client.get("/v0/auth/me").await.ok()["api_key_id"].as_str().unwrap().to_owned();
    let page = format!("{path}/{key_id}");
    let refused = submit(&mut owner, &page, &page, &[("name", "")]).await;
    refused.require_console(422, "API key");
    let renamed = submit(&mut owner, &page, &page, &[("name", "Writer"), ("access", "draft")]).await;
    followed(&mut owner, renamed).await.require_text("Writer");
    let changed = agent.get(&format!("/v0/api-keys/{key_id}")).await.ok();
    assert_eq!((&changed["name"], &changed["permissions"]["draft_create"]), (&json!("Writer"), &json!(true)));
    let renamed = submit(&mut owner, &page, &page, &[("name", "Author")]).await;
    followed(&mut owner, renamed).await.require_text("Write, change and delete drafts");
    let revoked = owner.submit(&list, &format!("{page}/revoke"), &[]).await;
    followed(&mut owner, revoked).await.require_text("Revoked.");
    assert_eq!(client.get("/v0/inboxes").await.status, 401);
}

#[tokio::test]
async fn connection_is_widened_only_where_all_inboxes_are_chosen() {
    let (server, agent) = server_and_agent().await;
    let id = insert_connection(&server, &agent.organization_id).await;
    let target = format!("/v0/connections/{id}");
    agent.patch(&target, json!({"inbox_ids": [agent.inbox_id]})).await.ok();
    let mut owner = signed_in(&server, "owner@example.org").await;
    let page = format!("/console/connections/{id}");
    let opened = owner.get(&page).await;
    let unmarked: Vec<_> = opened.form(&page).into_iter().filter(|(name, _)| name != "inbox_ids").collect();
    let refused = owner.post(&page, &unmarked).await.require_console(422, "Connection");
    refused.require_text("mark at least one");
    assert_eq!(agent.get(&target).await.ok()["inbox_ids"], json!([agent.inbox_id]));
    submit(&mut owner, &page, &page, &[("inboxes", "all")]).await.location();
    assert_eq!(agent.get(&target).await.ok()["inbox_ids"], json!([]));
}

#[tokio::test]
async fn members_are_invited_changed_and_removed() {
    let (server, agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let path = "/console/members";
    let refused = submit(&mut owner, path, path, &[("email", "nobody"), ("role", "admin")]).await;
    let refused = refused.require_console(422, "Members");
    assert!(refused.text().contains("value=\"nobody\""), "what was typed stays: {}", refused.text());
    let sent = submit(&mut owner, path, path, &[("email", "max@example.org"), ("role", "member")]).await;
    followed(&mut owner, sent).await.require_text("max@example.org");
    let members = agent.get("/v0/members").await.ok();
    let max = &members["members"][0];
    let page = format!("{path}/{}", max["member_id"].as_str().unwrap());
    let fields = [("name", "Max"), ("inbox_ids", agent.inbox_id.as_str())];
    submit(&mut owner, &page, &page, &fields).await.location();
    let changed = agent.get(&format!("/v0/members/{}", max["member_id"].as_str().unwrap())).await.ok();
    assert_eq!((&changed["name"], &changed["inbox_ids"]), (&json!("Max"), &json!([agent.inbox_id])));
    // A member changes nobody, with or without a form.
    let mut max = signed_in(&server, "max@example.org").await;
    let own = max.get("/console/settings").await;
    let token = own.values("csrf_token")[0].clone();
    for action in [path.to_owned(), page.clone()] {
        let fields = [("csrf_token".to_owned(), token.clone()), ("role".to_owned(), "admin".to_owned())];
        assert_eq!(max.post(&action, &fields).await.response.status, 403, "{action}");
    }
    submit(&mut owner, &page, &format!("{page}/remove"), &[]).await.location();
    assert_eq!(agent.get("/v0/members").await.ok()["count"], 1);
}

#[tokio::test]
async fn domains_pods_lists_and_webhooks_are_managed() {
    let (server, agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let made = submit(&mut owner, "/console/domains", "/console/domains", &[("domain", "Agents.Example.ORG")]).await;
    let page = made.location().split('?').next().unwrap().to_owned();
    let domain = owner.get(&page).await.require_console(200, "agents.example.org");
    domain.require_text("v=spf1");
    let checked = submit(&mut owner, &page, &format!("{page}/verify"), &[]).await;
    followed(&mut owner, checked).await.require_text("missing");
    let zone = owner.get(&format!("{page}/zone-file")).await;
    assert!(zone.text().contains("$ORIGIN agents.example.org."), "{}", zone.text());
    submit(&mut owner, &page, &format!("{page}/delete"), &[]).await.location();

    submit(&mut owner, "/console/pods", "/console/pods", &[("name", "Customer")]).await.location();
    let pods = agent.get("/v0/pods").await.ok();
    let pod = format!("/console/pods/{}", pods["pods"][0]["pod_id"].as_str().unwrap());
    submit(&mut owner, "/console/pods", &format!("{pod}/rename"), &[("name", "Client")]).await.location();
    assert_eq!(agent.get("/v0/pods").await.ok()["pods"][0]["name"], "Client");
    let form = format!("{pod}/quarantine");
    let saved = submit(&mut owner, "/console/pods", &form, &[("quarantine", "hold")]).await;
    followed(&mut owner, saved).await.require_text("quarantine: hold");
    submit(&mut owner, "/console/pods", &form, &[("quarantine", "none")]).await.location();
    assert_eq!(agent.get("/v0/pods").await.ok()["pods"][0].get("quarantine"), None);
    submit(&mut owner, "/console/pods", &format!("{pod}/delete"), &[]).await.location();

    let lists = "/console/lists";
    let entry = [("entry", "Spammer@Example.com"), ("list", "receive/block"), ("reason", "noise")];
    let added = submit(&mut owner, lists, lists, &entry).await;
    let added = followed(&mut owner, added).await;
    added.require_text("spammer@example.com");
    owner.submit(&added, "/console/lists/delete", &[]).await.location();
    assert_eq!(agent.get("/v0/lists/receive/block").await.ok()["count"], 0);

    let webhooks = "/console/webhooks";
    let refused = submit(&mut owner, webhooks, webhooks, &[("url", "http://127.0.0.1/hook")]).await;
    refused.require_console(422, "Webhooks").require_text("http://127.0.0.1/hook");
    let fields = [("url", "https://hooks.example.org/in"), ("event_types", "message.received"), ("trust", "known")];
    let made = submit(&mut owner, webhooks, webhooks, &fields).await.require_console(200, "Webhook created");
    let secret = between(&made, "readonly value=\"", "\"");
    assert!(secret.starts_with("whsec_"), "{secret}");
    let page = between(&made, "<a class=\"button quiet\" href=\"", "\"");
    let shown = owner.get(&page).await.require_console(200, "Webhook");
    assert!(!shown.text().contains("whsec_"), "{}", shown.text());
    assert_eq!(agent.get("/v0/webhooks").await.ok()["webhooks"][0]["trust"], json!(["known"]));
    let headers = [("header_name", "X-Token"), ("header_value", "s3cret")];
    let saved = submit(&mut owner, &page, &format!("{page}/headers"), &headers).await;
    let saved = followed(&mut owner, saved).await;
    saved.require_text("X-Token");
    assert!(!saved.text().contains("s3cret"), "{}", saved.text());
    let renewed = submit(&mut owner, &page, &format!("{page}/rotate-secret"), &[]).await;
    assert_ne!(between(&renewed, "readonly value=\"", "\""), secret);
    submit(&mut owner, &page, &format!("{page}/delete"), &[]).await.location();
    assert_eq!(agent.get("/v0/webhooks").await.ok()["count"], 0);
}

#[tokio::test]
async fn operator_sees_and_suspends_organizations() {
    let server: TestServer = options().set("INBOXD_OPERATOR_EMAILS", "Ops@Example.org").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut ops = signed_in(&server, "ops@example.org").await;
    let overview = ops.get("/console/operator").await.require_console(200, "Operator");
    overview.require_text("owner@example.org");
    ops.get("/console/operator/captured").await.require_console(200, "Captured mail").require_text("Your sign-in code");
    let complaint = "From: anna@example.org\r\nSubject: Stop <b>this</b>\r\n\r\nPlease stop it.\r\n";
    server.deliver("anna@example.org", &["postmaster"], complaint).await.require_code(250, "2");
    let held = ops.get("/console/operator/postmaster").await.require_console(200, "Mail to postmaster@ and abuse@");
    held.require_text("Stop <b>this</b>");
    let mail = format!("/console/operator/postmaster/{}", between(&held, "/console/operator/postmaster/", "\""));
    ops.get(&mail).await.require_console(200, "Stop &#60;b&#62;this&#60;/b&#62;").require_text("Please stop it.");
    ops.get("/console/operator/postmaster/x").await.require_console(404, "This did not work");
    let page = format!("/console/operator/organizations/{}", agent.organization_id);
    submit(&mut ops, &page, &format!("{page}/plan"), &[("plan", "startup")]).await.location();
    assert_eq!(agent.get("/v0/organizations").await.ok()["plan"], "startup");
    let refused = submit(&mut ops, &page, &format!("{page}/suspend"), &[]).await;
    refused.require_console(422, "Organization");
    submit(&mut ops, &page, &format!("{page}/suspend"), &[("reason", "unpaid <b>")]).await.location();
    let send = agent.post(&agent.inbox("/messages/send"), json!({"to": "a@example.com", "text": "x"})).await;
    assert_eq!(send.json()["code"], "organization_suspended");
    submit(&mut ops, &page, &format!("{page}/resume"), &[]).await.location();
    // For everybody else the pages do not exist.
    let mut owner = signed_in(&server, "owner@example.org").await;
    let own = owner.get("/console/settings").await;
    assert!(!own.text().contains("/console/operator"), "{}", own.text());
    let token = own.values("csrf_token")[0].clone();
    let pages = ["/console/operator", "/console/operator/captured", "/console/operator/postmaster", &page, &mail];
    for path in pages {
        owner.get(path).await.require_console(404, "This did not work");
    }
    let fields = [("csrf_token".to_owned(), token), ("plan".to_owned(), "business".to_owned())];
    owner.post(&format!("{page}/plan"), &fields).await.require_console(404, "This did not work");
    assert_eq!(agent.get("/v0/organizations").await.ok()["plan"], "startup");
}

#[tokio::test]
async fn policy_of_sending_is_read_changed_and_deleted() {
    let (server, agent) = server_and_agent().await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    owner.get("/console/settings").await.require_text("/console/policy");
    let policy = "/console/policy";
    owner.get(policy).await.require_console(200, "Sending policy");
    let rules = [
        ("applies_to", "agents"),
        ("recipients.first_contact", "hold"),
        ("recipients.refuse", "eve.example"),
        ("amount.per_hour", "30"),
        ("amount.beyond", "hold"),
    ];
    let saved = submit(&mut owner, policy, policy, &rules).await;
    followed(&mut owner, saved).await.require_text("eve.example");
    let stored = agent.get("/v0/policy").await.ok();
    assert_eq!(stored["recipients"]["first_contact"], "hold");
    assert_eq!(stored["recipients"]["refuse"], json!(["eve.example"]));
    assert_eq!(stored["amount"], json!({"per_hour": 30, "beyond": "hold"}));
    let typo =
        submit(&mut owner, policy, policy, &[("amount.per_hour", "many"), ("recipients.hold", "no entry")]).await;
    typo.require_console(422, "Sending policy").require_text("no entry");
    submit(&mut owner, policy, "/console/policy/delete", &[]).await.location();
    agent.get("/v0/policy").await.require_error(404, "not_found");

    let key = agent.post("/v0/api-keys", json!({"name": "mail reader"})).await.ok();
    let key_id = key["api_key_id"].as_str().unwrap();
    let of_key = format!("/console/policy?scope=key%3A{key_id}");
    owner.get(&format!("/console/api-keys/{key_id}")).await.require_text(&of_key);
    owner.get(&of_key).await.require_console(200, "Sending policy").require_text("API key mail reader");
    submit(&mut owner, &of_key, policy, &[("recipients.first_contact", "refuse")]).await.location();
    let stored = agent.get(&format!("/v0/api-keys/{key_id}/policy")).await.ok();
    assert_eq!(stored["recipients"]["first_contact"], "refuse");
    submit(&mut owner, &of_key, "/console/policy/delete", &[]).await.location();
    agent.get(&format!("/v0/api-keys/{key_id}/policy")).await.require_error(404, "not_found");
    owner.get("/console/policy?scope=key%3Anone").await.require_console(404, "This did not work");
}

#[tokio::test]
async fn contacts_are_trusted_blocked_and_forgotten() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["hello"]).await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let inbox = format!("/console/inboxes/{}", encoded(&agent.inbox_id));
    let contacts = format!("{inbox}/contacts");
    owner.get(&inbox).await.require_text(&contacts);
    let found = agent.get(&agent.inbox("/contacts")).await.ok();
    let address = found["contacts"][0]["address"].as_str().unwrap().to_owned();
    owner.get(&contacts).await.require_console(200, "Contacts").require_text(&address);
    let path = agent.inbox(&format!("/contacts/{}", encoded(&address)));
    for (action, decision) in [("trust", json!("trusted")), ("block", json!("blocked")), ("undecide", json!(null))] {
        submit(&mut owner, &contacts, &contacts, &[("action", action)]).await.location();
        assert_eq!(agent.get(&path).await.ok()["decision"], decision, "{action}");
    }
    submit(&mut owner, &contacts, &contacts, &[("action", "dance")]).await.require_console(422, "This did not work");
    submit(&mut owner, &contacts, &contacts, &[("action", "forget")]).await.location();
    agent.get(&path).await.require_error(404, "not_found");
}

#[tokio::test]
async fn trace_is_linked_from_message_and_selects_it() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["first", "<script>alert(1)</script>"]).await;
    let mut owner = signed_in(&server, "owner@example.org").await;
    let inbox = format!("/console/inboxes/{}", encoded(&agent.inbox_id));
    let kinds = |page: &Page| page.text().matches("message.received").count();
    for query in ["", "?message_id=&with="] {
        let page = owner.get(&format!("{inbox}/trace{query}")).await.require_console(200, "Trace");
        assert!(!page.text().contains("<script>alert"), "{}", page.text());
        assert!(page.text().contains("judged first_contact"), "{}", page.text());
        assert_eq!(kinds(&page), 2);
    }
    let message = agent.message_about("first").await;
    let thread = format!("{inbox}/threads/{}", message["thread_id"].as_str().unwrap());
    let page = owner.get(&thread).await.require_console(200, "first");
    let link = between(&page, &format!("href=\"{inbox}/trace?"), "\"");
    let page = owner.get(&format!("{inbox}/trace?{link}")).await.require_console(200, "Trace");
    assert_eq!(kinds(&page), 1);
}
