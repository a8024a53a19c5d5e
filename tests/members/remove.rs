//! `DELETE /v0/members/{member_id}`.

use serde_json::json;

use crate::people::{SIGN_IN, invite, invite_and_join, mailed_codes, member_path, sign_in_client};
use crate::support::{count, run_concurrently, server_and_agent, text_fields};

#[tokio::test]
async fn removal_revokes_all_keys_of_member_immediately() {
    let (server, agent) = server_and_agent().await;
    let first = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    let second = sign_in_client(&server, "maria@example.org").await;
    agent.delete(&member_path(&agent, "maria@example.org").await).await.require_no_content();
    for key in [first, second] {
        key.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    }
    let keys = agent.get("/v0/api-keys").await.ok();
    assert_eq!(text_fields(&keys, "api_keys", "name"), ["Sign-up"], "lists omit the member");
    // The address is free again.
    let before = mailed_codes(&server, "maria@example.org").len();
    server.http().post(SIGN_IN, json!({"email": "maria@example.org"})).await.ok();
    sign_in_client(&server, "owner@example.org").await;
    assert_eq!(mailed_codes(&server, "maria@example.org").len(), before);
    // It can be invited again.
    invite(&agent, "maria@example.org", "admin", json!([])).await;
}

#[tokio::test]
async fn members_can_remove_themselves() {
    let (server, agent) = server_and_agent().await;
    for role in ["member", "admin"] {
        let email = format!("{role}@example.org");
        let caller = invite_and_join(&server, &agent, &email, role, json!([])).await;
        caller.delete(&member_path(&agent, &email).await).await.require_no_content();
        caller.get("/v0/auth/me").await.require_error(401, "unknown_api_key");
    }
}

#[tokio::test]
async fn concurrent_removals_of_member_succeed_once() {
    let (server, agent) = server_and_agent().await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    for number in 0..5 {
        let email = format!("m{number}@example.org");
        let maria = invite_and_join(&server, &agent, &email, "member", json!([])).await;
        let path = member_path(&agent, &email).await;
        let answers = run_concurrently([(*agent).clone(), owner.clone()].map(|caller| {
            let path = path.clone();
            async move { caller.delete(&path).await }
        }))
        .await;
        assert_eq!((count(&answers, 204), count(&answers, 404)), (1, 1));
        maria.get("/v0/auth/me").await.require_error(401, "unknown_api_key");
    }
    assert_eq!(agent.get("/v0/members").await.ok()["count"], 1);
}

#[tokio::test]
async fn concurrent_mutual_removals_leave_one_admin() {
    let (server, agent) = server_and_agent().await;
    for round in 0..5 {
        let emails = [format!("a{round}@example.org"), format!("b{round}@example.org")];
        let mut calls = Vec::new();
        for (own, other) in [(0, 1), (1, 0)] {
            let caller = invite_and_join(&server, &agent, &emails[own], "admin", json!([])).await;
            calls.push((caller, other));
        }
        let mut removals = Vec::new();
        for (caller, other) in &calls {
            let (caller, path) = (caller.clone(), member_path(&agent, &emails[*other]).await);
            removals.push(async move { caller.delete(&path).await });
        }
        let answers = run_concurrently(removals).await;
        assert_eq!((count(&answers, 204), count(&answers, 401)), (1, 1), "a removed admin removes no member");
        let mut left = 0;
        for (caller, _) in &calls {
            left += usize::from(caller.get("/v0/members").await.status == 200);
        }
        assert_eq!(left, 1);
    }
}

#[tokio::test]
async fn owner_cannot_be_removed() {
    let (server, agent) = server_and_agent().await;
    let path = member_path(&agent, "owner@example.org").await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    for caller in [&*agent, &owner, &admin] {
        caller.delete(&path).await.require_error(403, "owner_protected");
    }
    owner.get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn invitation_can_be_withdrawn() {
    let (_server, agent) = server_and_agent().await;
    let member = invite(&agent, "maria@example.org", "member", json!([])).await;
    let path = format!("/v0/members/{}", member["member_id"].as_str().unwrap());
    agent.delete(&path).await.require_no_content();
    agent.delete(&path).await.require_error(404, "not_found");
    agent.get(&path).await.require_error(404, "not_found");
}
