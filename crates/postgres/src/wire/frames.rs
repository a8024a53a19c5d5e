//! Message boundaries of the protocol: each message has a type, a length and a body (PostgreSQL, "Message Formats").

/// Bytes before the body of a message: its type, and its length without the type.
pub(super) const HEADER_BYTES: u8 = 5;
/// Bytes of the length itself, which counts them.
pub(super) const LENGTH_BYTES: usize = 4;
/// Message type of an error.
pub(super) const ERROR: u8 = b'E';
/// The type of the startup message, which has none.
pub(super) const STARTUP: u8 = 0;

/// Message boundaries of one direction.
#[derive(Default)]
pub(super) struct MessageFrames {
    kind: u8,
    /// Bytes of the header received so far.
    seen: u8,
    length: u32,
    /// Remaining bytes of the body.
    left: usize,
}

/// A part of one message.
pub(super) struct FrameSpan {
    pub(super) kind: u8,
    pub(super) bytes: usize,
    /// Whether the message ends with it.
    pub(super) is_end: bool,
}

impl MessageFrames {
    /// Returns boundaries that begin with the startup message.
    pub(super) fn at_startup() -> Self {
        Self { kind: STARTUP, seen: 1, ..Self::default() }
    }

    /// Returns the number of these bytes that belong to the current message. The last message ends with its last byte.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> FrameSpan {
        let mut used = 0;
        for byte in bytes.iter().take(usize::from(HEADER_BYTES - self.seen)) {
            if self.seen == 0 {
                self.kind = *byte;
            } else {
                self.length = self.length << 8 | u32::from(*byte);
            }
            self.seen += 1;
            used += 1;
            if self.seen == HEADER_BYTES {
                self.left = usize::try_from(self.length).unwrap_or(usize::MAX).saturating_sub(LENGTH_BYTES);
            }
        }
        let kind = self.kind;
        if self.seen < HEADER_BYTES {
            return FrameSpan { kind, bytes: used, is_end: false };
        }
        let body = self.left.min(bytes.len() - used);
        self.left -= body;
        let is_end = self.left == 0;
        if is_end {
            *self = Self::default();
        }
        FrameSpan { kind, bytes: used + body, is_end }
    }

    /// Returns whether the current message, whose next byte this is, is an error.
    pub(super) fn is_error(&self, next: u8) -> bool {
        (if self.seen == 0 { next } else { self.kind }) == ERROR
    }

    /// Returns the position at which an error begins or continues, and passes the ends of earlier messages to `ended`.
    pub(super) fn find_error(&mut self, mut bytes: &[u8], mut ended: impl FnMut(u8)) -> Option<usize> {
        let all = bytes.len();
        while let Some(first) = bytes.first() {
            if self.is_error(*first) {
                return Some(all - bytes.len());
            }
            let span = self.advance(bytes);
            if span.is_end {
                ended(span.kind);
            }
            bytes = bytes.get(span.bytes..).unwrap_or_default();
        }
        None
    }
}
