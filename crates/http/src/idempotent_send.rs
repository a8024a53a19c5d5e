//! Idempotent sends: a client may repeat a request without sending the message twice.

use std::convert::Infallible;
use std::ops::Deref;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::HttpResponse;
use actix_web::body::{BodySize, MessageBody};
use actix_web::http::StatusCode;
use actix_web::http::header::ContentType;
use bytes::Bytes;
use inboxd_core::app::{self, App, DryRun, Repeatable, SendResult};
use inboxd_core::model::{Caller, IdempotencyClaim};
use inboxd_core::rules::names;
use inboxd_core::{Error, FieldError};
use tracing::Instrument;
use utoipa::IntoParams;

use crate::admission::AdmissionSlot;
use crate::auth::AuthenticatedRequest;
use crate::connection::ConnectedClient;
use crate::error::ApiError;
use crate::retry_dedup::{DeliveryReceipt, RequestDigest, SendRole, digest_of};
use crate::views::{DryRunView, SendResponse};

/// Header with the key that makes a send idempotent.
const IDEMPOTENCY_KEY: &str = "Idempotency-Key";

/// Idempotency key of a send.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "this struct only describes a header")]
pub(crate) struct SendKeyParams {
    /// Idempotency key, chosen by the client. For 24 hours the same request with the same key returns the first
    /// response and sends nothing; a different request with that key is refused. The key applies to the whole
    /// organization.
    #[param(rename = "Idempotency-Key", min_length = 1, max_length = 255)]
    idempotency_key: Option<String>,
}

/// Result of a send handler.
pub(crate) type SendReply = Result<HttpResponse<TrackedBody>, ApiError>;

impl AuthenticatedRequest {
    /// Returns the problems of a send request, including that of its idempotency key.
    pub(crate) fn problems_with_key(&self, mut problems: Vec<FieldError>) -> Vec<FieldError> {
        problems.extend(self.send_key().err());
        problems
    }

    fn send_key(&self) -> Result<Option<String>, FieldError> {
        let refused = |message: String| FieldError::new(IDEMPOTENCY_KEY, message);
        let mut given = self.request().headers().get_all(IDEMPOTENCY_KEY);
        let Some(key) = given.next() else { return Ok(None) };
        if given.next().is_some() {
            return Err(refused("is repeated".to_owned()));
        }
        let key = String::from_utf8_lossy(key.as_bytes()).trim().to_owned();
        names::validate_idempotency_key(&key).map_err(refused)?;
        Ok(Some(key))
    }

    /// Returns the digest of method, URI and body. It does not depend on the caller.
    fn digest(&self, body: &RequestDigest) -> RequestDigest {
        let (method, uri) = (self.request().method().as_str(), self.request().uri().to_string());
        digest_of(&[method.as_bytes(), uri.as_bytes(), body])
    }
}

/// Performs a send at most once, however often the client repeats the request.
///
/// The send continues when the client disconnects, so that a repeat receives its result. A repeat with the same
/// idempotency key receives the first result in any process. A repeat without a key is recognized in this process only,
/// by its digest; see [`crate::retry_dedup`].
pub(crate) async fn once<C, F>(
    call: AuthenticatedRequest,
    caller: C,
    body: RequestDigest,
    send: impl FnOnce(App, C, Option<IdempotencyClaim>) -> F + Send + 'static,
) -> SendReply
where
    C: Deref<Target = Caller> + Clone + Send + Sync + 'static,
    F: Future<Output = Result<SendResult, Error>> + Send + 'static,
{
    let request = call.digest(&body);
    if let Some(key) = call.send_key().map_err(Error::from)? {
        let result = detached(call, caller, Some(Repeatable { key, request }), send, |_| ()).await?;
        return Ok(answer(result, None, None));
    }
    let client = call.request().conn_data::<ConnectedClient>().cloned();
    let sends = call.state().sends.clone();
    let credential = call.caller.api_key_id.map(|id| id.0.into_bytes()).unwrap_or_default();
    let digest = digest_of(&[&credential, &request]);
    loop {
        match sends.enter(digest) {
            SendRole::First(ticket, receipt) => {
                let result = detached(call, caller, None, send, move |sent| ticket.done(sent)).await?;
                return Ok(answer(result, Some(receipt), client));
            }
            SendRole::Repeat(waiting, receipt) => {
                if let Some(sent) = waiting.outcome().await {
                    return Ok(answer(sent, Some(receipt), client));
                }
                // The first send was refused; this call now performs its own.
            }
        }
    }
}

