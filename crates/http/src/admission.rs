//! Admission of requests to storage: a share of the running requests for each organization.
//!
//! A request waits for its turn without a connection of the database. Organizations that wait take turns, whatever the
//! number of requests that each of them has.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::{TurnBounds, TurnPermit, TurnQueue};
use inboxd_core::model::OrganizationId;
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use crate::error::ApiError;

/// How long a request waits for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the place of a request stays taken whose client went away: its statement may still run. The database looks
/// for clients that went away once a second.
const ABANDONED_DELAY: Duration = Duration::from_secs(3);

/// The requests that run and wait.
#[derive(Debug)]
pub(crate) struct Admission {
    queue: TurnQueue<OrganizationId>,
    running_each: usize,
}

/// The place of one running request.
#[derive(Debug)]
pub(crate) struct AdmissionSlot {
    organization_id: OrganizationId,
    /// Until the request is finished.
    permit: Option<TurnPermit<OrganizationId>>,
}

/// The slot of a request, which its handler and the middleware share: a handler that is cancelled leaves it unfinished.
#[derive(Debug, Clone, Default)]
pub(crate) struct AdmissionSlotHolder(Rc<RefCell<Option<AdmissionSlot>>>);

impl AdmissionSlotHolder {
    /// Holds a slot.
    pub(crate) fn hold(&self, slot: AdmissionSlot) {
        let before = self.0.borrow_mut().replace(slot);
        before.into_iter().for_each(AdmissionSlot::finish);
    }

    /// Takes the slot out.
    pub(crate) fn take(&self) -> Option<AdmissionSlot> {
        self.0.borrow_mut().take()
    }

    /// Gives the place of the request back.
    pub(crate) fn finish(&self) {
        self.take().into_iter().for_each(AdmissionSlot::finish);
    }
}

impl Admission {
    /// Admission within these bounds.
    pub(crate) fn new(bounds: TurnBounds) -> Arc<Self> {
        Arc::new(Self { queue: TurnQueue::new(bounds), running_each: bounds.running_each })
    }

    /// Waits for the turn of a request.
    ///
    /// # Errors
    /// 429 where too many requests of the organization wait, or the turn does not come in time.
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

    /// Gives the place of a finished request back.
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
