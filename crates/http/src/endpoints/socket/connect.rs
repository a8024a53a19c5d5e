//! `GET /v0`

use actix_http::ws::{HandshakeError, handshake_response, verify_handshake};
use actix_web::HttpResponse;
use actix_web::http::header;
use inboxd_core::app::authenticate;
use inboxd_core::model::Permission;
use inboxd_core::model::api_key::hash_key;
use inboxd_core::rules::access;

use super::session;
use crate::auth::{UnauthenticatedRequest, bearer};
use crate::connection::ConnectedClient;
use crate::error::{ApiError, ErrorCode};
use crate::query::formats::text;
use crate::query::{QueryReader, query_params};

query_params! {
    /// Key of a client that cannot set headers.
    pub(crate) struct ConnectParams {
        /// The API key, if the header `Authorization` is absent
        api_key: Option<String> = text(),
    }
}

#[utoipa::path(
    get,
    path = "/v0",
    operation_id = "connect",
    tag = "Events",
    summary = "Follow events over WebSocket",
    description = "Upgrades to a WebSocket (RFC 6455). Clients that cannot set `Authorization` send the key as `api_key`. Send `{\"type\": \"subscribe\", \"event_types\"?, \"trust\"?, \"inbox_ids\"?, \"pod_ids\"?, \"after_event_id\"?}`; the reply is `{\"type\": \"subscribed\", …}`, followed by events in the form of webhook deliveries. With `after_event_id` every later event is sent first, in order, each once. Without `event_types`, events of messages labelled spam, blocked or unauthenticated are omitted; their types need the matching `label_*_read`. Errors are sent as `{\"type\": \"error\", \"name\", \"code\", \"message\", \"fix\"}`. The server pings every 20 seconds. A connection that reads too slowly is closed with 1013 and can resume from its last event; a connection whose key may no longer read events is closed with 1008. Requires `event_read`.",
    params(ConnectParams),
    responses((status = 101, description = "The connection is upgraded to a WebSocket"), (status = 426))
)]
pub(crate) async fn handle(mut call: UnauthenticatedRequest) -> Result<HttpResponse, ApiError> {
    let mut query = QueryReader::of(call.request.query_string());
    let ConnectParams { api_key: named } = ConnectParams::read(&mut query);
    let key = bearer(&call.request).map(ToOwned::to_owned).or(named).ok_or_else(ApiError::missing_authorization)?;
    let caller = authenticate(call.app(), &key).await?;
    call.state.rates.keys.check(caller.api_key_id, caller.organization.organization_id)?;
    access::require(&caller, Permission::EventRead).map_err(|error| ApiError::with_fix(error, &caller))?;
    query.finish()?;
    verify_handshake(call.request.head()).map_err(no_handshake)?;
    let seat = call.state.live.enter(&caller, hash_key(&key))?;
    let mut response = handshake_response(call.request.head()).finish();
    let headers = std::mem::take(response.headers_mut());
    let mut answer = HttpResponse::SwitchingProtocols();
    if let Some(accept) = headers.get(header::SEC_WEBSOCKET_ACCEPT) {
        answer.insert_header((header::SEC_WEBSOCKET_ACCEPT, accept.clone()));
    }
    let state = call.state.clone();
    let client = call.request.conn_data::<ConnectedClient>().cloned();
    Ok(answer.upgrade("websocket").streaming(session::frames(seat, client, call.incoming(), state)))
}

fn no_handshake(error: HandshakeError) -> ApiError {
    match error {
        HandshakeError::UnsupportedVersion => ApiError::new(ErrorCode::UpgradeRequired, error.to_string())
            .fix("send `Sec-WebSocket-Version: 13` (RFC 6455)"),
        HandshakeError::BadWebsocketKey => ApiError::new(ErrorCode::UpgradeRequired, error.to_string())
            .fix("send the header `Sec-WebSocket-Key` (RFC 6455)"),
        _ => ApiError::new(ErrorCode::UpgradeRequired, "the path is a WebSocket, and the request is no upgrade"),
    }
}
