//! Every path and method, on one page. What is served, what a 405 allows and what the OpenAPI document lists all come
//! from this table.

use actix_web::http::{Method, header};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Route, guard};

use crate::endpoints::{
    account, api_keys, docs, domains, downloads, events, inbox_api_keys, inboxes, members, messages, operations,
    threads,
};
use crate::error::ApiError;

/// Declares the table: path, then method and the module of the endpoint's `handle`.
macro_rules! routes {
    ($($path:literal { $($method:ident $module:ident::$endpoint:ident),+ })+) => {
        /// Every path with its methods.
        #[cfg(test)]
        pub(crate) const TABLE: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];

        /// Serves the table. The first path that matches wins.
        pub(crate) fn configure(config: &mut ServiceConfig) {
            for path in NOT_OFFERED {
                config.service(web::resource(pattern(path)).to(not_found));
            }
            $(config.service(
                web::resource(pattern($path))
                    $(.route(verb(stringify!($method)).to($module::$endpoint::handle)))+
                    .default_service(web::to(async |request: HttpRequest| other_method(&request, allow(&[$(stringify!($method)),+])))),
            );)+
            config.default_service(web::to(not_found));
        }

        /// The table as an OpenAPI document.
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($module::$endpoint::handle),+),+))]
        pub(crate) struct Table;
    };
}

routes! {
    "/health" { get operations::health }
    "/ready" { get operations::ready }
    "/openapi.json" { get docs::openapi }
    "/docs" { get docs::page }
    "/docs/errors" { get docs::errors }
    "/docs/assets/{file}" { get docs::asset }

    "/v0/agent/sign-up" { post account::sign_up }
    "/v0/agent/verify" { post account::verify }
    "/v0/agent/sign-in" { post account::sign_in }
    "/v0/agent/sign-in/verify" { post account::sign_in_verify }
    "/v0/auth/me" { get account::me }
    "/v0/auth/switch" { post account::switch }
    "/v0/organizations" { get account::organization }
    "/v0/api-keys" { get api_keys::list, post api_keys::create }
    "/v0/api-keys/{api_key_id}" { get api_keys::get, delete api_keys::delete }
    "/v0/domains" { get domains::list, post domains::create }
    "/v0/domains/{domain_id}" { get domains::get, patch domains::update, delete domains::delete }
    "/v0/domains/{domain_id}/verify" { post domains::verify }
    "/v0/domains/{domain_id}/zone-file" { get domains::zone_file }
    "/v0/members" { get members::list, post members::create }
    "/v0/members/{member_id}" { get members::get, patch members::update, delete members::delete }
    "/v0/events" { get events::list }
    "/v0/downloads/{token}" { get downloads::get }

    "/v0/inboxes" { get inboxes::list, post inboxes::create }
    "/v0/inboxes/{inbox_id}" { get inboxes::get, patch inboxes::update, delete inboxes::delete }
    "/v0/inboxes/{inbox_id}/api-keys" { get inbox_api_keys::list, post inbox_api_keys::create }
    "/v0/inboxes/{inbox_id}/api-keys/{api_key_id}" { delete inbox_api_keys::delete }

    "/v0/inboxes/{inbox_id}/messages" { get messages::list }
    "/v0/inboxes/{inbox_id}/messages/search" { get messages::search }
    "/v0/inboxes/{inbox_id}/messages/send" { post messages::send }
    "/v0/inboxes/{inbox_id}/messages/batch-get" { post messages::batch_get }
    "/v0/inboxes/{inbox_id}/messages/batch-update" { post messages::batch_update }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/reply" { post messages::reply }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/reply-all" { post messages::reply_all }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/forward" { post messages::forward }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/raw" { get messages::raw }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}" { get messages::attachment }
    "/v0/inboxes/{inbox_id}/messages/{message_id}" { get messages::get, patch messages::update, delete messages::delete }

    "/v0/inboxes/{inbox_id}/threads" { get threads::list }
    "/v0/inboxes/{inbox_id}/threads/search" { get threads::search }
    "/v0/inboxes/{inbox_id}/threads/{thread_id}" { get threads::get, patch threads::update, delete threads::delete }
    "/v0/inboxes/{inbox_id}/threads/{thread_id}/attachments/{attachment_id}" { get threads::attachment }
}

/// Paths that clients know and that are not offered here: they must not be taken for an id (`wire.md`, section 3).
const NOT_OFFERED: &[&str] = &[
    "/v0/inboxes/search",
    "/v0/api-keys/public-keys",
    "/v0/inboxes/{inbox_id}/messages/{message_id}/agent-armor/feedback",
    "/v0/inboxes/{inbox_id}/messages/{message_id}/agent-armor/release",
];

/// The path as the router matches it: ids of messages may hold slashes, so that what stands behind them is matched from
/// the right.
fn pattern(path: &str) -> String {
    path.replace("{message_id}", "{message_id:.+}")
}

/// The path of the table that a request was served by; `None` for a path that is not in it.
pub(crate) fn path_of(request: &HttpRequest) -> Option<String> {
    request.match_pattern().map(|pattern| pattern.replace("{message_id:.+}", "{message_id}"))
}

/// A route of a method. Whatever can be read with GET can be asked about with HEAD.
fn verb(method: &str) -> Route {
    match method {
        "get" => web::route().guard(guard::Any(guard::Get()).or(guard::Head())),
        "post" => web::post(),
        "patch" => web::patch(),
        "delete" => web::delete(),
        // Matches nothing: a test walks the table and finds every method served.
        _ => web::route().guard(guard::fn_guard(|_| false)),
    }
}

/// The methods of a path as `Allow` names them.
fn allow(methods: &[&str]) -> String {
    let names = methods.iter().map(|method| match *method {
        "get" => "GET, HEAD".to_owned(),
        other => other.to_uppercase(),
    });
    names.chain(["OPTIONS".to_owned()]).collect::<Vec<_>>().join(", ")
}

/// Answers a method that the path does not have; OPTIONS asks which it has.
fn other_method(request: &HttpRequest, allow: String) -> Result<HttpResponse, ApiError> {
    if request.method() == Method::OPTIONS {
        return Ok(HttpResponse::NoContent().insert_header((header::ALLOW, allow)).finish());
    }
    Err(ApiError::method_not_allowed(request.method().as_str(), allow))
}

/// Answers a path that nothing has.
async fn not_found(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    Err(ApiError::route_not_found(request.method().as_str(), request.path()))
}
