//! Exit codes.

use inboxd_testkit::FileServer;

use super::program::CliUser;
use crate::support::{options, server_and_agent};

#[tokio::test]
async fn failures_have_documented_exit_codes() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    for (code, arguments) in [
        (1, vec!["inboxes", "create", "--username", "not a username"]),
        (2, vec!["messages", "send", "--no-such-flag"]),
        (2, vec!["messages", "send", "--to", "jane@example.org", "--body", "{"]),
        (2, vec!["no-such-command"]),
        (4, vec!["messages", "get", "no-such-message"]),
        (4, vec!["messages", "wait", "--timeout", "0"]),
        (5, vec!["whoami", "--url", "http://127.0.0.1:1"]),
    ] {
        let said = user.run(&arguments).await.failed(code);
        assert!(said.contains("inboxd: ") || said.contains("error: "), "{arguments:?}: {said}");
    }
    CliUser::at(&server).run(&["inboxes"]).await.failed(3);
    let wrong = CliUser::at(&server).set("INBOXD_API_KEY", "am_wrong").run(&["inboxes"]).await.failed(3);
    assert!(wrong.contains("fix:"), "{wrong}");
}

#[tokio::test]
async fn too_many_requests_have_their_own_code() {
    let server = options().set("INBOXD_UNAUTHENTICATED_RATE", "1").start().await;
    let user = CliUser::at(&server);
    let mut codes = Vec::new();
    while !codes.contains(&6) && codes.len() < 20 {
        codes.push(user.run(&["agent", "sign-in", "--email", "a@example.org"]).await.code);
    }
    assert!(codes.contains(&0) && codes.contains(&6), "{codes:?}");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = FileServer::start("application/json", b"{}").await;
    let head = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", target.url());
    let server = FileServer::start_with_response(head.into_bytes()).await;
    let user = CliUser::without_server().set("INBOXD_API_KEY", "am_secret").set("INBOXD_URL", &server.url());
    let refused = user.run(&["whoami"]).await.failed(1);
    assert!(refused.contains(&target.url()) && refused.contains("--url"), "{refused}");
    assert_eq!((server.request_count(), target.request_count()), (1, 0));
}

#[tokio::test]
async fn unencrypted_networks_are_warned_of_and_missing_authorities_named() {
    let user = CliUser::without_server();
    let list = ["--url", "http://mail.example", "inboxes", "list", "--dry-run"];
    let shown = user.run(&list).await;
    assert_eq!(shown.stderr.matches("not encrypted").count(), 1, "{shown:?}");
    let local = user.run(&["inboxes", "list", "--dry-run"]).await;
    assert_eq!(local.stderr, "");
    let user = user.set("INBOXD_OUTBOUND_CA_FILE", "missing.pem");
    let refused = user.run(&["inboxes", "--url", "https://mail.example"]).await.failed(1);
    assert!(refused.contains("INBOXD_OUTBOUND_CA_FILE: missing.pem"), "{refused}");
}
