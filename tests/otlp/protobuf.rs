//! Reader of the spans in an OTLP request (`opentelemetry/proto/collector/trace/v1`), of the fields that the test needs.

/// An exported span.
#[derive(Debug)]
pub(crate) struct ExportedSpan {
    pub(crate) trace_id: u128,
    pub(crate) span_id: u128,
    /// Zero for the first span of a trace.
    pub(crate) parent_id: u128,
    pub(crate) name: String,
}

/// Returns the spans of an `ExportTraceServiceRequest`.
pub(crate) fn exported_spans(request: &[u8]) -> Vec<ExportedSpan> {
    let resources = fields(request, 1);
    let scopes = resources.into_iter().flat_map(|resource| fields(resource, 2));
    let spans = scopes.flat_map(|scope| fields(scope, 2));
    spans
        .map(|span| {
            let only = |number| fields(span, number).pop().unwrap_or_default();
            let id = |number| only(number).iter().fold(0, |id, byte| (id << 8) | u128::from(*byte));
            ExportedSpan {
                trace_id: id(1),
                span_id: id(2),
                parent_id: id(4),
                name: String::from_utf8(only(5).to_vec()).unwrap(),
            }
        })
        .collect()
}

/// Returns the values of a field with bytes, a text or a message.
fn fields(message: &[u8], number: u64) -> Vec<&[u8]> {
    let mut rest = message;
    let mut values = Vec::new();
    while !rest.is_empty() {
        let key = varint(&mut rest);
        match key & 0b111 {
            0 => _ = varint(&mut rest),
            1 => rest = &rest[8..],
            2 => {
                let length = usize::try_from(varint(&mut rest)).unwrap();
                let (value, behind) = rest.split_at(length);
                rest = behind;
                if key >> 3 == number {
                    values.push(value);
                }
            }
            5 => rest = &rest[4..],
            other => panic!("field of wire type {other}"),
        }
    }
    values
}

fn varint(rest: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, behind) = rest.split_first().unwrap();
        *rest = behind;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}
