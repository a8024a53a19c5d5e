//! Deletion of an organization and release of its names.

use inboxd_testkit::{TestServer, eventually_ok};
use serde_json::json;

use super::{admin, refused_command};
use crate::support::{mail_to, receive, second_process, server};

/// Returns whether any table except the address directory has rows of an organization.
async fn wait_for_purge(server: &TestServer, organization_id: &str) {
    let id = organization_id.trim_start_matches("org_");
    let left = format!(
        "DO $$ DECLARE place text; found bigint; BEGIN \
         FOR place IN SELECT table_name FROM information_schema.columns JOIN information_schema.tables \
                 USING (table_schema, table_name) WHERE table_schema = 'public' AND column_name = 'organization_id' \
                 AND table_type = 'BASE TABLE' AND table_name <> 'addresses' LOOP \
             EXECUTE format('SELECT count(*) FROM %I WHERE replace(organization_id::text, ''-'', '''') = %L', \
                 place, '{id}') INTO found; \
             IF found > 0 THEN RAISE EXCEPTION 'the table % has % rows', place, found; END IF; \
         END LOOP; END $$"
    );
    eventually_ok("no row remains", async || server.database().try_execute(&left).await).await;
}

#[tokio::test]
async fn deleted_organization_disappears_immediately_and_releases_names() {
    let server = server().await;
    let other = second_process(&server).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let neighbour = server.verified("neighbour@example.org", "neighbour").await;
    receive(&server, &agent, &mail_to(&agent, "kept")).await;
    receive(&server, &neighbour, &mail_to(&neighbour, "theirs")).await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "x"})).await;
    agent.post(&agent.inbox("/drafts"), json!({"subject": "draft", "text": "x"})).await.ok();
    agent.post("/v0/domains", json!({"domain": "mail.example.org"})).await.ok();
    let line = refused_command(&server, &["delete", &agent.organization_id]).await;
    assert!(line.contains("--yes") && line.contains("owner@example.org"), "{line}");
    agent.get("/v0/inboxes").await.ok();
    let said = admin(&server, &["delete", &agent.organization_id, "--yes"]).await;
    assert!(said.contains("deleted"), "{said}");
    for one in [&server, &other] {
        agent.at(one).get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    }
    assert!(!admin(&server, &["organizations"]).await.contains(&agent.organization_id));
    assert!(refused_command(&server, &["delete", &agent.organization_id, "--yes"]).await.contains("no such"));
    wait_for_purge(&server, &agent.organization_id).await;
    assert_eq!(neighbour.message_about("theirs").await["subject"], "theirs");
    server
        .deliver("alice@outside.example", &[&agent.inbox_id], mail_to(&agent, "late").raw())
        .await
        .require_code(550, "5.1.1");
    let again = json!({"human_email": "owner@example.org", "username": "scout"});
    server.http().post("/v0/agent/sign-up", again.clone()).await.require_error(409, "address_taken");
    assert!(refused_command(&server, &["release-username", &neighbour.inbox_id, "--yes"]).await.contains("live inbox"));
    assert!(refused_command(&server, &["release-username", "nobody", "--yes"]).await.contains("never"));
    assert!(refused_command(&server, &["release-username", &agent.inbox_id]).await.contains("--yes"));
    let said = admin(&server, &["release-username", "scout", "--yes"]).await;
    assert!(said.contains(&agent.inbox_id), "{said}");
    server.http().post("/v0/agent/sign-up", again).await.ok();
}
