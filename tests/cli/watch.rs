//! `inboxd watch`

use inboxd_testkit::{Persona, WAIT_TIMEOUT};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout};
use tokio::time::timeout;

use super::program::{CliOutput, CliUser};
use crate::support::{mail_to, options, receive, server_and_agent};

/// A running `inboxd watch`.
struct RunningWatch {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl RunningWatch {
    fn start(user: &CliUser, arguments: &[&str]) -> Self {
        let mut child = user.inboxd(&[&["watch"][..], arguments].concat()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn line(&mut self) -> String {
        timeout(WAIT_TIMEOUT, self.lines.next_line()).await.unwrap().unwrap().unwrap()
    }

    async fn subject(&mut self) -> Value {
        serde_json::from_str::<Value>(&self.line().await).unwrap()["message"]["subject"].clone()
    }

    async fn end(self) -> CliOutput {
        CliOutput::from(timeout(WAIT_TIMEOUT, self.child.wait_with_output()).await.unwrap().unwrap())
    }
}

/// Returns the id of the newest event.
async fn newest_event(agent: &Persona) -> String {
    agent.get("/v0/events?limit=1").await.ok()["events"][0]["event_id"].as_str().unwrap().to_owned()
}

/// Returns a port that is free now, so that a server has the same address after its restart.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn feed_continues_after_a_restart_of_the_server() {
    let mut server = options().set("INBOXD_HTTP_ADDR", format!("127.0.0.1:{}", free_port())).start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let user = CliUser::acting_as(&server, &agent);
    receive(&server, &agent, &mail_to(&agent, "old")).await;
    let mut watch = RunningWatch::start(&user, &["--json", "--after", &newest_event(&agent).await]);
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    assert_eq!(watch.subject().await, "first");
    server.terminate().await;
    server.restart().await;
    // It arrives before the watch connects again.
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    assert_eq!(watch.subject().await, "second");
    watch.child.start_kill().unwrap();
}

#[tokio::test]
async fn events_are_lines_for_people() {
    let (server, agent) = server_and_agent().await;
    let user = CliUser::acting_as(&server, &agent);
    receive(&server, &agent, &mail_to(&agent, "old")).await;
    let after = newest_event(&agent).await;
    for subject in ["one", "two", "three"] {
        receive(&server, &agent, &mail_to(&agent, subject)).await;
    }
    let mut watch = RunningWatch::start(&user, &["--after", &after, "--count", "2", "--inbox", &agent.inbox_id]);
    let line = watch.line().await;
    assert!(line.contains("message.received") && line.contains("Alice <alice@outside.example>: one"), "{line}");
    assert!(watch.line().await.contains(": two"));
    let ended = watch.end().await;
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[tokio::test]
async fn refusals_end_the_watch() {
    let (server, agent) = server_and_agent().await;
    CliUser::at(&server).run(&["watch"]).await.failed(3);
    CliUser::acting_as(&server, &agent).run(&["watch", "--after", "evt_unknown"]).await.failed(4);
    CliUser::without_server().run(&["watch", "--url", "http://127.0.0.1:1"]).await.failed(5);

    let created = agent.post("/v0/api-keys", serde_json::json!({"name": "short"})).await.ok();
    let user = CliUser::at(&server).set("INBOXD_API_KEY", created["api_key"].as_str().unwrap());
    receive(&server, &agent, &mail_to(&agent, "first")).await;
    let oldest = newest_event(&agent).await;
    receive(&server, &agent, &mail_to(&agent, "second")).await;
    let mut watch = RunningWatch::start(&user, &["--after", &oldest]);
    assert!(watch.line().await.contains(": second"));
    agent.delete(&format!("/v0/api-keys/{}", created["api_key_id"].as_str().unwrap())).await;
    let ended = watch.end().await;
    assert_eq!(ended.code, 3, "{ended:?}");
}
