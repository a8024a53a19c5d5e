//! Server-Sent Events (HTML standard, section 9.2).

/// Limit of an unfinished event.
const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

/// Event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StreamEvent {
    /// Id to resume after.
    pub(crate) id: Option<String>,
    /// Kind; empty for a plain message.
    pub(crate) kind: String,
    pub(crate) data: String,
}

/// Reader of a stream.
#[derive(Debug, Default)]
pub(crate) struct EventReader {
    unread: Vec<u8>,
    event: StreamEvent,
}

impl EventReader {
    /// Reads further bytes and returns the events that they complete. Comments keep the connection alive and are
    /// skipped.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Vec<StreamEvent> {
        self.unread.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.unread.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                let event = std::mem::take(&mut self.event);
                events.extend((!event.data.is_empty()).then_some(event));
            } else {
                self.field(line);
            }
        }
        if self.unread.len() + self.event.data.len() > MAX_EVENT_BYTES {
            *self = Self::default();
        }
        events
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" => self.event.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.event.kind),
            "data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_from_any_parts() {
        let stream =
            b"retry: 1000\n\n: still here\n\nid: evt_1\ndata: {\"a\":\ndata: 1}\r\n\r\nevent: error\ndata: {}\n\n";
        let event = |id: Option<&str>, kind: &str, data: &str| StreamEvent {
            id: id.map(str::to_owned),
            kind: kind.to_owned(),
            data: data.to_owned(),
        };
        let expected = [event(Some("evt_1"), "", "{\"a\":\n1}"), event(None, "error", "{}")];
        for size in [1, 3, 7, stream.len()] {
            let mut reader = EventReader::default();
            let read: Vec<StreamEvent> = stream.chunks(size).flat_map(|part| reader.read(part)).collect();
            assert_eq!(read, expected, "in parts of {size}");
        }
    }
}
