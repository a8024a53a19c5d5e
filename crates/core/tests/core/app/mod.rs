/// Declares use cases that authorize their caller for a scope first.
macro_rules! authorizing {
    ($module:ident: $($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)+) => {
        $(#[allow(clippy::too_many_arguments, clippy::allow_attributes, reason = "it has those of the use case")]
        async fn $name(app: &App, caller: &Caller, scope: &Scope, $($argument: $kind),*) -> Result<$result, Error> {
            let caller = inboxd_core::rules::authorization::AuthorizedCaller::new(caller.clone(), scope.clone())?;
            $module::$name(app, &caller, $($argument),*).await
        })+
    };
}

mod api_keys;
mod authenticate;
mod billing;
mod brake;
mod calendar;
mod compute;
mod deliver;
mod dkim;
mod domains;
mod downloads;
mod drafts;
mod events;
mod feed;
mod feed_credentials;
mod inboxes;
mod label_history;
mod legal_holds;
mod lists;
mod members;
mod messages;
mod metrics;
mod notes;
mod oauth;
mod once;
mod operator;
mod pods;
mod processes;
mod quarantine;
mod reads;
mod receive;
mod refusals;
mod retention;
mod search;
mod sign_in;
mod sign_up;
mod threads;
mod trace;
mod verify;
mod webhooks;

use inboxd_core::Error;
use inboxd_core::model::{
    AuditEntry, Caller, LabelEvent, MessageItem, Organization, Permissions, RequiredPermission, Scope, Thread,
};
use inboxd_core::rules::authorization::AuthorizedCaller;
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::testing::{Captured, MockTx, World};

/// An environment with the fixture inbox and no other.
fn world() -> World {
    let mut world = World::default();
    world.store.expect_inbox().returning(|organization_id, inbox_id| {
        let inbox = fixtures::inbox();
        Ok(Some(inbox).filter(|inbox| inbox.inbox_id == *inbox_id && inbox.organization_id == organization_id))
    });
    world
}

/// A caller that holds the permission of a use case within a scope.
fn within<P: RequiredPermission>(caller: &Caller, scope: Scope) -> AuthorizedCaller<P> {
    AuthorizedCaller::new(caller.clone(), scope).unwrap()
}

/// A caller that holds the permission of a use case in the fixture inbox.
fn in_inbox<P: RequiredPermission>(caller: &Caller) -> AuthorizedCaller<P> {
    within(caller, Scope::Inbox(fixtures::inbox().inbox_id))
}

/// Expects a lock of the organization.
fn locks(tx: &mut MockTx, organization: Organization) {
    tx.accounts.expect_lock().once().return_once(move |_| Ok(Some(organization)));
}

/// Expects a lock of the inbox against deletion.
fn holds_inbox(tx: &mut MockTx) {
    tx.inboxes.expect_hold().once().returning(|wanted| Ok(wanted.to_vec()));
}

/// Expects a lock of the inbox for a send.
fn holds_sending_inbox(tx: &mut MockTx) {
    tx.inboxes.expect_lock_sending().once().returning(|wanted| Ok(wanted.to_vec()));
}

/// Expects that label changes are recorded in the same unit of work.
fn expect_history(tx: &mut MockTx) -> Captured<LabelEvent> {
    let recorded = Captured::default();
    let seen = recorded.clone();
    tx.label_history.expect_append().times(..=1).returning(move |events, _| {
        for event in events {
            seen.push(event.clone());
        }
        Ok(())
    });
    recorded
}

/// Expects audit entries and returns them.
fn records_audit(tx: &mut MockTx) -> Captured<AuditEntry> {
    let recorded = Captured::<AuditEntry>::default();
    let seen = recorded.clone();
    tx.audit.checkpoint();
    tx.audit.expect_append().returning(move |entry: &AuditEntry, _| {
        seen.push(entry.clone());
        Ok(true)
    });
    recorded
}

#[expect(clippy::unnecessary_wraps, reason = "a key with a map is what is told from one without")]
fn permissions(names: &[&str]) -> Option<Permissions> {
    Some(Permissions(names.iter().map(|name| ((*name).to_owned(), true)).collect()))
}

/// Returns the paths of the fields in a validation error.
fn paths(error: Error) -> Vec<String> {
    match error {
        Error::Invalid(fields) => fields.into_iter().map(|field| field.path).collect(),
        other => panic!("not a validation error: {other:?}"),
    }
}

/// Returns the thread of these messages.
fn thread_of(messages: &[MessageItem]) -> Thread {
    Thread::started_by(&messages[0]).summed_up(messages, NOW).unwrap()
}
