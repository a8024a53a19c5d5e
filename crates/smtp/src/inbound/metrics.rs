//! Metrics of the receiving server.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use inboxd_core::app::Arrived;
use inboxd_core::model::mail_report::{ReceivedReport, ReportKind, ReportOutcome};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::content::ContentBudget;
use super::reply::Reply;

/// Upper bounds of the time for storing a message, in seconds.
const RECEIVE_BUCKETS: [f64; 12] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// Metrics of the receiving server. Clones share their values.
#[derive(Debug, Clone)]
pub struct SmtpMetrics {
    messages: Family<MessageLabels, Counter>,
    refusals: Family<RefusalLabels, Counter>,
    content_bytes: Counter,
    receive_duration: Histogram,
    accepted_connections: Counter,
    refused_connections: Family<LimitLabels, Counter>,
    handshakes: Family<HandshakeLabels, Counter>,
    reports: Family<ReportLabels, Counter>,
    /// Open connections that do not yield.
    pub(super) connections: Gauge,
    transfer: TransferGauges,
}

/// Bytes of messages in transfer, read when the metrics are.
#[derive(Debug, Clone, Default)]
struct TransferGauges(Arc<OnceLock<ContentBudget>>);

impl Collector for TransferGauges {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let help = "Size of the messages in transfer, by place";
        let unit = Some(&Unit::Bytes);
        let mut metric = encoder.encode_descriptor("smtp_transfer", help, unit, MetricType::Gauge)?;
        for (place, used) in self.0.get().map(ContentBudget::used).into_iter().flatten() {
            let used = u64::try_from(used).unwrap_or(u64::MAX);
            ConstGauge::new(used).encode(metric.encode_family(&[("place", place)])?)?;
        }
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MessageLabels {
    outcome: &'static str,
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusalLabels {
    class: &'static str,
    reason: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LimitLabels {
    limit: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct HandshakeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ReportLabels {
    kind: &'static str,
    outcome: &'static str,
}

impl ReportLabels {
    fn of(received: ReceivedReport) -> Self {
        Self { kind: received.kind.as_str(), outcome: received.outcome.as_str() }
    }
}

/// Result of a TLS handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HandshakeResult {
    Completed,
    Failed,
    TimedOut,
}

impl HandshakeResult {
    const ALL: [Self; 3] = [Self::Completed, Self::Failed, Self::TimedOut];

    fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
        }
    }
}

impl Default for SmtpMetrics {
    fn default() -> Self {
        Self {
            messages: Family::default(),
            refusals: Family::default(),
            content_bytes: Counter::default(),
            receive_duration: Histogram::new(RECEIVE_BUCKETS),
            accepted_connections: Counter::default(),
            refused_connections: Family::default(),
            handshakes: Family::default(),
            reports: Family::default(),
            connections: Gauge::default(),
            transfer: TransferGauges::default(),
        }
    }
}

impl SmtpMetrics {
    /// Creates the metrics and registers them. Usual series begin at 0, so that their first increase counts.
    #[must_use]
    pub fn registered(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        for reason in ["stored", "duplicate", "report", "held"] {
            drop(metrics.messages.get_or_create(&MessageLabels { outcome: "accepted", reason }));
        }
        for (class, reply) in [("4xx", Reply::StoreBusy), ("4xx", Reply::NoCapacity), ("5xx", Reply::NoRecipients)] {
            if let Some(reason) = reply.refusal_reason() {
                drop(metrics.refusals.get_or_create(&RefusalLabels { class, reason }));
            }
        }
        for limit in ["address", "network", "server"] {
            drop(metrics.refused_connections.get_or_create(&LimitLabels { limit }));
        }
        for result in HandshakeResult::ALL {
            drop(metrics.handshakes.get_or_create(&HandshakeLabels { outcome: result.as_str() }));
        }
        for &kind in ReportKind::ALL {
            for &outcome in ReportOutcome::ALL {
                drop(metrics.reports.get_or_create(&ReportLabels::of(ReceivedReport { kind, outcome })));
            }
        }
        let Self { messages, refusals, content_bytes, receive_duration, .. } = metrics.clone();
        registry.register("smtp_messages", "Messages received by SMTP, by outcome and reason", messages);
        registry.register("smtp_refusals", "Negative SMTP replies, by class of the reply code and reason", refusals);
        registry.register_with_unit(
            "smtp_content",
            "Size of the messages accepted by SMTP",
            Unit::Bytes,
            content_bytes,
        );
        registry.register_with_unit(
            "smtp_receive_duration",
            "Time from the end of the content to the SMTP reply",
            Unit::Seconds,
            receive_duration,
        );
        let Self { accepted_connections, refused_connections, handshakes, reports, connections, .. } = metrics.clone();
        registry.register("smtp_connections_accepted", "SMTP connections accepted", accepted_connections);
        registry.register(
            "smtp_connections_refused",
            "SMTP connections refused, by the limit that was reached",
            refused_connections,
        );
        registry.register("smtp_tls_handshakes", "TLS handshakes of SMTP clients, by outcome", handshakes);
        registry.register(
            "aggregate_reports",
            "DMARC and TLS reports received by SMTP at their addresses, by kind and outcome",
            reports,
        );
        registry.register("smtp_connections", "Open SMTP connections", connections);
        registry.register_collector(Box::new(metrics.transfer.clone()));
        metrics
    }

