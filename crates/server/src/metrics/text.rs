//! Conversion of `OpenMetrics` text to the older text format of Prometheus, version 0.0.4.
//!
//! `promtool check metrics` and some agents read the older format only. Both formats have the same samples. In the older
//! one, HELP and TYPE have the name of the sample: `_total` of a counter, `_info` of an info, which is a gauge. There are
//! no units and no end.

use std::fmt::Write as _;

/// Content type of `OpenMetrics` text.
pub(super) const OPEN_METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Content type of the older text.
pub(super) const TEXT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Returns whether a client accepts `OpenMetrics` text.
pub(super) fn accepts_open_metrics(accept: Option<&str>) -> bool {
    accept.is_some_and(|accept| accept.contains("application/openmetrics-text"))
}

/// Returns a text in the older format.
pub(super) fn to_text_format(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    // The type decides about the name in HELP, which comes before.
    let mut help = None;
    for line in open_metrics.lines() {
        let Some(comment) = line.strip_prefix("# ") else {
            text.push_str(line);
            text.push('\n');
            continue;
        };
        if let Some(named) = comment.strip_prefix("HELP ") {
            help = named.split_once(' ').map(|(_, help)| help);
        } else if let Some((name, kind)) = comment.strip_prefix("TYPE ").and_then(|named| named.split_once(' ')) {
            let (end, kind) = match kind {
                "counter" => ("_total", "counter"),
                "info" => ("_info", "gauge"),
                "unknown" => ("", "untyped"),
                kind => ("", kind),
            };
            if let Some(help) = help.take() {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "# HELP {name}{end} {help}");
            }
            let _ = writeln!(text, "# TYPE {name}{end} {kind}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPEN_METRICS: &str = "\
# HELP a_seconds Time.
# TYPE a_seconds counter
# UNIT a_seconds seconds
a_seconds_total{x=\"# y\"} 1.0
# HELP b Version.
# TYPE b info
b_info{version=\"1\"} 1
# HELP c Size.
# TYPE c gauge
c 2
# EOF
";

    #[test]
    fn counters_and_infos_have_names_of_their_samples() {
        let expected = "\
# HELP a_seconds_total Time.
# TYPE a_seconds_total counter
a_seconds_total{x=\"# y\"} 1.0
# HELP b_info Version.
# TYPE b_info gauge
b_info{version=\"1\"} 1
# HELP c Size.
# TYPE c gauge
c 2
";
        assert_eq!(to_text_format(OPEN_METRICS), expected);
    }

    #[test]
    fn open_metrics_is_for_clients_that_name_it() {
        for (accept, expected) in [
            (None, false),
            (Some("*/*"), false),
            (Some("text/plain;version=0.0.4"), false),
            (Some("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"), true),
        ] {
            assert_eq!(accepts_open_metrics(accept), expected, "{accept:?}");
        }
    }
}
