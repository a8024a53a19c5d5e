//! Admission of requests to storage: a share of the running requests for each organization.
//!
//! A request waits for its turn without a connection of the database. Organizations that wait take turns, whatever the
//! number of requests that each of them has.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use inboxd_core::model::OrganizationId;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::error::ApiError;

/// How long a request waits for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the place of a request stays taken whose client went away: its statement may still run. The database looks
/// for clients that went away once a second.
const ABANDONED_DELAY: Duration = Duration::from_secs(3);

/// How many requests run and wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// Running requests of all organizations.
    pub(crate) running: usize,
    /// Running requests of one organization; 0 turns all limits off.
    pub(crate) running_each: usize,
    /// Places that organizations share: one gets another place only while as many are free as it then has. So the first ones
    /// leave some to those that come later.
    pub(crate) shared: usize,
    /// Waiting requests of one organization.
    pub(crate) waiting_each: usize,
}

impl Bounds {
    /// Returns whether an organization may run another request beside those of all.
    fn may_run(&self, of_organization: usize, of_all: usize) -> bool {
        let is_share = of_organization == 0 || of_organization < self.shared.saturating_sub(of_all);
        of_all < self.running && of_organization < self.running_each && is_share
    }
}

/// The requests that run and wait.
#[derive(Debug)]
pub(crate) struct Admission {
    bounds: Bounds,
    queues: Mutex<Queues>,
}

#[derive(Debug, Default)]
struct Queues {
    running: usize,
    organizations: HashMap<OrganizationId, Queue>,
    /// The organizations with waiting requests, in the order of their turns.
    turns: VecDeque<OrganizationId>,
}

#[derive(Debug, Default)]
struct Queue {
    running: usize,
    waiting: VecDeque<oneshot::Sender<()>>,
}

/// The place of one running request.
#[derive(Debug)]
pub(crate) struct Slot {
    admission: Arc<Admission>,
    organization_id: OrganizationId,
    is_finished: bool,
}

/// The slot of a request, which its handler and the middleware share: a handler that is cancelled leaves it unfinished.
#[derive(Debug, Clone, Default)]
pub(crate) struct SlotHolder(Rc<RefCell<Option<Slot>>>);

impl SlotHolder {
    /// Holds a slot.
    pub(crate) fn hold(&self, slot: Slot) {
        let before = self.0.borrow_mut().replace(slot);
        before.into_iter().for_each(Slot::finish);
    }

    /// Takes the slot out.
    pub(crate) fn take(&self) -> Option<Slot> {
        self.0.borrow_mut().take()
    }

    /// Gives the place of the request back.
    pub(crate) fn finish(&self) {
        self.take().into_iter().for_each(Slot::finish);
    }
}

