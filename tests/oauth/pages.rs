//! The pages: sign-in, organization, consent, and their protection.

use inboxd_testkit::{HttpRequest, eventually};
use serde_json::{Value, json};

use super::flow::{Client, Connected, sign_in};
use crate::browser::Browser;
use crate::people::{invite, mailed_codes, wrong_code};
use crate::support::{mail_to, options, receive, server, server_and_agent};

/// Returns the inboxes that a token reaches.
async fn inboxes(connected: &Connected) -> Vec<String> {
    let list = connected.http.get("/v0/inboxes").await.ok();
    list["inboxes"].as_array().unwrap().iter().map(|inbox| inbox["inbox_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn person_connects_client_with_all_it_asks_for() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let client = Client::register(&server).await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&client.target(&[])).await.require(200, "Sign in");
    assert!(page.text().contains("<b>Example</b>"), "{}", page.text());
    let page = sign_in(&server, &mut browser, &page, "owner@example.org").await.require(200, "Allow access?");
    let text = page.text();
    for shown in
        ["<b>Example</b>", "<dd>app.example</dd>", "proved by nothing", "Send mail in your name", "owner@example.org"]
    {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert_eq!(page.values("decision"), ["allow", "deny"]);
    assert_eq!(page.values("access"), ["asked", "send", "draft", "read"]);
    assert_eq!(page.values("inbox_ids"), std::slice::from_ref(&agent.inbox_id));
    let answer = browser.submit(&page, "/oauth/consent", &[("decision", "allow")]).await;
    let parameters = answer.redirect(&client.redirect_uri);
    assert_eq!(parameters.keys().collect::<Vec<_>>(), ["code", "iss", "state"]);
    assert_eq!((&*parameters["state"], &parameters["iss"]), ("a b&c", &server.base_url()));
    let connected = client.connected(&client.exchange(&parameters["code"], &[]).await);
    assert_eq!(connected.scope, "mail:read mail:draft mail:send mail:manage");
    let list = connected.http.get(&agent.inbox("/messages")).await.ok();
    assert_eq!(list["messages"][0]["subject"], "hello");
    let me = connected.http.get("/v0/auth/me").await.ok();
    assert_eq!((&me["email"], &me["organization_id"]), (&json!("owner@example.org"), &json!(agent.organization_id)));
    // The session goes on: the next authorization begins with the consent, which is never left out.
    let page = browser.get(&client.target(&[])).await.require(200, "Allow access?");
    client.allow(&mut browser, &page, &[]).await;
    // The access token is no entry of the list of keys.
    assert_eq!(agent.get("/v0/api-keys").await.ok()["count"], 1);
}

#[tokio::test]
async fn wrong_code_can_be_corrected() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&client.target(&[])).await;
    let page = browser.submit(&page, "/oauth/sign-in", &[("email", "no address")]).await.require(200, "Sign in");
    assert!(page.text().contains("no email address"), "{}", page.text());
    let mut page = browser.submit(&page, "/oauth/sign-in", &[("email", "owner@example.org")]).await;
    let code = eventually("a code", async || mailed_codes(&server, "owner@example.org").pop()).await;
    for (wrong, words) in [("12", "six digits"), (&*wrong_code(&code), "wrong or has run out")] {
        page = browser.submit(&page, "/oauth/verify", &[("code", wrong)]).await.require(200, "Enter the code");
        assert!(page.text().contains(words), "{}", page.text());
    }
    // Without a code the person goes back to the address.
    browser.submit(&page, "/oauth/sign-in", &[("email", "")]).await.require(200, "Sign in");
    let spaced = format!(" {} {} ", &code[..3], &code[3..]);
    let signed_in = browser.submit(&page, "/oauth/verify", &[("code", &spaced)]).await.require(200, "Allow access?");
    assert!(signed_in.response.header_values("Set-Cookie").any(|cookie| cookie.starts_with("inboxd_session=bs_")));
}

#[tokio::test]
async fn pages_read_the_same_for_known_and_unknown_address() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let mut shown = Vec::new();
    for email in ["owner@example.org", "never@example.org"] {
        let mut browser = Browser::new(&server);
        let page = browser.get(&client.target(&[])).await;
        let page = browser.submit(&page, "/oauth/sign-in", &[("email", email)]).await.require(200, "Enter the code");
        let wrong = browser.submit(&page, "/oauth/verify", &[("code", "000000")]).await;
        let tokens = [page.form("/oauth/verify"), wrong.form("/oauth/verify")].concat();
        let filled = tokens.iter().filter(|(_, value)| !value.is_empty());
        let plain = filled.fold(page.text() + &wrong.text(), |text, (_, value)| text.replace(value, "…"));
        shown.push(plain);
    }
    assert_eq!(shown[0], shown[1]);
}

