//! Trace contexts.

use inboxd_core::model::TraceContext;

const IDS: &str = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";

#[test]
fn valid_value_has_ids_and_passed_flags() {
    for (value, flags) in [
        (format!("00-{IDS}-01"), "01"),
        (format!("00-{IDS}-00"), "00"),
        (format!("00-{IDS}-ff"), "03"),
        (format!("cc-{IDS}-01-more"), "01"),
    ] {
        let context = TraceContext::parse(&value).unwrap();
        assert_eq!(context.ids(), IDS, "{value}");
        assert_eq!(context.to_string(), format!("00-{IDS}-{flags}"), "{value}");
    }
}

#[test]
fn invalid_value_is_ignored() {
    for value in [
        "",
        "00",
        &format!("ff-{IDS}-01"),
        &format!("00-{IDS}-01-more"),
        &format!("cc-{IDS}-01more"),
        &format!("00-{IDS}-1"),
        &format!("00-{}-01", IDS.to_uppercase()),
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736é00f067aa0ba902b7-01",
    ] {
        assert_eq!(TraceContext::parse(value), None, "{value}");
    }
}

#[test]
fn request_of_our_own_has_another_span_in_the_same_trace() {
    let context = TraceContext::parse(&format!("00-{IDS}-01")).unwrap();
    let own = context.with_span([0xab; 8]).to_string();
    assert_eq!(own, "00-4bf92f3577b34da6a3ce929d0e0e4736-abababababababab-01");
    assert_ne!(context.with_span([0; 8]).ids().split_once('-').unwrap().1, "0".repeat(16));
}