impl Admission {
    /// Admission within these bounds.
    pub(crate) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self { bounds, queues: Mutex::default() })
    }

    /// Waits for the turn of a request.
    ///
    /// # Errors
    /// 429 where too many requests of the organization wait, or the turn does not come in time.
    pub(crate) async fn enter(self: &Arc<Self>, organization_id: OrganizationId) -> Result<Slot, ApiError> {
        let Some(turn) = self.take_or_wait(organization_id)? else { return Ok(self.slot(organization_id)) };
        let mut waiting = Waiting { admission: Arc::clone(self), organization_id, turn };
        // The sender is dropped with a result only.
        if timeout(TURN_TIMEOUT, &mut waiting.turn).await.is_ok_and(|turn| turn.is_ok()) {
            waiting.turn.close();
            return Ok(self.slot(organization_id));
        }
        Err(self.refusal())
    }

    /// Takes a place at once, or a place in the queue.
    fn take_or_wait(&self, organization_id: OrganizationId) -> Result<Option<oneshot::Receiver<()>>, ApiError> {
        let Bounds { running_each, waiting_each, .. } = self.bounds;
        if running_each == 0 {
            return Ok(None);
        }
        let mut queues = self.lock();
        let of_all = queues.running;
        let queue = queues.organizations.entry(organization_id).or_default();
        if queue.waiting.is_empty() && self.bounds.may_run(queue.running, of_all) {
            queue.running += 1;
            queues.running += 1;
            return Ok(None);
        }
        if queue.waiting.len() >= waiting_each {
            queue.waiting.retain(|waiting| !waiting.is_closed());
            if queue.waiting.len() >= waiting_each {
                return Err(self.refusal());
            }
        }
        let (admit, turn) = oneshot::channel();
        let is_first = queue.waiting.is_empty();
        queue.waiting.push_back(admit);
        if is_first && !queues.turns.contains(&organization_id) {
            queues.turns.push_back(organization_id);
        }
        Ok(Some(turn))
    }

    fn refusal(&self) -> ApiError {
        ApiError::too_many_running(self.bounds.running_each)
    }

    fn slot(self: &Arc<Self>, organization_id: OrganizationId) -> Slot {
        Slot { admission: Arc::clone(self), organization_id, is_finished: false }
    }

    /// Gives a place back, and lets the next request run.
    fn leave(&self, organization_id: OrganizationId) {
        if self.bounds.running_each == 0 {
            return;
        }
        let mut queues = self.lock();
        queues.running = queues.running.saturating_sub(1);
        if let Some(queue) = queues.organizations.get_mut(&organization_id) {
            queue.running = queue.running.saturating_sub(1);
        }
        queues.admit_waiting(self.bounds);
        queues.forget(organization_id);
    }

    fn lock(&self) -> MutexGuard<'_, Queues> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queues {
    /// Lets waiting requests run while there are places: one of each organization after the other.
    fn admit_waiting(&mut self, bounds: Bounds) {
        let mut passed = 0;
        while self.running < bounds.running && passed < self.turns.len() {
            let Some(organization_id) = self.turns.pop_front() else { return };
            let Some(queue) = self.organizations.get_mut(&organization_id) else { continue };
            if !bounds.may_run(queue.running, self.running) {
                self.turns.push_back(organization_id);
                passed += 1;
                continue;
            }
            while let Some(admit) = queue.waiting.pop_front() {
                if admit.send(()).is_ok() {
                    queue.running += 1;
                    self.running += 1;
                    passed = 0;
                    break;
                }
            }
            if queue.waiting.is_empty() {
                self.forget(organization_id);
            } else {
                self.turns.push_back(organization_id);
            }
        }
    }

    /// Forgets an organization without requests.
    fn forget(&mut self, organization_id: OrganizationId) {
        let is_idle = |queue: &Queue| queue.running == 0 && queue.waiting.is_empty();
        if self.organizations.get(&organization_id).is_some_and(is_idle) {
            self.organizations.remove(&organization_id);
        }
    }
}

/// A request in the queue.
struct Waiting {
    admission: Arc<Admission>,
    organization_id: OrganizationId,
    turn: oneshot::Receiver<()>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.turn.close();
        // The turn came, and the request had gone away.
        if self.turn.try_recv().is_ok() {
            self.admission.leave(self.organization_id);
        }
    }
}

impl Slot {
    /// Returns the organization of the request.
    pub(crate) fn organization_id(&self) -> OrganizationId {
        self.organization_id
    }

    /// Gives the place of a finished request back.
    pub(crate) fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let (admission, organization_id) = (Arc::clone(&self.admission), self.organization_id);
        match Handle::try_current() {
            Ok(runtime) if !self.is_finished => drop(runtime.spawn(async move {
                sleep(ABANDONED_DELAY).await;
                admission.leave(organization_id);
            })),
            _ => admission.leave(organization_id),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;
    use inboxd_core::testing::fixtures::id;

    use super::*;

    fn admission() -> Arc<Admission> {
        Admission::new(Bounds { running: 3, running_each: 2, shared: 6, waiting_each: 2 })
    }

    fn enter(admission: &Arc<Admission>, organization: u128) -> BoxFuture<'static, Result<Slot, ApiError>> {
        let admission = Arc::clone(admission);
        async move { admission.enter(id(organization)).await }.boxed()
    }

    fn slot(admission: &Arc<Admission>, organization: u128) -> Slot {
        enter(admission, organization).now_or_never().unwrap().unwrap()
    }

