//! The background work of inboxd: delivery, webhooks, event sequencing, search indexing and periodic jobs.
//!
//! The crate knows `inboxd-core` alone. Storage, transport and the senders of webhooks are ports, which the program passes in.
//!
//! ```text
//! attachment_reader the text of attachments for searches
//! delivery         the outgoing queue: claims, attempts, recalls
//! webhooks         deliveries of events to webhooks, and replays
//! journal          claimed work in a file that survives a crash
//! recovery         completion of claims whose outcome is not stored
//! heartbeat        liveness of processes, and steps of the clock
//! sequencer        positions of committed events, and signals about them
//! signal_listener  signals of other processes
//! partitions       weekly tables of events
//! indexer          the search index
//! scheduled_drafts drafts that are sent at a time
//! periodic_jobs    everything that runs at an interval
//! usage_sampling   hourly usage samples
//! backlogs         sizes of the queues, for operators; metrics: their values and those of all attempts
//! spans            spans of attempts, for an export of traces
//! shares           counts of work in progress by owner
//! wake             wake-up signals within this process
//! shutdown         the end of this process
//! ```

mod attachment_reader;
mod backlogs;
mod delivery;
mod heartbeat;
mod indexer;
mod journal;
mod metrics;
mod partitions;
mod periodic_jobs;
mod ports;
mod recovery;
mod scheduled_drafts;
mod sequencer;
mod shares;
mod shutdown;
mod signal_listener;
mod spans;
mod usage_sampling;
mod wake;
mod webhooks;

pub use backlogs::sample_backlogs;
pub use delivery::DeliveryWorker;
pub use heartbeat::Heartbeat;
pub use journal::FileJournal;
pub use metrics::WorkerMetrics;
pub use partitions::maintain_partitions;
pub use periodic_jobs::{record_notes, release_abandoned_keys, run_periodic_jobs};
pub use ports::WorkerPorts;
pub use sequencer::Sequencer;
pub use shutdown::{Shutdown, ShutdownTrigger};
pub use signal_listener::listen_to_signals;
pub use wake::WakeSignals;
pub use webhooks::run_webhooks;
