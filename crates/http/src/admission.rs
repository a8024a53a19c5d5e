//! Admission of requests to storage: a share of the running requests for each organization.
//!
//! A waiting request holds no database connection. Waiting organizations take turns, regardless of the number of
//! requests of each.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::{TurnBounds, TurnPermit, TurnQueue};
use inboxd_core::model::OrganizationId;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use crate::error::ApiError;

/// Time that a request waits for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);
/// Delay before the slot of a cancelled request is freed, because its statement may still run. PostgreSQL checks
/// for closed client connections once a second.
const ABANDONED_DELAY: Duration = Duration::from_secs(3);

/// Queue of running and waiting requests.
#[derive(Debug)]
pub(crate) struct Admission {
    queue: TurnQueue<OrganizationId>,
    running_each: usize,
}

/// Slot of one running request.
#[derive(Debug)]
pub(crate) struct AdmissionSlot {
    organization_id: OrganizationId,
    /// Permit of the queue; `None` once the request is finished.
    permit: Option<TurnPermit<OrganizationId>>,
}

/// Holder of the slot that the handler and the middleware share. A cancelled handler leaves its slot unfinished.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdmissionSlotHolder(Rc<RefCell<Option<AdmissionSlot>>>);

impl AdmissionSlotHolder {
    /// Stores a slot and frees the one before it.
    pub(crate) fn hold(&self, slot: AdmissionSlot) {
        let before = self.0.borrow_mut().replace(slot);
        before.into_iter().for_each(AdmissionSlot::finish);
    }

    /// Returns whether the request has a slot.
    pub(crate) fn is_held(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// Removes and returns the slot.
    pub(crate) fn take(&self) -> Option<AdmissionSlot> {
        self.0.borrow_mut().take()
    }

    /// Frees the slot.
    pub(crate) fn finish(&self) {
        self.take().into_iter().for_each(AdmissionSlot::finish);
    }
}

impl Admission {
    /// Returns an empty queue with these bounds.
    pub(crate) fn new(bounds: TurnBounds) -> Arc<Self> {
        Arc::new(Self { queue: TurnQueue::new(bounds), running_each: bounds.running_each })
    }

    /// Waits for a slot.
    ///
    /// # Errors
    /// 429 when too many requests of the organization wait, or the wait times out.
    pub(crate) async fn enter(&self, organization_id: OrganizationId) -> Result<AdmissionSlot, ApiError> {
        match timeout(TURN_TIMEOUT, self.queue.enter(organization_id)).await {
            Ok(Ok(permit)) => Ok(AdmissionSlot { organization_id, permit: Some(permit) }),
            _ => Err(ApiError::too_many_running(self.running_each)),
        }
    }
}

impl AdmissionSlot {
    /// Returns the organization of the request.
    pub(crate) fn organization_id(&self) -> OrganizationId {
        self.organization_id
    }

    /// Frees the slot of a finished request without delay.
    pub(crate) fn finish(mut self) {
        self.permit = None;
    }
}

impl Drop for AdmissionSlot {
    fn drop(&mut self) {
        if let (Some(permit), Ok(runtime)) = (self.permit.take(), Handle::try_current()) {
            runtime.spawn(async move {
                sleep(ABANDONED_DELAY).await;
                drop(permit);
            });
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
        Admission::new(TurnBounds { running: 3, running_each: 2, shared: 6, waiting_each: 2 })
    }

    fn enter(admission: &Arc<Admission>, organization: u128) -> BoxFuture<'static, Result<AdmissionSlot, ApiError>> {
        let admission = Arc::clone(admission);
        async move { admission.enter(id(organization)).await }.boxed()
    }

    fn slot(admission: &Arc<Admission>, organization: u128) -> AdmissionSlot {
        enter(admission, organization).now_or_never().unwrap().unwrap()
    }

    #[tokio::test]
    async fn finished_request_makes_room_at_once() {
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
    }

    #[tokio::test(start_paused = true)]
    async fn turn_that_does_not_come_in_time_is_refused() {
        let admission = admission();
        let _running = [slot(&admission, 1), slot(&admission, 1)];
        assert_eq!(enter(&admission, 1).await.unwrap_err().code.as_str(), "too_many_requests");
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
}
