//! Route table: all paths and methods. It yields the routes, the `Allow` of a 405 and the OpenAPI operations.
//!
//! An entry with scopes serves its endpoints under each of them. The handler describes the operation of the first
//! scope; the others repeat it, with the scope in the operation id.

use actix_web::dev::Handler;
use actix_web::http::{Method, header};
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, HttpRequest, HttpResponse, Responder, Route, guard};
use inboxd_core::model::{Breadth, Permission};
use utoipa::openapi::path::Operation;

use crate::approvals;
use crate::auth::UnauthenticatedRequest;
use crate::authorized::HandlerArguments;
use crate::console;
use crate::endpoints::{
    account, accounts, api_keys, apps, audit, billing, calendar, connections, contacts, docs, domains, downloads,
    drafts, events, files, inboxes, label_history, legal_holds, lists, members, messages, metrics, notes, operations,
    pods, policies, polling, providers, socket, suppressions, threads, trace, webhooks,
};
use crate::error::ApiError;
use crate::mcp;
use crate::mta_sts;
use crate::oauth;
use crate::router::PathRouter;

/// Path with its endpoints.
pub(crate) struct RouteEntry {
    pub(crate) path: &'static str,
    pub(crate) endpoints: Vec<RouteEndpoint>,
}

/// Scope of a path, and all scopes of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScopeOffer {
    pub(crate) scope: Breadth,
    pub(crate) scopes: &'static [Breadth],
}

/// Endpoint of a path.
pub(crate) struct RouteEndpoint {
    pub(crate) method: &'static str,
    /// Permission that the handler requires by its arguments.
    pub(crate) permission: Option<Permission>,
    /// Path at which the handler describes its operation.
    pub(crate) described_at: fn() -> String,
    /// The description by the handler.
    pub(crate) operation: fn() -> Operation,
    pub(crate) offer: Option<ScopeOffer>,
    route: Route,
}

impl RouteEndpoint {
    fn new<F, Args>(
        method: &'static str,
        offer: Option<ScopeOffer>,
        described_at: fn() -> String,
        operation: fn() -> Operation,
        handler: F,
    ) -> Self
    where
        F: Handler<Args>,
        Args: HandlerArguments + FromRequest + 'static,
        F::Output: Responder + 'static,
    {
        Self { method, permission: Args::PERMISSION, described_at, operation, offer, route: verb(method).to(handler) }
    }
}

/// Adds endpoints to a path, which may already have others.
fn add(entries: &mut Vec<RouteEntry>, path: &'static str, mut endpoints: Vec<RouteEndpoint>) {
    match entries.iter_mut().find(|entry| entry.path == path) {
        Some(entry) => entry.endpoints.append(&mut endpoints),
        None => entries.push(RouteEntry { path, endpoints }),
    }
}

/// Path prefix of a scope.
macro_rules! prefix {
    (Organization) => {
        "/v0"
    };
    (Pod) => {
        "/v0/pods/{pod_id}"
    };
    (Inbox) => {
        "/v0/inboxes/{inbox_id}"
    };
}

/// Adds the paths of an entry, one per scope.
macro_rules! offer {
    ($entries:ident, [], $path:literal, $endpoints:tt) => {
        offer!($entries, None, $path, $endpoints);
    };
    ($entries:ident, [$($scope:ident),+], $path:literal, $endpoints:tt) => {
        offer!($entries, [$($scope),+], [$($scope),+], $path, $endpoints);
    };
    ($entries:ident, [$($scope:ident),+], $scopes:tt, $path:literal, $endpoints:tt) => {
        $(offer!($entries, offered!($scope, $scopes), concat!(prefix!($scope), $path), $endpoints);)+
    };
    ($entries:ident, $offer:expr, $path:expr, { $($method:ident $module:ident::$endpoint:ident),+ }) => {
        add(&mut $entries, $path, vec![$(RouteEndpoint::new(
                stringify!($method),
                $offer,
                <$module::$endpoint::__path_handle as utoipa::Path>::path,
                <$module::$endpoint::__path_handle as utoipa::Path>::operation,
                $module::$endpoint::handle,
            )),+]);
    };
}

/// Offer of one scope of an entry.
macro_rules! offered {
    ($scope:ident, [$($scopes:ident),+]) => {
        Some(ScopeOffer { scope: Breadth::$scope, scopes: &[$(Breadth::$scopes),+] })
    };
}

