//! Limit of concurrent requests of a client behind a trusted proxy, in place of the limit of its connections.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::HttpRequest;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use bytes::Bytes;

use crate::client_address;
use crate::connection_limits::ConnectionPermit;
use crate::error::ApiError;
use crate::state::State;

/// Counts a request that a trusted proxy forwards. Other requests are counted by their connection.
///
/// # Errors
/// 429 if the address or network of the client is at the limit.
pub(super) fn enter(state: &State, request: &HttpRequest) -> Result<Option<ConnectionPermit>, ApiError> {
    if !state.trusted_proxies.contains(client_address::peer_of(request)) {
        return Ok(None);
    }
    let permit = state.connections.enter(client_address::of(request));
    permit.map(Some).ok_or_else(ApiError::too_many_concurrent)
}

/// Holds the permit until the response is written; that of a WebSocket or an event stream lasts until it is closed.
pub(super) fn hold(response: ServiceResponse<BoxBody>, permit: Option<ConnectionPermit>) -> ServiceResponse<BoxBody> {
    match permit {
        None => response,
        Some(permit) => response.map_body(|_, body| BoxBody::new(CountedBody { body, _permit: permit })),
    }
}

/// Body of a response with the permit of its request.
struct CountedBody {
    body: BoxBody,
    _permit: ConnectionPermit,
}

impl MessageBody for CountedBody {
    type Error = Box<dyn Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.body).poll_next(cx)
    }
}
