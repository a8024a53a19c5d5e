#![expect(clippy::unwrap_used, reason = "a test may fail")]

use proptest::prelude::*;
use serde_json::json;
use time::macros::datetime;
use utoipa::IntoParams;

use super::formats::number;
use super::*;

query_params! {
    /// Parameters of a test.
    pub(crate) struct SampleParams {
        /// First line.
        /// Second line.
        r#type: Option<u32> = number(2..=9).with_default(3),
    }
}

#[test]
fn declared_parameter_is_read_and_described() {
    for (query, expected, problems) in [("type=9", Some(9), 0), ("type=10", None, 1), ("", None, 0)] {
        let mut query_of = QueryReader::of(query);
        let SampleParams { r#type: read } = SampleParams::read(&mut query_of);
        assert_eq!((read, query_of.problems.len()), (expected, problems), "{query}");
    }
    let described = serde_json::to_value(SampleParams::into_params(|| None)).unwrap();
    let schema = json!({ "type": "integer", "format": "int32", "default": 3, "maximum": 9, "minimum": 2 });
    let description = "First line.\nSecond line.";
    let expected =
        json!([{ "name": "type", "in": "query", "description": description, "required": false, "schema": schema }]);
    assert_eq!(described, expected);
}

#[test]
fn lists_in_every_form() {
    for (query, texts, words) in [
        ("a=x", vec!["x"], vec!["x"]),
        ("a=x&a=y", vec!["x", "y"], vec!["x", "y"]),
        ("a=%5B%22x%22%2C%20%22y%22%5D", vec!["x", "y"], vec!["x", "y"]),
        ("a=x,y", vec!["x,y"], vec!["x", "y"]),
        ("a=[]", vec![], vec![]),
        ("a=", vec![], vec![]),
        ("a=[x]", vec!["[x]"], vec!["[x]"]),
        ("a=[1]", vec!["[1]"], vec!["[1]"]),
        ("a=x+y", vec!["x y"], vec!["x y"]),
        ("b=x", vec![], vec![]),
        ("", vec![], vec![]),
    ] {
        assert_eq!(QueryReader::of(query).texts("a"), texts, "{query}");
        assert_eq!(QueryReader::of(query).words("a"), words, "{query}");
    }
}

#[test]
fn times_with_any_offset() {
    for (text, expected) in [
        ("2026-11-20T10:00:00Z", Some(datetime!(2026-11-20 10:00 UTC))),
        ("2026-11-20T12:00:00+02:00", Some(datetime!(2026-11-20 10:00 UTC))),
        ("2026-11-20T12:00:00 02:00", Some(datetime!(2026-11-20 10:00 UTC))),
        ("2026-11-20T05:00:00.25-05:00", Some(datetime!(2026-11-20 10:00:00.25 UTC))),
        ("9999-12-31T23:59:59-23:59", None),
        ("2026-11-20", None),
        ("2026-11-20T10:00:00", None),
        ("1763632800", None),
        ("", None),
    ] {
        assert_eq!(instant(text), expected, "{text}");
    }
}

#[test]
fn flags_and_limits() {
    for (query, expected, problems) in [
        ("a=true", true, 0),
        ("a=1", true, 0),
        ("a=True", true, 0),
        ("a=false", false, 0),
        ("a=0", false, 0),
        ("", false, 0),
        ("a=yes", false, 1),
        ("a=true&a=true", true, 1),
    ] {
        let mut query_of = QueryReader::of(query);
        assert_eq!((query_of.flag("a"), query_of.problems.len()), (expected, problems), "{query}");
    }
    for (query, expected, problems) in [
        ("", 50, 0),
        ("limit=1", 1, 0),
        ("limit=200", 200, 0),
        ("limit=201", 50, 1),
        ("limit=0", 50, 1),
        ("limit=-1", 50, 1),
        ("limit=1.5", 50, 1),
        ("limit=", 50, 1),
        ("limit=99999999999999999999", 50, 1),
    ] {
        let mut query_of = QueryReader::of(query);
        assert_eq!((query_of.limit("limit"), query_of.problems.len()), (expected, problems), "{query}");
    }
}

#[test]
fn words_of_a_closed_vocabulary() {
    for (query, expected, problems) in [
        ("a=x", Some("x"), 0),
        ("", None, 0),
        ("a=", None, 1),
        ("a=X", None, 1),
        ("a=z", None, 1),
        ("a=x&a=x", Some("x"), 1),
    ] {
        let mut query_of = QueryReader::of(query);
        assert_eq!((query_of.word("a", &["x", "y"]), query_of.problems.len()), (expected, problems), "{query}");
    }
}

#[test]
fn numbers_within_their_range() {
    for (query, expected, problems) in [
        ("a=2", Some(2), 0),
        ("a=9", Some(9), 0),
        ("", None, 0),
        ("a=1", None, 1),
        ("a=10", None, 1),
        ("a=-2", None, 1),
        ("a=2.5", None, 1),
        ("a=", None, 1),
        ("a=2&a=2", Some(2), 1),
    ] {
        let mut query_of = QueryReader::of(query);
        assert_eq!((query_of.number("a", 2..=9), query_of.problems.len()), (expected, problems), "{query}");
    }
}

#[test]
fn everything_is_bounded() {
    let mut query = QueryReader::of(&"a=x&".repeat(101));
    assert_eq!((query.texts("a").len(), query.problems.len()), (0, 1));
    let mut query = QueryReader::of(&format!("a={}", "x".repeat(1001)));
    assert_eq!((query.text("a"), query.problems.len()), (None, 1));
}

proptest! {
    #[test]
    fn arbitrary_query_is_read_or_refused(query in ".{0,80}") {
        let mut query = QueryReader::of(&query);
        let _ = (query.text("a"), query.texts("b"), query.words("c"), query.flag("d"), query.time("e"), query.limit("limit"));
    }
}
