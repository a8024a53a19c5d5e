//! Trace context of a request (W3C Trace Context, section 3.2).

use std::fmt;

/// Target of the `tracing` spans that report work that has ended, with its duration, for an export of traces.
pub const SPAN_TARGET: &str = "inboxd::traces";

/// Bytes of a `traceparent` of version 00. Later versions may append fields.
const VALUE_BYTES: usize = 55;
/// Flags that are passed on: sampled, and that the trace id is random. Others are zero in requests of our own.
const PASSED_FLAGS: u8 = 0b11;
const SAMPLED: u8 = 0b1;

/// A span in a trace: that of a client, as named in `traceparent`, or one of the service in the same trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace_id: u128,
    span_id: u64,
    flags: u8,
}

impl TraceContext {
    /// Parses the value of a `traceparent`; `None` for an invalid one.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let mut parts = value.get(..VALUE_BYTES)?.split('-');
        let [version, trace, span, flags] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        let has_lengths = [version.len(), trace.len(), span.len(), flags.len()] == [2, 32, 16, 2];
        let is_known = version != "ff" && [version, trace, span, flags].into_iter().all(is_hex);
        let has_end = value.len() == VALUE_BYTES || version != "00" && value.as_bytes().get(VALUE_BYTES) == Some(&b'-');
        if !(has_lengths && is_known && has_end) {
            return None;
        }
        let trace_id = u128::from_str_radix(trace, 16).ok()?;
        let span_id = u64::from_str_radix(span, 16).ok()?;
        let flags = u8::from_str_radix(flags, 16).ok()?;
        (trace_id != 0 && span_id != 0).then_some(Self { trace_id, span_id, flags: flags & PASSED_FLAGS })
    }

    /// Returns a span of the service in the same trace. Its id is made of random bytes.
    #[must_use]
    pub fn with_span(self, random: [u8; 8]) -> Self {
        Self { span_id: u64::from_ne_bytes(random).max(1), ..self }
    }

    /// Returns the id of the trace.
    #[must_use]
    pub fn trace_id(self) -> u128 {
        self.trace_id
    }

    /// Returns the id of the span.
    #[must_use]
    pub fn span_id(self) -> u64 {
        self.span_id
    }

    /// Returns whether the client records the trace.
    #[must_use]
    pub fn is_sampled(self) -> bool {
        self.flags & SAMPLED != 0
    }

    /// Returns the ids of the trace and of the span, `<32 hex digits>-<16 hex digits>`.
    #[must_use]
    pub fn ids(self) -> String {
        let Self { trace_id, span_id, .. } = self;
        format!("{trace_id:032x}-{span_id:016x}")
    }
}

/// The value of a `traceparent`.
impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { trace_id, span_id, flags } = self;
        write!(f, "00-{trace_id:032x}-{span_id:016x}-{flags:02x}")
    }
}
