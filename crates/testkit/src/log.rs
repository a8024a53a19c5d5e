//! Output of a running server.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::wait::eventually;

/// Captured lines of a server; the lines of its log are JSON.
#[derive(Debug, Clone, Default)]
pub struct ServerLog(Arc<Mutex<Vec<String>>>);

impl ServerLog {
    /// Returns all lines so far.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Returns all JSON lines so far.
    #[must_use]
    pub fn entries(&self) -> Vec<Value> {
        self.lines().iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Waits for a log entry, and returns the newest one. Each line is parsed and matched once.
    pub async fn entry(&self, condition: &str, matches: impl Fn(&Value) -> bool) -> Value {
        let mut seen = 0;
        eventually(condition, async || {
            let lines = self.0.lock().unwrap()[seen..].to_vec();
            seen += lines.len();
            let mut entries = lines.iter().rev().filter_map(|line| serde_json::from_str(line).ok());
            entries.find(|entry| matches(entry))
        })
        .await
    }

    /// Waits for the latest code that was mailed to an address.
    pub async fn code_for(&self, email: &str) -> String {
        let is_code = |entry: &Value| entry["to"].as_str() == Some(email) && code_in(&entry["text"]).is_some();
        let entry = self.entry(&format!("a code for {email} in the log"), is_code).await;
        code_in(&entry["text"]).unwrap()
    }

    /// Reads the output continuously, so that the server never blocks on a full pipe.
    pub(crate) fn follow(&self, output: impl AsyncRead + Unpin + Send + 'static) -> tokio::task::JoinHandle<()> {
        let log = self.clone();
        tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                log.0.lock().unwrap().push(line);
            }
        })
    }
}

/// Returns the six digits at the end of a text.
fn code_in(text: &Value) -> Option<String> {
    let word = text.as_str()?.split_whitespace().next_back()?;
    (word.len() == 6 && word.bytes().all(|c| c.is_ascii_digit())).then(|| word.to_owned())
}
