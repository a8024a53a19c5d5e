mod approve;
mod create;
mod due;
mod read;
mod send;
mod update;

use inboxd_core::Error;
use inboxd_core::app::drafts::{self, DraftChange, DraftFilter, NewDraft};
use inboxd_core::app::{App, Letter, SendResult};
use inboxd_core::model::{Caller, Draft, DraftId, DraftItem, IdempotencyClaim, InboxId, MessageId, Page, Scope};
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::testing::{Captured, MockTx, World};

use super::world;

authorizing! { drafts:
    create(inbox_id: &InboxId, new: NewDraft) -> Draft;
    propose(inbox_id: &InboxId, new: NewDraft) -> Letter;
    check_send(inbox_id: &InboxId, draft: &DraftItem) -> ();
    check_quota() -> ();
    get(draft_id: DraftId) -> Draft;
    list(filter: DraftFilter) -> Page<DraftItem>;
    update(inbox_id: &InboxId, draft_id: DraftId, change: DraftChange) -> Draft;
    delete(inbox_id: &InboxId, draft_id: DraftId) -> ();
    send(
        inbox_id: &InboxId,
        draft_id: DraftId,
        change: &LabelChange,
        allow_automatic: bool,
        claim: Option<IdempotencyClaim>
    ) -> SendResult;
    approve(inbox_id: &InboxId, draft_id: DraftId, message_id: &MessageId) -> SendResult;
    reject(inbox_id: &InboxId, draft_id: DraftId, message_id: &MessageId, reason: Option<String>) -> Draft;
}

/// An environment with these drafts.
fn world_with(draft: &Draft) -> World {
    let mut world = world();
    let found = draft.clone();
    world.store.expect_draft().returning(move |organization_id, draft_id| {
        let is_meant = found.item.organization_id == organization_id && found.item.draft_id == draft_id;
        Ok(is_meant.then(|| found.clone()))
    });
    world
}

/// Expects that the draft is locked and written once.
fn expect_write(tx: &mut MockTx, draft: &Draft) -> Captured<Draft> {
    let found = draft.clone();
    tx.drafts.expect_lock().once().returning(move |_, _| Ok(Some(found.clone())));
    let written = Captured::default();
    let seen = written.clone();
    tx.drafts.expect_update().once().returning(move |draft, _| {
        seen.push(draft.clone());
        Ok(())
    });
    written
}

/// Expects that the draft is locked and not written.
fn expect_look(tx: &mut MockTx, draft: &Draft) {
    let found = draft.clone();
    tx.drafts.expect_lock().once().returning(move |_, _| Ok(Some(found.clone())));
}
