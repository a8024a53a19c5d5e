//! Metrics of the requests to blob stores.

use std::time::Duration;

use inboxd_core::ports::BlobError;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// Upper bounds of the time of a request, in seconds.
const REQUEST_BUCKETS: [f64; 10] = [0.001, 0.0025, 0.01, 0.025, 0.1, 0.25, 1.0, 2.5, 10.0, 60.0];

/// Request to a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Put,
    Get,
    Delete,
    List,
}

impl Operation {
    const ALL: [Self; 4] = [Self::Put, Self::Get, Self::Delete, Self::List];

    fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::Delete => "delete",
            Self::List => "list",
        }
    }
}

/// Metrics of blob stores. Clones share their values.
#[derive(Debug, Clone)]
pub struct BlobMetrics {
    requests: Family<RequestLabels, Counter>,
    seconds: Family<OperationLabels, Histogram>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    operation: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabels {
    operation: &'static str,
}

impl BlobMetrics {
    /// Creates the metrics with all series and registers them.
    #[must_use]
    pub fn registered(registry: &mut Registry) -> Self {
        let metrics = Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(REQUEST_BUCKETS)),
        };
        for operation in Operation::ALL {
            for outcome in ["ok", "unavailable", "missing", "damaged"] {
                metrics.counter(operation, outcome);
            }
            metrics.histogram(operation);
        }
        registry.register(
            "blob_requests",
            "Requests to the stores of large contents, by operation and outcome",
            metrics.requests.clone(),
        );
        registry.register_with_unit(
            "blob_request",
            "Time of a request to a store of large contents, waiting included",
            Unit::Seconds,
            metrics.seconds.clone(),
        );
        metrics
    }

    /// Counts a request with its outcome and time.
    pub(crate) fn record<T>(&self, operation: Operation, result: &Result<T, BlobError>, time: Duration) {
        let outcome = match result {
            Ok(_) => "ok",
            Err(BlobError::Unavailable(_)) => "unavailable",
            Err(BlobError::Missing(_)) => "missing",
            Err(BlobError::Damaged { .. }) => "damaged",
        };
        self.counter(operation, outcome).inc();
        self.histogram(operation).observe(time.as_secs_f64());
    }

    fn counter(&self, operation: Operation, outcome: &'static str) -> Counter {
        self.requests.get_or_create_owned(&RequestLabels { operation: operation.name(), outcome })
    }

    fn histogram(&self, operation: Operation) -> Histogram {
        self.seconds.get_or_create_owned(&OperationLabels { operation: operation.name() })
    }
}
