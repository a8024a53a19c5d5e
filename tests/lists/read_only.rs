//! Suppressed addresses: read-only entries of the send block list of the organization, and a separate list.

use inboxd_testkit::{Persona, TestServer, redacted};
use insta::assert_snapshot;
use serde_json::json;

use super::{add_entry, events_of_type, level_paths};
use crate::people::{invite, sign_in_client};
use crate::support::{read_pages, server_and_agent, text_fields};

async fn suppress(server: &TestServer, address: &str, reason: &str, minute: u32) {
    let insert = format!(
        "INSERT INTO suppressions SELECT organization_id, '{address}', '{reason}', '2026-11-20T10:{minute:02}:00Z'
        FROM organizations"
    );
    server.database().execute(&insert).await;
}

async fn server_with_suppressions() -> (TestServer, Persona) {
    let (server, agent) = server_and_agent().await;
    suppress(&server, "c@gone.example", "bounce", 1).await;
    suppress(&server, "a@gone.example", "complaint", 2).await;
    suppress(&server, "b@gone.example", "bounce", 3).await;
    (server, agent)
}

#[tokio::test]
async fn suppressions_are_listed_newest_first() {
    let (_server, agent) = server_with_suppressions().await;
    let page = agent.get("/v0/suppressions?limit=1").await.ok();
    assert_snapshot!(redacted(&page["suppressions"][0]), @r#"
    {
      "address": "b@gone.example",
      "created_at": "[time]",
      "organization_id": "[org_…]",
      "reason": "bounce"
    }
    "#);
    for (query, expected) in [("", ["b", "a", "c"]), ("&ascending=true", ["c", "a", "b"])] {
        let found = read_pages(&agent, &format!("/v0/suppressions?limit=1{query}"), "suppressions", "address").await;
        assert_eq!(found, expected.map(|name| format!("{name}@gone.example")));
    }
}

#[tokio::test]
async fn suppressed_addresses_are_read_only_send_block_entries() {
    let (_server, agent) = server_with_suppressions().await;
    add_entry(&agent, "", "send/block", "aa@gone.example").await;
    add_entry(&agent, "", "send/block", "gone.example").await;
    for limit in 1..7 {
        let found = read_pages(&agent, &format!("/v0/lists/send/block?limit={limit}"), "entries", "entry").await;
        assert_eq!(found, ["a@gone.example", "aa@gone.example", "b@gone.example", "c@gone.example", "gone.example"]);
    }
    let one = agent.get("/v0/lists/send/block/A@gone.example").await.ok();
    assert_snapshot!(redacted(&one), @r#"
    {
      "created_at": "[time]",
      "direction": "send",
      "entry": "a@gone.example",
      "entry_type": "email",
      "list_type": "block",
      "organization_id": "[org_…]",
      "read_only": true,
      "reason": "suppressed: the recipient marked a message as spam (complaint)"
    }
    "#);
    agent.delete("/v0/lists/send/block/a@gone.example").await.require_error(403, "read_only_entry");
    agent.post("/v0/lists/send/block", json!({"entry": "A@gone.example"})).await.require_error(409, "already_exists");
    assert_eq!(agent.get("/v0/suppressions").await.ok()["count"], 3);
    let [_, pod, inbox] = level_paths(&agent).await;
    for whose in [pod, inbox] {
        let page = agent.get(&format!("/v0{whose}/lists/send/block")).await.ok();
        assert!(text_fields(&page, "entries", "entry").is_empty(), "{page:#}");
    }
}

#[tokio::test]
async fn suppression_precedes_and_overrides_lists() {
    let (_server, agent) = server_with_suppressions().await;
    for whose in level_paths(&agent).await {
        add_entry(&agent, &whose, "send/allow", "a@gone.example").await;
    }
    add_entry(&agent, "", "send/block", "bob@outside.example").await;
    let letter = json!({"to": ["bob@outside.example", "A@Gone.example"], "text": "x"});
    agent.post(&agent.inbox("/messages/send"), letter).await.require_error(403, "recipient_suppressed");
    assert_eq!(events_of_type(&agent, "message.rejected").await.len(), 1);
}

#[tokio::test]
async fn system_mail_ignores_suppressions_and_lists() {
    let server = crate::support::server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    suppress(&server, "owner@example.org", "bounce", 1).await;
    add_entry(&agent, "", "send/block", "example.org").await;
    // The first code has expired: a new one is mailed in spite of the suppression.
    let old = server.log().code_for("owner@example.org").await;
    server.database().execute("UPDATE verification_codes SET expires_at = now() - interval '1 hour'").await;
    agent.post("/v0/agent/verify", json!({"otp_code": old})).await.require_error(401, "invalid_code");
    let fresh = inboxd_testkit::eventually("a new code", async || {
        let line = server.log().lines().into_iter().rev().find(|line| line.contains("verification code is"))?;
        let (_, rest) = line.split_once("code is ")?;
        rest.get(..6).filter(|code| *code != old).map(str::to_owned)
    })
    .await;
    assert_eq!(agent.verify_with(&fresh).await["verified"], true);
}

#[tokio::test]
async fn suppressed_person_receives_codes_and_invitations() {
    let (server, agent) = server_and_agent().await;
    for (address, minute) in [("owner@example.org", 1), ("maria@example.org", 2)] {
        suppress(&server, address, "complaint", minute).await;
        add_entry(&agent, "", "receive/block", address).await;
    }
    add_entry(&agent, "", "send/block", "example.org").await;
    add_entry(&agent, "", "send/allow", "elsewhere.example").await;
    invite(&agent, "maria@example.org", "admin", json!([])).await;
    let is_invitation =
        |entry: &serde_json::Value| entry["to"] == "maria@example.org" && entry["subject"] == "You are invited";
    server.log().entry("the invitation", is_invitation).await;
    for address in ["owner@example.org", "maria@example.org"] {
        let me = sign_in_client(&server, address).await.get("/v0/auth/me").await.ok();
        assert_eq!((&me["email"], &me["organization_id"]), (&json!(address), &json!(agent.organization_id)));
        let letter = json!({"to": address, "text": "x"});
        agent.post(&agent.inbox("/messages/send"), letter).await.require_error(403, "recipient_suppressed");
    }
}
