//! Server, key and inbox of a command: from its flags, the environment and the profile, in this order.

use clap::ArgMatches;

use super::{Profile, ProfileFile};
use crate::failure::{CommandFailure, ExitStatus};
use crate::http::{ApiClient, ApiRequest, BaseUrl};
use crate::tree;

/// URL of a server that nothing names.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";
/// Name of the profile that nothing names.
const DEFAULT_PROFILE: &str = "default";

/// Flags that select server, profile and output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SessionFlags {
    pub(crate) url: Option<String>,
    pub(crate) profile: Option<String>,
    /// Key of a command that takes one as an argument.
    pub(crate) key: Option<String>,
    pub(crate) is_json: bool,
}

impl SessionFlags {
    /// Reads the flags of a command and of the commands around it; the innermost counts.
    pub(crate) fn read(levels: &[&ArgMatches]) -> Self {
        let text = |id: &str| levels.iter().rev().find_map(|matches| matches.try_get_one::<String>(id).ok().flatten());
        let is_set = |id: &str| levels.iter().any(|matches| matches!(matches.try_get_one::<bool>(id), Ok(Some(true))));
        Self {
            url: text(tree::URL).cloned(),
            profile: text(tree::PROFILE).cloned(),
            key: None,
            is_json: is_set(tree::JSON),
        }
    }
}

/// Returns a variable of the environment that is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

/// Server, key and inbox of a command.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) profile: String,
    pub(crate) url: BaseUrl,
    pub(crate) key: Option<String>,
    /// Where the key comes from.
    pub(crate) source: &'static str,
    inbox: Option<String>,
    /// Server of the profile, whose key does not go to this one.
    other_server: Option<String>,
}

impl Session {
    /// Resolves the session of a command.
    ///
    /// The key of a profile goes to the server of that profile only.
    pub(crate) fn resolve(flags: &SessionFlags) -> Result<Self, CommandFailure> {
        let name = flags.profile.clone().or_else(|| variable("INBOXD_PROFILE"));
        let given = flags.key.clone().or_else(|| variable("INBOXD_API_KEY"));
        let named_url = flags.url.clone().or_else(|| variable("INBOXD_URL"));
        // With key and URL from elsewhere, an unreadable profile is no obstacle.
        let needs_profile = name.is_some() || given.is_none() || named_url.is_none();
        let stored = match ProfileFile::load() {
            Ok(file) => file.get(name.as_deref().unwrap_or(DEFAULT_PROFILE)).cloned(),
            Err(failure) if needs_profile => return Err(failure),
            Err(_) => None,
        };
        let url = named_url.or_else(|| stored.as_ref().map(|stored| stored.url.clone()));
        let url = BaseUrl::parse(url.as_deref().unwrap_or(DEFAULT_URL))?;
        let other_server = stored.as_ref().map(|stored| stored.url.clone());
        let stored = stored.filter(|stored| BaseUrl::parse(&stored.url).is_ok_and(|known| known.is_same_origin(&url)));
        let (key, source, inbox) = match (given, stored) {
            (Some(key), _) => (Some(key), "INBOXD_API_KEY", None),
            (None, Some(Profile { api_key, inbox, .. })) => (Some(api_key), "profile", inbox),
            (None, None) => (None, "none", None),
        };
        let inbox = variable("INBOXD_INBOX").or(inbox);
        let profile = name.unwrap_or_else(|| DEFAULT_PROFILE.to_owned());
        Ok(Self { profile, url, other_server: other_server.filter(|_| key.is_none()), key, source, inbox })
    }

    /// Adds to a refusal for want of a key that the profile has one for another server.
    pub(crate) fn explain(&self, failure: CommandFailure) -> CommandFailure {
        match &self.other_server {
            Some(other) if failure.status == ExitStatus::SignedOut => {
                let cause =
                    format!("not signed in to {}; the key of the profile {} is for {other}", self.url, self.profile);
                CommandFailure::new(failure.status, cause)
                    .fix("leave --url and INBOXD_URL out, or sign in with another --profile NAME")
            }
            _ => failure,
        }
    }

    /// Returns a client of the server, with the key.
    pub(crate) fn client(&self) -> Result<ApiClient, CommandFailure> {
        ApiClient::new(self.url.clone(), self.key.clone())
    }

    /// Returns a client of the server with another key, or none.
    pub(crate) fn client_with(&self, key: Option<String>) -> Result<ApiClient, CommandFailure> {
        ApiClient::new(self.url.clone(), key)
    }

    /// Returns the inbox of a command that names none, without a request.
    pub(crate) fn known_inbox(&self) -> Option<&str> {
        self.inbox.as_deref()
    }

    /// Returns the inbox of a command that names none. Where nothing else names it, it is the only inbox of the account.
    pub(crate) async fn default_inbox(&self, client: &ApiClient) -> Result<String, CommandFailure> {
        match self.known_inbox() {
            Some(inbox) => Ok(inbox.to_owned()),
            None => only_inbox(client).await,
        }
    }
}

/// Returns the only inbox of the caller.
async fn only_inbox(client: &ApiClient) -> Result<String, CommandFailure> {
    let mut request = ApiRequest::get("/v0/inboxes");
    request.set_query("limit", "5");
    let list = client.json(&request).await?;
    let inboxes = list["inboxes"].as_array().into_iter().flatten();
    let ids: Vec<&str> = inboxes.filter_map(|inbox| inbox["inbox_id"].as_str()).collect();
    match ids.as_slice() {
        [only] => Ok((*only).to_owned()),
        [] => Err(CommandFailure::new(ExitStatus::NotFound, "there is no inbox")
            .fix("create one with `inboxd inboxes create`")),
        several => Err(CommandFailure::usage(format!("there are several inboxes: {}", several.join(", ")))
            .fix("name one with --inbox or INBOXD_INBOX")),
    }
}
