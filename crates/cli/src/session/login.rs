//! `inboxd login`

use clap::ArgMatches;
use http::Method;
use serde_json::{Value, json};

use super::prompt::{ask, is_interactive, say};
use super::{Profile, ProfileFile, Session};
use crate::failure::CommandFailure;
use crate::http::{ApiClient, ApiRequest};
use crate::output::Presenter;

/// Signs in, and stores the key in the profile.
pub(crate) async fn login(session: &Session, matches: &ArgMatches, presenter: Presenter) -> Result<(), CommandFailure> {
    // A file that cannot be used is reported before a code is mailed or a key made.
    let mut file = ProfileFile::load()?;
    let previous = file.get(&session.profile).cloned();
    let with_key = matches.contains_id("with-key");
    let key = if with_key {
        ask("API key")?
    } else {
        let email = match matches.get_one::<String>("email") {
            Some(email) => email.clone(),
            None => ask("Email address")?,
        };
        mailed_code(session, &email, matches.get_one::<String>("organization")).await?
    };
    let client = session.client_with(Some(key.clone()))?;
    let identity = client.json(&ApiRequest::get("/v0/auth/me")).await?;
    let inbox = identity["inbox_id"].as_str().map(str::to_owned);
    let is_stored = previous.as_ref().is_some_and(|previous| previous.from_login && previous.api_key == key);
    let profile = Profile { url: session.url.to_string(), api_key: key, inbox, from_login: !with_key || is_stored };
    file.set(&session.profile, profile)?;
    if let Some(previous) = previous.filter(|previous| previous.from_login && !is_stored) {
        revoke_previous(session, &previous).await;
    }
    say(&format!("signed in; the key is in {}, profile {}", file.path().display(), session.profile));
    presenter.show(&identity)
}

/// Signs in with a mailed code and returns the key.
async fn mailed_code(session: &Session, email: &str, organization: Option<&String>) -> Result<String, CommandFailure> {
    let client = session.client_with(None)?;
    client.json(&ApiRequest::post("/v0/agent/sign-in", json!({"email": email}))).await?;
    say(&format!("if {email} has an account, a six-digit code is on its way"));
    let code = ask("Code")?;
    let mut proof = json!({"email": email, "otp_code": code.replace(' ', "")});
    if let Some(organization) = organization {
        proof["organization_id"] = organization.as_str().into();
    }
    let signed_in = client.json(&ApiRequest::post("/v0/agent/sign-in/verify", proof)).await?;
    let key = text(&signed_in, "api_key")?;
    if organization.is_some() || !is_interactive() {
        return Ok(key);
    }
    choose_organization(session, &signed_in, key).await
}

/// Lets a person with several organizations choose one, and returns the key for it.
async fn choose_organization(session: &Session, signed_in: &Value, key: String) -> Result<String, CommandFailure> {
    let client = session.client_with(Some(key.clone()))?;
    let identity = client.json(&ApiRequest::get("/v0/auth/me")).await?;
    let organizations: Vec<&Value> = identity["organizations"].as_array().into_iter().flatten().collect();
    let id = |organization: &Value| organization["organization_id"].as_str().unwrap_or_default().to_owned();
    if organizations.len() < 2 {
        return Ok(key);
    }
    let current = id(signed_in);
    for (index, organization) in organizations.iter().enumerate() {
        let mark = if id(organization) == current { "  (default)" } else { "" };
        let role = organization["role"].as_str().unwrap_or_default();
        say(&format!("  {}  {}  {role}{mark}", index + 1, id(organization)));
    }
    let chosen = match ask("Number of the organization, or d for the default")?.as_str() {
        "d" => current.clone(),
        number => {
            let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let organization = index.and_then(|index| organizations.get(index));
            organization
                .map(|organization| id(organization))
                .ok_or_else(|| CommandFailure::usage("there is no such organization"))?
        }
    };
    if chosen == current {
        return Ok(key);
    }
    let switched = client.json(&ApiRequest::post("/v0/auth/switch", json!({"organization_id": chosen}))).await?;
    revoke(&client, &text(signed_in, "api_key_id")?).await.unwrap_or_else(|failure| say(&failure.to_string()));
    text(&switched, "api_key")
}

/// Revokes the key that a new sign-in replaces. One that is invalid already is no failure.
async fn revoke_previous(session: &Session, previous: &Profile) {
    let Ok(url) = crate::http::BaseUrl::parse(&previous.url) else { return };
    if !url.is_same_origin(&session.url) {
        say(&format!("the previous key of the profile, for {url}, stays valid: revoke it there if it is not needed"));
        return;
    }
    if let Ok(client) = ApiClient::new(url, Some(previous.api_key.clone())) {
        let _ = revoke_own(&client).await;
    }
}

/// Revokes the key of a client.
pub(super) async fn revoke_own(client: &ApiClient) -> Result<(), CommandFailure> {
    let identity = client.json(&ApiRequest::get("/v0/auth/me")).await?;
    revoke(client, &text(&identity, "api_key_id")?).await
}

async fn revoke(client: &ApiClient, api_key_id: &str) -> Result<(), CommandFailure> {
    let path = format!("/v0/api-keys/{}", crate::http::encode_segment(api_key_id));
    client.json(&ApiRequest::new(Method::DELETE, path)).await.map(|_| ())
}

/// Returns a text field of a response.
pub(super) fn text(response: &Value, name: &str) -> Result<String, CommandFailure> {
    let found = response[name].as_str().map(str::to_owned);
    found.ok_or_else(|| {
        CommandFailure::local(format!("the response has no {name}")).fix("check that the URL names an inboxd")
    })
}
