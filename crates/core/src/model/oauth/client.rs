//! OAuth clients.

use time::{Duration, OffsetDateTime};

use crate::model::string_enum::string_enum;

string_enum! {
    /// Origin of the facts about a client.
    ClientSource {
        /// The client registered itself (RFC 7591).
        Registered = "registered",
        /// The `client_id` is the URL of a metadata document.
        Document = "document",
    }
}

string_enum! {
    /// Authentication of a client at the token endpoint (RFC 7591, section 2).
    ClientAuthMethod {
        /// Public client: it names its `client_id` and proves nothing.
        None = "none",
        /// Secret in the header field `Authorization`.
        Basic = "client_secret_basic",
        /// Secret in the body.
        Post = "client_secret_post",
    }
}

/// A client that asks for access in the name of a person. It belongs to no organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OAuthClient {
    /// Id of the client: a generated text, or the URL of its metadata document.
    pub client_id: String,
    /// Origin of the facts about it.
    pub source: ClientSource,
    /// Name as the client states it; unproven.
    pub name: String,
    /// Redirect URIs, at least one.
    pub redirect_uris: Vec<String>,
    /// Authentication at the token endpoint.
    pub auth_method: ClientAuthMethod,
    /// SHA-256 of the secret; `None` for a public client.
    pub secret_hash: Option<[u8; 32]>,
    /// Time of the registration or of the first fetch.
    pub created_at: OffsetDateTime,
    /// Time of the last consent; `None` before the first.
    pub used_at: Option<OffsetDateTime>,
    /// Time until which the fetched document is used without another fetch; `None` for a registered client.
    pub cached_until: Option<OffsetDateTime>,
}

impl OAuthClient {
    /// Retention of a client without a connection.
    pub const UNUSED_RETENTION: Duration = Duration::days(30);
}
