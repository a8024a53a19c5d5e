//! `/.well-known/`: metadata of the protected resources (RFC 9728) and of the authorization server (RFC 8414).

use actix_web::HttpResponse;
use actix_web::http::header::CACHE_CONTROL;
use inboxd_core::rules::oauth::scopes::ScopeName;
use serde::Serialize;

use super::issuer;
use crate::auth::UnauthenticatedRequest;
use crate::error::ApiError;

/// Path of the metadata of the resources.
pub(super) const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// Metadata of a resource.
#[derive(Serialize)]
struct ResourceMetadata<'a> {
    resource: String,
    authorization_servers: [&'a str; 1],
    scopes_supported: [&'a str; 6],
    bearer_methods_supported: [&'a str; 1],
    resource_name: &'a str,
}

/// Metadata of the authorization server.
#[derive(Serialize)]
struct ServerMetadata<'a> {
    issuer: &'a str,
    authorization_endpoint: String,
    token_endpoint: String,
    revocation_endpoint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    registration_endpoint: Option<String>,
    scopes_supported: [&'a str; 6],
    response_types_supported: [&'a str; 1],
    response_modes_supported: [&'a str; 1],
    grant_types_supported: [&'a str; 2],
    code_challenge_methods_supported: [&'a str; 1],
    token_endpoint_auth_methods_supported: [&'a str; 3],
    revocation_endpoint_auth_methods_supported: [&'a str; 3],
    client_id_metadata_document_supported: bool,
    authorization_response_iss_parameter_supported: bool,
}

/// Answers the metadata of the resource that the end of the path names: `/mcp`, `/v0` or the whole server.
pub(super) async fn protected_resource(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let issuer = issuer(&call)?;
    let suffix = call.request.path().strip_prefix(PROTECTED_RESOURCE).unwrap_or_default();
    Ok(document(&ResourceMetadata {
        resource: format!("{issuer}{suffix}"),
        authorization_servers: [issuer],
        scopes_supported: ScopeName::ALL.map(ScopeName::as_str),
        bearer_methods_supported: ["header"],
        resource_name: "inboxd",
    }))
}

/// Answers the metadata of the authorization server.
pub(super) async fn authorization_server(call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let issuer = issuer(&call)?;
    let endpoint = |path: &str| format!("{issuer}{path}");
    let methods = ["none", "client_secret_basic", "client_secret_post"];
    Ok(document(&ServerMetadata {
        issuer,
        authorization_endpoint: endpoint("/oauth/authorize"),
        token_endpoint: endpoint("/oauth/token"),
        revocation_endpoint: endpoint("/oauth/revoke"),
        registration_endpoint: call.app().settings.registers_clients.then(|| endpoint("/oauth/register")),
        scopes_supported: ScopeName::ALL.map(ScopeName::as_str),
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: methods,
        revocation_endpoint_auth_methods_supported: methods,
        client_id_metadata_document_supported: true,
        authorization_response_iss_parameter_supported: true,
    }))
}

fn document(metadata: &impl Serialize) -> HttpResponse {
    HttpResponse::Ok().insert_header((CACHE_CONTROL, "public, max-age=300")).json(metadata)
}
