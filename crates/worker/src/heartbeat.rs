//! Heartbeats: liveness of processes, and steps of the clock.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::app::{self, App};
use inboxd_core::ports::{ProcessBeat, Store};
use time::OffsetDateTime;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use uuid::Uuid;

/// Time between two heartbeats.
const BEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Heartbeats of this process that see the count of another one unchanged until that one counts as dead. A count, not a time:
/// a process that is frozen or waits for the database does not watch.
const SILENT_BEATS_LIMIT: u32 = 6;
/// Time without a heartbeat of its own after which a process recalls its messages: others take them over soon.
const CONTACT_TIMEOUT: Duration = Duration::from_secs(20);
/// Time between two recalls while there is no heartbeat.
const RECALL_INTERVAL: Duration = Duration::from_secs(1);
/// The smallest step of the clock that due times follow. NTP makes smaller ones.
const MIN_CLOCK_STEP: Duration = Duration::from_secs(2);
/// The same between this process and earlier ones, which may have run on other machines.
const MIN_CLOCK_DIFFERENCE: Duration = Duration::from_secs(30);

/// The heartbeats of this process.
pub struct Heartbeat {
    /// Heartbeat counts of other processes, each with the number of times in succession that it was seen unchanged.
    others: Mutex<HashMap<Uuid, (i64, u32)>>,
}

impl Heartbeat {
    /// Creates heartbeats that have seen no other process.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::new(Self { others: Mutex::default() })
    }

    /// Records heartbeats on connections of their own: one before it returns, then more in a task until that is aborted.
    /// Without contact to the database it recalls messages in progress.
    pub async fn start(
        self: &Arc<Self>,
        app: App,
        store: Arc<dyn Store>,
        recall: impl Fn() + Send + Sync + 'static,
    ) -> JoinHandle<()> {
        let mut beats = HeartbeatLoop {
            heartbeat: Arc::clone(self),
            beating: App { store, ..app.clone() },
            app,
            recall,
            watch: ClockWatch::default(),
            is_compared: false,
            last: Instant::now(),
            following: JoinSet::new(),
        };
        beats.beat().await;
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(BEAT_INTERVAL).await;
                beats.beat().await;
            }
        })
    }

    /// Returns the processes that count as dead.
    pub(crate) fn silent(&self) -> Vec<Uuid> {
        let is_silent = |(_, unchanged): &(i64, u32)| *unchanged >= SILENT_BEATS_LIMIT;
        self.others().iter().filter(|(_, beat)| is_silent(beat)).map(|(process_id, _)| *process_id).collect()
    }

    /// Removes processes from the watched ones.
    pub(crate) fn forget(&self, processes: &[Uuid]) {
        self.others().retain(|process_id, _| !processes.contains(process_id));
    }

    fn observe(&self, own: Uuid, beats: &[ProcessBeat]) {
        let mut others = self.others();
        let seen = beats.iter().filter(|beat| beat.process_id != own).map(|beat| {
            let before = others.get(&beat.process_id).filter(|(beats, _)| *beats == beat.beats);
            (beat.process_id, (beat.beats, before.map_or(0, |(_, unchanged)| unchanged.saturating_add(1))))
        });
        *others = seen.collect();
    }

    /// Locks the map, which stays whole even when a holder of the lock has panicked.
    fn others(&self) -> MutexGuard<'_, HashMap<Uuid, (i64, u32)>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state between two heartbeats.
struct HeartbeatLoop<Recall> {
    heartbeat: Arc<Heartbeat>,
    /// Use cases on the connection of the heartbeats.
    beating: App,
    app: App,
    recall: Recall,
    watch: ClockWatch,
    /// Whether the clock was compared with those of earlier processes.
    is_compared: bool,
    /// When the last heartbeat that succeeded began.
    last: Instant,
    /// Tasks that bring due times forward: heartbeats do not wait for them.
    following: JoinSet<()>,
}

