//! `GET /v0/members` and `GET /v0/members/{member_id}`.

use inboxd_testkit::redacted;
use insta::assert_snapshot;
use serde_json::json;

use crate::people::{invited, joined, path_of, person};
use crate::support::{each, server, server_and_agent, walk};

#[tokio::test]
async fn the_owner_is_a_member_from_sign_up_on() {
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
async fn every_role_can_read() {
    let (server, agent) = server_and_agent().await;
    let admin = joined(&server, &agent, "admin@example.org", "admin", json!([])).await;
    let member = joined(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
    let owner = person(&server, "owner@example.org").await;
    let path = path_of(&agent, "admin@example.org").await;
    for caller in [&owner, &admin, &member] {
        let members = caller.get("/v0/members").await.ok();
        let emails = each(&members, "members", "email");
        assert_eq!(emails, ["maria@example.org", "admin@example.org", "owner@example.org"], "newest first");
        assert_eq!(caller.get(&path).await.ok(), members["members"][1]);
    }
    agent.get("/v0/members/mem_00000000000000000000000000000000").await.refused(404, "not_found");
}

#[tokio::test]
async fn pages_hold_everybody_once_in_both_directions() {
    let (_server, agent) = server_and_agent().await;
    for number in 0..6 {
        invited(&agent, &format!("m{number}@example.org"), "member", json!([])).await;
    }
    let mut down = walk(&agent, "/v0/members?limit=2", "members", "email").await;
    let up = walk(&agent, "/v0/members?limit=3&ascending=true", "members", "email").await;
    assert_eq!((down.len(), up.first().unwrap().as_str()), (7, "owner@example.org"));
    down.reverse();
    assert_eq!(down, up);
}
