//! Notifications about a call that takes long.

use std::sync::Arc;

use futures_util::future::BoxFuture;

/// Sends progress of one call to its client.
#[derive(Clone)]
pub(crate) struct ProgressReporter(Arc<dyn Fn(f64, f64) -> BoxFuture<'static, ()> + Send + Sync>);

impl ProgressReporter {
    /// Returns a reporter that passes progress and total to a function.
    pub(super) fn new(send: impl Fn(f64, f64) -> BoxFuture<'static, ()> + Send + Sync + 'static) -> Self {
        Self(Arc::new(send))
    }

    /// Reports `done` of `total`. A client that is gone hears nothing, which is no error.
    pub(crate) async fn report(&self, done: f64, total: f64) {
        (self.0)(done, total).await;
    }
}
