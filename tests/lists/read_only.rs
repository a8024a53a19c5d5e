//! Suppressed addresses: read-only entries of the organization's send block list, and a list of their own.

use inboxd_testkit::{Persona, Server, redacted};
use insta::assert_snapshot;
use serde_json::json;

use super::{events, levels, put};
use crate::people::{invited, person};
use crate::support::{each, server_and_agent, walk};

async fn suppress(server: &Server, address: &str, reason: &str, minute: u32) {
    let insert = format!(
        "INSERT INTO suppressions SELECT organization_id, '{address}', '{reason}', '2026-11-20T10:{minute:02}:00Z'
        FROM organizations"
    );
    server.database().execute(&insert).await;
}

async fn prepared() -> (Server, Persona) {
    let (server, agent) = server_and_agent().await;
    suppress(&server, "c@gone.example", "bounce", 1).await;
    suppress(&server, "a@gone.example", "complaint", 2).await;
    suppress(&server, "b@gone.example", "bounce", 3).await;
    (server, agent)
}

#[tokio::test]
async fn suppressions_are_listed_newest_first() {
    let (_server, agent) = prepared().await;
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
        let found = walk(&agent, &format!("/v0/suppressions?limit=1{query}"), "suppressions", "address").await;
        assert_eq!(found, expected.map(|name| format!("{name}@gone.example")));
    }
}

#[tokio::test]
async fn suppressed_addresses_are_read_only_entries_of_send_block() {
    let (_server, agent) = prepared().await;
    put(&agent, "", "send/block", "aa@gone.example").await;
    put(&agent, "", "send/block", "gone.example").await;
    for limit in 1..7 {
        let found = walk(&agent, &format!("/v0/lists/send/block?limit={limit}"), "entries", "entry").await;
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
      "reason": "suppressed: its owner marked a mail as spam (complaint)"
    }
    "#);
    agent.delete("/v0/lists/send/block/a@gone.example").await.refused(403, "read_only_entry");
    agent.post("/v0/lists/send/block", json!({"entry": "A@gone.example"})).await.refused(409, "already_exists");
    assert_eq!(agent.get("/v0/suppressions").await.ok()["count"], 3);
    let [_, pod, inbox] = levels(&agent).await;
    for whose in [pod, inbox] {
        let page = agent.get(&format!("/v0{whose}/lists/send/block")).await.ok();
        assert!(each(&page, "entries", "entry").is_empty(), "{page:#}");
    }
}

#[tokio::test]
async fn suppression_is_checked_first_and_nothing_overrides_it() {
    let (_server, agent) = prepared().await;
    for whose in levels(&agent).await {
        put(&agent, &whose, "send/allow", "a@gone.example").await;
    }
    put(&agent, "", "send/block", "bob@outside.example").await;
    let letter = json!({"to": ["bob@outside.example", "A@Gone.example"], "text": "x"});
    agent.post(&agent.inbox("/messages/send"), letter).await.refused(403, "recipient_suppressed");
    assert_eq!(events(&agent, "message.rejected").await.len(), 1);
}

#[tokio::test]
async fn our_own_system_mail_ignores_suppressions_and_lists() {
    let server = crate::support::server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    suppress(&server, "owner@example.org", "bounce", 1).await;
    put(&agent, "", "send/block", "example.org").await;
    // The code of the first day has run out: a fresh one is mailed, whatever became of the address.
    let old = server.log().code_for("owner@example.org").await;
    server.database().execute("UPDATE verification_codes SET expires_at = now() - interval '1 hour'").await;
    agent.post("/v0/agent/verify", json!({"otp_code": old})).await.refused(401, "invalid_code");
    let fresh = inboxd_testkit::eventually("a fresh code", async || {
        let line = server.log().lines().into_iter().rev().find(|line| line.contains("verification code is"))?;
        let (_, rest) = line.split_once("code is ")?;
        rest.get(..6).filter(|code| *code != old).map(str::to_owned)
    })
    .await;
    assert_eq!(agent.verify_with(&fresh).await["verified"], true);
}

#[tokio::test]
async fn a_suppressed_person_still_gets_codes_and_invitations() {
    let (server, agent) = server_and_agent().await;
    for (address, minute) in [("owner@example.org", 1), ("maria@example.org", 2)] {
        suppress(&server, address, "complaint", minute).await;
        put(&agent, "", "receive/block", address).await;
    }
    put(&agent, "", "send/block", "example.org").await;
    put(&agent, "", "send/allow", "elsewhere.example").await;
    invited(&agent, "maria@example.org", "admin", json!([])).await;
    let is_invitation =
        |entry: &serde_json::Value| entry["to"] == "maria@example.org" && entry["subject"] == "You are invited";
    server.log().entry("the invitation", is_invitation).await;
    for address in ["owner@example.org", "maria@example.org"] {
        let me = person(&server, address).await.get("/v0/auth/me").await.ok();
        assert_eq!((&me["email"], &me["organization_id"]), (&json!(address), &json!(agent.organization_id)));
        let letter = json!({"to": address, "text": "x"});
        agent.post(&agent.inbox("/messages/send"), letter).await.refused(403, "recipient_suppressed");
    }
}
