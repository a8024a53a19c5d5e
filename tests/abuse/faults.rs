//! Isolation of faults: a killed process, an unreadable row, a full disk.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use inboxd_testkit::{RelayServer, ServerOptions, TestServer, WebhookReceiver, eventually};
use serde_json::json;
use tokio::net::TcpListener;

use crate::sending::server_with_relay;
use crate::support::{mail_to, options, receive, second_process, with_state_of};

#[tokio::test]
async fn message_claimed_by_killed_process_is_sent_within_a_minute() {
    // A peer that accepts the connection and never sends a greeting.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let silent_url = format!("smtp://{}", silent.local_addr().unwrap());
    let relay = RelayServer::start().await;
    let mut killed = options().set("INBOXD_DELIVERY", "relay").set("INBOXD_RELAY_URL", silent_url).start().await;
    let agent = killed.sign_up("owner@example.org", "scout").await;
    agent.send(json!({"to": "owner@example.org", "subject": "in hand", "text": "x"})).await;
    // Only the sign-up code is due besides the message; this process has claimed both.
    let (mut held, mut claims) = (Vec::new(), killed.database().session().await);
    while held.len() < 2 {
        held.push(silent.accept().await.unwrap());
    }
    let claimed = "SELECT count(*)::text AS text FROM outgoing WHERE claim_id IS NOT NULL AND due_at > now() + interval '2 minutes'";
    assert_eq!(claims.texts(claimed).await, ["2"], "no lease expires during this test");
    let other = second_process(&killed).relay(&relay).start().await;
    let is_alone = "SELECT count(*)::text AS text FROM processes";
    eventually("both have a heartbeat", async || (claims.texts(is_alone).await == ["2"]).then_some(())).await;
    assert_eq!(relay.mails(), []);
    killed.kill().await;
    let began = Instant::now();
    relay.mail_about("in hand").await;
    assert!(began.elapsed() < Duration::from_mins(1), "{:?}", began.elapsed());
    let outcome = |entry: &serde_json::Value| entry["message"] == "claims of silent processes taken over";
    other.log().entry("the claims are taken over", outcome).await;
    let count = relay.mails().iter().filter(|mail| mail.header("Subject") == "in hand").count();
    assert_eq!(count, 1);
}

#[tokio::test]
async fn unreadable_row_fails_only_its_webhook_delivery() {
    let receiver = WebhookReceiver::start().await;
    let allow = |options: ServerOptions| options.set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32");
    let server = allow(options().set("INBOXD_ROLES", "http,smtp")).start().await;
    // This process mails a code and stops before the first event.
    let mut worker = second_process(&server).set("INBOXD_ROLES", "worker").start().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    agent.verify_with(&worker.log().code_for("owner@example.org").await).await;
    assert!(worker.terminate().await.success());
    let webhook = json!({"url": receiver.url(), "event_types": ["message.received"]});
    agent.post("/v0/webhooks", webhook).await.ok();
    for number in 1..=6 {
        let mail = mail_to(&agent, &format!("number {number}")).id(&format!("<{number}@outside.example>"));
        receive(&server, &agent, &mail).await;
    }
    let damage = "UPDATE events SET body = '7' WHERE message_id = '<2@outside.example>'; \
        UPDATE messages SET attachments = '7' WHERE message_id = '<5@outside.example>'";
    server.database().execute(damage).await;
    let worker = allow(second_process(&server).set("INBOXD_ROLES", "worker")).start().await;
    let told = receiver.wait_for_requests(5).await;
    let ids: BTreeSet<String> =
        told.iter().map(|told| told.event()["message_id"].as_str().unwrap_or_default().to_owned()).collect();
    let readable = [1, 3, 4, 5, 6].map(|number| format!("<{number}@outside.example>"));
    assert_eq!(ids, BTreeSet::from(readable));
    let attempts = "SELECT DISTINCT e.message_id || coalesce(' ' || a.error, '') AS text \
        FROM webhook_attempts a JOIN events e USING (organization_id, event_id) ORDER BY 1";
    let mut session = server.database().session().await;
    let attempts = eventually("all deliveries are recorded", async || {
        let attempts = session.texts(attempts).await;
        (attempts.len() == 6).then_some(attempts)
    })
    .await;
    for (attempt, number) in attempts.iter().zip(1..) {
        let error = attempt.strip_prefix(&format!("<{number}@outside.example>")).unwrap();
        assert_eq!(error.starts_with(" the event cannot be read"), number == 2, "{attempts:?}");
        assert_eq!(error.is_empty(), number != 2, "{attempts:?}");
    }
    worker.log().entry("the log names it", |entry| entry["message"] == "event unreadable").await;
    assert_eq!(receiver.requests().len(), 5);
}