    #[tokio::test]
    async fn organization_beyond_its_share_waits_and_leaves_the_rest_to_others() {
        let admission = admission();
        let (first, _second) = (slot(&admission, 1), slot(&admission, 1));
        let mut third = enter(&admission, 1);
        assert!((&mut third).now_or_never().is_none());
        let _other = slot(&admission, 2);
        first.finish();
        third.now_or_never().unwrap().unwrap().finish();
    }

    #[tokio::test]
    async fn organization_with_a_full_queue_is_refused() {
        let admission = admission();
        let _running = [slot(&admission, 1), slot(&admission, 1)];
        let mut waiting = [enter(&admission, 1), enter(&admission, 1)];
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        let refused = enter(&admission, 1).now_or_never().unwrap().unwrap_err();
        assert_eq!(refused.code.as_str(), "too_many_requests");
        drop(waiting);
        assert!(
            enter(&admission, 1).now_or_never().is_none(),
            "requests that went away leave their places in the queue"
        );
    }

    #[tokio::test]
    async fn waiting_organizations_take_turns() {
        let admission = admission();
        let mut running = vec![slot(&admission, 1), slot(&admission, 1), slot(&admission, 2)];
        let mut of_first = [enter(&admission, 1), enter(&admission, 1)];
        for one in &mut of_first {
            assert!(one.now_or_never().is_none());
        }
        let mut of_third = enter(&admission, 3);
        assert!((&mut of_third).now_or_never().is_none());
        running.remove(0).finish();
        let [first, second] = &mut of_first;
        let first = first.now_or_never().unwrap().unwrap();
        running.remove(0).finish();
        let third = of_third.now_or_never().unwrap().unwrap();
        assert!(second.now_or_never().is_none(), "the third organization had its turn first");
        third.finish();
        second.now_or_never().unwrap().unwrap().finish();
        first.finish();
        running.remove(0).finish();
        assert!(admission.lock().organizations.is_empty() && admission.lock().running == 0);
    }

    #[tokio::test(start_paused = true)]
    async fn cancelled_request_keeps_its_place_while_its_statement_may_run() {
        let admission = admission();
        let running = [slot(&admission, 1), slot(&admission, 1)];
        drop(running);
        assert!(enter(&admission, 1).now_or_never().is_none());
        sleep(ABANDONED_DELAY * 2).await;
        slot(&admission, 1).finish();
    }

    #[tokio::test]
    async fn cancelled_wait_passes_its_turn_on() {
        let admission = admission();
        let running = [slot(&admission, 1), slot(&admission, 1)];
        let (mut first, mut second) = (enter(&admission, 1), enter(&admission, 1));
        assert!((&mut first).now_or_never().is_none() && (&mut second).now_or_never().is_none());
        let [one, _other] = running;
        one.finish();
        drop(first);
        assert!(second.now_or_never().is_some());
    }

    #[tokio::test]
    async fn greedy_organizations_leave_places_to_one_that_comes_later() {
        let admission = Admission::new(Bounds { running: 40, running_each: 10, shared: 20, waiting_each: 100 });
        let (mut slots, mut waiting) = (Vec::new(), Vec::new());
        for organization in 1..=4 {
            for _ in 0..20 {
                let mut entered = enter(&admission, organization);
                match (&mut entered).now_or_never() {
                    Some(slot) => slots.push(slot.unwrap()),
                    None => waiting.push(entered),
                }
            }
        }
        assert!(slots.len() < 20, "{} of 20 places", slots.len());
        let running: Vec<usize> =
            (1..=4).map(|number| admission.lock().organizations[&id::<OrganizationId>(number)].running).collect();
        assert_eq!(running, [10, 5, 3, 1]);
        slot(&admission, 5).finish();
        drop(waiting);
        slots.into_iter().for_each(Slot::finish);
        assert_eq!(admission.lock().running, 0);
    }

    #[tokio::test]
    async fn zero_turns_limits_off() {
        let admission = Admission::new(Bounds { running: 1, running_each: 0, shared: 1, waiting_each: 0 });
        let mut slots = Vec::new();
        for _ in 0..100 {
            slots.push(slot(&admission, 1));
        }
        slots.into_iter().for_each(Slot::finish);
    }
}
