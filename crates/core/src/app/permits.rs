//! Permits for concurrent work, granted in order of arrival.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_channel::oneshot;

/// A set of permits. Clones share it.
#[derive(Clone)]
pub(crate) struct Permits(Arc<Mutex<FreePermits>>);

struct FreePermits {
    free: usize,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// One permit. On drop it passes to the next waiter, also when its waiter was cancelled.
pub(crate) struct Permit(Permits);

impl Permits {
    /// Creates a number of permits, at least one.
    pub(crate) fn new(permits: usize) -> Self {
        Self(Arc::new(Mutex::new(FreePermits { free: permits.max(1), waiting: VecDeque::new() })))
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(&self) -> Option<Permit> {
        self.acquire_behind(usize::MAX).await
    }

    /// Waits for a permit behind at most `max_waiting` waiters. Returns `None` when more wait.
    pub(crate) async fn acquire_behind(&self, max_waiting: usize) -> Option<Permit> {
        let granted = {
            let mut permits = self.lock();
            if permits.free > 0 {
                permits.free -= 1;
                return Some(Permit(self.clone()));
            }
            permits.waiting.retain(|waiter| !waiter.is_canceled());
            if permits.waiting.len() > max_waiting {
                return None;
            }
            let (grant, granted) = oneshot::channel();
            permits.waiting.push_back(grant);
            granted
        };
        // A grant is never dropped unsent, because each permit keeps the set alive.
        granted.await.ok()
    }

    fn lock(&self) -> MutexGuard<'_, FreePermits> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let next = {
            let mut permits = self.0.lock();
            let next = std::iter::from_fn(|| permits.waiting.pop_front()).find(|grant| !grant.is_canceled());
            if next.is_none() {
                permits.free += 1;
            }
            next
        };
        if let Some(grant) = next {
            // A cancelled waiter returns the permit, whose drop passes it on.
            let _not_taken = grant.send(Self(self.0.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    #[tokio::test]
    async fn permits_are_granted_in_order_and_waiters_beyond_the_bound_are_refused() {
        let permits = Permits::new(1);
        let held = permits.acquire().await;
        let mut first = Box::pin(permits.acquire_behind(0));
        assert!((&mut first).now_or_never().is_none());
        assert!(matches!(permits.acquire_behind(0).now_or_never(), Some(None)), "one waits already");
        let mut second = Box::pin(permits.acquire_behind(1));
        assert!((&mut second).now_or_never().is_none());
        drop(held);
        let granted = (&mut first).now_or_never();
        assert!(granted.is_some_and(|permit| permit.is_some()) && permits.lock().free == 0);
        assert!(second.now_or_never().is_some_and(|permit| permit.is_some()));
        assert_eq!(permits.lock().free, 1);
    }
}
