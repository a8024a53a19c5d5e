//! Middleware of every response: request id, error envelope, protective headers and a log line.

mod cross_origin;
mod etag;
mod growth;
mod head;
mod headers;
mod proxied;
mod request_id;
mod response_memory;

use std::any::Any;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse, web};
use futures_util::FutureExt;
use inboxd_core::model::TraceContext;
use tracing::Instrument;

pub(crate) use self::etag::matches as matches_tag;
use crate::admission::{AdmissionSlot, AdmissionSlotHolder};
use crate::client_address;
use crate::connection::ConnectedClient;
use crate::error::{ApiError, ErrorExtra, render};
use crate::http2::StreamGuard;
use crate::ignored::{self, INBOXD_IGNORED_FIELDS};
use crate::router;
use crate::standby;
use crate::state::State;
use crate::trace_context::RequestSpans;

/// Processes a request and completes its response.
pub(crate) async fn around(
    state: web::Data<State>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let id = request_id::of(request.request(), &state.app);
    let method = request.method().clone();
    let spans = RequestSpans::begin(request.request(), &state.app);
    let trace = spans.client.map(TraceContext::ids);
    let span = tracing::info_span!("request", id = %id, trace = trace.as_deref());
    let client = client_address::of(request.request());
    let is_secure = request.conn_data::<ConnectedClient>().is_some_and(ConnectedClient::is_secure);
    let answer = ResponseInfo {
        state: &state,
        method: &method,
        id: &id,
        trace: trace.as_deref(),
        spans,
        client,
        started,
        is_secure,
    };
    let (stream, admitted) = StreamGuard::enter(&request);
    let checked = admitted.and_then(|()| growth::check(&state.app, &method, request.path()));
    let permit = match checked.and_then(|()| proxied::enter(&state, request.request())) {
        Ok(permit) => permit,
        Err(refusal) => {
            let mut refused = answer.render(&refusal);
            answer.finish(&mut refused, None, Some(&refusal));
            return Ok(held(&state, stream, request.into_response(refused)));
        }
    };
    let slot = AdmissionSlotHolder::default();
    request.extensions_mut().insert(slot.clone());
    let answered = AssertUnwindSafe(serve(&state, request, &next)).catch_unwind().instrument(span).await;
    let slot = slot.take();
    let organization_id = slot.as_ref().map(AdmissionSlot::organization_id);
    slot.into_iter().for_each(AdmissionSlot::finish);

    match answered {
        Ok(Ok(response)) => {
            let (response, route, refusal) = answer.of_response(response);
            let mut response = response_memory::hold(&state, response, organization_id)
                .map_err(|refusal| answer.of_failure(route, &refusal))?;
            answer.finish(response.response_mut(), route, refusal.as_ref());
            let response = proxied::hold(response, permit);
            Ok(held(&state, stream, response))
        }
        Ok(Err(error)) => Err(answer.of_failure(None, &known(&error))),
        Err(panic) => Err(answer.of_failure(None, &ApiError::internal(format!("panicked: {}", words(panic.as_ref()))))),
    }
}

/// Calls the handler, and once more on the primary where a standby cannot serve the request. Both calls have one slot.
async fn serve<B>(state: &State, request: ServiceRequest, next: &Next<B>) -> Result<ServiceResponse<B>, Error> {
    let response = next.call(request).await?;
    if !standby::must_repeat(state, &response) {
        return Ok(response);
    }
    let (request, _) = response.into_parts();
    next.call(ServiceRequest::from_request(request)).await
}

/// Keeps the count of an HTTP/2 stream until its response is passed to the client.
fn held(state: &State, stream: Option<StreamGuard>, response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    match stream {
        Some(stream) => stream.hold(response, state.response_stall_timeout),
        None => response,
    }
}

/// Facts about a request, used to complete its response.
struct ResponseInfo<'a> {
    state: &'a State,
    method: &'a Method,
    id: &'a str,
    /// Ids of the trace and span of the client.
    trace: Option<&'a str>,
    /// Spans of the client and of the service.
    spans: RequestSpans,
    client: IpAddr,
    started: Instant,
    /// Whether TLS protects the connection.
    is_secure: bool,
}

impl ResponseInfo<'_> {
    /// Returns the response of a handler before [`Self::finish`], with its route and refusal.
    fn of_response(
        &self,
        mut response: ServiceResponse<impl MessageBody + 'static>,
    ) -> (ServiceResponse<BoxBody>, Option<&'static str>, Option<ApiError>) {
        let route = router::path_of(response.request());
        standby::finish(self.state, &mut response);
        let ignored = ignored::header(response.request());
        let headers = response.headers();
        let is_json = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
        if (!is_json || headers.contains_key(CONTENT_DISPOSITION))
            && let Some(client) = response.request().conn_data::<ConnectedClient>()
        {
            client.expect_foreign_content();
        }
        let refusal =
            response.response().error().map(|error| known(error).within(response.request(), self.state.issuer()));
        let mut response = match &refusal {
            None => etag::apply(response.map_into_boxed_body(), route),
            Some(error) => {
                let rendered = self.render(error);
                response.into_response(rendered)
            }
        };
        response = head::drop_content(response);
        if let Some(names) = ignored {
            response.headers_mut().insert(INBOXD_IGNORED_FIELDS, names);
        }
        (response, route, refusal)
    }

    /// Returns the response to a request for which the handler produced none.
    fn of_failure(&self, route: Option<&'static str>, error: &ApiError) -> Error {
        let mut response = self.render(error);
        self.finish(&mut response, route, Some(error));
        InternalError::from_response(error.message.clone(), response).into()
    }

    fn render(&self, error: &ApiError) -> HttpResponse {
        if let ErrorExtra::Cause(cause) = &error.extra {
            logged(
                || tracing::error!(parent: None, id = self.id, trace = self.trace, code = error.code.as_str(), cause, "request failed"),
            );
        }
        render(error, self.method, &self.state.base_url, self.state.app.clock.now())
    }

    fn finish(&self, response: &mut HttpResponse, route: Option<&'static str>, refusal: Option<&ApiError>) {
        let elapsed = self.started.elapsed();
        self.state.metrics.count_response(self.method, route, response.status(), refusal, elapsed);
        let outcome = (response.status(), refusal);
        let status = response.status().as_u16();
        let duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        headers::add(response.headers_mut(), self.id, self.is_secure);
        cross_origin::add(response.headers_mut(), route, self.method);
        let route = route.unwrap_or("unknown");
        logged(|| {
            // Without the span as parent: its fields would be serialized to JSON and parsed again.
            tracing::info!(parent: None, id = self.id, trace = self.trace, client = %self.client, method = %self.method, route, status, duration_ms, "request completed");
            self.spans.export(self.id, (self.method, route), outcome, elapsed);
        });
    }
}

/// Writes to the log. A failed write must not lose the response.
fn logged(write: impl FnOnce()) {
    let _ = std::panic::catch_unwind(AssertUnwindSafe(write));
}

/// Returns the error of a handler; any other error is an internal one.
fn known(error: &Error) -> ApiError {
    error.as_error::<ApiError>().cloned().unwrap_or_else(|| ApiError::internal(error.to_string()))
}

fn words(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("without words")
}
