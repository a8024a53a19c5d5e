//! What goes on without being asked: mail leaves the queue, and deleted inboxes are emptied.

use std::sync::Arc;
use std::time::Duration;

use inboxd_core::app::{self, App};
use inboxd_core::model::Outgoing;
use inboxd_core::ports::Transport;
use tokio::task::JoinSet;

use crate::environment::WakeWorkers;
use crate::serve::Shutdown;

/// How many mails one process delivers at the same time.
const PARALLEL: usize = 32;
/// How long a worker sleeps when nobody wakes it: another process may have queued a mail, or a retry may be due.
const POLL: Duration = Duration::from_secs(1);
/// How often deleted inboxes are looked for.
const PURGE: Duration = Duration::from_secs(10);

/// Delivers queued mail until shutdown; what is on its way then is finished.
pub(crate) async fn deliver(app: App, transport: Arc<dyn Transport>, wake: Arc<WakeWorkers>, mut shutdown: Shutdown) {
    let mut running = JoinSet::new();
    while !shutdown.has_come() {
        mail_codes(&app).await;
        let free = PARALLEL - running.len();
        let claimed = claim(&app, free).await;
        let was_full = claimed.len() == free;
        for mail in claimed {
            running.spawn(attempt(app.clone(), Arc::clone(&transport), mail));
        }
        if was_full && running.len() < PARALLEL {
            continue;
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = wake.outgoing.notified(), if running.len() < PARALLEL => {}
            Some(_) = running.join_next() => {}
            () = tokio::time::sleep(POLL), if running.len() < PARALLEL => {}
        }
        while running.try_join_next().is_some() {}
    }
    while running.join_next().await.is_some() {}
}

/// Queues the codes that people asked for to sign in, so that they are claimed with the rest.
async fn mail_codes(app: &App) {
    if let Err(error) = app::account::mail_sign_in_codes(app).await {
        tracing::error!(%error, "sign-in codes could not be queued; it is tried again");
    }
}

async fn claim(app: &App, free: usize) -> Vec<Outgoing> {
    let limit = u32::try_from(free).unwrap_or(u32::MAX);
    app::claim_due_mail(app, limit).await.unwrap_or_else(|error| {
        tracing::error!(%error, "the outgoing queue could not be read");
        Vec::new()
    })
}

async fn attempt(app: App, transport: Arc<dyn Transport>, mail: Outgoing) {
    let outgoing_id = mail.outgoing_id;
    match app::attempt_delivery(&app, transport.as_ref(), &mail).await {
        Ok(app::Delivered { delivered, bounced, deferred }) => {
            tracing::info!(%outgoing_id, delivered, bounced, deferred, attempt = mail.attempts, "delivery attempted");
        }
        Err(error) => tracing::error!(%outgoing_id, %error, "a delivery could not be recorded; it is tried again"),
    }
}

/// Empties deleted inboxes until shutdown.
pub(crate) async fn purge(app: App, mut shutdown: Shutdown) {
    while !shutdown.has_come() {
        match app::purge_deleted_inboxes(&app).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "a deleted inbox could not be emptied; it is tried again"),
        }
        tokio::select! {
            () = shutdown.comes() => {}
            () = tokio::time::sleep(PURGE) => {}
        }
    }
}
