//! Allow and block lists of inbound messages.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ListDirection, ListExcerpt, ListLevel, OrganizationId};
use crate::ports::{Destination, ExcerptQuery};
use crate::rules::lists::{self, MessageSenders, MessageStanding, Screening};

/// List entries that can match the senders of inbound messages, by organization. Empty lists are left out.
pub(super) struct Screens(BTreeMap<OrganizationId, Vec<ListExcerpt>>);

impl Screens {
    /// Returns the query for all entries that can match these senders, in the lists of all recipient inboxes.
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

    /// Groups list excerpts by organization.
    pub(super) fn of(excerpts: Vec<ListExcerpt>) -> Self {
        let mut of_organizations: BTreeMap<OrganizationId, Vec<ListExcerpt>> = BTreeMap::new();
        for excerpt in excerpts {
            of_organizations.entry(excerpt.list.organization_id).or_default().push(excerpt);
        }
        Self(of_organizations)
    }

    /// Returns whether the lists of an inbox block a message of these senders. `standing` is asked only if there are
    /// lists.
    pub(super) fn screen(
        &self,
        destination: &Destination,
        senders: &MessageSenders,
        standing: impl FnOnce() -> MessageStanding,
    ) -> Screening {
        let Destination { organization_id, pod_id, inbox_id } = destination;
        let Some(excerpts) = self.0.get(organization_id) else { return Screening::Passed };
        lists::screen(excerpts, &ListLevel::reaching(*pod_id, inbox_id), senders, standing())
    }
}
