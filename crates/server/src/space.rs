//! Capacity: free disk space and storage allowances.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::model::OrganizationId;
use inboxd_core::ports::{Capacity, Store};
use inboxd_core::rules::limits::is_beyond_stop;
use inboxd_worker::Shutdown;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep};

/// Time between two measurements of free space.
const SAMPLING_INTERVAL: Duration = Duration::from_secs(1);
/// Lifetime of the cached state of an organization.
const ANSWER_TTL: Duration = Duration::from_secs(5);
/// Maximum cached organizations; beyond it, those within their allowance are evicted.
const MAX_ORGANIZATIONS: usize = 100_000;
/// Maximum queued lookups. A dropped lookup repeats with the next mail.
const MAX_WAITING: usize = 1_000;
/// File that reserves space for the start of the embedded database, which writes before it serves reads.
const RESERVE: &str = "reserve";
/// Bytes of the reserve.
const RESERVE_BYTES: u64 = 32 * 1024 * 1024;

/// Free space of the data directory, and organizations beyond their hard limit.
#[derive(Debug)]
pub(crate) struct Space {
    folder: PathBuf,
    /// Minimum free bytes for writes that need more space.
    low_water: u64,
    is_enough: AtomicBool,
    organizations: Mutex<HashMap<OrganizationId, Answer>>,
    ask: Sender<OrganizationId>,
}

/// Cached state of an organization.
#[derive(Debug, Clone, Copy)]
struct Answer {
    may_receive: bool,
    asked_at: Instant,
}

impl Space {
    /// Measures the free space of a folder. The channel returns the organizations to look up.
    pub(crate) fn of(folder: &Path, low_water: u64) -> (Arc<Self>, Receiver<OrganizationId>) {
        let (ask, asked) = channel(MAX_WAITING);
        let space = Self {
            folder: folder.to_owned(),
            low_water,
            is_enough: AtomicBool::new(true),
            organizations: Mutex::default(),
            ask,
        };
        space.measure();
        (Arc::new(space), asked)
    }

    fn measure(&self) {
        // A failed measurement refuses nothing: writes fail by themselves on a full disk.
        let Some(free) = free_bytes(&self.folder) else { return };
        let has_space = free >= self.low_water;
        if self.is_enough.swap(has_space, Ordering::Relaxed) != has_space {
            if has_space {
                tracing::info!(free, "disk space recovered");
            } else {
                tracing::error!(free, low_water = self.low_water, folder = %self.folder.display(), "disk space low");
            }
        }
    }

