//! The whole flow of a client and a person.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use inboxd_testkit::{ApiResponse, HttpClient, HttpRequest, TestServer, encoded, eventually};
use serde_json::{Value, json};

use crate::browser::{Browser, Page};
use crate::people::mailed_codes;

/// Verifier and challenge of RFC 7636, appendix B.
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
pub(super) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// Number of inserted connections.
static CONNECTIONS: AtomicU64 = AtomicU64::new(1);

/// A registered public client.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "it is the name of the parameter")]
pub(crate) struct Client {
    pub(super) http: HttpClient,
    pub(super) client_id: String,
    pub(super) redirect_uri: String,
}

/// Tokens of a connection.
pub(crate) struct Connected {
    pub(super) access_token: String,
    pub(super) refresh_token: String,
    pub(super) scope: String,
    /// The API with the access token.
    pub(crate) http: HttpClient,
}

impl Client {
    /// Registers a client with the redirect URI `https://app.example/callback`.
    pub(crate) async fn register(server: &TestServer) -> Self {
        Self::with(server, "https://app.example/callback", "Example").await
    }

    pub(super) async fn with(server: &TestServer, redirect_uri: &str, name: &str) -> Self {
        let body = json!({
            "client_name": name, "redirect_uris": [redirect_uri], "token_endpoint_auth_method": "none",
        });
        let registered = register(server, body).await;
        assert_eq!(registered.status, 201, "{}", registered.text());
        let client_id = registered.json()["client_id"].as_str().unwrap().to_owned();
        Self { http: server.http(), client_id, redirect_uri: redirect_uri.to_owned() }
    }

    /// Returns the target of an authorization request with further parameters, which replace the usual ones.
    pub(super) fn target(&self, parameters: &[(&str, &str)]) -> String {
        let usual = [
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("code_challenge", CHALLENGE),
            ("code_challenge_method", "S256"),
            ("state", "a b&c"),
        ];
        let usual = usual.iter().filter(|(name, _)| !parameters.iter().any(|(other, _)| other == name));
        let pairs = usual.chain(parameters).filter(|(_, value)| !value.is_empty());
        let pairs: Vec<String> = pairs.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        format!("/oauth/authorize?{}", pairs.join("&"))
    }

    /// Exchanges a code, with further parameters, which replace the usual ones.
    pub(super) async fn exchange(&self, code: &str, parameters: &[(&str, &str)]) -> ApiResponse {
        let usual = [
            ("grant_type", "authorization_code"),
            ("client_id", &self.client_id),
            ("redirect_uri", &self.redirect_uri),
            ("code", code),
            ("code_verifier", VERIFIER),
        ];
        self.token(&usual, parameters).await
    }

    /// Refreshes with a token.
    pub(super) async fn refresh(&self, refresh_token: &str, parameters: &[(&str, &str)]) -> ApiResponse {
        let usual = [("grant_type", "refresh_token"), ("client_id", &self.client_id), ("refresh_token", refresh_token)];
        self.token(&usual, parameters).await
    }

    async fn token(&self, usual: &[(&str, &str)], parameters: &[(&str, &str)]) -> ApiResponse {
        let kept = usual.iter().filter(|(name, _)| !parameters.iter().any(|(other, _)| other == name));
        let fields: Vec<_> = kept.chain(parameters).filter(|(_, value)| !value.is_empty()).copied().collect();
        self.http.call(HttpRequest::new("POST", "/oauth/token").form(&fields)).await
    }

    /// Authorizes as a person with preselected choices, changed by some fields, and returns the code.
    pub(super) async fn authorize(
        &self,
        server: &TestServer,
        email: &str,
        parameters: &[(&str, &str)],
        consent: &[(&str, &str)],
    ) -> String {
        let (mut browser, page) = self.consent_page(server, email, parameters).await;
        self.allow(&mut browser, &page, consent).await
    }

    /// Signs a person in and returns the consent page. Where organizations are to be chosen, it is the first one.
    pub(super) async fn consent_page(
        &self,
        server: &TestServer,
        email: &str,
        parameters: &[(&str, &str)],
    ) -> (Browser, Page) {
        let mut browser = Browser::new(server);
        let page = browser.get(&self.target(parameters)).await;
        let mut page = sign_in(server, &mut browser, &page, email).await;
        if let Some(first) = page.values("organization_id").first() {
            page = browser.submit(&page, "/oauth/organization", &[("organization_id", first)]).await;
        }
        (browser, page)
    }

