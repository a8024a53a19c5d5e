#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use inboxd_core::app::{AttachmentSource, Letter};
use inboxd_core::model::MetadataValue;
use proptest::prelude::*;

use super::*;

fn parsed<T: BodyRequest>(bytes: &[u8]) -> Result<T, Error> {
    parse::<T>(bytes)?.whole()
}

fn letter(json: &str) -> Letter {
    parsed::<SendRequest>(json.as_bytes()).unwrap().into()
}

fn addresses(json: &str) -> Vec<String> {
    letter(json).to.iter().map(ToString::to_string).collect()
}

#[test]
fn one_or_many() {
    for (json, expected) in [
        ("", vec![]),
        (" \n", vec![]),
        ("null", vec![]),
        ("{}", vec![]),
        (r#"{"to": null}"#, vec![]),
        (r#"{"to": []}"#, vec![]),
        (r#"{"to": "a@b.example"}"#, vec!["a@b.example"]),
        (r#"{"to": ["a@b.example", "Anna <c@d.example>"]}"#, vec!["a@b.example", "Anna <c@d.example>"]),
        (r#"{"to": "x@b.example", "to": "a@b.example"}"#, vec!["a@b.example"]),
        (r#"{"to": "a@b.example", "colour": {"x": [1]}}"#, vec!["a@b.example"]),
    ] {
        assert_eq!(addresses(json), expected, "{json}");
    }
}

#[test]
fn unsupported_field_is_refused_unless_harmless() {
    for (json, is_accepted) in [
        (r#"{"track_opens": false}"#, true),
        (r#"{"track_opens": null}"#, true),
        (r#"{"track_opens": true}"#, false),
        (r#"{"track_opens": 0}"#, false),
        (r#"{"track_opens": [false]}"#, false),
    ] {
        let read = parsed::<SendRequest>(json.as_bytes());
        assert_eq!(read.is_ok(), is_accepted, "{json}");
    }
}

#[test]
fn ignored_fields_are_named_with_their_paths() {
    let json = br#"{"colour": 1, "attachments": [{"content": "aGk=", "x y": 1}], "text": "hi"}"#;
    let mut read = parse::<SendRequest>(json).unwrap();
    assert_eq!(read.take_ignored(), ["colour", "attachments[0].x?y"]);
}

#[test]
fn base64_in_all_its_forms() {
    for (content, expected) in [
        ("aGk/Pz8+", &b"hi???>"[..]),
        ("aGk_Pz8-", b"hi???>"),
        ("aGk=", b"hi"),
        ("aGk", b"hi"),
        ("aG\\r\\nk=", b"hi"),
        ("", b""),
    ] {
        let json = format!(r#"{{"attachments": [{{"content": "{content}"}}]}}"#);
        let letter = letter(&json);
        let AttachmentSource::Content(bytes) = &letter.attachments.first().unwrap().source else { unreachable!() };
        assert_eq!(bytes, expected, "{content}");
    }
    for content in ["a", "aGk/-", "äää", "aGk=aGk="] {
        let json = format!(r#"{{"attachments": [{{"content": "{content}"}}]}}"#);
        assert!(parsed::<SendRequest>(json.as_bytes()).is_err(), "{content}");
    }
}

request! {
    /// Every other kind of field.
    pub(crate) struct Sample {
        /// Takes null.
        #[schema(value_type = Option<String>)]
        name: Nullable<String>,
        /// Pairs.
        #[schema(value_type = Option<MetadataChanges>)]
        metadata: Nullable<MetadataChanges>,
        /// A map.
        permissions: Option<PermissionMap>,
        /// A time.
        expires_at: Option<Timestamp>,
    }
}

#[test]
fn null_means_something_where_it_says_so() {
    let sample = parsed::<Sample>(b"{}").unwrap();
    assert_eq!((sample.name, sample.metadata), (Nullable::Absent, Nullable::Absent));
    let sample =
        parsed::<Sample>(br#"{"name": null, "metadata": null, "permissions": null, "expires_at": null}"#).unwrap();
    assert_eq!((sample.name, sample.metadata), (Nullable::Null, Nullable::Null));
    assert_eq!((sample.permissions, sample.expires_at), (None, None));
    let sample = parsed::<Sample>(br#"{"name": "x", "metadata": {"a": null, "b": 1}}"#).unwrap();
    assert_eq!(sample.name, Nullable::Value("x".to_owned()));
    let pairs = [("a".to_owned(), None), ("b".to_owned(), Some(MetadataValue::Number(1.into())))];
    assert_eq!(sample.metadata, Nullable::Value(MetadataChanges(pairs.into())));
}

#[test]
fn maps_name_their_bad_values() {
    let json =
        br#"{"metadata": {"a": []}, "permissions": {"x": true, "y": 1, "z": null}, "expires_at": "soon", "name": 1}"#;
    let Err(Error::Invalid(errors)) = parsed::<Sample>(json) else { unreachable!() };
    let paths: Vec<&str> = errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(paths, ["name", "metadata.a", "permissions.y", "expires_at"]);
}

#[test]
fn problems_are_bounded() {
    let json = format!(r#"{{"to": [{}]}}"#, vec!["1"; 5000].join(","));
    let Err(Error::Invalid(errors)) = parsed::<SendRequest>(json.as_bytes()) else { unreachable!() };
    assert_eq!(errors.len(), MAX_PROBLEMS);
}

/// Any JSON, not too large.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,8}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn arbitrary_body_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = parsed::<SendRequest>(&bytes);
    }

    #[test]
    fn a_field_of_any_shape_is_read_or_named(name in prop::sample::select(vec![
        "to", "cc", "bcc", "reply_to", "subject", "text", "html", "attachments", "headers", "labels",
    ]), value in any_json()) {
        let object: Map<String, Value> = [(name.to_owned(), value)].into_iter().collect();
        if let Err(error) = parsed::<SendRequest>(&serde_json::to_vec(&object).unwrap()) {
            let Error::Invalid(errors) = error else { unreachable!() };
            prop_assert!(!errors.is_empty());
            for error in errors {
                prop_assert!(error.path.starts_with(name), "{}", error.path);
            }
        }
    }
}
