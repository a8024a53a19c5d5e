//! Memory of responses: large ones are charged to their organization and client network until written.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use bytes::Bytes;
use inboxd_core::app::BudgetReached;
use inboxd_core::model::OrganizationId;

use crate::auth::client_network;
use crate::body::MemoryShare;
use crate::connection::ConnectedClient;
use crate::error::ApiError;
use crate::state::State;

/// Size up to which a response needs no share: the buffers of its connection already hold as many bytes.
const FREE_BYTES: usize = 64 * 1024;
/// Bytes passed to the connection at a time. It accepts no more while its own buffer is full.
const CHUNK_BYTES: usize = 64 * 1024;
/// Average rate in bytes per second at which a client must read a large response.
const MIN_READ_RATE: u64 = 128 * 1024;
/// Time before `MIN_READ_RATE` applies.
const READ_GRACE: Duration = Duration::from_secs(10);

/// Body with its share of the response memory.
struct SharedBody {
    bytes: Bytes,
    client: Option<ConnectedClient>,
    _share: MemoryShare,
}

/// Charges the memory of a large response until it is written, and limits the time for that.
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
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    if length <= FREE_BYTES {
        return Ok(response);
    }
    let (request, response) = response.into_parts();
    let mut share = state.response_memory.share(client_network(&request), organization_id);
    if let Err(reached) = share.grow(length)
        && may_refuse(&request)
    {
        return Err(match reached {
            BudgetReached::Holder => ApiError::too_many_unread(),
            BudgetReached::All => ApiError::no_response_memory(),
        });
    }
    let client = limit_time(&request, length);
    let (response, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Ok(bytes) => BoxBody::new(SharedBody { bytes, client, _share: share }),
        // A streamed body of known size is in memory piece by piece only.
        Err(body) => body,
    };
    Ok(ServiceResponse::new(request, response.set_body(body)))
}

/// Returns whether the client may repeat the request: it changed nothing.
fn may_refuse(request: &HttpRequest) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD) || request.path().ends_with("/batch-get")
}

fn limit_time(request: &HttpRequest, length: usize) -> Option<ConnectedClient> {
    let client = request.conn_data::<ConnectedClient>()?;
    let seconds = u64::try_from(length).unwrap_or(u64::MAX) / MIN_READ_RATE;
    client.set_write_timeout(Some(READ_GRACE + Duration::from_secs(seconds)));
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

impl Drop for SharedBody {
    fn drop(&mut self) {
        if let Some(client) = &self.client {
            client.set_write_timeout(None);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use actix_web::HttpResponse;
    use actix_web::test::TestRequest;
    use inboxd_core::testing::World;
    use inboxd_core::testing::fixtures::id;

    use super::*;
    use crate::live::LiveFeed;
    use crate::state::HttpOptions;

    const MIB: usize = 1024 * 1024;

    #[tokio::test]
    async fn organization_with_too_many_unread_bytes_is_refused_until_they_are_written() {
        let options = HttpOptions { max_message_bytes: MIB, ..HttpOptions::default() };
        let app = World::default().app();
        let state = State::new(app.clone(), LiveFeed::new(app, 100), &options);
        let respond_to = |request: TestRequest, organization: u128, bytes: usize| {
            let response = request.to_srv_response(HttpResponse::Ok().body(vec![b'x'; bytes]));
            hold(&state, response.map_into_boxed_body(), Some(id(organization)))
        };
        let respond = |organization, bytes| respond_to(TestRequest::default(), organization, bytes);
        let quarter = options.max_bytes_in_flight / 4;
        let unread = respond(1, quarter).unwrap();
        assert_eq!(respond(1, MIB).unwrap_err().code.as_str(), "too_many_requests");
        assert!(respond_to(TestRequest::post(), 1, MIB).is_ok(), "the change is stored");
        assert!(respond(1, FREE_BYTES).is_ok(), "small responses need no share");
        assert!(respond(2, MIB).is_ok(), "another organization has its own");
        drop(unread);
        let response = respond(1, MIB).unwrap();
        let body = actix_web::body::to_bytes(response.into_body()).await.unwrap();
        assert_eq!(body.len(), MIB);
    }
}
