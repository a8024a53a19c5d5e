//! Messages of a response that is an event stream.

use serde_json::Value;

/// Maximum size of an unfinished event.
const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

/// Reader of an event stream (HTML standard, section 9.2), which returns the messages in it.
#[derive(Debug, Default)]
pub(super) struct EventReader {
    unread: Vec<u8>,
    data: String,
}

impl EventReader {
    /// Reads further bytes and returns the messages that they complete, a line each.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Vec<String> {
        self.unread.extend_from_slice(bytes);
        let mut messages = Vec::new();
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                messages.extend(one_line(&std::mem::take(&mut self.data)));
            } else if let Some(data) = line.strip_prefix("data:") {
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            }
        }
        if self.unread.len() + self.data.len() > MAX_EVENT_BYTES {
            *self = Self::default();
        }
        messages
    }
}

/// Returns a message without line breaks; `None` for a text that is no JSON object.
fn one_line(json: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    value.is_object().then(|| value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_become_lines() {
        let mut reader = EventReader::default();
        assert!(reader.read(b": hello\nretry: 3000\n\nid: 1\nda").is_empty());
        assert_eq!(
            reader.read(b"ta: {\"a\":\ndata: 1}\r\n\r\ndata:{\"b\":2}\n\ndata: no\n\n"),
            ["{\"a\":1}", "{\"b\":2}"]
        );
    }
}
