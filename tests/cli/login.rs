//! Signing in and out.

use std::process::Stdio;

use inboxd_testkit::{TestServer, eventually};
use tokio::io::AsyncWriteExt;

use super::program::{CliOutput, CliUser};
use crate::people::{invite_and_join, mailed_codes};
use crate::support::{server, server_and_agent};

/// Signs in with the mailed code.
async fn login(server: &TestServer, user: &CliUser, arguments: &[&str], email: &str) -> CliOutput {
    let before = mailed_codes(server, email).len();
    let mut child = user.inboxd(&[&["login", email][..], arguments].concat()).stdin(Stdio::piped()).spawn().unwrap();
    let code = eventually("a sign-in code", async || mailed_codes(server, email).get(before).cloned()).await;
    child.stdin.take().unwrap().write_all(format!("{code}\n").as_bytes()).await.unwrap();
    CliOutput::from(child.wait_with_output().await.unwrap())
}

#[tokio::test]
async fn mailed_code_signs_in_until_logout_revokes_the_key() {
    let (server, _agent) = server_and_agent().await;
    let user = CliUser::at(&server);
    let identity = login(&server, &user, &["--json"], "owner@example.org").await.json();
    assert_eq!(identity["email"], "owner@example.org");
    let shown = user.run(&["whoami"]).await.ok();
    assert!(shown.contains("owner@example.org") && shown.contains("profile"), "{shown}");

    let stored = std::fs::read_to_string(user.profiles()).unwrap();
    let (_, key) = stored.split_once("api_key = \"").unwrap();
    let key = server.http().with_key(key.split_once('"').unwrap().0);
    assert_eq!(key.get("/v0/auth/me").await.status, 200);
    let out = user.run(&["logout"]).await;
    assert!(out.stderr.contains("revoked"), "{out:?}");
    key.get("/v0/auth/me").await.require_error(401, "unknown_api_key");
    user.run(&["whoami"]).await.failed(3);
    user.run(&["logout"]).await.failed(3);
}

#[tokio::test]
async fn second_login_revokes_the_key_that_it_replaces() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::at(&server);
    for _ in 0..2 {
        login(&server, &user, &[], "owner@example.org").await.ok();
    }
    let keys = agent.get("/v0/api-keys").await.ok();
    let names = keys["api_keys"].as_array().unwrap().iter().filter_map(|key| key["name"].as_str());
    assert_eq!(names.filter(|name| name.starts_with("Sign-in")).count(), 1, "{keys:#}");
}

#[tokio::test]
async fn organization_is_chosen_by_its_id() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    for organization in [&agent, &other] {
        invite_and_join(&server, organization, "maria@example.org", "member", serde_json::json!(null)).await;
    }
    for organization in [&agent, &other] {
        let user = CliUser::at(&server);
        let flags = ["--organization", &organization.organization_id, "--json"];
        let identity = login(&server, &user, &flags, "maria@example.org").await.json();
        assert_eq!(identity["organization_id"], organization.organization_id.as_str());
    }
}

#[tokio::test]
async fn key_from_standard_input_survives_logout() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::at(&server);
    user.run_with_input(&["login", "--with-key", "-"], "am_unknown\n").await.failed(3);
    assert!(!user.profiles().exists());
    user.run_with_input(&["login", "--with-key", "-"], &format!("{}\n", agent.key)).await.ok();
    assert_eq!(user.run(&["inboxes", "--json"]).await.json()["inbox_id"], agent.inbox_id.as_str());
    let out = user.run(&["logout"]).await;
    assert!(out.stderr.contains("stays valid"), "{out:?}");
    assert_eq!(agent.get("/v0/auth/me").await.status, 200);
}

#[tokio::test]
async fn key_of_the_profile_survives_its_own_replacement() {
    let server = server().await;
    server.verified("maria@example.org", "scout").await;
    let user = CliUser::at(&server);
    login(&server, &user, &[], "maria@example.org").await.ok();
    let stored = std::fs::read_to_string(user.profiles()).unwrap();
    let (_, key) = stored.split_once("api_key = \"").unwrap();
    let key = key.split_once('"').unwrap().0;
    user.run_with_input(&["login", "--with-key", "-"], &format!("{key}\n")).await.ok();
    user.run(&["inboxes"]).await.ok();
    let out = user.run(&["logout"]).await;
    assert!(out.stderr.contains("the key is revoked"), "{out:?}");
    server.http().with_key(key).get("/v0/auth/me").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn wrong_code_signs_nobody_in() {
    let server = server().await;
    let user = CliUser::at(&server);
    let refused = user.run_with_input(&["login", "stranger@example.org"], "123456\n").await.failed(3);
    assert!(refused.contains("fix:"), "{refused}");
    assert!(!user.profiles().exists());
}