#[tokio::test]
async fn newcomer_gets_organization_with_inbox() {
    let server = server().await;
    let client = Client::register(&server).await;
    let connected = client.connect(&server, "maria@example.org", &[], &[]).await;
    assert_eq!(inboxes(&connected).await, ["maria@inboxd.localhost"]);
    let me = connected.http.get("/v0/auth/me").await.ok();
    assert_eq!((&me["email"], &me["role"]), (&json!("maria@example.org"), &json!("owner")));
    // The code proved the address, so mail goes to others.
    let body = json!({"to": "bob@outside.example", "subject": "hello", "text": "x"});
    connected.http.post("/v0/inboxes/maria@inboxd.localhost/messages/send", body).await.ok();
    // A taken name gets a suffix.
    let other = client.connect(&server, "maria@example.net", &[], &[]).await;
    let inboxes = inboxes(&other).await;
    assert!(inboxes[0].starts_with("maria") && inboxes != ["maria@inboxd.localhost"], "{inboxes:?}");
}

#[tokio::test]
async fn invited_teammate_joins_with_role_and_inboxes() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    invite(&agent, "tim@example.org", "member", json!([agent.inbox_id])).await;
    let client = Client::register(&server).await;
    let (mut browser, page) = client.consent_page(&server, "tim@example.org", &[("scope", "admin mail:read")]).await;
    assert_eq!(page.values("inbox_ids"), std::slice::from_ref(&agent.inbox_id));
    let code = client.allow(&mut browser, &page, &[]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    assert_eq!(inboxes(&connected).await, std::slice::from_ref(&agent.inbox_id));
    let me = connected.http.get("/v0/auth/me").await.ok();
    assert_eq!((&me["organization_id"], &me["role"]), (&json!(agent.organization_id), &json!("member")));
    // The role rules out permissions of the scope.
    connected
        .http
        .post("/v0/members", json!({"email": "x@example.org", "role": "member"}))
        .await
        .require_error(403, "role_not_allowed");
    // A removed member loses the tokens at once.
    let members = agent.get("/v0/members").await.ok();
    let tim =
        members["members"].as_array().unwrap().iter().find(|member| member["email"] == "tim@example.org").unwrap();
    agent.delete(&format!("/v0/members/{}", tim["member_id"].as_str().unwrap())).await.require_no_content();
    connected.http.get("/v0/inboxes").await.require_error(401, "unknown_api_key");
    super::flow::require_oauth_error(&client.refresh(&connected.refresh_token, &[]).await, 400, "invalid_grant");
}

#[tokio::test]
async fn person_of_several_organizations_chooses_one() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("second@example.org", "second").await;
    let unconfirmed = server.sign_up("tim@example.org", "tim").await;
    for owner in [&agent, &other] {
        invite(owner, "tim@example.org", "admin", json!([])).await;
    }
    let client = Client::register(&server).await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&client.target(&[])).await;
    let page = sign_in(&server, &mut browser, &page, "tim@example.org").await.require(200, "Choose an organization");
    let offered = page.values("organization_id");
    assert_eq!(offered.len(), 4);
    assert_eq!(offered[2..], [&*unconfirmed.organization_id, "new"], "the unconfirmed one comes last");
    let third = server.verified("third@example.org", "third").await;
    for bad in [&*third.organization_id, "org_x", ""] {
        let again = browser.submit(&page, "/oauth/organization", &[("organization_id", bad)]).await;
        again.require(200, "Choose an organization");
    }
    let chosen = [("organization_id", &*other.organization_id)];
    let page = browser.submit(&page, "/oauth/organization", &chosen).await.require(200, "Allow access?");
    assert!(page.text().contains("second@example.org") && page.values("inbox_ids") == [other.inbox_id.clone()]);
    let code = client.allow(&mut browser, &page, &[]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    assert_eq!(inboxes(&connected).await, [other.inbox_id]);
}

