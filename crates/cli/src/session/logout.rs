//! `inboxd logout`

use clap::ArgMatches;

use super::login::revoke_own;
use super::prompt::say;
use super::{ProfileFile, Session};
use crate::failure::{CommandFailure, ExitStatus};
use crate::http::{ApiClient, BaseUrl};

/// Removes the profile, and revokes its key where `login` created it.
pub(crate) async fn logout(session: &Session, matches: &ArgMatches) -> Result<(), CommandFailure> {
    let mut file = ProfileFile::load()?;
    let Some(profile) = file.get(&session.profile).cloned() else {
        return Err(CommandFailure::new(ExitStatus::SignedOut, format!("the profile {} has no key", session.profile)));
    };
    if profile.from_login || matches.get_flag("revoke") {
        let client = ApiClient::new(BaseUrl::parse(&profile.url)?, Some(profile.api_key.clone()))?;
        match revoke_own(&client).await {
            Ok(()) => say("the key is revoked"),
            // A key that the server does not know needs no revocation.
            Err(failure) if failure.status == ExitStatus::SignedOut => {}
            Err(failure) => say(&format!("the key stays valid: {failure}")),
        }
    } else {
        say("the key stays valid; `inboxd logout --revoke` would have revoked it");
    }
    file.remove(&session.profile)?;
    say(&format!("signed out of {}", profile.url));
    Ok(())
}
