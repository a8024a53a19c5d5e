//! What a running server writes on its two outputs.

use std::sync::{Arc, Mutex};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::patience::eventually;

/// The lines that a server wrote, of which those of its log are JSON.
#[derive(Debug, Clone, Default)]
pub struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Every line so far.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Every line of the log so far that is JSON.
    #[must_use]
    pub fn entries(&self) -> Vec<Value> {
        self.lines().iter().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Waits for an entry.
    pub async fn entry(&self, what: &str, matches: impl Fn(&Value) -> bool) -> Value {
        eventually(what, async || self.entries().into_iter().rev().find(|entry| matches(entry))).await
    }

    /// Waits for the newest code that was mailed to an address.
    pub async fn code_for(&self, email: &str) -> String {
        let is_code = |entry: &Value| entry["to"].as_str() == Some(email) && code_in(&entry["text"]).is_some();
        let entry = self.entry(&format!("a code for {email} in the log"), is_code).await;
        code_in(&entry["text"]).unwrap()
    }

    /// Reads everything that comes, so that the server never waits for its reader.
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

/// The six digits at the end of a text.
fn code_in(text: &Value) -> Option<String> {
    let word = text.as_str()?.split_whitespace().next_back()?;
    (word.len() == 6 && word.bytes().all(|c| c.is_ascii_digit())).then(|| word.to_owned())
}