#[tokio::test]
async fn person_narrows_access() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/inboxes", json!({"username": "other"})).await.ok();
    let client = Client::register(&server).await;
    let narrowed = [("access", "draft"), ("inboxes", "chosen"), ("inbox_ids", &*agent.inbox_id), ("lifetime", "7")];
    let connected = client.connect(&server, "owner@example.org", &[], &narrowed).await;
    assert_eq!(connected.scope, "mail:read mail:draft");
    assert_eq!(inboxes(&connected).await, std::slice::from_ref(&agent.inbox_id));
    let draft = json!({"to": ["bob@outside.example"], "subject": "draft", "text": "x"});
    let draft = connected.http.post(&agent.inbox("/drafts"), draft).await.ok();
    let path = agent.inbox(&format!("/drafts/{}/send", draft["draft_id"].as_str().unwrap()));
    connected.http.post(&path, json!({})).await.require_error(403, "missing_permission");
    let send = json!({"to": "bob@outside.example", "subject": "x", "text": "x"});
    connected.http.post(&agent.inbox("/messages/send"), send).await.require_error(403, "missing_permission");
    connected.http.get("/v0/inboxes/other@inboxd.localhost/messages").await.require_error(403, "inbox_out_of_scope");
    connected.http.get("/v0/api-keys").await.require_error(403, "missing_permission");
    let connection = agent.get("/v0/connections").await.ok()["connections"][0].clone();
    let age = "EXTRACT(EPOCH FROM expires_at - created_at)::bigint = 7 * 86400";
    let check = format!("DO $$ BEGIN ASSERT (SELECT {age} FROM oauth_grants); END $$");
    server.database().execute(&check).await;
    assert_eq!(connection["inbox_ids"], json!([agent.inbox_id]));
    // The person sends the draft.
    agent.post(&path, json!({})).await.ok();
    // A marked inbox limits in spite of the other choice. A choice of none is corrected.
    let (mut browser, page) = client.consent_page(&server, "owner@example.org", &[]).await;
    let fields = [("decision", "allow"), ("inboxes", "chosen")];
    let page = browser.submit(&page, "/oauth/consent", &fields).await.require(200, "Allow access?");
    assert!(page.text().contains("Mark the inboxes"), "{}", page.text());
    let code = client.allow(&mut browser, &page, &[("inboxes", "all"), ("inbox_ids", &agent.inbox_id)]).await;
    let connected = client.connected(&client.exchange(&code, &[]).await);
    assert_eq!(inboxes(&connected).await, std::slice::from_ref(&agent.inbox_id));
    let read = client.connect(&server, "owner@example.org", &[], &[("access", "read")]).await;
    assert_eq!(read.scope, "mail:read");
}

#[tokio::test]
async fn denial_is_redirected() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let (mut browser, page) = client.consent_page(&server, "owner@example.org", &[]).await;
    // Neither button is no decision.
    let page = browser.submit(&page, "/oauth/consent", &[]).await.require(200, "Allow access?");
    let denied = browser.submit(&page, "/oauth/consent", &[("decision", "deny")]).await;
    super::flow::require_redirect_error(&server, &denied.redirect(&client.redirect_uri), "access_denied");
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 0);
}

