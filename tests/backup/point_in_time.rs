//! Point-in-time recovery with pgBackRest, as `docs/operations/backup.md` describes it.

use std::time::Duration;

use inboxd_testkit::{RelayServer, database::try_execute};
use serde_json::json;
use tokio::time::sleep;

use super::cluster::{ArchivedCluster, PGBACKREST_CONF, POSTGRESQL_CONF};
use super::{doctor, folder, message_ids, raw_messages};
use crate::support::{in_seconds, mail_to, options, receive, subjects};

#[test]
fn documented_files_are_those_of_the_package() {
    let page = include_str!("../../docs/operations/backup.md");
    for file in [POSTGRESQL_CONF, PGBACKREST_CONF] {
        for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            assert!(page.lines().any(|shown| shown.trim() == line), "{line}");
        }
    }
}

#[tokio::test]
async fn database_returns_to_time_before_its_loss() {
    let mut cluster = ArchivedCluster::create().await;
    let relay = RelayServer::start().await;
    let mut server = options().set("INBOXD_DATABASE_URL", cluster.url()).relay(&relay).start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&relay.code_for("owner@example.org").await).await;
    receive(&server, &agent, &mail_to(&agent, "before the backup")).await;
    cluster.back_up().await;
    // pgBackRest compares the end of a backup with the wanted time in whole seconds.
    sleep(Duration::from_secs(1)).await;
    receive(&server, &agent, &mail_to(&agent, "after the backup")).await;
    let draft = json!({"to": "bob@outside.example", "subject": "planned", "text": "x", "send_at": in_seconds(3600)});
    agent.post(&agent.inbox("/drafts"), draft).await.ok();
    let ids = message_ids(&agent).await;
    let raws = raw_messages(&agent, &ids).await;
    let time = cluster.now().await;
    sleep(Duration::from_millis(50)).await;
    receive(&server, &agent, &mail_to(&agent, "after the time")).await;
    cluster.archive().await;
    let key = std::fs::read_to_string(server.data_dir().join("secret-key")).unwrap();
    server.kill().await;
    cluster.kill().await;

    cluster.restore(&time).await;
    let data = folder();
    std::fs::write(data.path().join("secret-key"), &key).unwrap();
    let expected = ["at the schema of this version", "matches that of the database"];
    doctor(data.path(), Some(&cluster.url()), &expected).await;
    let restored = options().set("INBOXD_DATABASE_URL", cluster.url()).set("INBOXD_SECRET_KEY", key.trim());
    let server = restored.relay(&relay).hold().start().await;
    let agent = agent.at(&server);
    assert_eq!(subjects(&agent, "/messages").await, ["after the backup", "before the backup"]);
    assert_eq!(raw_messages(&agent, &ids).await, raws);
    // The draft is due now, and waits for the operator.
    try_execute(&cluster.url(), "UPDATE drafts SET send_at = now(), due_at = now()").await.unwrap();
    sleep(Duration::from_millis(1500)).await;
    assert!(!relay.mails().iter().any(|mail| mail.header("Subject") == "planned"));
    assert!(server.command(&["admin", "queue", "release"]).await.status.success());
    relay.mail_about("planned").await;
}
