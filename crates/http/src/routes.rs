//! Every path and method, on one page. What is served, what a 405 allows and what the OpenAPI document lists all come
//! from this table.

use actix_web::http::{Method, header};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse, Route, guard};

use crate::endpoints::{
    account, all_threads, api_keys, billing, docs, domains, downloads, drafts, events, inbox_api_keys, inbox_drafts,
    inbox_lists, inbox_metrics, inbox_webhooks, inboxes, label_history, lists, members, messages, metrics, notes,
    operations, pod_api_keys, pod_domains, pod_drafts, pod_inboxes, pod_lists, pod_metrics, pod_threads, pod_webhooks,
    pods, socket, suppressions, threads, webhooks,
};
use crate::error::ApiError;
use crate::router::Router;

/// Declares the table: path, then method and the module of the endpoint's `handle`.
macro_rules! routes {
    ($($path:literal { $($method:ident $module:ident::$endpoint:ident),+ })+) => {
        /// Every path with its methods.
        #[cfg(test)]
        pub(crate) const TABLE: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];

        /// Serves the table. The first path that matches wins.
        pub(crate) fn configure(config: &mut ServiceConfig) {
            let mut router = Router::or(web::to(not_found));
            for path in NOT_OFFERED {
                router.serve(path, vec![web::to(not_found)]);
            }
            $(router.serve($path, vec![
                $(verb(stringify!($method)).to($module::$endpoint::handle),)+
                web::to(async |request: HttpRequest| other_method(&request, allow(&[$(stringify!($method)),+]))),
            ]);)+
            config.default_service(router);
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
    "/v0" { get socket::connect }
    "/v0/auth/me" { get account::me }
    "/v0/auth/switch" { post account::switch }
    "/v0/organizations" { get account::organization }
    "/v0/api-keys" { get api_keys::list, post api_keys::create }
    "/v0/api-keys/{api_key_id}" { get api_keys::get, patch api_keys::update, delete api_keys::delete }
    "/v0/events" { get events::list }
    "/v0/metrics/events" { get metrics::events }
    "/v0/metrics/usage" { get metrics::usage }
    "/v0/suppressions" { get suppressions::list }
    "/v0/billing" { get billing::get }
    "/v0/billing/checkout" { post billing::checkout }
    "/v0/billing/portal" { post billing::portal }
    "/v0/billing/webhook" { post billing::webhook }
    "/v0/downloads/{token}" { get downloads::get }

    "/v0/domains" { get domains::list, post domains::create }
    "/v0/domains/{domain_id}" { get domains::get, patch domains::update, delete domains::delete }
    "/v0/domains/{domain_id}/verify" { post domains::verify }
    "/v0/domains/{domain_id}/zone-file" { get domains::zone_file }

    "/v0/lists/{direction}/{type}" { get lists::list, post lists::create }
    "/v0/lists/{direction}/{type}/{entry}" { get lists::get, delete lists::delete }
    "/v0/members" { get members::list, post members::create }
    "/v0/members/{member_id}" { get members::get, patch members::update, delete members::delete }

    "/v0/webhooks" { get webhooks::list, post webhooks::create }
    "/v0/webhooks/attempts" { get webhooks::attempts }
    "/v0/webhooks/{webhook_id}" { get webhooks::get, patch webhooks::update, delete webhooks::delete }
    "/v0/webhooks/{webhook_id}/headers" { get webhooks::headers, patch webhooks::update_headers }
    "/v0/webhooks/{webhook_id}/rotate-secret" { post webhooks::rotate_secret }
    "/v0/webhooks/{webhook_id}/replay" { post webhooks::replay }

    "/v0/inboxes" { get inboxes::list, post inboxes::create }
    "/v0/inboxes/{inbox_id}" { get inboxes::get, patch inboxes::update, delete inboxes::delete }
    "/v0/inboxes/{inbox_id}/events" { get label_history::list }
    "/v0/inboxes/{inbox_id}/metrics/events" { get inbox_metrics::events }
    "/v0/inboxes/{inbox_id}/metrics/usage" { get inbox_metrics::usage }
    "/v0/inboxes/{inbox_id}/api-keys" { get inbox_api_keys::list, post inbox_api_keys::create }
    "/v0/inboxes/{inbox_id}/api-keys/{api_key_id}" { get inbox_api_keys::get, patch inbox_api_keys::update, delete inbox_api_keys::delete }

    "/v0/inboxes/{inbox_id}/messages" { get messages::list }
    "/v0/inboxes/{inbox_id}/messages/search" { get messages::search }
    "/v0/inboxes/{inbox_id}/messages/wait" { get messages::wait }
    "/v0/inboxes/{inbox_id}/messages/send" { post messages::send }
    "/v0/inboxes/{inbox_id}/messages/batch-get" { post messages::batch_get }
    "/v0/inboxes/{inbox_id}/messages/batch-update" { post messages::batch_update }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/reply" { post messages::reply }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/reply-all" { post messages::reply_all }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/forward" { post messages::forward }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/raw" { get messages::raw }
    "/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}" { get messages::attachment }
    "/v0/inboxes/{inbox_id}/messages/{message_id}" { get messages::get, patch messages::update, delete messages::delete }

    "/v0/inboxes/{inbox_id}/drafts" { get inbox_drafts::list, post inbox_drafts::create }
    "/v0/inboxes/{inbox_id}/drafts/{draft_id}" { get inbox_drafts::get, patch inbox_drafts::update, delete inbox_drafts::delete }
    "/v0/inboxes/{inbox_id}/drafts/{draft_id}/send" { post inbox_drafts::send }
    "/v0/inboxes/{inbox_id}/drafts/{draft_id}/attachments/{attachment_id}" { get inbox_drafts::attachment }

    "/v0/inboxes/{inbox_id}/lists/{direction}/{type}" { get inbox_lists::list, post inbox_lists::create }
    "/v0/inboxes/{inbox_id}/lists/{direction}/{type}/{entry}" { get inbox_lists::get, delete inbox_lists::delete }

    "/v0/inboxes/{inbox_id}/threads" { get threads::list }
    "/v0/inboxes/{inbox_id}/threads/search" { get threads::search }
    "/v0/inboxes/{inbox_id}/threads/{thread_id}" { get threads::get, patch threads::update, delete threads::delete }
    "/v0/inboxes/{inbox_id}/threads/{thread_id}/attachments/{attachment_id}" { get threads::attachment }
    "/v0/inboxes/{inbox_id}/threads/{thread_id}/notes" { post notes::create }
    "/v0/inboxes/{inbox_id}/threads/{thread_id}/notes/{note_id}" { delete notes::delete }

    "/v0/inboxes/{inbox_id}/webhooks" { get inbox_webhooks::list, post inbox_webhooks::create }
    "/v0/inboxes/{inbox_id}/webhooks/attempts" { get inbox_webhooks::attempts }
    "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}" { get inbox_webhooks::get, patch inbox_webhooks::update, delete inbox_webhooks::delete }
    "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}/headers" { get inbox_webhooks::headers, patch inbox_webhooks::update_headers }
    "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}/rotate-secret" { post inbox_webhooks::rotate_secret }
    "/v0/inboxes/{inbox_id}/webhooks/{webhook_id}/replay" { post inbox_webhooks::replay }

    "/v0/pods" { get pods::list, post pods::create }
    "/v0/pods/{pod_id}" { get pods::get, patch pods::update, delete pods::delete }
    "/v0/pods/{pod_id}/inboxes" { get pod_inboxes::list, post pod_inboxes::create }
    "/v0/pods/{pod_id}/inboxes/{inbox_id}" { get pod_inboxes::get, patch pod_inboxes::update, delete pod_inboxes::delete }
    "/v0/pods/{pod_id}/api-keys" { get pod_api_keys::list, post pod_api_keys::create }
    "/v0/pods/{pod_id}/api-keys/{api_key_id}" { get pod_api_keys::get, patch pod_api_keys::update, delete pod_api_keys::delete }
    "/v0/pods/{pod_id}/metrics/events" { get pod_metrics::events }
    "/v0/pods/{pod_id}/metrics/usage" { get pod_metrics::usage }
    "/v0/pods/{pod_id}/domains" { get pod_domains::list, post pod_domains::create }
    "/v0/pods/{pod_id}/domains/{domain_id}" { get pod_domains::get, patch pod_domains::update, delete pod_domains::delete }
    "/v0/pods/{pod_id}/domains/{domain_id}/verify" { post pod_domains::verify }
    "/v0/pods/{pod_id}/domains/{domain_id}/zone-file" { get pod_domains::zone_file }
    "/v0/pods/{pod_id}/drafts" { get pod_drafts::list }
    "/v0/pods/{pod_id}/drafts/{draft_id}" { get pod_drafts::get }
    "/v0/pods/{pod_id}/drafts/{draft_id}/attachments/{attachment_id}" { get pod_drafts::attachment }
    "/v0/pods/{pod_id}/lists/{direction}/{type}" { get pod_lists::list, post pod_lists::create }
    "/v0/pods/{pod_id}/lists/{direction}/{type}/{entry}" { get pod_lists::get, delete pod_lists::delete }
    "/v0/pods/{pod_id}/threads" { get pod_threads::list }
    "/v0/pods/{pod_id}/threads/search" { get pod_threads::search }
    "/v0/pods/{pod_id}/threads/{thread_id}" { get pod_threads::get, patch pod_threads::update, delete pod_threads::delete }
    "/v0/pods/{pod_id}/threads/{thread_id}/attachments/{attachment_id}" { get pod_threads::attachment }
    "/v0/pods/{pod_id}/webhooks" { get pod_webhooks::list, post pod_webhooks::create }
    "/v0/pods/{pod_id}/webhooks/attempts" { get pod_webhooks::attempts }
    "/v0/pods/{pod_id}/webhooks/{webhook_id}" { get pod_webhooks::get, patch pod_webhooks::update, delete pod_webhooks::delete }
    "/v0/pods/{pod_id}/webhooks/{webhook_id}/headers" { get pod_webhooks::headers, patch pod_webhooks::update_headers }
    "/v0/pods/{pod_id}/webhooks/{webhook_id}/rotate-secret" { post pod_webhooks::rotate_secret }
    "/v0/pods/{pod_id}/webhooks/{webhook_id}/replay" { post pod_webhooks::replay }

    "/v0/drafts" { get drafts::list }
    "/v0/drafts/{draft_id}" { get drafts::get }
    "/v0/drafts/{draft_id}/attachments/{attachment_id}" { get drafts::attachment }

    "/v0/threads" { get all_threads::list }
    "/v0/threads/search" { get all_threads::search }
    "/v0/threads/{thread_id}" { get all_threads::get, patch all_threads::update, delete all_threads::delete }
    "/v0/threads/{thread_id}/attachments/{attachment_id}" { get all_threads::attachment }
}

/// Paths that clients know and that are not offered here: they must not be taken for an id (`wire.md`, section 3).
const NOT_OFFERED: &[&str] = &[
    "/v0/inboxes/search",
    "/v0/pods/{pod_id}/inboxes/search",
    "/v0/api-keys/public-keys",
    "/v0/domains/{domain_id}/setup-link",
    "/v0/webhooks/polling",
    "/v0/inboxes/{inbox_id}/webhooks/polling",
    "/v0/pods/{pod_id}/webhooks/polling",
    "/v0/inboxes/{inbox_id}/messages/{message_id}/agent-armor/feedback",
    "/v0/inboxes/{inbox_id}/messages/{message_id}/agent-armor/release",
];

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
