//! Metrics of deliveries, webhooks and queues.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use inboxd_core::model::{DeliveryOutcome, DeliveryReport, Route, SessionTls, WebhookAttempt};
use inboxd_core::ports::{Backlog, WorkBacklogs};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};
use time::OffsetDateTime;

/// Upper bounds of the time of an attempt, in seconds.
const ATTEMPT_BUCKETS: [f64; 11] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0];
/// Upper bounds of the time from an event to its delivery, in seconds.
const LAG_BUCKETS: [f64; 11] = [0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 300.0, 3600.0, 21_600.0, 86_400.0];

/// Metrics of the background work.
#[derive(Debug)]
pub struct WorkerMetrics {
    recipients: Family<RecipientLabels, Counter>,
    session_tls: Family<TlsLabels, Counter>,
    attempt_duration: Family<RouteLabels, Histogram>,
    retries: Counter,
    /// Attempts in progress, and outcomes that wait for storage.
    pub(crate) running: Gauge,
    webhook_attempts: Family<WebhookLabels, Counter>,
    webhook_duration: Histogram,
    webhook_lag: Histogram,
    /// Webhooks that failures disabled.
    pub(crate) disabled_webhooks: Counter,
    queues: Family<QueueLabels, Gauge>,
    queue_ages: Family<QueueLabels, Gauge<f64, AtomicU64>>,
    event_weeks_ahead: Gauge,
    database_connections: Gauge,
    database_up: Gauge,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RecipientLabels {
    route: &'static str,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TlsLabels {
    tls: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct WebhookLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    queue: &'static str,
}

impl Default for WorkerMetrics {
    fn default() -> Self {
        Self {
            recipients: Family::default(),
            session_tls: Family::default(),
            attempt_duration: Family::new_with_constructor(|| Histogram::new(ATTEMPT_BUCKETS)),
            retries: Counter::default(),
            running: Gauge::default(),
            webhook_attempts: Family::default(),
            webhook_duration: Histogram::new(ATTEMPT_BUCKETS),
            webhook_lag: Histogram::new(LAG_BUCKETS),
            disabled_webhooks: Counter::default(),
            queues: Family::default(),
            queue_ages: Family::default(),
            event_weeks_ahead: Gauge::default(),
            database_connections: Gauge::default(),
            database_up: Gauge::default(),
        }
    }
}

impl WorkerMetrics {
    /// Creates the metrics and registers them. Series begin at 0, so that their first increase counts.
    #[must_use]
    pub fn registered(registry: &mut Registry) -> Arc<Self> {
        let metrics = Self::default();
        metrics.create_series();
        metrics.register_deliveries(registry);
        metrics.register_queues(registry);
        Arc::new(metrics)
    }

    fn create_series(&self) {
        for route in [Route::Local, Route::Remote].map(route_name) {
            drop(self.attempt_duration.get_or_create(&RouteLabels { route }));
            for outcome in ["delivered", "refused", "deferred"] {
                drop(self.recipients.get_or_create(&RecipientLabels { route, outcome }));
            }
        }
        for tls in SessionTls::ALL {
            drop(self.session_tls.get_or_create(&TlsLabels { tls: tls.as_str() }));
        }
        for outcome in ["2xx", "3xx", "4xx", "5xx", "no_response"] {
            drop(self.webhook_attempts.get_or_create(&WebhookLabels { outcome }));
        }
    }

    fn register_deliveries(&self, registry: &mut Registry) {
        registry.register(
            "delivery_recipients",
            "Recipients of delivery attempts, by route and outcome",
            self.recipients.clone(),
        );
        registry.register(
            "delivery_session_recipients",
            "Recipients of sessions with other servers, by the TLS of the session",
            self.session_tls.clone(),
        );
        registry.register_with_unit(
            "delivery_attempt_duration",
            "Time of a delivery attempt, by route",
            Unit::Seconds,
            self.attempt_duration.clone(),
        );
        registry.register("delivery_retries", "Delivery attempts after the first of a message", self.retries.clone());
        registry.register("deliveries_running", "Delivery attempts in progress", self.running.clone());
        registry.register("webhook_attempts", "Webhook attempts, by outcome", self.webhook_attempts.clone());
        registry.register_with_unit(
            "webhook_attempt_duration",
            "Time of a webhook attempt",
            Unit::Seconds,
            self.webhook_duration.clone(),
        );
        registry.register_with_unit(
            "webhook_lag",
            "Time from an event to its successful webhook attempt",
            Unit::Seconds,
            self.webhook_lag.clone(),
        );
        registry.register(
            "webhooks_disabled",
            "Webhooks that were disabled after days of failures",
            self.disabled_webhooks.clone(),
        );
    }