/// Performs a send in its own task, so that a client disconnect does not cancel it.
async fn detached<C, F>(
    call: AuthenticatedRequest,
    caller: C,
    repeatable: Option<Repeatable>,
    send: impl FnOnce(App, C, Option<IdempotencyClaim>) -> F + Send + 'static,
    done: impl FnOnce(Option<&SendResult>) + Send + 'static,
) -> Result<SendResult, ApiError>
where
    C: Deref<Target = Caller> + Clone + Send + Sync + 'static,
    F: Future<Output = Result<SendResult, Error>> + Send + 'static,
{
    let live = call.state().live.clone();
    let (app, memory, slot) = call.into_parts();
    let task = async move {
        let use_case = |claim| send(app.clone(), caller.clone(), claim);
        let outcome = app::once(&app, &caller, repeatable, use_case).await;
        done(outcome.as_ref().ok());
        drop(memory);
        slot.into_iter().for_each(AdmissionSlot::finish);
        outcome
    };
    let task = task.in_current_span();
    let outcome = live.spawn(task).await;
    Ok(outcome.map_err(|error| ApiError::internal(format!("the send task failed: {error}")))??)
}

fn answer(
    sent: SendResult,
    receipt: Option<DeliveryReceipt>,
    client: Option<ConnectedClient>,
) -> HttpResponse<TrackedBody> {
    let status = if sent.held.is_some() { StatusCode::ACCEPTED } else { StatusCode::OK };
    let bytes = serde_json::to_vec(&SendResponse::from(sent)).unwrap_or_default();
    respond(status, TrackedBody { bytes: Some(bytes.into()), receipt, client })
}

/// Responds with the result of a dry run. It has no effect, so neither its key nor its digest is remembered.
pub(crate) async fn show_dry_run(
    call: AuthenticatedRequest,
    dry_run: impl Future<Output = Result<DryRun, Error>>,
) -> SendReply {
    let view = DryRunView::new(dry_run.await?, &call.state().base_url);
    let bytes = serde_json::to_vec(&view).unwrap_or_default();
    Ok(respond(StatusCode::OK, TrackedBody { bytes: Some(bytes.into()), ..TrackedBody::default() }))
}

fn respond(status: StatusCode, body: TrackedBody) -> HttpResponse<TrackedBody> {
    HttpResponse::build(status).content_type(ContentType::json()).message_body(body).unwrap_or_else(
        |_: actix_web::Error| {
            // One constant header is always valid, so this branch does not occur.
            HttpResponse::with_body(status, TrackedBody::default())
        },
    )
}

/// Response body that reports its delivery.
#[derive(Debug, Default)]
pub(crate) struct TrackedBody {
    bytes: Option<Bytes>,
    receipt: Option<DeliveryReceipt>,
    client: Option<ConnectedClient>,
}

impl MessageBody for TrackedBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        if let Some(bytes) = self.bytes.take() {
            return Poll::Ready(Some(Ok(bytes)));
        }
        // The server polls for the end of the body just before it writes the body to the connection.
        match (self.receipt.take(), self.client.take()) {
            (Some(receipt), Some(client)) => client.given(receipt),
            (Some(mut receipt), None) => receipt.delivered(),
            (None, _) => {}
        }
        Poll::Ready(None)
    }
}
