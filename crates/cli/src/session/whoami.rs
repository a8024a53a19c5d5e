//! `inboxd whoami`

use serde_json::{Map, Value};

use super::Session;
use crate::failure::CommandFailure;
use crate::http::ApiRequest;
use crate::output::Presenter;

/// Shows server, profile and identity of the caller.
pub(crate) async fn whoami(session: &Session, presenter: Presenter) -> Result<(), CommandFailure> {
    let identity = session.client()?.json(&ApiRequest::get("/v0/auth/me")).await?;
    let mut shown = Map::new();
    shown.insert("url".to_owned(), session.url.to_string().into());
    shown.insert("profile".to_owned(), session.profile.clone().into());
    shown.insert("key_from".to_owned(), session.source.into());
    if let Value::Object(identity) = identity {
        shown.extend(identity);
    }
    presenter.show(&Value::Object(shown))
}