    /// Allows and returns the code.
    pub(super) async fn allow(&self, browser: &mut Browser, page: &Page, consent: &[(&str, &str)]) -> String {
        let fields: Vec<_> = consent.iter().copied().chain([("decision", "allow")]).collect();
        let redirected = browser.submit(page, "/oauth/consent", &fields).await;
        redirected.redirect(&self.redirect_uri)["code"].clone()
    }

    /// Authorizes as a person and exchanges the code.
    pub(crate) async fn connect(
        &self,
        server: &TestServer,
        email: &str,
        parameters: &[(&str, &str)],
        consent: &[(&str, &str)],
    ) -> Connected {
        let code = self.authorize(server, email, parameters, consent).await;
        self.connected(&self.exchange(&code, &[]).await)
    }

    pub(super) fn connected(&self, response: &ApiResponse) -> Connected {
        assert_eq!(response.header("Cache-Control"), Some("no-store"));
        let tokens = response.ok();
        let text = |name: &str| tokens[name].as_str().unwrap().to_owned();
        assert_eq!(tokens["token_type"], "Bearer");
        let expires_in = tokens["expires_in"].as_u64().unwrap();
        assert!((3500..=3600).contains(&expires_in), "{tokens:#}");
        let access_token = text("access_token");
        let http = self.http.with_key(&access_token);
        Connected { http, access_token, refresh_token: text("refresh_token"), scope: text("scope") }
    }
}

/// Connects a new client as a person with all that it asks for.
pub(crate) async fn connect(server: &TestServer, email: &str) -> Connected {
    Client::register(server).await.connect(server, email, &[], &[]).await
}

/// Inserts a connection of a member of an organization, as a consent and an exchange do, and returns its id.
pub(crate) async fn insert_connection(server: &TestServer, organization_id: &str) -> String {
    let id = format!("{:032x}", CONNECTIONS.fetch_add(1, Ordering::Relaxed));
    let organization_id = organization_id.trim_start_matches("org_");
    let row = format!(
        "organization_id, '{id}', member_id, 'client_x', 'Example', 'app.example', '{{\"inbox_read\": true}}', '{{}}', \
         '{}', now(), now(), now(), now() + interval '30 days', NULL",
        server.base_url()
    );
    let member = format!("members WHERE organization_id = '{organization_id}' LIMIT 1");
    server.database().execute(&format!("INSERT INTO oauth_grants SELECT {row} FROM {member}")).await;
    format!("con_{id}")
}

/// Sends a registration.
pub(super) async fn register(server: &TestServer, body: Value) -> ApiResponse {
    server.http().post("/oauth/register", body).await
}

/// Sends an address and then the mailed code, and returns the next page.
pub(super) async fn sign_in(server: &TestServer, browser: &mut Browser, page: &Page, email: &str) -> Page {
    let before = mailed_codes(server, email).len();
    let page = browser.submit(page, "/oauth/sign-in", &[("email", email)]).await.require(200, "Enter the code");
    let code =
        eventually(&format!("a sign-in code for {email}"), async || mailed_codes(server, email).get(before).cloned())
            .await;
    browser.submit(&page, "/oauth/verify", &[("code", &code)]).await
}

/// Requires an error of an endpoint that clients call: both forms of RFC 6749 and of the API.
#[track_caller]
pub(super) fn require_oauth_error(response: &ApiResponse, status: u16, error: &str) {
    assert_eq!(response.status, status, "{}", response.text());
    let envelope = response.envelope();
    assert_eq!(envelope["error"], error, "{envelope:#}");
    let description = envelope["error_description"].as_str().unwrap();
    let is_permitted = |c: char| (' '..='~').contains(&c) && !matches!(c, '"' | '\\');
    assert!(!description.is_empty() && description.chars().all(is_permitted), "{description}");
    assert_eq!(response.header("Cache-Control"), Some("no-store"));
}

/// Requires the error of a redirect, with `state` and `iss`.
#[track_caller]
pub(super) fn require_redirect_error(server: &TestServer, parameters: &BTreeMap<String, String>, error: &str) {
    let of = |name: &str| parameters.get(name).map(String::as_str);
    assert_eq!(of("error"), Some(error), "{parameters:?}");
    assert_eq!(of("iss"), Some(&*server.base_url()), "{parameters:?}");
    assert!(of("error_description").is_some_and(|text| !text.is_empty()), "{parameters:?}");
    assert_eq!(of("code"), None, "{parameters:?}");
}
