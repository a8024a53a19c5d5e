//! Heartbeats of this process, which watch those of all others and the clock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::app::{self, App};
use inboxd_core::ports::ProcessBeat;
use time::OffsetDateTime;
use tokio::time::Instant;
use uuid::Uuid;

/// Time between two heartbeats.
const BEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Time without a heartbeat after which a process counts as dead. A process that is only frozen for so long finds other
/// claims in place of its own, and stores nothing.
const SILENCE_LIMIT: Duration = Duration::from_secs(30);
/// Steps of the clock that are followed: smaller ones come from setting it by NTP.
const MIN_CLOCK_STEP: Duration = Duration::from_secs(2);
/// As [`MIN_CLOCK_STEP`], between this process and those before it, which may have run on other machines.
const MIN_CLOCK_DIFFERENCE: Duration = Duration::from_secs(30);

/// The heartbeats of this process.
pub(crate) struct Heartbeat {
    /// Heartbeats of others, each with the time at which its number was first seen.
    others: Mutex<HashMap<Uuid, (i64, Instant)>>,
}

impl Heartbeat {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { others: Mutex::default() })
    }

    /// Beats until it is aborted.
    pub(crate) async fn run(self: Arc<Self>, app: App) {
        let mut watch = ClockWatch::default();
        let mut is_first = true;
        loop {
            let now = app.clock.now();
            watch.observe(now, Instant::now());
            match app::processes::beat(&app).await {
                Ok(beats) => {
                    if std::mem::take(&mut is_first) {
                        watch.compare(now, beats.iter().map(|beat| beat.seen_at).max());
                    }
                    self.observe(app.process_id, &beats);
                    follow_clock(&app, &mut watch).await;
                    app::release_abandoned_keys(&app).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "heartbeat failed");
                    // Others may have failed as well.
                    self.others().clear();
                }
            }
            tokio::time::sleep(BEAT_INTERVAL).await;
        }
    }

    /// Returns the processes that have been silent for long, as far as this one has watched.
    pub(crate) fn silent(&self) -> Vec<Uuid> {
        let is_silent = |(_, since): &(i64, Instant)| since.elapsed() >= SILENCE_LIMIT;
        self.others().iter().filter(|(_, beat)| is_silent(beat)).map(|(process_id, _)| *process_id).collect()
    }

    fn observe(&self, own: Uuid, beats: &[ProcessBeat]) {
        let mut others = self.others();
        let now = Instant::now();
        let seen = beats.iter().filter(|beat| beat.process_id != own).map(|beat| {
            let before = others.get(&beat.process_id).filter(|(beats, _)| *beats == beat.beats);
            (beat.process_id, (beat.beats, before.map_or(now, |(_, since)| *since)))
        });
        *others = seen.collect();
    }

    /// Locks the map, which stays whole even when a holder of the lock has panicked.
    fn others(&self) -> MutexGuard<'_, HashMap<Uuid, (i64, Instant)>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Brings forward what is due in the future when the clock was set back.
async fn follow_clock(app: &App, watch: &mut ClockWatch) {
    let Some(by) = watch.set_back_by else { return };
    match app::processes::follow_clock(app, by).await {
        Ok(moved) => {
            watch.set_back_by = None;
            tracing::warn!(seconds = by.whole_seconds(), moved, "clock set back");
        }
        Err(error) => tracing::error!(%error, "due times not brought forward"),
    }
}

/// Finds steps of the clock.
#[derive(Default)]
struct ClockWatch {
    last: Option<(OffsetDateTime, Instant)>,
    /// By how much the clock was set back, and due times are not brought forward yet.
    set_back_by: Option<time::Duration>,
}

impl ClockWatch {
    /// Compares the clock with the time that has passed since it was read last.
    fn observe(&mut self, now: OffsetDateTime, at: Instant) {
        if let Some((last, then)) = self.last.replace((now, at)) {
            self.add(last + at.duration_since(then) - now, MIN_CLOCK_STEP);
        }
    }

    /// Compares the clock with the latest time that any process has seen.
    fn compare(&mut self, now: OffsetDateTime, latest: Option<OffsetDateTime>) {
        if let Some(latest) = latest {
            self.add(latest - now, MIN_CLOCK_DIFFERENCE);
        }
    }

    fn add(&mut self, difference: time::Duration, least: Duration) {
        if difference >= least {
            self.set_back_by = Some(self.set_back_by.unwrap_or_default() + difference);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat(process: u128, beats: i64) -> ProcessBeat {
        ProcessBeat { process_id: Uuid::from_u128(process), beats, seen_at: OffsetDateTime::UNIX_EPOCH }
    }

    #[tokio::test(start_paused = true)]
    async fn process_is_silent_when_its_number_has_not_grown_for_long() {
        let heartbeat = Heartbeat::new();
        let own = Uuid::from_u128(1);
        for beats in 0..=5 {
            heartbeat.observe(own, &[beat(1, 7), beat(2, 7), beat(3, beats)]);
            assert!(heartbeat.silent().is_empty());
            tokio::time::advance(BEAT_INTERVAL).await;
        }
        heartbeat.observe(own, &[beat(1, 7), beat(2, 7), beat(3, 7)]);
        assert_eq!(heartbeat.silent(), [Uuid::from_u128(2)]);
        heartbeat.observe(own, &[beat(1, 7), beat(2, 8), beat(3, 7)]);
        assert!(heartbeat.silent().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn clock_that_is_set_back_is_noticed_by_how_much() {
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
