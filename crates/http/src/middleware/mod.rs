//! Middleware of every response: request id, error envelope, protective headers and a log line.

mod cross_origin;
mod etag;
mod growth;
mod headers;
mod request_id;
mod response_memory;

use std::any::Any;
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
use tracing::Instrument;

use crate::admission::{AdmissionSlot, AdmissionSlotHolder};
use crate::connection::ConnectedClient;
use crate::error::{ApiError, ErrorExtra, render};
use crate::ignored::{self, INBOXD_IGNORED_FIELDS};
use crate::router;
use crate::state::State;

/// Processes a request and completes its response.
pub(crate) async fn around(
    state: web::Data<State>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let started = Instant::now();
    let id = request_id::of(request.request(), &state.app);
    let method = request.method().clone();
    let span = tracing::info_span!("request", id = %id);
    if let Err(refusal) = growth::check(&state.app, &method, request.path()) {
        return Err(ResponseInfo { state: &state, method: &method, id: &id, started }.of_failure(&refusal));
    }
    let slot = AdmissionSlotHolder::default();
    request.extensions_mut().insert(slot.clone());
    let answered = AssertUnwindSafe(next.call(request)).catch_unwind().instrument(span).await;
    let slot = slot.take();
    let organization_id = slot.as_ref().map(AdmissionSlot::organization_id);
    slot.into_iter().for_each(AdmissionSlot::finish);

    let answer = ResponseInfo { state: &state, method: &method, id: &id, started };
    match answered {
        Ok(Ok(response)) => {
            let response = response_memory::hold(&state, answer.of_response(response), organization_id);
            response.map_err(|refusal| answer.of_failure(&refusal))
        }
        Ok(Err(error)) => Err(answer.of_failure(&known(&error))),
        Err(panic) => Err(answer.of_failure(&ApiError::internal(format!("panicked: {}", words(panic.as_ref()))))),
    }
}

/// Facts about a request, used to complete its response.
struct ResponseInfo<'a> {
    state: &'a State,
    method: &'a Method,
    id: &'a str,
    started: Instant,
}

impl ResponseInfo<'_> {
    fn of_response(&self, response: ServiceResponse<impl MessageBody + 'static>) -> ServiceResponse<BoxBody> {
        let route = router::path_of(response.request());
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
        let mut response = match refusal {
            None => etag::apply(response.map_into_boxed_body(), route),
            Some(error) => {
                let rendered = self.render(&error);
                response.into_response(rendered)
            }
        };
        if let Some(names) = ignored {
            response.headers_mut().insert(INBOXD_IGNORED_FIELDS, names);
        }
        self.finish(response.response_mut(), route);
        response
    }

    /// Returns the response to a request for which the handler produced none.
    fn of_failure(&self, error: &ApiError) -> Error {
        let mut response = self.render(error);
        self.finish(&mut response, None);
        InternalError::from_response(error.message.clone(), response).into()
    }

    fn render(&self, error: &ApiError) -> HttpResponse {
        if let ErrorExtra::Cause(cause) = &error.extra {
            logged(|| tracing::error!(parent: None, id = self.id, code = error.code.as_str(), cause, "request failed"));
        }
        render(error, self.method, &self.state.base_url, self.state.app.clock.now())
    }

    fn finish(&self, response: &mut HttpResponse, route: Option<&str>) {
        let status = response.status().as_u16();
        let duration_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        headers::add(response.headers_mut(), self.id);
        cross_origin::add(response.headers_mut(), route, self.method);
        let route = route.unwrap_or("unknown");
        logged(|| {
            // Without the span as parent: its fields would be serialized to JSON and parsed again.
            tracing::info!(parent: None, id = self.id, method = %self.method, route, status, duration_ms, "request completed");
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
