//! Whether recipients may be written to, and where their mail goes: asked for many letters at once.

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::try_join3;
use inboxd_mail::EmailAddress;

use crate::Error;
use crate::app::gathering::{Abandoned, Gathering, Most};
use crate::app::{App, homes};
use crate::model::{Home, Inbox, ListDirection, ListExcerpt, ListLevel, OrganizationId, Suppression};
use crate::ports::{ExcerptQuery, StoreError};
use crate::rules::lists::{self, Party, Refusal, Refused};

/// How many questions there may be at a time. Organizations share them by chance.
const LANES: usize = 64;
/// How many letters one question is about, and how many recipients they have together.
const MOST: Most = Most { jobs: 64, weight: 500 };

/// The letters whose recipients wait to be looked at. All who send have the same one.
pub(in crate::app) struct Clearances(Gathering<Asked, Result<Vec<Home>, Error>>);

/// A letter whose recipients are to be looked at.
struct Asked {
    inbox: Inbox,
    recipients: Vec<EmailAddress>,
}

impl Default for Clearances {
    fn default() -> Self {
        Self(Gathering::new(LANES, MOST))
    }
}

impl Clearances {
    /// Refuses recipients whose addresses bounced or complained, and those that a list of the inbox, its pod or its
    /// organization keeps out. Answers where the mail of each goes.
    pub(super) async fn clear(
        &self,
        app: &App,
        inbox: &Inbox,
        recipients: &[EmailAddress],
    ) -> Result<Vec<Home>, Error> {
        let asked = Asked { inbox: inbox.clone(), recipients: recipients.to_vec() };
        let lane = inbox.organization_id.0;
        match self.0.ask(&lane, asked, recipients.len(), |asked| clear_all(app, asked)).await {
            Ok(answer) => answer,
            Err(Abandoned) => Err(StoreError::Unavailable("whoever was asking has gone".to_owned()).into()),
        }
    }
}

async fn clear_all(app: &App, asked: Vec<Asked>) -> Vec<Result<Vec<Home>, Error>> {
    match Found::of(app, &asked).await {
        Ok(found) => asked.iter().map(|asked| found.judge(asked)).collect(),
        Err(error) => asked.iter().map(|_| Err(error.clone().into())).collect(),
    }
}

/// What is known of the recipients of letters.
struct Found {
    suppressed: BTreeMap<OrganizationId, Vec<Suppression>>,
    excerpts: Vec<ListExcerpt>,
    homes: BTreeMap<EmailAddress, Home>,
}

impl Found {
    /// Asks all at the same time: letters that are refused are few.
    async fn of(app: &App, asked: &[Asked]) -> Result<Self, StoreError> {
        let suppressed = async {
            let mut found = BTreeMap::new();
            for (organization_id, recipients) in of_organizations(asked) {
                found.insert(organization_id, app.store.suppressed(organization_id, &recipients).await?);
            }
            Ok(found)
        };
        let recipients: BTreeSet<&EmailAddress> = asked.iter().flat_map(|asked| &asked.recipients).collect();
        let recipients: Vec<EmailAddress> = recipients.into_iter().cloned().collect();
        let lists = lists_of(asked);
        let (suppressed, excerpts, homes) =
            try_join3(suppressed, app.store.excerpts_of_lists(&lists), homes::of(app, &recipients)).await?;
        Ok(Self { suppressed, excerpts, homes: recipients.into_iter().zip(homes).collect() })
    }

    fn judge(&self, asked: &Asked) -> Result<Vec<Home>, Error> {
        let Asked { inbox, recipients } = asked;
        if let Some(found) = self.suppressed(asked) {
            return Err(Error::RecipientSuppressed { address: found.address.to_string(), reason: found.reason });
        }
        let excerpts: Vec<ListExcerpt> = self
            .excerpts
            .iter()
            .filter(|excerpt| excerpt.list.organization_id == inbox.organization_id)
            .cloned()
            .collect();
        let levels = ListLevel::reaching(inbox.pod_id, &inbox.inbox_id);
        lists::allow_recipients(&excerpts, &levels, recipients).map_err(refused)?;
        let home = |recipient| self.homes.get(recipient).copied().unwrap_or(Home::Elsewhere);
        Ok(recipients.iter().map(home).collect())
    }

    /// The first recipient of a letter that is suppressed.
    fn suppressed(&self, Asked { inbox, recipients }: &Asked) -> Option<&Suppression> {
        let is_recipient = |found: &&Suppression| {
            recipients.iter().any(|recipient| recipient.normalized() == found.address.normalized())
        };
        self.suppressed.get(&inbox.organization_id)?.iter().find(is_recipient)
    }
}

