//! Suspended organizations, paused inboxes, held queues and unsafe starts.

mod delete;
mod hold;
mod pause;
mod slow_relay;
mod starts;
mod suspend;

use inboxd_testkit::{Persona, TestServer, eventually};

/// Waits for a message with a subject in the first inbox of an agent.
async fn wait_for_message(agent: &Persona, subject: &str) {
    eventually(&format!("{subject} is there"), async || {
        agent.messages().await.into_iter().find(|message| message["subject"] == subject)
    })
    .await;
}

/// Runs a command of the built program, requires success and returns its output.
async fn admin(server: &TestServer, arguments: &[&str]) -> String {
    let output = server.command(&[&["admin"], arguments].concat()).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a command, requires failure and returns its one-line error.
async fn refused_command(server: &TestServer, arguments: &[&str]) -> String {
    let output = server.command(&[&["admin"], arguments].concat()).await;
    let line = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{arguments:?} succeeded");
    assert_eq!(line.lines().count(), 1, "{line}");
    line
}
