//! What lists say of a mail on its way in.

use std::collections::{BTreeMap, BTreeSet};

use inboxd_mail::{EmailAddress, ParsedMail};

use super::App;
use crate::model::{InboxId, ListDirection, ListExcerpt, ListLevel, MessageId, OrganizationId};
use crate::ports::{Destination, ExcerptQuery, StoreError, Tx};
use crate::rules::lists::{self, Senders};

/// The lists that a mail must pass on its way in, as far as they name its senders.
pub(super) struct Screen {
    senders: Senders,
    /// Of each organization, the lists that are not empty.
    excerpts: BTreeMap<OrganizationId, Vec<ListExcerpt>>,
}

/// Looks into the lists of all inboxes that a mail is for, with one question.
pub(super) async fn screen<'a>(
    app: &App,
    mail: &ParsedMail,
    envelope_from: Option<&EmailAddress>,
    destinations: impl Iterator<Item = &'a Destination>,
) -> Result<Screen, StoreError> {
    let levels: BTreeSet<(OrganizationId, ListLevel)> = destinations
        .flat_map(|inbox| {
            ListLevel::reaching(inbox.pod_id, &inbox.inbox_id).map(|level| (inbox.organization_id, level))
        })
        .collect();
    let senders = Senders::of(mail, envelope_from);
    let query = ExcerptQuery {
        levels: levels.into_iter().collect(),
        directions: vec![ListDirection::Receive, ListDirection::Reply],
        names: senders.names().into_iter().map(str::to_owned).collect(),
    };
    let mut excerpts: BTreeMap<OrganizationId, Vec<ListExcerpt>> = BTreeMap::new();
    for excerpt in app.store.excerpts_of_lists(&query).await? {
        excerpts.entry(excerpt.list.organization_id).or_default().push(excerpt);
    }
    Ok(Screen { senders, excerpts })
}

impl Screen {
    /// Whether the lists that reach an inbox keep the mail out of it. `answered`: the messages that it answers.
    pub(super) async fn keeps_out(
        &self,
        tx: &mut dyn Tx,
        destination: &Destination,
        answered: &[MessageId],
    ) -> Result<bool, StoreError> {
        let Destination { organization_id, pod_id, inbox_id } = destination;
        let Some(excerpts) = self.excerpts.get(organization_id) else { return Ok(false) };
        let is_answer = self.is_answer(tx, *organization_id, inbox_id, answered).await?;
        Ok(lists::is_kept_out(excerpts, &ListLevel::reaching(*pod_id, inbox_id), &self.senders, is_answer))
    }

    async fn is_answer(
        &self,
        tx: &mut dyn Tx,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        answered: &[MessageId],
    ) -> Result<bool, StoreError> {
        if answered.is_empty() {
            return Ok(false);
        }
        tx.messages().any_sent(organization_id, inbox_id, answered).await
    }
}
