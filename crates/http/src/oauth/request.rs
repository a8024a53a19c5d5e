//! The request of a client, carried from page to page in a signed field: a stranger writes no row.

use inboxd_core::app::App;
use inboxd_core::model::{OAuthError, OAuthErrorCode};
use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};

use crate::error::{ApiError, ErrorCode};
use crate::pages::Form;

/// Field of a form with the request.
const FIELD: &str = "request";
/// Purpose of the signature.
const PURPOSE: &str = "authorization request";
/// Time that a person has for each page.
const LIFETIME: Duration = Duration::minutes(10);

/// A request at the authorization endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AuthorizationRequest {
    pub(super) client_id: String,
    pub(super) redirect_uri: String,
    pub(super) state: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) code_challenge: String,
    pub(super) resource: Option<String>,
    /// Organization that the person chose.
    pub(super) organization_id: Option<String>,
    /// Problem that the client hears once its redirect URI is known.
    pub(super) problem: Option<(OAuthErrorCode, String)>,
}

/// A request with the time of its page.
#[derive(Serialize, Deserialize)]
struct Sealed {
    request: AuthorizationRequest,
    sealed_at: i64,
}

impl AuthorizationRequest {
    /// Returns the problem that the client hears.
    pub(super) fn problem(&self) -> Option<OAuthError> {
        self.problem.as_ref().map(|(code, description)| OAuthError::new(*code, description))
    }

    /// Returns the value of the field for a page that is shown now.
    ///
    /// # Errors
    /// When the request is not JSON.
    pub(super) fn seal(&self, app: &App) -> Result<String, ApiError> {
        let sealed = Sealed { request: self.clone(), sealed_at: app.clock.now().unix_timestamp() };
        let payload = serde_json::to_vec(&sealed).map_err(|error| ApiError::internal(error.to_string()))?;
        Ok(app.settings.signing_key.sign(PURPOSE, &payload))
    }

    /// Returns the request of a form.
    ///
    /// # Errors
    /// 400 for a field that is missing, forged or too old.
    pub(super) fn open(app: &App, form: &Form) -> Result<Self, ApiError> {
        let refuse =
            |message| ApiError::new(ErrorCode::InvalidRequest, message).fix("start the connection again in the app");
        let payload = form.one(FIELD).and_then(|field| app.settings.signing_key.verify(PURPOSE, field));
        let sealed: Option<Sealed> = payload.and_then(|payload| serde_json::from_slice(&payload).ok());
        let Sealed { request, sealed_at } = sealed.ok_or_else(|| refuse("this page is not complete"))?;
        let sealed_at = OffsetDateTime::from_unix_timestamp(sealed_at).unwrap_or(OffsetDateTime::UNIX_EPOCH);
        if app.clock.now() - sealed_at > LIFETIME {
            return Err(refuse("this page was open for too long"));
        }
        Ok(request)
    }
}
