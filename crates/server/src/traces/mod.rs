//! Export of traces by OTLP, the protocol of `OpenTelemetry`, in builds with the cargo feature `otlp`.
//!
//! ```text
//! layer.rs   spans of tracing as spans of OpenTelemetry
//! client.rs  requests of the exporter
//! ```
//!
//! The environment variables of the specification of `OpenTelemetry` configure it, and without an endpoint it is off. A thread of
//! the SDK exports spans in batches. Spans beyond its queue are dropped.

mod client;
mod layer;

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{
    OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, Protocol, SpanExporter, WithExportConfig,
    WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::EnvResourceDetector;
use opentelemetry_sdk::trace::SdkTracerProvider;

use self::client::ExportClient;
use self::layer::SpanIds;
pub(crate) use self::layer::SpanLayer;
use crate::config::Config;
use crate::failure::{ErrorContext, Failure};
use crate::services::authorities;
use crate::version::VERSION;

/// Time for the export of the last spans at the end of the process.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(5);
/// Environment variable with the name of the service in traces.
const SERVICE_NAME: &str = "OTEL_SERVICE_NAME";

/// Running export of traces.
pub(crate) struct TraceExport {
    provider: SdkTracerProvider,
}

impl TraceExport {
    /// Starts the export within a runtime, if the environment has an endpoint.
    ///
    /// # Errors
    /// When the endpoint is no URL, or the certificate authorities cannot be read.
    pub(crate) fn start(config: &Config) -> Result<Option<Self>, Failure> {
        let endpoints = [OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, OTEL_EXPORTER_OTLP_ENDPOINT];
        if endpoints.into_iter().all(|name| variable(name).is_none()) {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_http_client(ExportClient::new(&authorities(config)?)?)
            .build()
            .context("OTEL_EXPORTER_OTLP_ENDPOINT: name a URL such as http://127.0.0.1:4318")?;
        let provider = SdkTracerProvider::builder()
            .with_resource(resource())
            .with_id_generator(SpanIds::default())
            .with_batch_exporter(exporter)
            .build();
        Ok(Some(Self { provider }))
    }

    /// Returns the layer that exports spans.
    pub(crate) fn layer(&self) -> SpanLayer {
        SpanLayer::new(self.provider.tracer("inboxd"))
    }

    /// Exports the spans that wait, and stops.
    pub(crate) async fn finish(self) {
        let Self { provider } = self;
        let ended = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(FLUSH_TIMEOUT)).await;
        let ended = ended.context("the export").and_then(|ended| ended.context("the last spans"));
        if let Err(error) = ended {
            tracing::warn!(%error, "spans not exported");
        }
    }
}

/// Describes this process: the default name and version, then what the environment names.
fn resource() -> Resource {
    let described = Resource::builder_empty()
        .with_service_name("inboxd")
        .with_attribute(KeyValue::new("service.version", VERSION))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match variable(SERVICE_NAME) {
        Some(name) => described.with_service_name(name).build(),
        None => described.build(),
    }
}

/// Returns an environment variable that has a value.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
