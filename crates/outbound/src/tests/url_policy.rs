//! URL policy of webhooks.

use inboxd_core::ports::Destinations;

use crate::{AddressGuard, GuardedUrlPolicy};

fn strict() -> GuardedUrlPolicy {
    GuardedUrlPolicy::new(AddressGuard::default())
}

fn allowing(networks: &[&str]) -> GuardedUrlPolicy {
    GuardedUrlPolicy::new(AddressGuard::allowing(networks.iter().map(|network| network.parse().unwrap()).collect()))
}

#[tokio::test]
async fn public_http_url_is_accepted() {
    for url in
        ["https://1.1.1.1/hook", "http://8.8.8.8:8080/", "https://[2606:4700:4700::1111]/", "https://1.1.1.1/a?b=c#d"]
    {
        assert_eq!(strict().read(url), Ok(()), "{url}");
        assert_eq!(strict().check(url).await, Ok(()), "{url}");
    }
}

#[tokio::test]
async fn private_address_in_any_spelling_is_refused() {
    for url in [
        "http://127.0.0.1/",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://10.0.0.8:9000/hook",
        "http://192.168.1.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://0.0.0.0/",
    ] {
        let refused = strict().read(url).unwrap_err();
        assert!(refused.0.contains("not public") && refused.0.contains("INBOXD_OUTBOUND_ALLOW_CIDRS"), "{url}");
        assert_eq!(strict().check(url).await, Err(refused), "{url}");
    }
}

#[tokio::test]
async fn name_with_one_private_address_is_refused() {
    let url = "http://localhost:8080/hook";
    assert_eq!(strict().read(url), Ok(()), "the name is not resolved yet");
    assert!(strict().check(url).await.unwrap_err().0.contains("not public"));
    assert_eq!(allowing(&["127.0.0.0/8", "::1/128"]).check(url).await, Ok(()));
}

#[tokio::test]
async fn unknown_name_is_accepted() {
    assert_eq!(strict().check("https://hooks.example.invalid/inboxd").await, Ok(()));
}

#[tokio::test]
async fn allowed_private_network_is_accepted() {
    assert_eq!(allowing(&["10.1.0.0/16"]).check("http://10.1.2.3/").await, Ok(()));
    assert!(allowing(&["10.1.0.0/16"]).check("http://10.2.2.3/").await.is_err());
}

#[tokio::test]
async fn unusable_url_is_refused_with_reason() {
    let long = format!("https://example.org/{}", "a".repeat(8_192));
    for (url, word) in [
        ("", "absolute"),
        ("hooks.example.org", "absolute"),
        ("/hook", "absolute"),
        ("https://", "absolute"),
        ("https://exa mple.org/", "absolute"),
        (" https://example.org/", "absolute"),
        ("https://example.org/\n", "absolute"),
        ("https://exam\tple.org/", "absolute"),
        ("ftp://example.org/", "http"),
        ("file:///etc/passwd", "http"),
        ("javascript:alert(1)", "http"),
        ("https://user@example.org/", "headers"),
        ("https://user:word@example.org/", "headers"),
        (&*long, "shorter"),
    ] {
        let refused = strict().read(url).unwrap_err();
        assert!(refused.0.contains(word), "{url}: {refused}");
        assert_eq!(strict().check(url).await, Err(refused), "{url}");
    }
}
