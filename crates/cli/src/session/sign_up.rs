//! `inboxd sign-up`

use clap::ArgMatches;
use serde_json::json;

use super::login::text;
use super::prompt::{ask, is_interactive, say};
use super::{Profile, ProfileFile, Session};
use crate::failure::CommandFailure;
use crate::http::ApiRequest;
use crate::output::Presenter;
use crate::tree::DRY_RUN;

/// Creates an organization, and stores its key in the profile.
pub(crate) async fn sign_up(
    session: &Session,
    matches: &ArgMatches,
    presenter: Presenter,
) -> Result<(), CommandFailure> {
    let argument = |name: &str| matches.get_one::<String>(name).map(String::as_str).unwrap_or_default();
    let mut body = json!({"human_email": argument("email"), "username": argument("username")});
    if let Some(invitation) = matches.get_one::<String>("invitation") {
        body["invitation"] = json!(invitation);
    }
    let request = ApiRequest::post("/v0/agent/sign-up", body);
    let client = session.client_with(None)?;
    if matches.get_flag(DRY_RUN) {
        return presenter.dry_run(&client, &request);
    }
    let mut file = ProfileFile::load()?;
    if file.get(&session.profile).is_some() {
        // Only the profile knows its key: a new one must not replace it.
        return Err(CommandFailure::usage(format!("the profile {} already holds a key", session.profile))
            .fix("choose another with --profile NAME, or run `inboxd logout` first"));
    }
    let mut signed_up = client.json(&request).await?;
    let (key, inbox) = (text(&signed_up, "api_key")?, text(&signed_up, "inbox_id")?);
    let profile =
        Profile { url: session.url.to_string(), api_key: key.clone(), inbox: Some(inbox.clone()), from_login: false };
    file.set(&session.profile, profile)?;
    say(&format!("the address is {inbox}; the key is in {}, profile {}", file.path().display(), session.profile));
    if is_interactive() {
        let code = ask(&format!("Code that {} received", argument("email")))?;
        let verify = ApiRequest::post("/v0/agent/verify", json!({"otp_code": code}));
        session.client_with(Some(key))?.json(&verify).await?;
        say("the address of the owner is verified");
    } else {
        say("verify it with the code that the owner received: inboxd agent verify --otp-code CODE");
    }
    if !presenter.is_json() {
        // The profile holds it; a terminal keeps what it has shown.
        signed_up.as_object_mut().and_then(|fields| fields.remove("api_key"));
    }
    presenter.show(&signed_up)
}