/// The recipients of each organization, each once.
fn of_organizations(asked: &[Asked]) -> BTreeMap<OrganizationId, Vec<EmailAddress>> {
    let mut recipients: BTreeMap<OrganizationId, BTreeSet<&EmailAddress>> = BTreeMap::new();
    for asked in asked {
        recipients.entry(asked.inbox.organization_id).or_default().extend(&asked.recipients);
    }
    recipients.into_iter().map(|(id, recipients)| (id, recipients.into_iter().cloned().collect())).collect()
}

/// What to look for in the lists that reach the inboxes of letters.
fn lists_of(asked: &[Asked]) -> ExcerptQuery {
    let levels: BTreeSet<(OrganizationId, ListLevel)> = asked
        .iter()
        .flat_map(|Asked { inbox, .. }| {
            ListLevel::reaching(inbox.pod_id, &inbox.inbox_id).map(|level| (inbox.organization_id, level))
        })
        .collect();
    let parties: Vec<Party> = asked.iter().flat_map(|asked| &asked.recipients).map(Party::of).collect();
    let names: BTreeSet<&str> = parties.iter().flat_map(Party::names).collect();
    ExcerptQuery {
        levels: levels.into_iter().collect(),
        directions: vec![ListDirection::Send],
        names: names.into_iter().map(str::to_owned).collect(),
    }
}

fn refused(Refused { recipient, why }: Refused) -> Error {
    match why {
        Refusal::Blocked { list, entry } => Error::RecipientBlocked { recipient, list, entry },
        Refusal::NotAllowed { list } => Error::RecipientNotAllowed { recipient, list },
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test stops where something is not as it should be")]

    use super::*;
    use crate::model::{ListKey, ListType, SuppressionReason};
    use crate::testing::World;
    use crate::testing::fixtures::{self, NOW, address, id};

    fn asked(organization: u128, recipients: &[&str]) -> Asked {
        let inbox = Inbox { organization_id: id(organization), ..fixtures::inbox() };
        Asked { inbox, recipients: recipients.iter().map(|text| address(text)).collect() }
    }

    /// A list of an organization that blocks an address.
    fn blocking(organization: u128, entry: &str) -> ListExcerpt {
        let list = ListKey {
            organization_id: id(organization),
            level: ListLevel::Organization,
            direction: ListDirection::Send,
            list_type: ListType::Block,
        };
        ListExcerpt { list, entries: [entry.to_owned()].into_iter().collect() }
    }

    #[tokio::test]
    async fn many_letters_are_asked_about_at_once_and_judged_each_for_itself() {
        let mut world = World::default();
        world.store.expect_suppressed().times(2).returning(|organization_id, recipients| {
            let suppression = |address: &EmailAddress| Suppression {
                organization_id,
                address: address.clone(),
                reason: SuppressionReason::Bounce,
                created_at: NOW,
            };
            let dead = recipients.iter().filter(|address| address.as_str() == "dead@example.org");
            Ok(if organization_id == id(1) { dead.map(suppression).collect() } else { Vec::new() })
        });
        world.store.expect_excerpts_of_lists().once().returning(|query| {
            assert_eq!(query.levels.len(), 6);
            Ok(vec![blocking(1, "anna@example.org")])
        });
        world.store.expect_custom_homes().once().returning(|addresses| {
            let home = |address: &EmailAddress| {
                if address.as_str() == "in@own.example" { Home::Here } else { Home::Elsewhere }
            };
            Ok(addresses.iter().map(home).collect())
        });
        let asked = vec![
            asked(1, &["ben@example.org", "in@own.example"]),
            asked(1, &["dead@example.org", "dead2@example.org"]),
            asked(1, &["anna@example.org"]),
            asked(2, &["anna@example.org", "dead@example.org"]),
        ];
        let answers = clear_all(&world.app(), asked).await;
        assert_eq!(*answers[0].as_ref().unwrap(), [Home::Elsewhere, Home::Here]);
        assert!(
            matches!(&answers[1], Err(Error::RecipientSuppressed { address, .. }) if address == "dead@example.org")
        );
        assert!(matches!(&answers[2], Err(Error::RecipientBlocked { .. })), "{:?}", answers[2]);
        assert_eq!(
            *answers[3].as_ref().unwrap(),
            [Home::Elsewhere; 2],
            "what one organization keeps out, another may write to"
        );
    }

    #[tokio::test]
    async fn while_storage_is_away_all_hear_it() {
        let mut world = World::default();
        let gone = StoreError::Unavailable("gone".to_owned());
        let said = gone.clone();
        world.store.expect_suppressed().once().returning(move |_, _| Err(said.clone()));
        world.store.expect_excerpts_of_lists().returning(|_| Ok(Vec::new()));
        world.store.expect_custom_homes().returning(|_| Ok(Vec::new()));
        let answers = clear_all(&world.app(), vec![asked(1, &["a@example.org"]), asked(1, &["b@example.org"])]).await;
        assert_eq!(answers.len(), 2);
        for answer in answers {
            assert!(matches!(&answer, Err(Error::Store(error)) if *error == gone), "{answer:?}");
        }
    }
}
