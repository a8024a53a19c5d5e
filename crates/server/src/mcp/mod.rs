//! `inboxd mcp`: the MCP server of a running inboxd, over standard input and output.
//!
//! It is a thin client of `POST /mcp` for programs that start their tools instead of calling a URL. Each line of input is a
//! JSON-RPC message, sent as a request of its own; each message of a response becomes a line of output.

mod client;
mod events;
mod message;

use std::collections::HashMap;
use std::io::{BufRead, Write, stdin, stdout};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use self::client::McpClient;
use self::message::ClientMessage;
use crate::failure::{ErrorContext, Failure};

/// Environment variable with the key.
const API_KEY: &str = "INBOXD_API_KEY";
/// Number of output lines that wait for a client that does not read.
const MAX_WAITING_LINES: usize = 64;

/// Passes messages between the standard streams and a server until the input ends.
///
/// # Errors
/// When there is no key, the URL is unusable, or the streams fail.
pub(crate) async fn serve(url: &str, api_key: Option<String>) -> Result<(), Failure> {
    let key = api_key.or_else(|| std::env::var(API_KEY).ok()).filter(|key| !key.trim().is_empty());
    let key = key.ok_or_else(|| {
        Failure::new(format!("no API key: run `inboxd login --url {url}`, set {API_KEY}, or pass --api-key"))
    })?;
    let client = Arc::new(McpClient::new(url, key.trim())?);
    let (entered, input) = mpsc::channel(MAX_WAITING_LINES);
    let (output, written) = mpsc::channel(MAX_WAITING_LINES);
    // The standard streams block, so each has a thread.
    std::thread::spawn(move || read_lines(&entered));
    let writing = tokio::task::spawn_blocking(move || write_lines(written));
    pass(&client, input, output).await;
    let written = writing.await.context("standard output")?;
    written.context("standard output cannot be written")
}

/// Reads lines until the input ends.
fn read_lines(lines: &mpsc::Sender<String>) {
    for line in stdin().lock().lines() {
        let Ok(line) = line else { return };
        if !line.trim().is_empty() && lines.blocking_send(line).is_err() {
            return;
        }
    }
}

fn write_lines(mut lines: mpsc::Receiver<String>) -> std::io::Result<()> {
    while let Some(line) = lines.blocking_recv() {
        let mut output = stdout().lock();
        writeln!(output, "{line}")?;
        output.flush()?;
    }
    Ok(())
}

/// Sends each line in a task of its own, and waits for all of them at the end of the input.
async fn pass(client: &Arc<McpClient>, mut input: mpsc::Receiver<String>, output: mpsc::Sender<String>) {
    let mut running = JoinSet::new();
    let mut cancellable: HashMap<String, AbortHandle> = HashMap::new();
    while let Some(line) = input.recv().await {
        let message = match ClientMessage::parse(line) {
            Ok(message) => message,
            Err(refusal) => {
                // A closed output ends the program when its writer is joined.
                let _ = output.send(refusal).await;
                continue;
            }
        };
        if let Some(id) = message.cancelled_id() {
            // Without a connection the server stops the request.
            cancellable.remove(&id).into_iter().for_each(|request| request.abort());
            continue;
        }
        let id = message.id();
        let (client, output, is_first) = (Arc::clone(client), output.clone(), message.is_initialize());
        let request = running.spawn(async move { client.send(message, &output).await });
        if is_first {
            // Its response decides the revision of the messages behind it.
            let _ = running.join_next().await;
        }
        cancellable.retain(|_, request| !request.is_finished());
        cancellable.extend(id.map(|id| (id, request)));
        while running.try_join_next().is_some() {}
    }
    drop(output);
    while running.join_next().await.is_some() {}
}
