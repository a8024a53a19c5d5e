use inboxd_core::rules::oauth::redirects::{RedirectKind, is_registered, kind_of, shown_host};
use proptest::prelude::*;

#[test]
fn permitted_redirect_uri_has_kind_and_shown_host() {
    let table = [
        ("https://claude.ai/api/mcp/auth_callback", RedirectKind::Https, "claude.ai"),
        ("https://Example.org:8443/cb?x=1", RedirectKind::Https, "example.org"),
        ("HTTPS://example.org", RedirectKind::Https, "example.org"),
        ("http://127.0.0.1/cb", RedirectKind::Loopback, "127.0.0.1"),
        ("http://localhost:49152/callback", RedirectKind::Loopback, "localhost"),
        ("http://[::1]:1/cb", RedirectKind::Loopback, "[::1]"),
        ("cursor://anysphere.cursor-mcp/oauth/callback", RedirectKind::PrivateScheme, "cursor:"),
        ("com.example.app:/oauth", RedirectKind::PrivateScheme, "com.example.app:"),
    ];
    for (uri, kind, host) in table {
        assert_eq!((kind_of(uri), shown_host(uri).as_str()), (Ok(kind), host), "{uri}");
    }
}

#[test]
fn unsafe_redirect_uri_is_refused() {
    let long = format!("https://example.org/{}", "a".repeat(2048));
    let table = [
        "",
        "callback",
        "/callback",
        "javascript:alert(1)",
        "JavaScript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "blob:https://example.org/1",
        "about:blank",
        "vbscript:x",
        "ws://example.org",
        "ms-msdt:/id",
        "MS-settings:x",
        "shell:x",
        "search:x",
        "search-ms:q",
        "smb://x",
        "ldap://x",
        "ldaps://x",
        "feed:javascript:alert(1)",
        "jar:https://example.org/a!/b",
        "res://x",
        "resource://x",
        "mk:x",
        "mhtml:x",
        "chrome://settings",
        "chrome-extension://x/cb",
        "microsoft-edge:https://evil.example",
        "googlechrome://evil.example",
        "zoommtg://join",
        "moz-extension://x/cb",
        "content://x",
        "tel:1",
        "sms:1",
        "ssh://x",
        "telnet://x",
        "itms-services://x",
        "x-javascript:x",
        "livescript:x",
        "mocha:x",
        "view-source:https://example.org",
        "http://localhost:+1/callback",
        "http://[::1]:+1/callback",
        "https://example.org:+443/",
        "http://example.org/cb",
        "http://127.0.0.1.example.org/cb",
        "http://localhost.example.org/cb",
        "http://127.0.0.1@example.org/cb",
        "https://user@example.org/cb",
        "https://user:pass@example.org/cb",
        "https://*.example.org/cb",
        "https://example.org/cb#fragment",
        "https://example.org/a b",
        "https://example.org\\@evil.example/",
        "https://example.org:99999/",
        "https://example.org:x/",
        "https:///cb",
        "https:example.org",
        "https://[::1/cb",
        "https://exämple.org/",
        "app:",
        "app://",
        "1app://x",
        &long,
    ];
    for uri in table {
        assert!(kind_of(uri).is_err(), "{uri}");
    }
}

#[test]
fn requested_redirect_uri_matches_exactly_but_for_loopback_port() {
    let registered: Vec<String> =
        ["https://example.org/cb", "http://localhost/callback", "http://127.0.0.1:3000/cb", "cursor://a/b"]
            .map(str::to_owned)
            .to_vec();
    for uri in [
        "https://example.org/cb",
        "http://localhost/callback",
        "http://localhost:51234/callback",
        "http://127.0.0.1:3000/cb",
        "http://127.0.0.1/cb",
        "cursor://a/b",
    ] {
        assert!(is_registered(&registered, uri), "{uri}");
    }
    for uri in [
        "https://example.org:443/cb",
        "https://example.org/cb/",
        "https://example.org/cb?x",
        "https://example.org/CB",
        "https://EXAMPLE.org/cb",
        "https://example.org/cb/../cb",
        "http://localhost:1/other",
        "http://127.0.0.1:51234/callback",
        "http://[::1]/callback",
        "http://localhost:1@evil.example/callback",
        "http://localhost:99999/callback",
        "cursor://a:1/b",
        "cursor://a/b/",
    ] {
        assert!(!is_registered(&registered, uri), "{uri}");
    }
}

proptest! {
    #[test]
    fn no_text_panics_and_only_registered_hosts_match(text in ".{0,80}", port in 0u16..) {
        let registered = ["https://example.org/cb".to_owned(), "http://localhost/cb".to_owned()];
        let matches = is_registered(&registered, &text);
        prop_assert!(!matches || text == registered[0] || text.starts_with("http://localhost"));
        let with_port = format!("http://localhost:{port}/cb");
        prop_assert!(is_registered(&registered, &with_port));
        let _ = shown_host(&text);
    }
}
