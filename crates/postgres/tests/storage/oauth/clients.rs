//! Clients: registration, bound and documents.

use inboxd_core::app::oauth::{FoundClient, fetch_client, find_client};
use inboxd_core::model::{ClientAuthMethod, ClientSource};
use inboxd_core::ports::OauthClientReads;
use inboxd_core::testing::StubFetch;

use super::*;

#[tokio::test]
async fn registered_client_is_found_and_unknown_one_is_refused() {
    let flow = flow().await;
    let found = find_client(&flow.app, &flow.client.client_id).await.unwrap();
    assert_eq!(found, FoundClient::Known(flow.client.clone()));
    let unknown = find_client(&flow.app, "client_\0").await;
    assert!(matches!(unknown, Err(Error::OAuth(error)) if error.code == OAuthErrorCode::InvalidClient));
}

#[tokio::test]
async fn secret_of_confidential_client_is_required() {
    let flow = flow().await;
    let request = RegisterClient { redirect_uris: vec![REDIRECT.to_owned()], ..RegisterClient::default() };
    let registered = register_client(&flow.app, request).await.unwrap();
    assert_eq!(registered.client.auth_method, ClientAuthMethod::Basic);
    let client_id = registered.client.client_id;
    for (secret, expected) in [
        (None, OAuthErrorCode::InvalidClient),
        (Some("wrong".to_owned()), OAuthErrorCode::InvalidClient),
        (registered.secret, OAuthErrorCode::InvalidGrant),
    ] {
        let credentials = ClientCredentials { client_id: client_id.clone(), secret };
        let request = Refresh { refresh_token: "rt_none".to_owned(), scope: None, resource: None };
        assert_eq!(code_of(refresh(&flow.app, &credentials, request).await), expected);
    }
}

#[tokio::test]
async fn unused_clients_are_bounded_and_forgotten() {
    let mut flow = flow().await;
    let mut limits = flow.app.settings.limits.get();
    limits.rows.unused_clients = 2;
    flow.app.settings.limits.replace(limits);
    flow.tokens().await;
    let request = RegisterClient { redirect_uris: vec![REDIRECT.to_owned()], ..RegisterClient::default() };
    let mut made = Vec::new();
    for _ in 0..3 {
        flow.clock.advance(Duration::minutes(1));
        made.push(register_client(&flow.app, request.clone()).await.unwrap().client.client_id);
    }
    // A document has a bound of its own.
    let url = "https://app.example/client.json";
    let document = format!(r#"{{"client_id": "{url}", "client_name": "App", "redirect_uris": ["{REDIRECT}"]}}"#);
    flow.app.client_documents = Arc::new(StubFetch::default().with(url, document.as_bytes(), Some("application/json")));
    fetch_client(&flow.app, url, &flow.session).await.unwrap();
    for (client_id, is_there) in
        [(&flow.client.client_id, true), (&made[0], false), (&made[1], true), (&made[2], true), (&url.to_owned(), true)]
    {
        assert_eq!(flow.world.store.oauth_client(client_id).await.unwrap().is_some(), is_there, "{client_id}");
    }
    flow.clock.advance(Duration::days(31));
    inboxd_core::app::oauth::purge_oauth(&flow.app).await.unwrap();
    flow.assert_rows("oauth_clients", 1).await;
}

#[tokio::test]
async fn fetched_document_is_cached_and_counted_for_person() {
    let mut flow = flow().await;
    let url = "https://app.example/client.json";
    let document = format!(r#"{{"client_id": "{url}", "client_name": "App", "redirect_uris": ["{REDIRECT}"]}}"#);
    let kind = Some("application/json");
    flow.app.client_documents = Arc::new(StubFetch::default().with(url, document.as_bytes(), kind));
    assert_eq!(find_client(&flow.app, url).await.unwrap(), FoundClient::Document(url.to_owned()));
    let fetched = fetch_client(&flow.app, url, &flow.session).await.unwrap();
    assert_eq!((fetched.source, fetched.name.as_str()), (ClientSource::Document, "App"));
    flow.app.client_documents = Arc::new(StubFetch::default());
    assert_eq!(fetch_client(&flow.app, url, &flow.session).await.unwrap(), fetched, "the document is cached");
    flow.clock.advance(Duration::minutes(5));
    let failed = fetch_client(&flow.app, url, &flow.session).await;
    assert!(matches!(failed, Err(Error::OAuth(error)) if error.code == OAuthErrorCode::InvalidClient));
    for _ in 0..29 {
        let _ = fetch_client(&flow.app, url, &flow.session).await;
    }
    let limited = fetch_client(&flow.app, url, &flow.session).await;
    let now = at(10) + Duration::minutes(5);
    let is_soon = |until| until > now && until <= now + Duration::minutes(2);
    assert!(matches!(limited, Err(Error::FetchLimitReached { until }) if is_soon(until)), "{limited:?}");
    // Behind the limit of the day the named time is that of the day.
    for _ in 0..6 {
        flow.clock.advance(Duration::hours(1));
        for _ in 0..30 {
            let _ = fetch_client(&flow.app, url, &flow.session).await;
        }
    }
    let now = now + Duration::hours(6);
    let limited = fetch_client(&flow.app, url, &flow.session).await;
    let is_of_day = |until| until > now + Duration::minutes(2) && until <= now + Duration::minutes(15);
    assert!(matches!(limited, Err(Error::FetchLimitReached { until }) if is_of_day(until)), "{limited:?}");
}
