use inboxd_core::rules::oauth::clients::{require_code_flow, require_redirect_uris, shown_name};
use inboxd_core::rules::oauth::resources::{is_this_server, issuer_of};

#[test]
fn client_has_one_to_ten_redirect_uris() {
    let uris = |number: usize| vec!["https://example.org/cb".to_owned(); number];
    assert!(require_redirect_uris(&uris(1)).is_ok() && require_redirect_uris(&uris(10)).is_ok());
    assert!(require_redirect_uris(&uris(0)).is_err() && require_redirect_uris(&uris(11)).is_err());
    assert!(require_redirect_uris(&["https://example.org/cb".to_owned(), "javascript:x".to_owned()]).is_err());
}

#[test]
fn client_uses_code_flow() {
    let types = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert!(require_code_flow(None, None).is_ok());
    assert!(require_code_flow(Some(&types(&["authorization_code", "refresh_token"])), Some(&types(&["code"]))).is_ok());
    assert!(require_code_flow(Some(&types(&["client_credentials"])), None).is_err());
    assert!(require_code_flow(None, Some(&types(&["token"]))).is_err());
}

#[test]
fn shown_name_is_one_visible_line() {
    let uris = ["https://example.org/cb".to_owned()];
    let table = [
        (Some("Claude"), "Claude"),
        (Some("  a \n b\u{202e}c\u{200b} "), "a b c"),
        (Some("\u{200b}"), "example.org"),
        (None, "example.org"),
    ];
    for (name, expected) in table {
        assert_eq!(shown_name(name, &uris), expected, "{name:?}");
    }
    assert_eq!(shown_name(Some(&"x".repeat(200)), &uris).chars().count(), 80);
}

#[test]
fn resource_is_this_server_in_any_case_of_origin() {
    let issuer = "https://mail.example:8443";
    for resource in [
        "https://mail.example:8443",
        "https://mail.example:8443/",
        "HTTPS://Mail.Example:8443/mcp",
        "https://mail.example:8443/mcp/",
        "https://mail.example:8443/v0",
    ] {
        assert!(is_this_server(issuer, resource), "{resource}");
    }
    for resource in [
        "",
        "https://mail.example",
        "https://mail.example:84433/mcp",
        "https://mail.example:8443.evil.example/mcp",
        "https://mail.example:8443/MCP",
        "https://mail.example:8443/mcp?x",
        "https://mail.example:8443/other",
        "http://mail.example:8443/mcp",
        "https://mäil.example",
    ] {
        assert!(!is_this_server(issuer, resource), "{resource}");
    }
}

#[test]
fn issuer_is_base_url_without_path() {
    let table = [
        ("https://mail.example", Some("https://mail.example")),
        ("https://mail.example/", Some("https://mail.example")),
        ("http://127.0.0.1:8080", Some("http://127.0.0.1:8080")),
        ("https://mail.example/inboxd", None),
        ("https://", None),
    ];
    for (base_url, issuer) in table {
        assert_eq!(issuer_of(base_url).as_deref(), issuer, "{base_url}");
    }
}
