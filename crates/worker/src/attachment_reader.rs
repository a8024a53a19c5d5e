//! The reader of attachments: makes their words searchable after their message is stored.
//!
//! Organizations take turns of equal length, whatever the number and cost of their attachments. No client waits for the
//! reader, so it pauses after each message like the indexer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use inboxd_core::Error;
use inboxd_core::app::App;
use inboxd_core::app::search::{self, AttachmentReading};
use inboxd_core::model::OrganizationId;
use inboxd_core::ports::IndexBacklog;
use tokio::sync::Mutex;

use crate::indexer::IndexerPace;
use crate::shares::{ShareCounts, ShareGuard};
use crate::shutdown::Shutdown;

/// Number of organizations with attachments read concurrently: half of the extractions that may run.
const READERS: usize = 2;
/// The length of the turn of an organization. Its last message may end later.
const TURN_LENGTH: Duration = Duration::from_secs(5);
/// The longest pause after a message.
const MAX_PAUSE: Duration = Duration::from_secs(1);
/// The time between two polls while nothing is due, and after a failure.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Reads attachments until shutdown. Several processes may do so.
pub(crate) async fn read(app: App, backlog: &Arc<dyn IndexBacklog>, shutdown: Shutdown) {
    if !app.settings.reads_attachments || app.attachment_text.is_none() {
        return;
    }
    let turns = Turns { app: app.clone(), last: Mutex::new(None), active: ShareCounts::default() };
    let readers = std::array::from_fn::<_, READERS, _>(|_| {
        AttachmentReader { app: app.clone(), turns: &turns, backlog, shutdown: shutdown.clone() }.run()
    });
    futures_util::future::join_all(readers).await;
}

/// Turns of the organizations, in the order of their ids.
struct Turns {
    app: App,
    /// Organization of the last turn.
    last: Mutex<Option<OrganizationId>>,
    active: ShareCounts<OrganizationId>,
}

impl Turns {
    /// Returns the organization of the next turn; `None` if no inactive one has attachments that are due.
    async fn next(&self) -> Result<Option<ShareGuard<OrganizationId>>, Error> {
        let mut last = self.last.lock().await;
        let mut has_wrapped = false;
        loop {
            match search::organization_to_read(&self.app, *last).await? {
                Some(organization_id) => {
                    *last = Some(organization_id);
                    if self.active.count(&organization_id) == 0 {
                        return Ok(Some(self.active.take(organization_id)));
                    }
                }
                None if has_wrapped => return Ok(None),
                None => {
                    has_wrapped = true;
                    *last = None;
                }
            }
        }
    }
}

struct AttachmentReader<'a> {
    app: App,
    turns: &'a Turns,
    backlog: &'a Arc<dyn IndexBacklog>,
    shutdown: Shutdown,
}

impl AttachmentReader<'_> {
    async fn run(mut self) {
        while !self.shutdown.is_requested() {
            match self.turns.next().await {
                Ok(Some(turn)) => self.take_turn(turn).await,
                Ok(None) => self.shutdown.sleep(POLL_INTERVAL).await,
                Err(error) => {
                    tracing::warn!(%error, retry_in = ?POLL_INTERVAL, "due attachment query failed");
                    self.shutdown.sleep(POLL_INTERVAL).await;
                }
            }
        }
    }

    /// Reads attachments of an organization until none are due or its turn ends.
    async fn take_turn(&mut self, turn: ShareGuard<OrganizationId>) {
        let organization_id = *turn.owner();
        let mut pace = IndexerPace::of(Arc::clone(self.backlog));
        let turn_began = Instant::now();
        while turn_began.elapsed() < TURN_LENGTH && !self.shutdown.is_requested() {
            let began = Instant::now();
            let read = tokio::select! {
                () = self.shutdown.requested() => return,
                read = search::read_attachments(&self.app, organization_id) => read,
            };
            match read {
                Ok(Some(reading)) => log(&reading, began.elapsed()),
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%organization_id, %error, "attachments not read");
                    return self.shutdown.sleep(POLL_INTERVAL).await;
                }
            }
            self.shutdown.sleep((began.elapsed() * pace.pause_factor()).min(MAX_PAUSE)).await;
        }
    }
}

fn log(reading: &AttachmentReading, duration: Duration) {
    let AttachmentReading { message, attempt, texts, bytes, unread, is_retried } = reading;
    let (organization_id, inbox_id, message_id) = (message.organization_id, &message.inbox_id, &message.message_id);
    let duration_ms = duration.as_millis();
    if *is_retried {
        tracing::info!(
            %organization_id, %inbox_id, %message_id, attempt, unread, duration_ms, "attachments read again later"
        );
    } else if *unread > 0 {
        tracing::warn!(
            %organization_id, %inbox_id, %message_id, attempt, texts, bytes, unread, duration_ms, "attachments given up"
        );
    } else {
        tracing::info!(%organization_id, %inbox_id, %message_id, attempt, texts, bytes, duration_ms, "attachments indexed");
    }
}