impl<Recall: Fn()> HeartbeatLoop<Recall> {
    async fn beat(&mut self) {
        let (now, begun) = (self.app.clock.now(), Instant::now());
        self.watch.observe(now, begun);
        match recall_without_contact(self.last, &self.recall, app::processes::beat(&self.beating)).await {
            Ok(beats) => {
                self.last = begun;
                if !std::mem::replace(&mut self.is_compared, true) {
                    self.watch.compare(now, beats.iter().map(|beat| beat.seen_at).max());
                }
                self.heartbeat.observe(self.app.process_id, &beats);
            }
            Err(error) => {
                tracing::warn!(%error, "heartbeat failed");
                // Heartbeats of others may have failed as well.
                self.heartbeat.others().clear();
            }
        }
        while self.following.try_join_next().is_some() {}
        if let Some(by) = self.watch.set_back_by.take() {
            self.following.spawn(follow_clock(self.app.clone(), by));
        }
    }
}

/// Returns the result of a heartbeat. Recalls messages meanwhile, once the last one is too long ago.
async fn recall_without_contact<T>(last: Instant, recall: &impl Fn(), beat: impl Future<Output = T>) -> T {
    let mut beat = pin!(beat);
    let mut deadline = last + CONTACT_TIMEOUT;
    loop {
        tokio::select! {
            // A process that was frozen recalls first, even where the database responds at once.
            biased;
            () = tokio::time::sleep_until(deadline) => {
                recall();
                deadline = Instant::now() + RECALL_INTERVAL;
            }
            result = &mut beat => return result,
        }
    }
}

/// Brings due times forward after the clock was set back, with retries until it succeeds.
async fn follow_clock(app: App, by: time::Duration) {
    loop {
        match app::processes::follow_clock(&app, by).await {
            Ok(moved) => return tracing::warn!(seconds = by.whole_seconds(), moved, "clock set back"),
            Err(error) => tracing::error!(%error, "due times not adjusted to clock"),
        }
        tokio::time::sleep(BEAT_INTERVAL).await;
    }
}

/// Detects steps of the clock.
#[derive(Default)]
struct ClockWatch {
    last: Option<(OffsetDateTime, Instant)>,
    /// The sum of backward steps that due times have not followed.
    set_back_by: Option<time::Duration>,
}

impl ClockWatch {
    /// Compares the clock with the time since its last reading.
    fn observe(&mut self, now: OffsetDateTime, at: Instant) {
        if let Some((last, then)) = self.last.replace((now, at)) {
            self.add(last + at.duration_since(then) - now, MIN_CLOCK_STEP);
        }
    }

    /// Compares the clock with the latest time that a process recorded.
    fn compare(&mut self, now: OffsetDateTime, latest: Option<OffsetDateTime>) {
        if let Some(latest) = latest {
            self.add(latest - now, MIN_CLOCK_DIFFERENCE);
        }
    }

