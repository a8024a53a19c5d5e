//! `/.well-known/mta-sts.txt`: the MTA-STS policy of the service domains (RFC 8461, section 3.3).

use actix_web::http::header::HOST;
use actix_web::{HttpRequest, HttpResponse, web};
use inboxd_core::rules::domains::mta_sts::POLICY_PATH;

use crate::error::ApiError;
use crate::routes::verb;
use crate::state::State;

/// MTA-STS policy of this service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MtaStsPolicy {
    /// Hosts that serve the policy, such as `mta-sts.example.org`.
    pub hosts: Vec<String>,
    /// Content of the policy.
    pub text: String,
}

/// Paths with their methods.
pub(crate) fn routes() -> Vec<(&'static str, Vec<(&'static str, actix_web::Route)>)> {
    vec![(POLICY_PATH, vec![("get", verb("get").to(handle))])]
}

async fn handle(state: web::Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    match state.mta_sts.as_ref().filter(|policy| policy.hosts.iter().any(|host| is_host(&request, host))) {
        Some(policy) => Ok(HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(policy.text.clone())),
        None => Err(ApiError::route_not_found(request.method().as_str(), request.path())),
    }
}

/// Returns whether a request is for a host, with or without a port. HTTP/2 has the host in its target.
fn is_host(request: &HttpRequest, host: &str) -> bool {
    let header = request.headers().get(HOST).and_then(|value| value.to_str().ok());
    let requested = request.uri().host().or(header).unwrap_or_default();
    requested.split(':').next().unwrap_or_default().eq_ignore_ascii_case(host)
}