    fn register_queues(&self, registry: &mut Registry) {
        registry.register("queue_items", "Items of a queue in the database, at most 10000", self.queues.clone());
        registry.register_with_unit(
            "queue_oldest_age",
            "Age of the oldest counted item of a queue in the database",
            Unit::Seconds,
            self.queue_ages.clone(),
        );
        registry.register(
            "event_tables_ahead",
            "Weekly tables of events for the future; without any, no event can be stored next week",
            self.event_weeks_ahead.clone(),
        );
        registry.register(
            "database_server_connections",
            "Open connections to the database, of all its clients",
            self.database_connections.clone(),
        );
        registry.register(
            "database_up",
            "Whether the last query of the queue sizes succeeded",
            self.database_up.clone(),
        );
    }

    /// Records a delivery attempt.
    pub(crate) fn count_attempt(&self, route: Route, attempts: u32, reports: &[DeliveryReport], elapsed: Duration) {
        let route = route_name(route);
        self.attempt_duration.get_or_create(&RouteLabels { route }).observe(elapsed.as_secs_f64());
        if attempts > 1 {
            self.retries.inc();
        }
        for report in reports {
            let outcome = match report.outcome {
                DeliveryOutcome::Delivered => "delivered",
                DeliveryOutcome::Refused { .. } => "refused",
                DeliveryOutcome::Deferred { .. } => "deferred",
            };
            self.recipients.get_or_create(&RecipientLabels { route, outcome }).inc();
            if let Some(tls) = report.session.as_ref().and_then(|session| session.tls) {
                self.session_tls.get_or_create(&TlsLabels { tls: tls.as_str() }).inc();
            }
        }
    }

    /// Records a webhook attempt, `lag` after its event.
    pub(crate) fn count_webhook(&self, attempt: &WebhookAttempt, lag: time::Duration) {
        let outcome = match attempt.status_code {
            Some(200..=299) => "2xx",
            Some(300..=399) => "3xx",
            Some(400..=499) => "4xx",
            Some(_) => "5xx",
            None => "no_response",
        };
        self.webhook_attempts.get_or_create(&WebhookLabels { outcome }).inc();
        self.webhook_duration.observe(f64::from(attempt.duration_ms) / 1000.0);
        if attempt.is_success() {
            self.webhook_lag.observe(lag.as_seconds_f64().max(0.0));
        }
    }

    /// Sets the sizes of the queues; `None` if they could not be read.
    pub(crate) fn set_backlogs(&self, sizes: Option<&WorkBacklogs>, now: OffsetDateTime) {
        self.database_up.set(sizes.is_some().into());
        let Some(sizes) = sizes else { return };
        for (queue, Backlog { rows, oldest }) in [
            ("codes", sizes.codes),
            ("local_mail", sizes.local_mail),
            ("remote_mail", sizes.remote_mail),
            ("held_mail", sizes.held_mail),
            ("webhook_deliveries", sizes.webhook_deliveries),
            ("unsequenced_events", sizes.unsequenced_events),
            ("unindexed_messages", sizes.unindexed_messages),
            ("unread_attachments", sizes.unread_attachments),
        ] {
            let labels = QueueLabels { queue };
            self.queues.get_or_create(&labels).set(as_gauge(rows));
            let age = oldest.map_or(0.0, |oldest| (now - oldest).as_seconds_f64().max(0.0));
            self.queue_ages.get_or_create(&labels).set(age);
        }
        self.event_weeks_ahead.set(as_gauge(sizes.event_weeks_ahead));
        self.database_connections.set(as_gauge(sizes.connections));
    }
}

fn as_gauge(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the name of a route.
pub(crate) fn route_name(route: Route) -> &'static str {
    match route {
        Route::Local => "local",
        Route::Remote => "remote",
    }
}
