//! `GET /v0/members` and `GET /v0/members/{member_id}`.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use crate::people::{invite, invite_and_join, member_path, sign_in_client};
use crate::support::{read_pages, server, server_and_agent, text_fields};

#[tokio::test]
async fn owner_is_member_from_sign_up() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    assert_snapshot!(redacted(&agent.get("/v0/members").await.ok()), @r#"
    {
      "count": 1,
      "limit": 50,
      "members": [
        {
          "created_at": "[time]",
          "email": "owner@example.org",
          "inbox_ids": [],
          "member_id": "[mem_…]",
          "name": "owner",
          "role": "owner",
          "status": "active",
          "updated_at": "[time]"
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn every_role_can_read_members() {
    let (server, agent) = server_and_agent().await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    let member = invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let path = member_path(&agent, "admin@example.org").await;
    for caller in [&owner, &admin, &member] {
        let members = caller.get("/v0/members").await.ok();
        let emails = text_fields(&members, "members", "email");
        assert_eq!(emails, ["maria@example.org", "admin@example.org", "owner@example.org"], "newest first");
        assert_eq!(caller.get(&path).await.ok(), members["members"][1]);
    }
    agent.get("/v0/members/mem_00000000000000000000000000000000").await.require_error(404, "not_found");
}

#[tokio::test]
async fn pages_contain_every_member_once_in_both_directions() {
    let (_server, agent) = server_and_agent().await;
    for number in 0..6 {
        invite(&agent, &format!("m{number}@example.org"), "member", json!([])).await;
    }
    let mut down = read_pages(&agent, "/v0/members?limit=2", "members", "email").await;
    let up = read_pages(&agent, "/v0/members?limit=3&ascending=true", "members", "email").await;
    assert_eq!((down.len(), up.first().unwrap().as_str()), (7, "owner@example.org"));
    down.reverse();
    assert_eq!(down, up);
}