/// Declares the table: scopes, path, then method and module of each `handle`.
macro_rules! routes {
    ($($([$($scope:ident),+])? $path:literal { $($method:ident $module:ident::$endpoint:ident),+ })+) => {
        /// Returns all paths with their endpoints.
        pub(crate) fn entries() -> Vec<RouteEntry> {
            let mut entries = Vec::new();
            $(offer!(entries, [$($($scope),+)?], $path, { $($method $module::$endpoint),+ });)+
            entries
        }

        /// OpenAPI document of the handlers, with their schemas.
        #[derive(utoipa::OpenApi)]
        #[openapi(paths($($($module::$endpoint::handle),+),+))]
        pub(crate) struct RouteTable;
    };
}

/// Configures the routes of the table. The first matching path wins.
pub(crate) fn configure(config: &mut ServiceConfig) {
    let mut table = PathRouter::or(web::to(not_found));
    for path in NOT_OFFERED {
        table.serve(path, vec![web::to(not_found)]);
    }
    let other = |request: HttpRequest| async move { other_method(&request, "POST, OPTIONS".to_owned()) };
    table.serve("/mcp", vec![web::post().to(mcp::handle), web::to(other)]);
    for RouteEntry { path, endpoints } in entries() {
        serve(&mut table, path, endpoints.into_iter().map(|endpoint| (endpoint.method, endpoint.route)).collect());
    }
    let pages = approvals::routes().into_iter().chain(console::routes());
    for (path, endpoints) in oauth::routes().into_iter().chain(mta_sts::routes()).chain(pages) {
        serve(&mut table, path, endpoints);
    }
    config.default_service(table);
}

/// Returns the methods and paths of the console.
#[must_use]
pub fn console_routes() -> Vec<(&'static str, &'static str)> {
    let each = |(path, endpoints): (&'static str, Vec<(&'static str, Route)>)| {
        endpoints.into_iter().map(move |(method, _)| (method, path))
    };
    console::routes().into_iter().flat_map(each).collect()
}

/// Serves a path with its methods; every other method is refused.
fn serve(table: &mut PathRouter, path: &'static str, endpoints: Vec<(&'static str, Route)>) {
    let methods = allow(endpoints.iter().map(|(method, _)| *method));
    let other = move |request: HttpRequest, payload: web::Payload| {
        let methods = methods.clone();
        async move { refuse(&request, payload, other_method(&request, methods)).await }
    };
    let routes = endpoints.into_iter().map(|(_, route)| route);
    table.serve(path, routes.chain([web::to(other)]).collect());
}

