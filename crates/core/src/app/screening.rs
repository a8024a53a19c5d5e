//! What lists say of a mail on its way in.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ListDirection, ListExcerpt, ListLevel, OrganizationId};
use crate::ports::{Destination, ExcerptQuery};
use crate::rules::lists::{self, MessageSenders};

/// The lists that mails must pass on their way in, as far as they name the senders: of each organization, those that are
/// not empty.
pub(super) struct Screens(BTreeMap<OrganizationId, Vec<ListExcerpt>>);

impl Screens {
    /// What to look for: in the lists of all inboxes that these mails are for, whatever could name their senders.
    pub(super) fn query<'a, Inboxes: Iterator<Item = &'a Destination>>(
        mails: impl Iterator<Item = (Inboxes, &'a MessageSenders)>,
    ) -> ExcerptQuery {
        let (mut levels, mut names) = (BTreeSet::new(), BTreeSet::new());
        for (inboxes, senders) in mails {
            names.extend(senders.names());
            for inbox in inboxes {
                let reaching = ListLevel::reaching(inbox.pod_id, &inbox.inbox_id);
                levels.extend(reaching.map(|level| (inbox.organization_id, level)));
            }
        }
        ExcerptQuery {
            levels: levels.into_iter().collect(),
            directions: vec![ListDirection::Receive, ListDirection::Reply],
            names: names.into_iter().map(str::to_owned).collect(),
        }
    }

    /// What the lists hold.
    pub(super) fn of(excerpts: Vec<ListExcerpt>) -> Self {
        let mut of_organizations: BTreeMap<OrganizationId, Vec<ListExcerpt>> = BTreeMap::new();
        for excerpt in excerpts {
            of_organizations.entry(excerpt.list.organization_id).or_default().push(excerpt);
        }
        Self(of_organizations)
    }

    /// Whether the lists that reach an inbox keep a mail of these senders out of it. `is_answer`: whether it answers mail
    /// that was sent from there.
    pub(super) fn keep_out(
        &self,
        destination: &Destination,
        senders: &MessageSenders,
        is_answer: impl FnOnce() -> bool,
    ) -> bool {
        let Destination { organization_id, pod_id, inbox_id } = destination;
        let Some(excerpts) = self.0.get(organization_id) else { return false };
        lists::is_blocked(excerpts, &ListLevel::reaching(*pod_id, inbox_id), senders, is_answer())
    }
}