    /// Shows the budgets of the content in transfer.
    pub(super) fn show_budget(&self, budget: &ContentBudget) {
        // A second server of the same process has budgets of its own; those of the first one are shown.
        let _ = self.transfer.0.set(budget.clone());
    }

    /// Counts an accepted message of `bytes`.
    pub(super) fn count_accepted(&self, arrived: &Arrived, bytes: usize) {
        let reason = if !arrived.messages.is_empty() {
            "stored"
        } else if !arrived.returned.is_empty() {
            "report"
        } else if arrived.is_held {
            "held"
        } else if !arrived.aggregate.is_empty() {
            "report"
        } else {
            "duplicate"
        };
        self.messages.get_or_create(&MessageLabels { outcome: "accepted", reason }).inc();
        self.count_reports(&arrived.aggregate);
        self.content_bytes.inc_by(u64::try_from(bytes).unwrap_or(u64::MAX));
    }

    /// Counts received aggregate reports.
    pub(super) fn count_reports(&self, received: &[ReceivedReport]) {
        for received in received {
            self.reports.get_or_create(&ReportLabels::of(*received)).inc();
        }
    }

    /// Records the reply to a complete content, and the time until it.
    pub(super) fn count_content(&self, reply: &Reply, elapsed: Duration) {
        self.receive_duration.observe(elapsed.as_secs_f64());
        if let Some(reason) = reply.refusal_reason() {
            let outcome = if reply.is_temporary() { "deferred" } else { "refused" };
            self.messages.get_or_create(&MessageLabels { outcome, reason }).inc();
        }
    }

    /// Counts a negative reply; others do not count.
    pub(super) fn count_reply(&self, reply: &Reply) {
        if let Some(reason) = reply.refusal_reason() {
            let class = if reply.is_temporary() { "4xx" } else { "5xx" };
            self.refusals.get_or_create(&RefusalLabels { class, reason }).inc();
        }
    }

    /// Counts an accepted connection, or the limit that refuses it.
    pub(super) fn count_connection(&self, refusal: Option<&Reply>) {
        let limit = match refusal {
            None => {
                self.accepted_connections.inc();
                return;
            }
            Some(Reply::ClientFull) => "address",
            Some(Reply::NetworkFull) => "network",
            Some(_) => "server",
        };
        self.refused_connections.get_or_create(&LimitLabels { limit }).inc();
    }

    /// Counts a TLS handshake.
    pub(super) fn count_handshake(&self, result: HandshakeResult) {
        self.handshakes.get_or_create(&HandshakeLabels { outcome: result.as_str() }).inc();
    }
}