routes! {
    "/health" { get operations::health }
    "/ready" { get operations::ready }
    "/openapi.json" { get docs::openapi }
    "/docs" { get docs::page }
    "/docs/errors" { get docs::errors }
    "/docs/assets/{file}" { get docs::asset }

    "/v0/agent/sign-up" { post account::sign_up }
    "/v0/agent/human" { post account::attach_human }
    "/v0/agent/verify" { post account::verify }
    "/v0/agent/sign-in" { post account::sign_in }
    "/v0/agent/sign-in/verify" { post account::sign_in_verify }
    "/v0" { get socket::connect }
    "/v0/auth/me" { get account::me }
    "/v0/auth/switch" { post account::switch }
    "/v0/organizations" { get account::organization, patch account::update_organization }
    "/v0/organizations/labs" { get account::labs, post account::join_labs }
    [Organization, Pod, Inbox] "/accounts" { get accounts::list }
    [Organization, Pod, Inbox] "/accounts/{account_id}" { get accounts::get }
    "/v0/accounts/{account_id}/update" { patch accounts::update }
    "/v0/apps" { get apps::list }
    "/v0/apps/search" { get apps::search }
    "/v0/apps/{app_id}" { get apps::get }
    "/v0/apps/{app_id}/accounts" { get apps::accounts }
    "/v0/apps/{app_id}/connect" { post apps::connect }
    "/v0/providers" { get providers::list }
    "/v0/providers/search" { get providers::search }
    "/v0/providers/{provider_id}" { get providers::get }
    "/v0/providers/{provider_id}/accounts" { get providers::accounts }
    "/v0/providers/{provider_id}/connect" { post providers::connect }
    [Organization, Pod, Inbox] "/api-keys" { get api_keys::list, post api_keys::create }
    [Organization, Pod, Inbox] "/api-keys/{api_key_id}" { get api_keys::get, patch api_keys::update, delete api_keys::delete }
    "/v0/events" { get events::list }
    [Organization, Pod, Inbox] "/metrics/events" { get metrics::events }
    [Organization, Pod, Inbox] "/metrics/rates" { get metrics::rates }
    [Organization, Pod, Inbox] "/metrics/usage" { get metrics::usage }
    "/v0/audit" { get audit::list }
    [Organization, Inbox] "/legal-hold" { get legal_holds::get, patch legal_holds::update }
    "/v0/suppressions" { get suppressions::list }
    "/v0/billing" { get billing::get }
    "/v0/billing/checkout" { post billing::checkout }
    "/v0/billing/portal" { post billing::portal }
    "/v0/billing/webhook" { post billing::webhook }
    "/v0/downloads/{token}" { get downloads::get }
    "/v0/uploads/{token}" { put files::upload }

    [Organization, Pod] "/domains" { get domains::list, post domains::create }
    [Organization, Pod] "/domains/{domain_id}" { get domains::get, patch domains::update, delete domains::delete }
    [Organization, Pod] "/domains/{domain_id}/verify" { post domains::verify }
    [Organization, Pod] "/domains/{domain_id}/zone-file" { get domains::zone_file }
    "/v0/domains/{domain_id}/setup-link" { get domains::setup_link }

    [Organization, Pod, Inbox] "/lists/{direction}/{type}" { get lists::list, post lists::create }
    [Organization, Pod, Inbox] "/lists/{direction}/{type}/{entry}" { get lists::get, delete lists::delete }
    [Organization, Pod, Inbox] "/policy" { get policies::get, put policies::put, delete policies::delete }
    "/v0/api-keys/{api_key_id}/policy" { get policies::get_of_key, put policies::put_of_key, delete policies::delete_of_key }
    "/v0/connections" { get connections::list }
    "/v0/connections/{connection_id}" { get connections::get, patch connections::update, delete connections::delete }
    "/v0/members" { get members::list, post members::create }
    "/v0/members/{member_id}" { get members::get, patch members::update, delete members::delete }

    [Organization, Pod, Inbox] "/webhooks" { get webhooks::list, post webhooks::create }
    [Organization, Pod, Inbox] "/webhooks/attempts" { get webhooks::attempts }
    [Organization, Pod, Inbox] "/webhooks/polling" { get polling::list, post polling::create }
    [Organization, Pod, Inbox] "/webhooks/polling/{webhook_id}" { get polling::get, delete polling::delete }
    "/v0/webhooks/polling/{webhook_id}/events" { get polling::events }
    [Organization, Pod, Inbox] "/webhooks/{webhook_id}" { get webhooks::get, patch webhooks::update, delete webhooks::delete }
    [Organization, Pod, Inbox] "/webhooks/{webhook_id}/headers" { get webhooks::headers, patch webhooks::update_headers }
    [Organization, Pod, Inbox] "/webhooks/{webhook_id}/rotate-secret" { post webhooks::rotate_secret }
    [Organization, Pod, Inbox] "/webhooks/{webhook_id}/replay" { post webhooks::replay }

    [Organization, Pod] "/inboxes" { get inboxes::list, post inboxes::create }
    [Organization, Pod] "/inboxes/search" { get inboxes::search }
    [Inbox] "/authorize" { post inboxes::authorize }
    [Organization, Pod] "/inboxes/{inbox_id}" { get inboxes::get, patch inboxes::update, delete inboxes::delete }
    [Inbox] "/events" { get label_history::list }
    [Inbox] "/trace" { get trace::list }
    [Inbox] "/contacts" { get contacts::list }
    [Inbox] "/contacts/{address}" { get contacts::get, patch contacts::update, delete contacts::delete }

    "/v0/calendar-feeds/{token}" { get calendar::feed }
    [Inbox] "/calendar" { get calendar::get, patch calendar::settings }
    [Inbox] "/calendar/agenda" { get calendar::agenda }
    [Inbox] "/calendar/feed" { post calendar::open_feed, delete calendar::close_feed }
    [Inbox] "/calendar/free-busy" { get calendar::free_busy }
    [Inbox] "/calendar/events" { get calendar::events, post calendar::create }
    [Inbox] "/calendar/events/{event_id}" {
        get calendar::event,
        patch calendar::update,
        delete calendar::delete
    }
    [Inbox] "/calendar/events/{event_id}/respond" { post calendar::respond }
    [Inbox] "/calendar/events/{event_id}/instances" { get calendar::instances }

    [Inbox] "/files" { get files::list, post files::create }
    [Inbox] "/files/{file_id}" { get files::get, delete files::delete }
    [Inbox] "/files/{file_id}/complete" { post files::complete }

    [Inbox] "/messages" { get messages::list }
    [Inbox] "/messages/search" { get messages::search }
    [Inbox] "/messages/wait" { get messages::wait }
    [Inbox] "/messages/send" { post messages::send }
    [Inbox] "/messages/batch-get" { post messages::batch_get }
    [Inbox] "/messages/batch-update" { post messages::batch_update }
    [Inbox] "/messages/{message_id}/reply" { post messages::reply }
    [Inbox] "/messages/{message_id}/reply-all" { post messages::reply_all }
    [Inbox] "/messages/{message_id}/forward" { post messages::forward }
    [Inbox] "/messages/{message_id}/rsvp" { post messages::rsvp }
    [Inbox] "/messages/{message_id}/cancel" { post messages::cancel }
    [Inbox] "/messages/{message_id}/redact" { post messages::redact }
    [Inbox] "/messages/{message_id}/agent-armor/release" { post messages::release }
    [Inbox] "/messages/{message_id}/agent-armor/feedback" { post messages::feedback }
    [Inbox] "/messages/{message_id}/raw" { get messages::raw }
    [Inbox] "/messages/{message_id}/attachments/{attachment_id}" { get messages::attachment }
    [Inbox] "/messages/{message_id}" { get messages::get, patch messages::update, delete messages::delete }

    [Inbox, Pod, Organization] "/threads" { get threads::list }
    [Inbox, Pod, Organization] "/threads/search" { get threads::search }
    [Inbox, Pod, Organization] "/threads/{thread_id}" { get threads::get, patch threads::update, delete threads::delete }
    [Inbox, Pod, Organization] "/threads/{thread_id}/attachments/{attachment_id}" { get threads::attachment }
    [Inbox] "/threads/{thread_id}/notes" { post notes::create }
    [Inbox] "/threads/{thread_id}/notes/{note_id}" { delete notes::delete }

    "/v0/pods" { get pods::list, post pods::create }
    "/v0/pods/{pod_id}" { get pods::get, patch pods::update, delete pods::delete }

    [Organization, Pod, Inbox] "/drafts" { get drafts::list }
    [Inbox] "/drafts" { post drafts::create }
    [Organization, Pod, Inbox] "/drafts/{draft_id}" { get drafts::get }
    [Inbox] "/drafts/{draft_id}" { patch drafts::update, delete drafts::delete }
    [Inbox] "/drafts/{draft_id}/send" { post drafts::send }
    [Inbox] "/drafts/{draft_id}/approve" { post drafts::approve }
    [Inbox] "/drafts/{draft_id}/reject" { post drafts::reject }
    [Organization, Pod, Inbox] "/drafts/{draft_id}/attachments/{attachment_id}" { get drafts::attachment }
}

