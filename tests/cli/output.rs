//! Output for people and for programs.

use inboxd_testkit::MailBuilder;

use super::program::CliUser;
use crate::support::{receive, receive_all, server_and_agent};

/// Subject and sender with escape, control and direction characters, encoded as mail encodes them (RFC 2047).
const HOSTILE_SUBJECT: &str = "=?utf-8?q?pay_=1B[2J=1B]0;owned=07_me_=C2=9B31m_=E2=80=AEgnp.exe?=";

#[tokio::test]
async fn texts_of_strangers_control_no_terminal() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new(
        "=?utf-8?q?Eve=1B[31m?= <eve@outside.example>",
        &agent.inbox_id,
        HOSTILE_SUBJECT,
        "body \u{1b}[5m\u{202e}",
    );
    receive(&server, &agent, &mail).await;
    let user = CliUser::acting_as(&server, &agent).set("NO_COLOR", "1").set("PAGER", "");
    let id = user.run(&["messages", "list", "--json"]).await.json()["message_id"].as_str().unwrap().to_owned();
    let thread = user.run(&["threads", "list", "--json"]).await.json()["thread_id"].as_str().unwrap().to_owned();
    let hostile = |text: &str| {
        let ordinary = |character: char| matches!(character, '\n' | '\r' | '\t');
        text.chars().any(|c| (c.is_control() && !ordinary(c)) || ('\u{202a}'..='\u{202e}').contains(&c))
    };
    for arguments in [
        vec!["messages", "list"],
        vec!["messages", "get", &id],
        vec!["messages", "get", &id, "--json"],
        vec!["messages", "raw", &id],
        vec!["threads", "list"],
        vec!["threads", "get", &thread],
        vec!["events", "list"],
        vec!["events", "list", "--json"],
        vec!["api", "GET", "/v0/threads"],
    ] {
        let shown = user.run_on_terminal(&arguments).await.ok();
        assert!(shown.contains("Eve"), "{arguments:?}: {shown}");
        assert!(!hostile(&shown), "{arguments:?}: {shown:?}");
    }
}

#[tokio::test]
async fn colors_are_shown_on_terminals_that_want_them() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent).set("PAGER", "");
    let on_terminal = user.run_on_terminal(&["inboxes"]).await.ok();
    assert!(on_terminal.contains("\u{1b}[1mINBOX"), "{on_terminal:?}");
    assert!(!user.run(&["inboxes"]).await.ok().contains('\u{1b}'));
    let plain = CliUser::acting_as(&server, &agent).set("PAGER", "").set("NO_COLOR", "1");
    let uncolored = plain.run_on_terminal(&["inboxes"]).await.ok();
    assert!(uncolored.contains("INBOX") && !uncolored.contains('\u{1b}'), "{uncolored:?}");
}

#[tokio::test]
async fn lists_are_lines_of_json_over_all_pages() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["one", "two", "three", "four", "five"]).await;
    let user = CliUser::acting_as(&server, &agent);
    let page = user.run(&["messages", "list", "--limit", "2", "--json"]).await;
    assert!(page.stderr.contains("--page-token"), "{page:?}");
    assert_eq!(page.json_lines().len(), 2);
    let all = user.run(&["messages", "list", "--limit", "2", "--all", "--json"]).await.json_lines();
    let subjects: Vec<&str> = all.iter().filter_map(|message| message["subject"].as_str()).collect();
    assert_eq!(subjects, ["five", "four", "three", "two", "one"]);
    let table = user.run(&["messages", "list", "--limit", "2", "--all"]).await.ok();
    assert_eq!(table.lines().count(), 6, "{table}");
    let oldest = user.run(&["messages", "list", "--ascending", "--limit", "1", "--json"]).await.json();
    assert_eq!(oldest["subject"], "one");
}

#[tokio::test]
async fn closed_output_is_no_failure() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    let line = format!("set -o pipefail; {} completions bash | head -n 1", env!("CARGO_BIN_EXE_inboxd"));
    let output = user.command("bash", &["-c", &line]).output().await.unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[tokio::test]
async fn any_request_can_be_sent() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    let fields = [
        "api",
        "post",
        "/v0/inboxes",
        "--field",
        "username=second",
        "-f",
        "metadata=x",
        "--body",
        r#"{"metadata": {"n": 1}}"#,
    ];
    let refused = user.run(&[&fields[..], &["--json"]].concat()).await.failed(1);
    assert!(refused.contains("metadata"), "a field replaces that of the body: {refused}");
    let body = ["api", "POST", "/v0/inboxes", "--body", r#"{"username": "second", "metadata": {"n": 1}}"#, "--json"];
    let made = user.run(&body).await.json();
    assert_eq!(made["metadata"]["n"], 1);
    let path = format!("/v0/inboxes/{}", made["inbox_id"].as_str().unwrap());
    assert_eq!(user.run(&["api", "DELETE", &path]).await.ok(), "done\n");
    assert_eq!(user.run(&["api", "GET", "/v0/inboxes?limit=10", "--json"]).await.json_lines().len(), 1);
    user.run(&["api", "GET", "https://elsewhere.example/"]).await.failed(2);
}
