use inboxd_core::rules::webhooks::headers::{
    HeaderChange, Headers, LARGEST, LONGEST_NAME, LONGEST_VALUE, MOST, changed, problems, problems_of_change,
};
use proptest::prelude::*;

fn fields(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn map(pairs: &[(&str, &str)]) -> Headers {
    fields(pairs).into_iter().collect()
}

fn paths_of(pairs: &[(&str, &str)]) -> Vec<String> {
    problems(&fields(pairs)).into_iter().map(|problem| problem.path).collect()
}

#[test]
fn tokens_with_plain_values_are_sent_along() {
    for (name, value) in [
        ("Authorization", "Bearer abc"),
        ("X-Team", ""),
        ("x", "a b"),
        ("!#$%&'*+-.^_`|~09Az", "~"),
        (&*"n".repeat(LONGEST_NAME), "v"),
        ("X", &*"v".repeat(LONGEST_VALUE)),
        ("webhooks", "v"),
        ("contents", "v"),
    ] {
        assert_eq!(paths_of(&[(name, value)]), [""; 0], "{name}: {value}");
    }
}

#[test]
fn what_would_be_another_request_is_refused() {
    for name in ["", "a b", "a:b", "a\r\nb", "é", "a/b", &"n".repeat(LONGEST_NAME + 1)] {
        assert_eq!(paths_of(&[(name, "v")]).len(), 1, "{name}");
    }
    for value in ["a\r\nb", "a\tb", "a\0", "é", " a", "a ", "\u{7f}", &"v".repeat(LONGEST_VALUE + 1)] {
        assert_eq!(paths_of(&[("X-A", value)]), ["headers.X-A"], "{value}");
    }
}

#[test]
fn names_that_the_service_sets_are_refused_with_the_reason() {
    for name in [
        "Host",
        "content-length",
        "Content-Type",
        "webhook-id",
        "Webhook-Signature",
        "svix-id",
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
        let found = problems(&fields(&[(name, "v")]));
        assert!(matches!(&*found, [one] if one.message.contains("set by the service itself")), "{name}: {found:?}");
    }
}

#[test]
fn a_name_stands_once_whatever_its_letter_case() {
    assert_eq!(paths_of(&[("X-A", "1"), ("x-a", "2")]), ["headers.x-a"]);
}

#[test]
fn number_and_size_are_bounded() {
    let many: Vec<(String, String)> = (0..=MOST).map(|number| (format!("X-{number}"), "v".to_owned())).collect();
    assert_eq!(problems(&many).len(), 1);
    assert_eq!(problems(&many[1..]), []);
    let value = "v".repeat(LARGEST / 2);
    assert_eq!(paths_of(&[("X-A", &value), ("X-B", &value)]), ["headers"]);
    assert_eq!(paths_of(&[("X-A", &value), ("X-B", &value[6..])]), [""; 0]);
}

#[test]
fn a_change_names_something_and_contradicts_itself_nowhere() {
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
        let paths: Vec<String> = problems_of_change(&change).into_iter().map(|problem| problem.path).collect();
        assert_eq!(paths, expected, "{change:?}");
    }
}

#[test]
fn fields_are_set_replaced_and_removed_whatever_their_letter_case() {
    let before = map(&[("X-A", "1"), ("X-B", "2"), ("X-C", "3")]);
    let change =
        HeaderChange { set: fields(&[("x-a", "9"), ("X-D", "4")]), remove: vec!["X-b".to_owned(), "X-E".to_owned()] };
    assert_eq!(changed(before, change), Ok(map(&[("x-a", "9"), ("X-C", "3"), ("X-D", "4")])));
}

#[test]
fn a_change_cannot_grow_past_the_bounds() {
    let before: Headers = (0..MOST).map(|number| (format!("X-{number}"), "v".to_owned())).collect();
    let one_more = HeaderChange { set: fields(&[("X-more", "v")]), remove: Vec::new() };
    assert_eq!(changed(before.clone(), one_more.clone()).unwrap_err().path, "headers");
    let in_its_place = HeaderChange { remove: vec!["x-0".to_owned()], ..one_more };
    assert_eq!(changed(before, in_its_place).unwrap().len(), MOST);
}

proptest! {
    /// Whatever a caller sends, what is let pass can stand in a request as one line of its head.
    #[test]
    fn what_passes_is_one_line(name in ".{0,20}", value in ".{0,20}") {
        if problems(&[(name.clone(), value.clone())]).is_empty() {
            let line = format!("{name}: {value}");
            prop_assert!(line.bytes().all(|octet| (b' '..=b'~').contains(&octet)));
            prop_assert_eq!(line.split_once(": "), Some((name.as_str(), value.as_str())));
        }
    }
}
