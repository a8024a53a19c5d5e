//! Mail to `postmaster@` and `abuse@` where no inbox receives it (RFC 5321, section 4.5.1).

use inboxd_testkit::{RelayServer, TestServer, eventually};

use crate::support::options;

const FROM: &str = "anna@example.org";

fn mail(subject: &str) -> String {
    format!("From: {FROM}\r\nTo: postmaster@inboxd.localhost\r\nSubject: {subject}\r\n\r\nPlease stop it.\r\n")
}

async fn admin(server: &TestServer, arguments: &[&str]) -> String {
    let output = server.command(&[&["admin", "postmaster"][..], arguments].concat()).await;
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

async fn held_mail(server: &TestServer) -> Vec<String> {
    admin(server, &["list"]).await.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn mail_to_postmaster_without_inbox_is_stored_and_shown() {
    let server = options().start().await;
    let recipients = ["postmaster", "Abuse@inboxd.localhost", "abuse+x@signup.inboxd.localhost"];
    for (number, recipient) in recipients.iter().enumerate() {
        server.deliver(FROM, &[recipient], mail(&format!("complaint {number}"))).await.require_code(250, "2");
    }
    // A client that lost the reply sends the message again.
    server.deliver(FROM, &["postmaster"], mail("complaint 0")).await.require_code(250, "2");
    server.deliver(FROM, &["postmaster@other.example"], mail("elsewhere")).await.require_code(550, "5.1.1");
    server.deliver(FROM, &["sales@inboxd.localhost"], mail("elsewhere")).await.require_code(550, "5.1.1");
    let held = held_mail(&server).await;
    assert_eq!(held.len(), 3, "{held:?}");
    for (line, number) in held.iter().zip([2, 1, 0]) {
        assert!(line.contains("from <anna@example.org>") && line.contains(&format!("complaint {number}")), "{line}");
    }
    let id = held[2].split(' ').next().unwrap();
    assert_eq!(admin(&server, &["show", id]).await, mail("complaint 0"));
    let unknown = server.command(&["admin", "postmaster", "show", "00000000-0000-0000-0000-000000000000"]).await;
    assert!(!unknown.status.success());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("inboxd admin postmaster list"), "{unknown:?}");
}

#[tokio::test]
async fn subject_of_operator_mail_has_no_terminal_sequences() {
    let server = options().start().await;
    let subject = "=?utf-8?Q?red=1B[31m=0Aid?=";
    server.deliver(FROM, &["postmaster"], mail(subject)).await.require_code(250, "2");
    let held = held_mail(&server).await;
    assert!(held.len() == 1 && !held[0].contains('\u{1b}'), "{held:?}");
}

#[tokio::test]
async fn mail_for_missing_configured_inbox_is_stored() {
    let server = options().set("INBOXD_POSTMASTER", "desk@signup.inboxd.localhost").start().await;
    server.deliver(FROM, &["postmaster"], mail("early")).await.require_code(250, "2");
    assert_eq!(held_mail(&server).await.len(), 1);
}

#[tokio::test]
async fn large_mail_to_postmaster_is_truncated() {
    let server = options().start().await;
    let line = "0123456789".repeat(9) + "\r\n";
    let large = format!("{}{}", mail("large"), line.repeat(12_000));
    server.deliver(FROM, &["postmaster"], &large).await.require_code(250, "2");
    let held = held_mail(&server).await;
    assert!(held[0].contains(&large.len().to_string()), "{held:?}");
    let id = held[0].split(' ').next().unwrap();
    assert_eq!(admin(&server, &["show", id]).await, large[..1024 * 1024]);
}

#[tokio::test]
async fn mail_for_external_postmaster_is_forwarded_once_within_limit() {
    let relay = RelayServer::start().await;
    let server = options()
        .set("INBOXD_DELIVERY", "relay")
        .set("INBOXD_RELAY_URL", relay.url())
        .set("INBOXD_POSTMASTER", "ops@company.example")
        .start()
        .await;
    server.deliver(FROM, &["postmaster"], mail("complaint")).await.require_code(250, "2");
    let forwarded = relay.mail_about("complaint").await;
    assert_eq!(forwarded.to, ["ops@company.example"]);
    assert!(forwarded.from.ends_with("@inboxd.localhost") && forwarded.from != FROM, "{}", forwarded.from);
    assert!(forwarded.text().ends_with(&mail("complaint")), "{}", forwarded.text());
    assert_eq!(forwarded.headers("Received").len(), 1);
    // The external address leads back to this server.
    server.deliver(FROM, &["postmaster"], &forwarded.raw).await.require_code(250, "2");
    assert_eq!(held_mail(&server).await.len(), 2);
    // The limit of this hour is exhausted.
    let sql = "UPDATE mail_quotas SET hour_until = now() + interval '1 hour' WHERE subject = 'postmaster'";
    server.database().execute(sql).await;
    server.deliver(FROM, &["abuse@inboxd.localhost"], mail("too many")).await.require_code(250, "2");
    assert_eq!(held_mail(&server).await.len(), 3);
    server.database().execute("UPDATE mail_quotas SET hour_until = now() - interval '1 hour'").await;
    server.deliver(FROM, &["abuse@inboxd.localhost"], mail("last")).await.require_code(250, "2");
    relay.mail_about("last").await;
    let is_empty = async || {
        let rows = server.database().session().await.texts("SELECT 'x' AS text FROM outgoing").await;
        rows.is_empty().then_some(())
    };
    eventually("the queue is empty", is_empty).await;
    assert_eq!(relay.mails().len(), 2, "neither looping mail nor mail beyond the limit is forwarded");
}
