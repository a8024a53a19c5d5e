//! Tests of the metrics of the HTTP API.

use super::*;

/// Returns the number of series with lines that begin with a text.
fn series(registry: &Registry, start: &str) -> usize {
    let mut text = String::new();
    assert!(prometheus_client::encoding::text::encode(&mut text, registry).is_ok());
    text.lines().filter(|line| line.starts_with(start)).count()
}

#[test]
fn unknown_methods_and_paths_have_one_series() {
    let mut registry = Registry::default();
    let metrics = HttpMetrics::registered(&mut registry);
    let counts = |registry: &Registry| {
        (series(registry, "http_requests_total{"), series(registry, "http_request_duration_seconds_count"))
    };
    let (requests, durations) = counts(&registry);
    for number in 0..1000 {
        let method = Method::from_bytes(format!("M{number}").as_bytes()).unwrap_or_default();
        metrics.count_response(&method, None, StatusCode::NOT_FOUND, None, Duration::ZERO);
    }
    assert_eq!(counts(&registry), (requests + 1, durations + 1));
}

#[test]
fn limits_count_by_reason() {
    let metrics = HttpMetrics::default();
    let refusals =
        [ApiError::no_space(), ApiError::unavailable("away"), ApiError::too_many_running(1), ApiError::no_form()];
    for refusal in &refusals {
        metrics.count_call("tool", Some(refusal), Duration::ZERO);
    }
    let labels = LimitLabels { status: "503", reason: "disk_full" };
    assert_eq!(metrics.limits.get_or_create(&labels).get(), 1);
}