#[tokio::test]
async fn forms_need_token_of_browser_and_session() {
    let (server, agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let (mut browser, consent) = client.consent_page(&server, "owner@example.org", &[]).await;
    let (mut stranger, foreign) = client.consent_page(&server, "mallory@example.org", &[]).await;
    let sign_in_page = Browser::new(&server).get(&client.target(&[])).await;
    let token_of = |fields: Vec<(String, String)>| {
        fields.into_iter().find(|(name, _)| name == "csrf_token").map(|(_, value)| value).unwrap()
    };
    let (foreign_token, visitor_token) =
        (token_of(foreign.form("/oauth/consent")), token_of(sign_in_page.form("/oauth/sign-in")));
    for token in ["", "x", &foreign_token, &visitor_token] {
        for (page, action) in [(&consent, "/oauth/consent"), (&consent, "/oauth/sign-out")] {
            let fields = [("csrf_token", token), ("decision", "allow")];
            browser.submit(page, action, &fields).await.require(403, "This did not work");
        }
    }
    // A browser without the cookie of the page cannot send its form.
    for action in ["/oauth/sign-in", "/oauth/verify"] {
        let mut fields = sign_in_page.form("/oauth/sign-in");
        fields.push(("code".to_owned(), "123456".to_owned()));
        stranger.cookies.remove("inboxd_visitor");
        stranger.post(action, &fields).await.require(403, "This did not work");
    }
    // Header fields of browsers give other sites away, too.
    for (name, value) in
        [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site")]
    {
        let fields = consent.form("/oauth/consent");
        let mut fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (&**name, &**value)).collect();
        fields.push(("decision", "allow"));
        let request = HttpRequest::new("POST", "/oauth/consent").header(name, value).form(&fields);
        browser.call(request).await.require(403, "This did not work");
    }
    assert_eq!(agent.get("/v0/connections").await.ok()["count"], 0);
    client.allow(&mut browser, &consent, &[]).await;
}

#[tokio::test]
async fn session_begins_with_the_code_alone() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    // A planted session is not adopted.
    let mut browser = Browser::new(&server);
    let planted = "bs_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    browser.cookies.insert("inboxd_session".to_owned(), planted.to_owned());
    let page = browser.get(&client.target(&[])).await.require(200, "Sign in");
    let page = sign_in(&server, &mut browser, &page, "owner@example.org").await.require(200, "Allow access?");
    let first = browser.cookies["inboxd_session"].clone();
    assert_ne!(first, planted);
    // Another sign-in in the same browser ends the session before it.
    let mut copy = browser.clone();
    let signed_out = browser.submit(&page, "/oauth/sign-out", &[]).await.require(200, "Sign in");
    assert!(!browser.cookies.contains_key("inboxd_session"));
    copy.get(&client.target(&[])).await.require(200, "Sign in");
    sign_in(&server, &mut browser, &signed_out, "owner@example.org").await.require(200, "Allow access?");
    assert_ne!(browser.cookies["inboxd_session"], first);
    // An ended session leads back to the sign-in from every form.
    copy.submit(&page, "/oauth/consent", &[("decision", "allow")]).await.require(200, "Sign in");
    // The cookie opens nothing else.
    let request = HttpRequest::new("GET", "/v0/auth/me");
    assert_eq!(browser.call(request).await.response.status, 401);
    server.database().execute("UPDATE browser_sessions SET expires_at = now()").await;
    browser.get(&client.target(&[])).await.require(200, "Sign in");
}

#[tokio::test]
async fn request_of_page_is_signed_and_expires() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::register(&server).await;
    let (mut browser, page) = client.consent_page(&server, "owner@example.org", &[]).await;
    let request = page.form("/oauth/consent").into_iter().find(|(name, _)| name == "request").unwrap().1;
    let flipped = format!("{}{}", if request.starts_with('A') { "B" } else { "A" }, &request[1..]);
    for forged in ["", "x", &flipped, &request[..request.len() - 4]] {
        let fields = [("request", forged), ("decision", "allow")];
        browser.submit(&page, "/oauth/consent", &fields).await.require(400, "This did not work");
    }
    client.allow(&mut browser, &page, &[]).await;
}

#[tokio::test]
async fn names_of_clients_are_escaped() {
    let (server, _agent) = server_and_agent().await;
    let client = Client::with(&server, "https://app.example/callback", "<img src=x onerror=alert(1)>\"'&").await;
    let mut browser = Browser::new(&server);
    let page = browser.get(&client.target(&[("state", "\"><script>")])).await.require(200, "Sign in");
    assert!(!page.text().contains("<img"), "{}", page.text());
    let page = browser.submit(&page, "/oauth/sign-in", &[("email", "\"><script>alert(1)</script>")]).await;
    page.require(200, "Sign in");
    let (_, page) = client.consent_page(&server, "owner@example.org", &[]).await;
    assert!(!page.text().contains("<img") && page.text().contains("&#60;img src=x"), "{}", page.text());
}

#[tokio::test]
async fn cookies_are_bound_to_host_under_https() {
    let server = options().set("INBOXD_BASE_URL", "https://mail.example").start().await;
    let registered = server.http().post("/oauth/register", json!({"redirect_uris": ["https://app.example/"]})).await;
    let client_id = registered.json()["client_id"].as_str().unwrap().to_owned();
    let target = format!(
        "/oauth/authorize?response_type=code&client_id={client_id}&redirect_uri=https://app.example/&code_challenge_method=S256&code_challenge={}",
        super::flow::CHALLENGE
    );
    let page = server.http().get(&target).await;
    let cookie = page.header("Set-Cookie").unwrap();
    assert!(cookie.starts_with("__Host-inboxd_visitor=") && cookie.ends_with("; Secure"), "{cookie}");
    let metadata: Value = server.http().get("/.well-known/oauth-authorization-server").await.ok();
    assert_eq!(metadata["issuer"], "https://mail.example");
}