/// Paths of compatible APIs that are not supported. They must not match an id (`wire.md`, section 3).
const NOT_OFFERED: &[&str] = &["/v0/api-keys/public-keys"];

/// Returns the route of a method. A GET route also serves HEAD.
pub(crate) fn verb(method: &str) -> Route {
    match method {
        "get" => web::route().guard(guard::Any(guard::Get()).or(guard::Head())),
        "post" => web::post(),
        "put" => web::put(),
        "patch" => web::patch(),
        "delete" => web::delete(),
        // Matches nothing: a test walks the table and finds every method served.
        _ => web::route().guard(guard::fn_guard(|_| false)),
    }
}

/// Returns the methods of a path for `Allow`.
fn allow<'a>(methods: impl Iterator<Item = &'a str>) -> String {
    let names = methods.map(|method| match method {
        "get" => "GET, HEAD".to_owned(),
        other => other.to_uppercase(),
    });
    names.chain(["OPTIONS".to_owned()]).collect::<Vec<_>>().join(", ")
}

/// Refuses a method that the path does not support. OPTIONS returns the supported methods.
fn other_method(request: &HttpRequest, allow: String) -> Result<HttpResponse, ApiError> {
    if request.method() == Method::OPTIONS {
        return Ok(HttpResponse::NoContent().insert_header((header::ALLOW, allow)).finish());
    }
    Err(ApiError::method_not_allowed(request.method().as_str(), allow))
}

/// Refuses an unknown path.
async fn not_found(request: HttpRequest, payload: web::Payload) -> Result<HttpResponse, ApiError> {
    refuse(&request, payload, Err(ApiError::route_not_found(request.method().as_str(), request.path()))).await
}

/// Shows refusals of the console as pages.
async fn refuse(
    request: &HttpRequest,
    payload: web::Payload,
    response: Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    match response {
        Err(error) if request.path().starts_with("/console/") => {
            let call = UnauthenticatedRequest::of(request, &mut payload.into_inner())?;
            console::refuse_path(call, error).await
        }
        response => response,
    }
}
