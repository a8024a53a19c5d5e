//! First sign-ins: an organization that a stranger prepared is never taken silently.

use inboxd_testkit::TestServer;
use serde_json::json;

use super::flow::{Client, sign_in};
use crate::browser::{Browser, Page};
use crate::people::{invite, sign_in_client};
use crate::support::{server, server_and_agent};

const VICTIM: &str = "victim@example.org";
const CHOICE: &str = "/oauth/organization";

/// Signs a person in for the first time and requires the choice of an organization.
async fn choice(server: &TestServer, client: &Client, email: &str) -> (Browser, Page) {
    let mut browser = Browser::new(server);
    let page = browser.get(&client.target(&[])).await;
    let mut page = sign_in(server, &mut browser, &page, email).await;
    if page.text().contains("Allow access?") {
        // The only organization is shown with a warning and the way to another one.
        let text = page.text();
        assert!(text.contains("was never confirmed") || text.contains("invited you to this organization"), "{text}");
        page = browser.submit(&page, CHOICE, &[]).await;
    }
    let page = page.require(200, "Choose an organization");
    let text = page.text();
    assert!(!text.contains("checked") && !text.contains("selected") && !text.contains("autofocus"), "{text}");
    (browser, page)
}

#[tokio::test]
async fn sign_up_of_stranger_is_no_home_of_person() {
    let server = server().await;
    let stranger = server.sign_up(VICTIM, "evil").await;
    let client = Client::register(&server).await;
    let (mut browser, page) = choice(&server, &client, VICTIM).await;
    assert_eq!(page.values("organization_id"), [&*stranger.organization_id, "new"]);
    assert!(page.text().contains("was never confirmed"), "{}", page.text());
    // Chosen all the same, it is shown with the warning once more.
    let unconfirmed = [("organization_id", &*stranger.organization_id)];
    let warned = browser.submit(&page, CHOICE, &unconfirmed).await.require(200, "Allow access?");
    assert!(warned.text().contains("was never confirmed"), "{}", warned.text());
    // Two clicks make one organization.
    for _ in 0..2 {
        let consent = browser.submit(&page, CHOICE, &[("organization_id", "new")]).await.require(200, "Allow access?");
        assert!(!consent.text().contains("was never confirmed"), "{}", consent.text());
        assert_eq!(consent.values("inbox_ids"), ["victim@inboxd.localhost"]);
        client.allow(&mut browser, &consent, &[]).await;
    }
    let count = "DO $$ BEGIN ASSERT (SELECT count(*) = 2 FROM organizations); END $$";
    server.database().execute(count).await;
    // From now on the own one comes first, and no other is offered.
    let (mut browser, page) = choice(&server, &client, VICTIM).await;
    let offered = page.values("organization_id");
    assert!(offered.len() == 2 && offered[1] == stranger.organization_id, "{offered:?}");
    let consent = browser.submit(&page, CHOICE, &[("organization_id", &offered[0])]).await;
    let code = client.allow(&mut browser, &consent, &[]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    let me = connected.http.get("/v0/auth/me").await.ok();
    assert_eq!((&me["organization_id"], &me["role"]), (&json!(offered[0]), &json!("owner")));
    // So does a sign-in without a browser.
    let me = sign_in_client(&server, VICTIM).await.get("/v0/auth/me").await.ok();
    assert_eq!(me["organization_id"], offered[0]);
}

#[tokio::test]
async fn key_of_unconfirmed_sign_up_neither_lists_nor_ends_connections() {
    let server = server().await;
    let stranger = server.sign_up(VICTIM, "evil").await;
    let client = Client::register(&server).await;
    let (mut browser, page) = choice(&server, &client, VICTIM).await;
    let chosen = [("organization_id", &*stranger.organization_id)];
    let consent = browser.submit(&page, CHOICE, &chosen).await.require(200, "Allow access?");
    let code = client.allow(&mut browser, &consent, &[]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    let owner = sign_in_client(&server, VICTIM).await;
    let list = owner.get("/v0/connections").await.ok();
    let path = format!("/v0/connections/{}", list["connections"][0]["connection_id"].as_str().unwrap());
    for refused in [
        stranger.get("/v0/connections").await,
        stranger.get(&path).await,
        stranger.patch(&path, json!({"scope": "mail:read"})).await,
        stranger.delete(&path).await,
    ] {
        refused.require_error(403, "owner_protected");
    }
    connected.http.get("/v0/inboxes").await.ok();
    owner.delete(&path).await.require_no_content();
    connected.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
}

#[tokio::test]
async fn invitation_is_chosen_by_one_click_and_remembered_by_use() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, "tim@example.org", "member", json!([])).await;
    let client = Client::register(&server).await;
    let (mut browser, page) = choice(&server, &client, "tim@example.org").await;
    assert_eq!(page.values("organization_id"), [&*agent.organization_id, "new"]);
    assert!(page.text().contains("by invitation"), "{}", page.text());
    browser.submit(&page, CHOICE, &[]).await.require(200, "Choose an organization");
    let chosen = [("organization_id", &*agent.organization_id)];
    let consent = browser.submit(&page, CHOICE, &chosen).await.require(200, "Allow access?");
    let code = client.allow(&mut browser, &consent, &[]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    let me = connected.http.get("/v0/auth/me").await.ok();
    assert_eq!((&me["organization_id"], &me["role"]), (&json!(agent.organization_id), &json!("member")));
    // The use makes it known, also when its tokens are purged: a second authorization begins with the consent.
    server.database().execute("DELETE FROM api_keys WHERE connection_id IS NOT NULL").await;
    browser.get(&client.target(&[])).await.require(200, "Allow access?");
}

#[tokio::test]
async fn invited_person_may_make_own_organization() {
    let (server, agent) = server_and_agent().await;
    invite(&agent, VICTIM, "admin", json!([])).await;
    let client = Client::register(&server).await;
    let (mut browser, page) = choice(&server, &client, VICTIM).await;
    let consent = browser.submit(&page, CHOICE, &[("organization_id", "new")]).await.require(200, "Allow access?");
    assert_eq!(consent.values("inbox_ids"), ["victim@inboxd.localhost"]);
    let code = client.allow(&mut browser, &consent, &[]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    let me = connected.http.get("/v0/auth/me").await.ok();
    assert_eq!((&me["email"], &me["role"]), (&json!(VICTIM), &json!("owner")));
    assert_ne!(me["organization_id"], agent.organization_id);
}

#[tokio::test]
async fn person_removed_everywhere_makes_own_organization() {
    let (server, agent) = server_and_agent().await;
    let member = invite(&agent, "tim@example.org", "member", json!([])).await;
    let client = Client::register(&server).await;
    let (mut browser, _) = choice(&server, &client, "tim@example.org").await;
    agent.delete(&format!("/v0/members/{}", member["member_id"].as_str().unwrap())).await.require_no_content();
    let page = browser.get(&client.target(&[])).await.require(200, "Choose an organization");
    assert_eq!(page.values("organization_id"), ["new"]);
    browser.submit(&page, CHOICE, &[("organization_id", "new")]).await.require(200, "Allow access?");
}
