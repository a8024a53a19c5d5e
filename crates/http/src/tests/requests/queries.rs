//! Queries, page tokens, rates and failures.

use super::*;

#[actix_web::test]
async fn invalid_parameters_are_named_together() {
    let uri = "/v0/inboxes/scout@inboxd.example/messages?limit=0&before=yesterday&after=&include_spam=yes\
        &ascending=maybe&page_token=x&unknown=1&from=%00";
    let answered = answer(world(), with_key("get", uri)).await;
    assert_eq!(answered.status, 422);
    let expected = ["before", "after", "include_spam", "from", "ascending", "limit", "page_token"];
    assert_eq!(answered.bad_fields(), expected);
    assert_eq!(answered.json()["detail"][0]["loc"], json!(["query", "before"]));
    let search = answer(world(), with_key("get", "/v0/inboxes/scout@inboxd.example/messages/search?q=%20")).await;
    assert_eq!((search.status, search.bad_fields()), (422, vec!["q".to_owned()]));
    let unknown = answer(world(), with_key("get", "/v0/events?event_types=message.sent,message.eaten")).await;
    assert_eq!((unknown.status, unknown.code().as_str()), (400, "unknown_event_type"));
}

#[actix_web::test]
async fn page_tokens_are_bound_to_their_list() {
    let place = |name: &str| inboxd_core::model::Cursor { time: fixtures::NOW, id: name.to_owned() };
    let mut world = world();
    world.store.expect_inbox().returning(|_, _| Ok(Some(fixtures::inbox())));
    let after = place("<a@b>");
    world.store.expect_list_messages().returning(move |query| {
        let next = if query.page.after.as_ref() == Some(&after) { None } else { Some(after.clone()) };
        Ok(Page { items: vec![fixtures::message_item()], next })
    });
    let server = server(world.app(), options()).await;
    let base = "/v0/inboxes/scout@inboxd.example/messages";
    let first = call(&server, with_key("get", &format!("{base}?labels=a&labels=b&from=Anna&limit=1"))).await.json();
    let token = first["next_page_token"].as_str().unwrap().to_owned();
    assert_eq!((&first["count"], &first["limit"]), (&json!(1), &json!(1)));

    let page = async |query: &str| {
        let answered = call(&server, with_key("get", &format!("{query}&page_token={token}"))).await;
        (answered.status, answered.json()["next_page_token"].clone())
    };
    // The same list with other spellings and another limit.
    for query in [
        format!("{base}?labels=a&labels=b&from=Anna&limit=1"),
        format!("{base}?labels=a,b&from=Anna"),
        format!("{base}?from=ANNA&labels=B&labels=A"),
        format!("{base}?labels=b,a,B&from=anna&from=Anna"),
        format!("{base}?limit=200&labels=%5B%22b%22%2C%22a%22%5D&from=Anna&ascending=false"),
        "/v0/inboxes/SCOUT%40inboxd.example/messages?labels=a,b&from=Anna".to_owned(),
    ] {
        assert_eq!(page(&query).await, (200, serde_json::Value::Null), "{query}");
    }
    for query in [
        format!("{base}?labels=a,c&from=Anna"),
        format!("{base}?labels=a,b"),
        format!("{base}?labels=a&from=b&from=Anna"),
        format!("{base}?limit=1"),
        format!("{base}?labels=a,b&from=Anna&ascending=true"),
        format!("{base}?labels=a,b&from=Anna&include_trash=true"),
        format!("{base}/search?q=a&labels=a,b&from=Anna"),
        "/v0/inboxes/other@inboxd.example/messages?labels=a,b&from=Anna".to_owned(),
    ] {
        assert_eq!(page(&query).await.0, 422, "{query}");
    }
}

#[actix_web::test]
async fn sign_ups_are_limited_by_client_address() {
    let limited = HttpOptions { rates: crate::RequestRates::new(2, 200), ..options() };
    let server = server(World::default().app(), limited).await;
    let sign_up = |address: &str| request("post", "/v0/agent/sign-up").peer_addr(address.parse().unwrap());
    for _ in 0..2 {
        assert_eq!(call(&server, sign_up("192.0.2.1:1000")).await.status, 422);
    }
    let refused = call(&server, sign_up("192.0.2.1:2000")).await;
    assert_eq!((refused.status, refused.code().as_str()), (429, "too_many_requests"));
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=30).contains(&wait), "{wait}");
    assert_eq!(call(&server, sign_up("192.0.2.2:1000")).await.status, 422);
}

#[actix_web::test]
async fn response_has_valid_request_id() {
    let given = TestRequest::get().uri("/health").insert_header(("X-Request-Id", "abc-1"));
    assert_eq!(answer(World::default(), given).await.header("x-request-id"), Some("abc-1"));
    let strange = TestRequest::get().uri("/nowhere").insert_header(("X-Request-Id", "a b"));
    let answered = answer(World::default(), strange).await;
    assert_eq!(answered.header("x-request-id").unwrap().len(), 32);
    assert_eq!(answered.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answered.header("cache-control"), Some("no-store"));
}

#[actix_web::test]
async fn storage_failure_returns_error_envelope() {
    for (error, status, code) in [
        (StoreError::Unavailable("no connection".to_owned()), 503, "service_unavailable"),
        (StoreError::Contention, 503, "service_unavailable"),
        (StoreError::Failed("secret detail".to_owned()), 500, "internal_error"),
    ] {
        let mut world = World::default();
        world.store.expect_credential().returning(move |_| Err(error.clone()));
        let answered = answer(world, with_key("get", "/v0/auth/me")).await;
        assert_eq!((answered.status, answered.code().as_str()), (status, code));
        assert_eq!(answered.header("retry-after"), (status == 503).then_some("1"));
        assert!(!String::from_utf8_lossy(&answered.body).contains("secret"), "inner causes are not exposed");
    }
}

#[actix_web::test]
async fn panic_returns_error_envelope() {
    let mut world = World::default();
    world.store.expect_credential().returning(|_| panic!("secret detail"));
    let answered = answer(world, with_key("get", "/v0/auth/me")).await;
    assert_eq!((answered.status, answered.code().as_str()), (500, "internal_error"));
    assert!(answered.header("x-request-id").is_some());
    assert!(!String::from_utf8_lossy(&answered.body).contains("secret"));
}

#[actix_web::test]
async fn readiness_follows_storage() {
    for (ready, status) in [(Ok(()), 200), (Err(StoreError::Failed("old schema".to_owned())), 503)] {
        let mut world = World::default();
        world.store.expect_ready().return_once(move || ready);
        assert_eq!(answer(world, request("get", "/ready")).await.status, status);
    }
    assert_eq!(answer(World::default(), request("get", "/health")).await.json(), json!({"status": "ok"}));
}
