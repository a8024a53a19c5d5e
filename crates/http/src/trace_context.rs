//! Trace context of a request (W3C Trace Context), and the span of the service for it.

use std::time::Duration;

use actix_web::http::header::HeaderName;
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpMessage, HttpRequest};
use inboxd_core::app::App;
use inboxd_core::model::{SPAN_TARGET, TraceContext};
use tracing::Level;

use crate::error::ApiError;
use crate::metrics::method_name;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Returns the trace and the calling span of the client; `None` without a valid `traceparent`.
fn of_client(request: &HttpRequest) -> Option<TraceContext> {
    let mut values = request.headers().get_all(TRACEPARENT);
    let value = values.next()?.to_str().ok()?;
    // Section 3.2.4: a repeated header is invalid.
    if values.next().is_some() { None } else { TraceContext::parse(value) }
}

/// Returns the cause of what a request changes: the span of the service if it is exported, else that of the client.
pub(crate) fn cause_of(request: &HttpRequest) -> Option<TraceContext> {
    let own = request.extensions().get::<OwnSpan>().map(|OwnSpan(own)| *own);
    own.or_else(|| of_client(request))
}

/// Span of the service for a request of a traced client.
struct OwnSpan(TraceContext);

/// Spans of a request.
#[derive(Clone, Copy)]
pub(crate) struct RequestSpans {
    /// That of the client.
    pub(crate) client: Option<TraceContext>,
    /// That of the service in the same trace, while spans are exported.
    own: Option<TraceContext>,
}

impl RequestSpans {
    /// Reads the span of the client. While spans are exported, it begins one of the service.
    pub(crate) fn begin(request: &HttpRequest, app: &App) -> Self {
        let client = of_client(request);
        let is_exported = tracing::span_enabled!(target: SPAN_TARGET, Level::INFO);
        let own = client.filter(|_| is_exported).map(|client| app.begin_span(client));
        if let Some(own) = own {
            request.extensions_mut().insert(OwnSpan(own));
        }
        Self { client, own }
    }

    /// Reports the span of the service to an export of traces, if there is one.
    pub(crate) fn export(
        self,
        id: &str,
        (method, route): (&Method, &'static str),
        (status, refusal): (StatusCode, Option<&ApiError>),
        elapsed: Duration,
    ) {
        let method = method_name(method);
        drop(tracing::info_span!(
            target: SPAN_TARGET,
            parent: None,
            "request",
            otel.name = format!("{method} {route}"),
            otel.kind = "server",
            otel.status_code = status.is_server_error().then_some("ERROR"),
            traceparent = self.client.map(|client| client.to_string()),
            span_id = self.own.map(TraceContext::span_id),
            duration_s = elapsed.as_secs_f64(),
            http.request.method = method,
            http.route = route,
            http.response.status_code = status.as_u16(),
            inboxd.request_id = id,
            inboxd.error_code = refusal.map(|refusal| refusal.code.as_str()),
        ));
    }
}
