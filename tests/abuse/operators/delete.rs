//! Deleting an organization, and releasing what it had claimed.

use inboxd_testkit::{Server, eventually_ok};
use serde_json::json;

use super::{admin, refused};
use crate::support::{beside, mail_to, receive, server};

/// Whether any table still has rows of an organization, but for its addresses.
async fn purged(server: &Server, organization_id: &str) {
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
    eventually_ok("nothing is left", async || server.database().try_execute(&left).await).await;
}

#[tokio::test]
async fn deleted_organization_is_gone_at_once_and_its_names_can_be_released() {
    let server = server().await;
    let other = beside(&server).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let neighbour = server.verified("neighbour@example.org", "neighbour").await;
    receive(&server, &agent, &mail_to(&agent, "kept")).await;
    receive(&server, &neighbour, &mail_to(&neighbour, "theirs")).await;
    agent.send(json!({"to": "bob@outside.example", "subject": "sent", "text": "x"})).await;
    agent.post(&agent.inbox("/drafts"), json!({"subject": "draft", "text": "x"})).await.ok();
    agent.post("/v0/domains", json!({"domain": "mail.example.org"})).await.ok();
    let line = refused(&server, &["delete", &agent.organization_id]).await;
    assert!(line.contains("--yes") && line.contains("owner@example.org"), "{line}");
    agent.get("/v0/inboxes").await.ok();
    let said = admin(&server, &["delete", &agent.organization_id, "--yes"]).await;
    assert!(said.contains("deleted"), "{said}");
    for one in [&server, &other] {
        agent.at(one).get("/v0/inboxes").await.refused(401, "unknown_api_key");
    }
    assert!(!admin(&server, &["organizations"]).await.contains(&agent.organization_id));
    assert!(refused(&server, &["delete", &agent.organization_id, "--yes"]).await.contains("no such"));
    purged(&server, &agent.organization_id).await;
    assert_eq!(neighbour.message_about("theirs").await["subject"], "theirs");
    server.deliver("alice@outside.example", &[&agent.inbox_id], mail_to(&agent, "late").raw()).await.is(550, "5.1.1");
    let again = json!({"human_email": "owner@example.org", "username": "scout"});
    server.http().post("/v0/agent/sign-up", again.clone()).await.refused(409, "address_taken");
    assert!(refused(&server, &["release-username", &neighbour.inbox_id, "--yes"]).await.contains("live inbox"));
    assert!(refused(&server, &["release-username", "nobody", "--yes"]).await.contains("never"));
    assert!(refused(&server, &["release-username", &agent.inbox_id]).await.contains("--yes"));
    let said = admin(&server, &["release-username", "scout", "--yes"]).await;
    assert!(said.contains(&agent.inbox_id), "{said}");
    server.http().post("/v0/agent/sign-up", again).await.ok();
}
