//! Memory of responses, charged to organization and client network until written; of a streamed one, that of a piece.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::HttpRequest;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use bytes::Bytes;
use inboxd_core::app::BudgetReached;
use inboxd_core::model::OrganizationId;

use crate::body::MemoryShare;
use crate::client_address;
use crate::connection::ConnectedClient;
use crate::endpoints::downloads::ranged::PIECE_BYTES;
use crate::error::ApiError;
use crate::read_pace::ReadPace;
use crate::state::State;

/// Size up to which a response needs no share: the buffers of its connection already hold as many bytes.
const FREE_BYTES: u64 = 64 * 1024;
/// Bytes passed to the connection at a time. It accepts no more while its own buffer is full.
const CHUNK_BYTES: usize = 64 * 1024;

/// Body with its share of the response memory.
struct SharedBody {
    bytes: Bytes,
    client: Option<ConnectedClient>,
    _share: MemoryShare,
}

/// Streamed body that the client must read, with the share of one piece.
struct PacedBody {
    body: BoxBody,
    client: Option<ConnectedClient>,
    _share: MemoryShare,
}

/// Charges the memory of a large response until it is written, and demands that the client reads it.
///
/// A response to a change is never refused, because the change is stored.
///
/// # Errors
/// 429 if the share of the organization or client network is exhausted, 503 if the whole memory is.
pub(super) fn hold(
    state: &State,
    response: ServiceResponse<BoxBody>,
    organization_id: Option<OrganizationId>,
) -> Result<ServiceResponse<BoxBody>, ApiError> {
    let BodySize::Sized(length) = response.response().body().size() else { return Ok(response) };
    if length <= FREE_BYTES {
        return Ok(response);
    }
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let body = body.try_into_bytes();
    // A streamed body of known size is in memory piece by piece only.
    let held = if body.is_ok() { length } else { length.min(PIECE_BYTES) };
    let mut share = state.response_memory.share(client_address::network_of(&request), organization_id);
    if let Err(reached) = share.grow(usize::try_from(held).unwrap_or(usize::MAX))
        && may_refuse(&request)
    {
        return Err(match reached {
            BudgetReached::Holder => ApiError::too_many_unread(),
            BudgetReached::All => ApiError::no_response_memory(),
        });
    }
    let client = set_read_pace(state, &request);
    let body = match body {
        Ok(bytes) => BoxBody::new(SharedBody { bytes, client, _share: share }),
        Err(body) => BoxBody::new(PacedBody { body, client, _share: share }),
    };
    Ok(ServiceResponse::new(request, response.set_body(body)))
}

/// Returns whether the client may repeat the request: it changed nothing.
fn may_refuse(request: &HttpRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD) || request.path().ends_with("/batch-get")
}

/// Demands that the client reads the response that follows, and returns the client.
fn set_read_pace(state: &State, request: &HttpRequest) -> Option<ConnectedClient> {
    let client = request.conn_data::<ConnectedClient>()?;
    client.set_read_pace(Some(ReadPace::new(state.response_stall_timeout)));
    Some(client.clone())
}

impl MessageBody for SharedBody {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(u64::try_from(self.bytes.len()).unwrap_or(u64::MAX))
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        if self.bytes.is_empty() {
            return Poll::Ready(None);
        }
        let chunk = self.bytes.len().min(CHUNK_BYTES);
        Poll::Ready(Some(Ok(self.bytes.split_to(chunk))))
    }
}

impl MessageBody for PacedBody {
    type Error = Box<dyn std::error::Error>;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_next(cx);
        if let Some(client) = &self.client {
            client.set_waiting(polled.is_pending());
        }
        polled
    }
}

impl Drop for PacedBody {
    fn drop(&mut self) {
        if let Some(client) = &self.client {
            client.set_read_pace(None);
        }
    }
}

impl Drop for SharedBody {
    fn drop(&mut self) {
        if let Some(client) = &self.client {
            client.set_read_pace(None);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use actix_web::HttpResponse;
    use actix_web::body::SizedStream;
    use actix_web::test::TestRequest;
    use futures_util::stream::pending;
    use inboxd_core::testing::World;
    use inboxd_core::testing::fixtures::id;

    use super::*;
    use crate::live::LiveFeed;
    use crate::state::HttpOptions;

    const MIB: usize = 1024 * 1024;

    fn state(options: &HttpOptions) -> State {
        let app = World::default().app();
        State::new(app.clone(), LiveFeed::new(app, 100, crate::FeedMetrics::default()), options)
    }

    #[tokio::test]
    async fn streamed_response_is_charged_with_a_piece() {
        let state = state(&HttpOptions::default());
        let pieces = pending::<Result<Bytes, std::io::Error>>();
        let response = HttpResponse::Ok().body(SizedStream::new(40 << 20, pieces));
        let response = TestRequest::default().to_srv_response(response).map_into_boxed_body();
        let held = hold(&state, response, Some(id(1))).unwrap();
        assert_eq!(state.response_memory.used(), 256 * 1024);
        drop(held);
        assert_eq!(state.response_memory.used(), 0);
    }

    #[tokio::test]
    async fn organization_with_too_many_unread_bytes_is_refused_until_they_are_written() {
        let options = HttpOptions { max_message_bytes: MIB, ..HttpOptions::default() };
        let state = state(&options);
        let respond_to = |request: TestRequest, organization: u128, bytes: usize| {
            let response = request.to_srv_response(HttpResponse::Ok().body(vec![b'x'; bytes]));
            hold(&state, response.map_into_boxed_body(), Some(id(organization)))
        };
        let respond = |organization, bytes| respond_to(TestRequest::default(), organization, bytes);
        let quarter = options.max_bytes_in_flight / 4;
        let unread = respond(1, quarter).unwrap();
        assert_eq!(respond(1, MIB).unwrap_err().code.as_str(), "too_many_requests");
        assert!(respond_to(TestRequest::post(), 1, MIB).is_ok(), "the change is stored");
        assert!(respond(1, 64 * 1024).is_ok(), "small responses need no share");
        assert!(respond(2, MIB).is_ok(), "another organization has its own");
        drop(unread);
        let response = respond(1, MIB).unwrap();
        let body = actix_web::body::to_bytes(response.into_body()).await.unwrap();
        assert_eq!(body.len(), MIB);
    }
}
