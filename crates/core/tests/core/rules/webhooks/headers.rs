use inboxd_core::rules::webhooks::headers::{
    HeaderChange, Headers, MAX_FIELDS, MAX_NAME_BYTES, MAX_TOTAL_BYTES, MAX_VALUE_BYTES, apply_change, validate_change,
    validate_fields,
};
use proptest::prelude::*;

fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn map(pairs: &[(&str, &str)]) -> Headers {
    fields(pairs).into_iter().collect()
}

fn paths_of(pairs: &[(&str, &str)]) -> Vec<String> {
    validate_fields(&fields(pairs)).into_iter().map(|problem| problem.path).collect()
}

#[test]
fn tokens_with_plain_values_are_valid() {
    for (name, value) in [
        ("Authorization", "Bearer abc"),
        ("X-Team", ""),
        ("x", "a b"),
        ("!#$%&'*+-.^_`|~09Az", "~"),
        (&*"n".repeat(MAX_NAME_BYTES), "v"),
        ("X", &*"v".repeat(MAX_VALUE_BYTES)),
        ("webhooks", "v"),
        ("contents", "v"),
    ] {
        assert_eq!(paths_of(&[(name, value)]), [""; 0], "{name}: {value}");
    }
}

#[test]
fn header_injection_is_refused() {
    for name in ["", "a b", "a:b", "a\r\nb", "é", "a/b", &"n".repeat(MAX_NAME_BYTES + 1)] {
        assert_eq!(paths_of(&[(name, "v")]).len(), 1, "{name}");
    }
    for value in ["a\r\nb", "a\tb", "a\0", "é", " a", "a ", "\u{7f}", &"v".repeat(MAX_VALUE_BYTES + 1)] {
        assert_eq!(paths_of(&[("X-A", value)]), ["headers.X-A"], "{value}");
    }
}

#[test]
fn reserved_names_are_refused_with_reason() {
    for name in [
        "Host",
        "content-length",
        "Content-Type",
        "webhook-id",
        "Webhook-Signature",
        "svix-id",
        "Traceparent",
        "tracestate",
        "SVIX-anything",
        "Connection",
        "keep-alive",
        "Transfer-Encoding",
        "User-Agent",
        "TE",
        "trailer",
        "upgrade",
        "expect",
        "proxy-authorization",
        "accept-encoding",
        "Date",
        "Via",
    ] {
        let found = validate_fields(&fields(&[(name, "v")]));
        assert!(matches!(&*found, [one] if one.message.contains("set by the service itself")), "{name}: {found:?}");
    }
}

#[test]
fn name_is_unique_in_any_letter_case() {
    assert_eq!(paths_of(&[("X-A", "1"), ("x-a", "2")]), ["headers.x-a"]);
}

#[test]
fn number_and_size_are_bounded() {
    let many: Vec<(String, String)> = (0..=MAX_FIELDS).map(|number| (format!("X-{number}"), "v".to_owned())).collect();
    assert_eq!(validate_fields(&many).len(), 1);
    assert_eq!(validate_fields(&many[1..]), []);
    let value = "v".repeat(MAX_TOTAL_BYTES / 2);
    assert_eq!(paths_of(&[("X-A", &value), ("X-B", &value)]), ["headers"]);
    assert_eq!(paths_of(&[("X-A", &value), ("X-B", &value[6..])]), [""; 0]);
}

#[test]
fn empty_and_contradicting_changes_are_refused() {
    let change = |set: &[(&str, &str)], remove: &[&str]| HeaderChange {
        set: fields(set),
        remove: remove.iter().map(|name| (*name).to_owned()).collect(),
    };
    for (change, expected) in [
        (change(&[], &[]), vec!["headers"]),
        (change(&[("X-A", "1")], &["X-B", "x-a"]), vec!["remove_headers[1]"]),
        (change(&[("Host", "1")], &["host"]), vec!["headers.Host", "remove_headers[0]"]),
        (change(&[("X-A", "1")], &["X-B"]), vec![]),
        (change(&[], &["anything at all"]), vec![]),
    ] {
        let paths: Vec<String> = validate_change(&change).into_iter().map(|problem| problem.path).collect();
        assert_eq!(paths, expected, "{change:?}");
    }
}

#[test]
fn fields_are_set_replaced_and_removed_in_any_letter_case() {
    let before = map(&[("X-A", "1"), ("X-B", "2"), ("X-C", "3")]);
    let change =
        HeaderChange { set: fields(&[("x-a", "9"), ("X-D", "4")]), remove: vec!["X-b".to_owned(), "X-E".to_owned()] };
    assert_eq!(apply_change(before, change), Ok(map(&[("x-a", "9"), ("X-C", "3"), ("X-D", "4")])));
}

#[test]
fn change_beyond_bounds_is_refused() {
    let before: Headers = (0..MAX_FIELDS).map(|number| (format!("X-{number}"), "v".to_owned())).collect();
    let one_more = HeaderChange { set: fields(&[("X-more", "v")]), remove: Vec::new() };
    assert_eq!(apply_change(before.clone(), one_more.clone()).unwrap_err().path, "headers");
    let in_its_place = HeaderChange { remove: vec!["x-0".to_owned()], ..one_more };
    assert_eq!(apply_change(before, in_its_place).unwrap().len(), MAX_FIELDS);
}

proptest! {
    /// Every accepted field fits on one line of a request head.
    #[test]
    fn accepted_field_is_one_line(name in ".{0,20}", value in ".{0,20}") {
        if validate_fields(&[(name.clone(), value.clone())]).is_empty() {
            let line = format!("{name}: {value}");
            prop_assert!(line.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            prop_assert_eq!(line.split_once(": "), Some((name.as_str(), value.as_str())));
        }
    }
}