/// A data directory on a separate, full file system.
struct SmallDisk {
    program: tempfile::TempDir,
}

/// Mounts the disk in a mount namespace of the process. Where the system forbids mounts, the low-space limit makes any
/// disk too small.
const MOUNT: &str = r#"#!/bin/sh
if unshare -m true 2>/dev/null; then
    exec unshare -m sh -c '
        mount -t tmpfs -o size=4m tmpfs "$INBOXD_DATA_DIR" || exit 1
        dd if=/dev/zero of="$INBOXD_DATA_DIR/fill" bs=4096 2>/dev/null
        exec PROGRAM "$@"' sh "$@"
fi
[ -e "$INBOXD_DATA_DIR/fill" ] || export INBOXD_MIN_FREE_BYTES=9000000000000000000
touch "$INBOXD_DATA_DIR/fill"
exec PROGRAM "$@"
"#;

impl SmallDisk {
    fn new() -> Self {
        let program = tempfile::tempdir().unwrap();
        let disk = Self { program };
        std::fs::write(disk.path(), MOUNT.replace("PROGRAM", env!("CARGO_BIN_EXE_inboxd"))).unwrap();
        std::fs::set_permissions(disk.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        disk
    }

    fn path(&self) -> PathBuf {
        self.program.path().join("inboxd")
    }

    /// Path of the file that fills the disk.
    fn filling(server: &TestServer) -> PathBuf {
        format!("/proc/{}/root{}/fill", server.process_id(), server.data_dir().display()).into()
    }

    /// Returns whether the system permitted the mount.
    fn is_mounted(server: &TestServer) -> bool {
        std::fs::metadata(Self::filling(server)).unwrap().len() > 0
    }

    /// Frees the disk. Without a mount it restarts the server with the usual limit.
    async fn free(server: &mut TestServer) {
        if Self::is_mounted(server) {
            std::fs::remove_file(Self::filling(server)).unwrap();
        } else {
            assert!(server.terminate().await.success());
            server.restart().await;
        }
    }
}

#[tokio::test]
async fn server_on_full_disk_serves_reads_and_refuses_writes_until_space_is_free() {
    let (relay, mut server, agent) = server_with_relay().await;
    receive(&server, &agent, &mail_to(&agent, "before")).await;
    relay.reply_once("bob@outside.example", "451 4.3.0 later");
    let letter = json!({"to": "bob@outside.example", "subject": "queued", "text": "x"});
    agent.send(letter.clone()).await;
    server.log().entry("the first attempt", |entry| entry["deferred"] == 1).await;
    assert!(server.terminate().await.success());
    server.database().execute("UPDATE outgoing SET due_at = now()").await;
    let disk = SmallDisk::new();
    let options = with_state_of(&server, ServerOptions::new(disk.path())).relay(&relay);
    let mut full = options.set("INBOXD_MIN_FREE_BYTES", "1000000").start().await;
    let agent = agent.at(&full);
    assert_eq!(full.http().get("/health").await.status, 200);
    let message = agent.message_about("before").await;
    agent.get(&agent.message(&message["message_id"], "")).await.ok();
    for path in [agent.inbox("/messages/send"), agent.inbox("/drafts")] {
        let refused = agent.post(&path, letter.clone()).await;
        assert!(refused.header("Retry-After").is_some(), "{path}");
        refused.require_error(503, "service_unavailable");
    }
    let mail = mail_to(&agent, "meanwhile").raw();
    full.deliver("alice@outside.example", &[&agent.inbox_id], &mail).await.require_code(452, "4.3.1");
    if SmallDisk::is_mounted(&full) {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        let has_left = relay.mails().iter().any(|mail| mail.header("Subject") == "queued");
        assert!(!has_left, "no claim without a writable journal");
    }
    SmallDisk::free(&mut full).await;
    relay.mail_about("queued").await;
    let agent = agent.at(&full);
    eventually("sends are accepted again", async || {
        (agent.post(&agent.inbox("/messages/send"), letter.clone()).await.status == 200).then_some(())
    })
    .await;
    full.deliver("alice@outside.example", &[&agent.inbox_id], &mail).await.require_code(250, "2");
}