    fn add(&mut self, difference: time::Duration, min: Duration) {
        if difference >= min {
            self.set_back_by = Some(self.set_back_by.unwrap_or_default() + difference);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    use inboxd_core::testing::World;

    use super::*;

    fn beat(process: u128, beats: i64) -> ProcessBeat {
        ProcessBeat { process_id: Uuid::from_u128(process), beats, seen_at: OffsetDateTime::UNIX_EPOCH }
    }

    #[test]
    fn process_is_silent_when_its_count_was_seen_unchanged_six_times() {
        let heartbeat = Heartbeat::new();
        let own = Uuid::from_u128(1);
        for beats in 0..=5 {
            heartbeat.observe(own, &[beat(1, 7), beat(2, 7), beat(3, beats)]);
            assert!(heartbeat.silent().is_empty(), "{beats}");
        }
        heartbeat.observe(own, &[beat(1, 7), beat(2, 7), beat(3, 7)]);
        assert_eq!(heartbeat.silent(), [Uuid::from_u128(2)]);
        heartbeat.observe(own, &[beat(1, 7), beat(2, 8), beat(3, 7)]);
        assert!(heartbeat.silent().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn frozen_process_counts_no_silence_of_others() {
        let heartbeat = Heartbeat::new();
        let own = Uuid::from_u128(1);
        heartbeat.observe(own, &[beat(2, 7)]);
        tokio::time::advance(Duration::from_hours(1)).await;
        assert!(heartbeat.silent().is_empty());
        // A heartbeat that waited long for the database is one observation.
        heartbeat.observe(own, &[beat(2, 7)]);
        assert!(heartbeat.silent().is_empty());
    }

    #[test]
    fn forgotten_process_is_watched_from_the_start() {
        let heartbeat = Heartbeat::new();
        let own = Uuid::from_u128(1);
        let observe = || heartbeat.observe(own, &[beat(2, 7)]);
        (0..=SILENT_BEATS_LIMIT).for_each(|_| observe());
        heartbeat.forget(&heartbeat.silent());
        (0..SILENT_BEATS_LIMIT).for_each(|_| observe());
        assert!(heartbeat.silent().is_empty());
        observe();
        assert_eq!(heartbeat.silent(), [Uuid::from_u128(2)]);
    }

    #[tokio::test(start_paused = true)]
    async fn hanging_heartbeat_recalls_messages_repeatedly() {
        let (last, recalls) = (Instant::now(), AtomicU32::new(0));
        let recall = || {
            recalls.fetch_add(1, Ordering::SeqCst);
        };
        recall_without_contact(last, &recall, tokio::time::sleep(Duration::from_millis(19_900))).await;
        assert_eq!(recalls.load(Ordering::SeqCst), 0);
        recall_without_contact(last, &recall, tokio::time::sleep(Duration::from_secs(2))).await;
        assert_eq!(recalls.load(Ordering::SeqCst), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn frozen_process_recalls_messages_before_its_next_heartbeat() {
        let last = Instant::now();
        tokio::time::advance(CONTACT_TIMEOUT).await;
        let is_recalled = AtomicBool::new(false);
        let recall = || is_recalled.store(true, Ordering::SeqCst);
        assert!(recall_without_contact(last, &recall, async { is_recalled.load(Ordering::SeqCst) }).await);
    }

    #[tokio::test]
    async fn start_returns_after_the_first_heartbeat() {
        let mut world = World::default();
        world.store.expect_record_heartbeat().returning(|_, now| {
            let seen_at = now + time::Duration::HOUR;
            Ok(vec![ProcessBeat { process_id: Uuid::from_u128(2), beats: 1, seen_at }])
        });
        world.store.expect_bring_forward_due_times().returning(|step| {
            assert_eq!(step.by, time::Duration::HOUR);
            Ok(0)
        });
        let app = world.app();
        let heartbeat = Heartbeat::new();
        let beating = heartbeat.start(app.clone(), Arc::clone(&app.store), || ()).await;
        assert_eq!(heartbeat.others().len(), 1);
        beating.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn backward_clock_step_is_measured() {
        let mut watch = ClockWatch::default();
        let start = OffsetDateTime::UNIX_EPOCH + time::Duration::days(20_000);
        watch.observe(start, Instant::now());
        tokio::time::advance(BEAT_INTERVAL).await;
        watch.observe(start + time::Duration::seconds(4), Instant::now());
        assert_eq!(watch.set_back_by, None, "NTP sets it by so little");
        tokio::time::advance(BEAT_INTERVAL).await;
        watch.observe(start - time::Duration::HOUR, Instant::now());
        assert_eq!(watch.set_back_by, Some(time::Duration::HOUR + time::Duration::seconds(9)));
        let mut watch = ClockWatch::default();
        watch.compare(start, None);
        watch.compare(start, Some(start + time::Duration::seconds(20)));
        assert_eq!(watch.set_back_by, None);
        watch.compare(start, Some(start + time::Duration::DAY));
        assert_eq!(watch.set_back_by, Some(time::Duration::DAY));
    }
}
