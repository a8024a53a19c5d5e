//! Spans of `tracing` as spans of `OpenTelemetry`.
//!
//! A span of the target [`SPAN_TARGET`] reports work that has ended, with its duration. So it is exported at its creation, and
//! nothing is held while the work runs. Some span ids are known before: those in the `traceparent` of webhook requests. The
//! crate `tracing-opentelemetry` holds running spans and assigns all ids itself.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::Debug;
use std::time::{Duration, SystemTime};

use inboxd_core::model::{SPAN_TARGET, TraceContext};
use inboxd_core::ports::Clock;
use opentelemetry::trace::{
    Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt, TraceFlags, TraceId, TraceState, Tracer,
};
use opentelemetry::{Context, KeyValue, Value};
use opentelemetry_sdk::trace::{IdGenerator, RandomIdGenerator, SdkTracer};
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::{Layer, layer};

use crate::environment::SystemClock;

thread_local! {
    /// Id of the span that this thread is about to create, if it is known.
    static KNOWN_ID: Cell<Option<SpanId>> = const { Cell::new(None) };
}

/// Random ids, except for spans with known ones.
#[derive(Debug, Default)]
pub(super) struct SpanIds(RandomIdGenerator);

impl IdGenerator for SpanIds {
    fn new_trace_id(&self) -> TraceId {
        self.0.new_trace_id()
    }

    fn new_span_id(&self) -> SpanId {
        KNOWN_ID.take().unwrap_or_else(|| self.0.new_span_id())
    }
}

/// Exports spans.
pub(crate) struct SpanLayer {
    tracer: SdkTracer,
}

impl SpanLayer {
    pub(super) fn new(tracer: SdkTracer) -> Self {
        Self { tracer }
    }

    fn export(&self, ended: EndedSpan, name: &'static str) {
        let end = SystemTime::from(SystemClock.now());
        let parent = ended.cause.map_or_else(Context::new, |cause| Context::new().with_remote_span_context(cause));
        KNOWN_ID.set(ended.span_id);
        let builder = self
            .tracer
            .span_builder(ended.name.map_or(Cow::Borrowed(name), Cow::Owned))
            .with_kind(ended.kind)
            .with_start_time(end.checked_sub(ended.duration).unwrap_or(end))
            .with_attributes(ended.attributes);
        let mut span = self.tracer.build_with_context(builder, &parent);
        if ended.has_failed {
            span.set_status(Status::error(""));
        }
        span.end_with_timestamp(end);
    }
}

impl<S: Subscriber> Layer<S> for SpanLayer {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: layer::Context<'_, S>) {
        if attributes.metadata().target() == SPAN_TARGET {
            let mut ended = EndedSpan::default();
            attributes.record(&mut ended);
            self.export(ended, attributes.metadata().name());
        }
    }
}

/// Fields of a span. Those without a meaning of their own are attributes.
struct EndedSpan {
    name: Option<String>,
    kind: SpanKind,
    cause: Option<SpanContext>,
    span_id: Option<SpanId>,
    duration: Duration,
    has_failed: bool,
    attributes: Vec<KeyValue>,
}

impl Default for EndedSpan {
    fn default() -> Self {
        Self {
            name: None,
            kind: SpanKind::Internal,
            cause: None,
            span_id: None,
            duration: Duration::ZERO,
            has_failed: false,
            attributes: Vec::new(),
        }
    }
}

impl EndedSpan {
    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.attributes.push(KeyValue::new(field.name(), value));
    }
}

impl Visit for EndedSpan {
    fn record_f64(&mut self, field: &Field, value: f64) {
        match field.name() {
            "duration_s" => self.duration = Duration::try_from_secs_f64(value).unwrap_or_default(),
            _ => self.add(field, value),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "span_id" => self.span_id = Some(SpanId::from(value)),
            _ => self.add(field, i64::try_from(value).unwrap_or(i64::MAX)),
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "otel.name" => self.name = Some(value.to_owned()),
            "otel.kind" => self.kind = kind_of(value),
            "otel.status_code" => self.has_failed = value == "ERROR",
            "traceparent" => self.cause = TraceContext::parse(value).map(span_of),
            _ => self.add(field, value.to_owned()),
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.add(field, format!("{value:?}"));
    }
}

fn kind_of(name: &str) -> SpanKind {
    match name {
        "client" => SpanKind::Client,
        "server" => SpanKind::Server,
        _ => SpanKind::Internal,
    }
}

/// Returns the span of a client.
fn span_of(cause: TraceContext) -> SpanContext {
    let flags = TraceFlags::NOT_SAMPLED.with_sampled(cause.is_sampled());
    SpanContext::new(cause.trace_id().into(), cause.span_id().into(), flags, true, TraceState::NONE)
}
