//! `DELETE /v0/members/{member_id}`.

use serde_json::json;

use crate::people::{SIGN_IN, codes, invited, joined, path_of, person};
use crate::support::{at_once, count, each, server_and_agent};

#[tokio::test]
async fn removal_revokes_every_key_the_member_held_at_once() {
    let (server, agent) = server_and_agent().await;
    let first = joined(&server, &agent, "maria@example.org", "member", json!([])).await;
    let second = person(&server, "maria@example.org").await;
    agent.delete(&path_of(&agent, "maria@example.org").await).await.gone();
    for key in [first, second] {
        key.get("/v0/inboxes").await.refused(401, "unknown_api_key");
    }
    let keys = agent.get("/v0/api-keys").await.ok();
    assert_eq!(each(&keys, "api_keys", "name"), ["Sign-up"], "they drop out of listings");
    // Nobody has the address any more.
    let before = codes(&server, "maria@example.org").len();
    server.http().post(SIGN_IN, json!({"email": "maria@example.org"})).await.ok();
    person(&server, "owner@example.org").await;
    assert_eq!(codes(&server, "maria@example.org").len(), before);
    // And it may be invited anew.
    invited(&agent, "maria@example.org", "admin", json!([])).await;
}

#[tokio::test]
async fn anyone_can_remove_themselves() {
    let (server, agent) = server_and_agent().await;
    for role in ["member", "admin"] {
        let email = format!("{role}@example.org");
        let caller = joined(&server, &agent, &email, role, json!([])).await;
        caller.delete(&path_of(&agent, &email).await).await.gone();
        caller.get("/v0/auth/me").await.refused(401, "unknown_api_key");
    }
}

#[tokio::test]
async fn of_two_who_remove_the_same_member_at_once_one_does() {
    let (server, agent) = server_and_agent().await;
    let owner = person(&server, "owner@example.org").await;
    for number in 0..5 {
        let email = format!("m{number}@example.org");
        let maria = joined(&server, &agent, &email, "member", json!([])).await;
        let path = path_of(&agent, &email).await;
        let answers = at_once([(*agent).clone(), owner.clone()].map(|caller| {
            let path = path.clone();
            async move { caller.delete(&path).await }
        }))
        .await;
        assert_eq!((count(&answers, 204), count(&answers, 404)), (1, 1));
        maria.get("/v0/auth/me").await.refused(401, "unknown_api_key");
    }
    assert_eq!(agent.get("/v0/members").await.ok()["count"], 1);
}

#[tokio::test]
async fn of_two_admins_who_remove_each_other_at_once_one_stays() {
    let (server, agent) = server_and_agent().await;
    for round in 0..5 {
        let emails = [format!("a{round}@example.org"), format!("b{round}@example.org")];
        let mut calls = Vec::new();
        for (own, other) in [(0, 1), (1, 0)] {
            let caller = joined(&server, &agent, &emails[own], "admin", json!([])).await;
            calls.push((caller, other));
        }
        let mut removals = Vec::new();
        for (caller, other) in &calls {
            let (caller, path) = (caller.clone(), path_of(&agent, &emails[*other]).await);
            removals.push(async move { caller.delete(&path).await });
        }
        let answers = at_once(removals).await;
        assert_eq!((count(&answers, 204), count(&answers, 401)), (1, 1), "whoever was removed removes nobody");
        let mut left = 0;
        for (caller, _) in &calls {
            left += usize::from(caller.get("/v0/members").await.status == 200);
        }
        assert_eq!(left, 1);
    }
}

#[tokio::test]
async fn the_owner_cannot_be_removed() {
    let (server, agent) = server_and_agent().await;
    let path = path_of(&agent, "owner@example.org").await;
    let owner = person(&server, "owner@example.org").await;
    let admin = joined(&server, &agent, "admin@example.org", "admin", json!([])).await;
    for caller in [&*agent, &owner, &admin] {
        caller.delete(&path).await.refused(403, "owner_protected");
    }
    owner.get("/v0/inboxes").await.ok();
}

#[tokio::test]
async fn an_invitation_can_be_taken_back() {
    let (_server, agent) = server_and_agent().await;
    let member = invited(&agent, "maria@example.org", "member", json!([])).await;
    let path = format!("/v0/members/{}", member["member_id"].as_str().unwrap());
    agent.delete(&path).await.gone();
    agent.delete(&path).await.refused(404, "not_found");
    agent.get(&path).await.refused(404, "not_found");
}