    /// The map stays consistent even after a panic of a lock holder.
    fn organizations(&self) -> MutexGuard<'_, HashMap<OrganizationId, Answer>> {
        self.organizations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capacity for Space {
    fn has_space(&self) -> bool {
        self.is_enough.load(Ordering::Relaxed)
    }

    /// Permits mail of unknown organizations, and queues their lookup. An organization beyond its limit stays refused
    /// until a lookup finds it below.
    fn may_receive(&self, organization_id: OrganizationId) -> bool {
        let mut organizations = self.organizations();
        let answer = organizations.get(&organization_id).copied();
        if answer.is_none_or(|answer| answer.asked_at.elapsed() > ANSWER_TTL)
            && self.ask.try_send(organization_id).is_ok()
        {
            if organizations.len() >= MAX_ORGANIZATIONS {
                organizations.retain(|_, answer| !answer.may_receive);
            }
            let may_receive = answer.is_none_or(|answer| answer.may_receive);
            organizations.insert(organization_id, Answer { may_receive, asked_at: Instant::now() });
        }
        answer.is_none_or(|answer| answer.may_receive)
    }
}

/// Measures free space until shutdown, and maintains the reserve of an embedded database.
pub(crate) async fn watch(space: Arc<Space>, has_reserve: bool, mut shutdown: Shutdown) {
    loop {
        space.measure();
        if has_reserve {
            let (folder, low_water) = (space.folder.clone(), space.low_water);
            let kept = tokio::task::spawn_blocking(move || keep_reserve(&folder, low_water)).await;
            if let Ok(Err(error)) = kept {
                tracing::warn!(%error, "disk reserve not created");
            }
        }
        tokio::select! {
            () = shutdown.requested() => return,
            () = sleep(SAMPLING_INTERVAL) => {}
        }
    }
}

/// Looks up the storage use of organizations one at a time until shutdown, and rests as long as it works.
pub(crate) async fn look_up(
    space: Arc<Space>,
    mut asked: Receiver<OrganizationId>,
    store: Arc<dyn Store>,
    mut shutdown: Shutdown,
) {
    loop {
        let organization_id = tokio::select! {
            () = shutdown.requested() => return,
            asked = asked.recv() => match asked {
                Some(organization_id) => organization_id,
                None => return,
            },
        };
        let began = Instant::now();
        match store.overview(organization_id).await {
            Ok(Some(found)) => {
                let may_receive = !is_beyond_stop(&found.organization, found.storage_bytes);
                space.organizations().insert(organization_id, Answer { may_receive, asked_at: Instant::now() });
            }
            Ok(None) => {
                space.organizations().remove(&organization_id);
            }
            Err(error) => tracing::warn!(%error, "storage lookup failed"),
        }
        sleep(began.elapsed()).await;
    }
}

/// Releases the reserve if the disk is too full for the start of an embedded database.
pub(crate) fn release_reserve(folder: &Path) {
    let reserve = folder.join(RESERVE);
    if free_bytes(folder).is_some_and(|free| free < RESERVE_BYTES) && std::fs::remove_file(&reserve).is_ok() {
        tracing::warn!(reserve = %reserve.display(), "disk reserve released");
    }
}

/// Creates the reserve if it is missing and there is space.
fn keep_reserve(folder: &Path, low_water: u64) -> io::Result<()> {
    let reserve = folder.join(RESERVE);
    let has_room = free_bytes(folder).is_some_and(|free| free >= low_water.saturating_add(4 * RESERVE_BYTES));
    if !has_room || reserve.exists() {
        return Ok(());
    }
    let mut file = File::create(&reserve)?;
    let chunk = vec![0xa5; 1024 * 1024];
    let written = (0..RESERVE_BYTES / 1024 / 1024).try_for_each(|_| file.write_all(&chunk));
    written.inspect_err(|_| {
        let _ = std::fs::remove_file(&reserve);
    })
}

/// Returns the bytes that an unprivileged process can still write to the file system of a folder.
fn free_bytes(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn space_below_low_water_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Space::of(folder.path(), 0).0.has_space());
        assert!(!Space::of(folder.path(), u64::MAX).0.has_space());
        assert!(
            Space::of(&folder.path().join("missing"), u64::MAX).0.has_space(),
            "what cannot be measured refuses nothing"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn full_organization_stays_full_until_the_next_answer() {
        let folder = tempfile::tempdir().unwrap();
        let (space, mut asked) = Space::of(folder.path(), 0);
        let id = OrganizationId(Uuid::from_u128(1));
        assert!(space.may_receive(id) && space.may_receive(id));
        assert_eq!(asked.try_recv().ok(), Some(id));
        assert!(asked.try_recv().is_err(), "it is asked about once");
        space.organizations().insert(id, Answer { may_receive: false, asked_at: Instant::now() });
        tokio::time::advance(ANSWER_TTL * 2).await;
        assert!(!space.may_receive(id) && !space.may_receive(id));
        assert_eq!(asked.try_recv().ok(), Some(id));
    }

    #[test]
    fn reserve_is_kept_while_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        keep_reserve(folder.path(), u64::MAX).unwrap();
        assert!(!folder.path().join(RESERVE).exists());
        keep_reserve(folder.path(), 0).unwrap();
        let reserve = std::fs::metadata(folder.path().join(RESERVE)).unwrap();
        assert_eq!(reserve.len(), RESERVE_BYTES);
        release_reserve(folder.path());
        assert!(folder.path().join(RESERVE).exists(), "there is space");
    }
}
