//! Backups of a server under load, restored elsewhere.

use std::path::Path;
use std::time::Duration;

use inboxd_testkit::{Persona, RelayServer, ServerOptions, TestServer, database::try_execute, empty_database};
use serde_json::json;
use tokio::time::sleep;

use super::{doctor, folder, key_pair, message_ids, passphrase, path, program, raw_messages, succeed};
use crate::crash::load::Load;
use crate::support::{in_seconds, options};

/// Runs `inboxd doctor` for a restored database.
async fn check_by_doctor(data_dir: &Path, database: Option<&str>) {
    let expected = ["at the schema of this version", "matches that of the database", "is held since"];
    doctor(data_dir, database, &expected).await;
}

/// Starts a restored server, and requires that nothing leaves it before the operator releases its queue.
async fn check_hold(
    options: ServerOptions,
    database: &str,
    agent: &Persona,
    relay: &RelayServer,
) -> (TestServer, Persona) {
    let server = options.relay(relay).start().await;
    server.log().entry("the queue is held", |entry| entry["message"] == "queue held").await;
    // The draft is due now.
    try_execute(database, "UPDATE drafts SET send_at = now(), due_at = now()").await.unwrap();
    let before = relay.mails().len();
    sleep(Duration::from_millis(1500)).await;
    assert_eq!(relay.mails().len(), before, "a restored server sends");
    let agent = agent.at(&server);
    (server, agent)
}

#[tokio::test]
async fn backups_under_load_have_every_accepted_mail() {
    let mut load = Load::begin(options().embedded_database()).await;
    let folder = folder();
    let file = |name: &str| path(&folder.path().join(name));
    let (identity, recipient) = key_pair(folder.path());
    let phrase = passphrase(folder.path(), "passphrase", "correct horse battery staple");
    let draft = json!({"to": "bob@outside.example", "subject": "planned", "text": "x", "send_at": in_seconds(3600)});
    load.agent.post(&load.agent.inbox("/drafts"), draft).await.ok();
    load.until_busy().await;
    // Mail is waiting in the queue.
    load.relay.hold();
    load.until_busy().await;
    let accepted = message_ids(&load.agent).await;
    let (by_key, by_phrase, key) = (file("by-key.age"), file("by-phrase.age"), file("secret-key.age"));
    let to_key = ["admin", "backup", &by_key, "--secret-key", &key, "--recipient", &recipient];
    let to_phrase = ["admin", "backup", &by_phrase, "--passphrase-file", &phrase];
    let (first, second) = tokio::join!(load.server.command(&to_key), load.server.command(&to_phrase));
    for output in [&first, &second] {
        assert!(output.status.success(), "{output:?}");
    }
    assert!(String::from_utf8_lossy(&first.stdout).contains("secret-key.age: the secret key"), "{first:?}");
    load.until_busy().await;
    load.relay.release();
    load.end().await;
    let raws = raw_messages(&load.agent, &accepted).await;
    load.server.kill().await;

    // Into an embedded database of another data directory, with its secret key.
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let arguments = ["admin", "restore", &by_key, "--secret-key", &key, "--identity", &identity];
    let said = succeed(program(&data, None, &arguments)).await;
    assert!(said.contains("restored the database") && said.contains("inboxd admin queue release"), "{said}");
    let original = std::fs::read(load.server.data_dir().join("secret-key")).unwrap();
    assert_eq!(std::fs::read(data.join("secret-key")).unwrap(), original);
    check_by_doctor(&data, None).await;
    let url = format!("postgres://inboxd@/inboxd?host={}/postgres/socket", data.display());
    let restored = options().embedded_database().set("INBOXD_DATA_DIR", path(&data));
    let (server, agent) = check_hold(restored, &url, &load.agent, &load.relay).await;
    assert_eq!(raw_messages(&agent, &accepted).await, raws);
    let output = program(&data, None, &["admin", "queue", "release"]);
    assert!(succeed(output).await.contains("now released"));
    load.relay.mail_about("planned").await;
    drop(server);

    // Into an external database, with the configured secret key.
    let database = empty_database().await;
    let arguments = ["admin", "restore", &by_phrase, "--passphrase-file", &phrase];
    let key = String::from_utf8(original).unwrap();
    let mut command = program(folder.path(), Some(&database.url()), &arguments);
    command.env("INBOXD_SECRET_KEY", key.trim());
    succeed(command).await;
    std::fs::write(folder.path().join("secret-key"), &key).unwrap();
    check_by_doctor(folder.path(), Some(&database.url())).await;
    let restored = options().set("INBOXD_DATABASE_URL", database.url()).set("INBOXD_SECRET_KEY", key.trim());
    let (_server, agent) = check_hold(restored, &database.url(), &load.agent, &load.relay).await;
    assert_eq!(raw_messages(&agent, &accepted).await, raws);
}
