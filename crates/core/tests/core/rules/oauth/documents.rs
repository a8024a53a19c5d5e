use inboxd_core::Error;
use inboxd_core::model::{ClientAuthMethod, ClientSource};
use inboxd_core::rules::oauth::documents::{is_document_url, read};
use inboxd_core::testing::fixtures::NOW;
use time::Duration;

const URL: &str = "https://app.example/oauth/client.json";

#[test]
fn url_of_document_is_https_with_path() {
    for url in [URL, "https://app.example/x?v=1", "https://app.example:8443/a/b"] {
        assert!(is_document_url(url), "{url}");
    }
    let long = format!("https://app.example/{}", "a".repeat(2048));
    for url in [
        "http://app.example/client.json",
        "https://app.example",
        "https://app.example/",
        "https://app.example/?x",
        "https://user@app.example/c",
        "https://app.example/c#f",
        "https://app.example/../c",
        "https://app.example/a/./c",
        "https://app.example/%2E%2e/c",
        "https://app.example/ c",
        "https:///c",
        "client_0123",
        &long,
    ] {
        assert!(!is_document_url(url), "{url}");
    }
}

fn document(changes: &[(&str, &str)]) -> String {
    let mut fields: std::collections::BTreeMap<&str, String> = [
        ("client_id", format!("{URL:?}")),
        ("client_name", "\"App\"".to_owned()),
        ("redirect_uris", "[\"https://app.example/cb\"]".to_owned()),
    ]
    .into();
    for (name, value) in changes {
        fields.insert(name, (*value).to_owned());
    }
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name:?}: {value}")).collect();
    format!("{{{}}}", fields.join(", "))
}

#[test]
fn valid_document_describes_public_client() {
    for changes in [
        &[][..],
        &[("token_endpoint_auth_method", "\"none\"")],
        &[
            ("token_endpoint_auth_method", "\"private_key_jwt\""),
            ("token_endpoint_auth_methods_supported", "[\"private_key_jwt\", \"none\"]"),
        ],
        &[("grant_types", "[\"authorization_code\", \"refresh_token\"]"), ("unknown", "1")],
    ] {
        let client =
            read(URL, document(changes).as_bytes(), Some("application/json; charset=utf-8"), None, NOW).unwrap();
        assert_eq!((client.client_id.as_str(), client.name.as_str()), (URL, "App"));
        assert_eq!((client.source, client.auth_method), (ClientSource::Document, ClientAuthMethod::None));
    }
}

#[test]
fn unusable_document_is_refused_with_reason() {
    let table = [
        (&[("client_id", "\"https://app.example/other\"")][..], "client_id is not its URL"),
        (&[("client_name", "\" \"")], "client_name is empty"),
        (&[("redirect_uris", "[]")], "redirect_uris holds"),
        (&[("redirect_uris", "[\"https://app.example/cb\", \"http://evil.example/\"]")], "redirect_uris(1)"),
        (&[("redirect_uris", "1")], "lacks"),
        (&[("token_endpoint_auth_method", "\"client_secret_post\"")], "method none"),
        (&[("client_secret", "\"s\"")], "method none"),
        (&[("grant_types", "[\"implicit\"]")], "authorization_code"),
    ];
    for (changes, reason) in table {
        match read(URL, document(changes).as_bytes(), Some("application/json"), None, NOW) {
            Err(Error::OAuth(error)) => {
                let said = error.description.replace('[', "(").replace(']', ")");
                assert!(said.contains(reason), "{said}");
            }
            other => panic!("{other:?}"),
        }
    }
    for kind in [None, Some("text/html"), Some("text/json")] {
        assert!(read(URL, document(&[]).as_bytes(), kind, None, NOW).is_err(), "{kind:?}");
    }
}

#[test]
fn cache_time_follows_field_within_bounds() {
    let table = [
        (None, 5),
        (Some("no-store"), 5),
        (Some("max-age=0"), 5),
        (Some("public, max-age=3600"), 60),
        (Some("max-age=\"600\""), 10),
        (Some("max-age=9999999"), 24 * 60),
        (Some("max-age=x"), 5),
        (Some("no-cache, max-age=3600"), 5),
    ];
    for (field, minutes) in table {
        let client = read(URL, document(&[]).as_bytes(), Some("application/json"), field, NOW).unwrap();
        assert_eq!(client.cached_until, Some(NOW + Duration::minutes(minutes)), "{field:?}");
    }
}
