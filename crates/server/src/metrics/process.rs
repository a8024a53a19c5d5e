//! Metrics of the process, with the usual names of Prometheus clients (`process_open_fds`).
//!
//! Sources are files of `/proc/self` (proc(5)), read when the metrics are.

use std::fmt;
use std::fs;
use std::time::Duration;

use inboxd_core::ports::Clock as _;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use time::OffsetDateTime;

use crate::environment::SystemClock;

/// Place of the state among the fields of `/proc/self/stat` behind the program name.
const STATE_FIELD: usize = 3;

/// Collector of the process metrics.
#[derive(Debug)]
struct ProcessCollector {
    /// Unix time in seconds. It is that of the registration, because a service may not see when the system started.
    started_at: f64,
}

/// Adds the metrics of the process.
pub(super) fn register(registry: &mut Registry) {
    let since_epoch = Duration::try_from(SystemClock.now() - OffsetDateTime::UNIX_EPOCH).unwrap_or_default();
    registry.register_collector(Box::new(ProcessCollector { started_at: since_epoch.as_secs_f64() }));
}

/// Times and sizes of `/proc/self/stat`.
struct ProcessStat {
    cpu_seconds: f64,
    resident_bytes: u64,
    virtual_bytes: u64,
    threads: u64,
}

impl Collector for ProcessCollector {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        if let Some(open) = open_files() {
            let metric =
                encoder.encode_descriptor("process_open_fds", "Open file descriptors", None, MetricType::Gauge)?;
            ConstGauge::new(open).encode(metric)?;
        }
        if let Some(max) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
            let help = "Maximum number of open file descriptors";
            let metric = encoder.encode_descriptor("process_max_fds", help, None, MetricType::Gauge)?;
            ConstGauge::new(max).encode(metric)?;
        }
        let Some(stat) = fs::read_to_string("/proc/self/stat").ok().as_deref().and_then(read_stat) else {
            return Ok(());
        };
        let seconds = Some(&Unit::Seconds);
        let help = "User and system processor time";
        let metric = encoder.encode_descriptor("process_cpu", help, seconds, MetricType::Counter)?;
        ConstCounter::new(stat.cpu_seconds).encode(metric)?;
        let help = "Unix time of the start of the process";
        let metric = encoder.encode_descriptor("process_start_time", help, seconds, MetricType::Gauge)?;
        ConstGauge::new(self.started_at).encode(metric)?;
        let bytes = Some(&Unit::Bytes);
        let metric =
            encoder.encode_descriptor("process_resident_memory", "Resident memory", bytes, MetricType::Gauge)?;
        ConstGauge::new(stat.resident_bytes).encode(metric)?;
        let metric = encoder.encode_descriptor("process_virtual_memory", "Virtual memory", bytes, MetricType::Gauge)?;
        ConstGauge::new(stat.virtual_bytes).encode(metric)?;
        let metric = encoder.encode_descriptor("process_threads", "Threads of the process", None, MetricType::Gauge)?;
        ConstGauge::new(stat.threads).encode(metric)
    }
}

/// Returns the number of open file descriptors, without the one that reads them.
fn open_files() -> Option<u64> {
    let open = fs::read_dir("/proc/self/fd").ok()?.count();
    u64::try_from(open.saturating_sub(1)).ok()
}

/// Reads the fields of `/proc/self/stat`. The program name may contain spaces and ends at the last parenthesis.
fn read_stat(text: &str) -> Option<ProcessStat> {
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |number: usize| fields.get(number - STATE_FIELD)?.parse::<u64>().ok();
    let ticks = rustix::param::clock_ticks_per_second();
    let page = u64::try_from(rustix::param::page_size()).ok()?;
    Some(ProcessStat {
        cpu_seconds: as_seconds(field(14)? + field(15)?, ticks),
        resident_bytes: field(24)? * page,
        virtual_bytes: field(23)?,
        threads: field(20)?,
    })
}

fn as_seconds(ticks: u64, per_second: u64) -> f64 {
    let milliseconds = ticks.saturating_mul(1000) / per_second.max(1);
    Duration::from_millis(milliseconds).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_name_may_contain_spaces_and_parentheses() {
        let fields = (4..=52).map(|number| number.to_string()).collect::<Vec<_>>().join(" ");
        let stat = read_stat(&format!("17 (a) b (c) S {fields}"));
        assert!(stat.is_some_and(|stat| (stat.threads, stat.virtual_bytes) == (20, 23)));
        assert!(read_stat("17 (a").is_none());
    }
}
