use inboxd_core::model::page::{Direction, PageRequest};
use inboxd_core::model::{ApiKey, InboxId, Member, MemberId, Organization, OrganizationId, Reach, Role};
use inboxd_core::ports::{ApiKeyReads, Constraint, MAX_INVITATIONS_READ, MemberQuery, MemberReads, StoreError};
use uuid::Uuid;

use crate::support::*;

pub(super) fn member(world: &World, number: u8, email: &str) -> Member {
    Member {
        organization_id: world.organization_id(),
        member_id: MemberId(Uuid::from_u128(number.into())),
        email: address(email),
        name: format!("Member {number}"),
        role: Role::Member,
        inbox_ids: [world.inbox_id().clone()].into(),
        client_id: Some(format!("client-{number}")),
        joined_at: None,
        created_at: at(number.into()),
        updated_at: at(number.into()),
    }
}

pub(super) async fn add(world: &World, member: &Member) {
    let mut tx = world.begin().await;
    tx.members().insert(member).await.unwrap();
    tx.commit().await.unwrap();
}

pub(super) async fn add_key(world: &World, member: &Member, number: u8) -> ApiKey {
    let key = ApiKey {
        organization_id: member.organization_id,
        api_key_id: Uuid::from_u128(number.into()).into(),
        prefix: "am_123456789".to_owned(),
        name: "Sign-in".to_owned(),
        reach: Reach::Organization,
        member_id: Some(member.member_id),
        connection_id: None,
        permissions: None,
        expires_at: None,
        used_at: None,
        created_at: at(number.into()),
        updated_at: at(number.into()),
    };
    let mut tx = world.begin().await;
    tx.api_keys().insert(&key, &[number; 32]).await.unwrap();
    tx.commit().await.unwrap();
    key
}

#[tokio::test]
async fn member_is_stored_listed_changed_and_counted() {
    let world = world().await;
    let members = [
        member(&world, 1, "Maria@example.org"),
        member(&world, 2, "max@example.org"),
        member(&world, 3, "mo@example.org"),
    ];
    for member in &members {
        add(&world, member).await;
    }
    let query = |page| MemberQuery { organization_id: world.organization_id(), page };
    let first = PageRequest { limit: 2, ..PageRequest::default() };
    let page = world.store.list_members(&query(first.clone())).await.unwrap();
    assert_eq!(page.items, [members[2].clone(), members[1].clone()]);
    let rest = world.store.list_members(&query(PageRequest { after: page.next, ..first })).await.unwrap();
    assert_eq!((rest.items, rest.next), (vec![members[0].clone()], None));
    let ascending = PageRequest { direction: Direction::Ascending, ..PageRequest::default() };
    assert_eq!(world.store.list_members(&query(ascending)).await.unwrap().items, members);

    let changed = Member {
        name: "Mia".to_owned(),
        role: Role::Admin,
        inbox_ids: [].into(),
        updated_at: at(9),
        ..members[0].clone()
    };
    let mut tx = world.begin().await;
    assert_eq!(tx.members().count(world.organization_id()).await.unwrap(), 3);
    assert_eq!(tx.members().lock(world.organization_id(), changed.member_id).await.unwrap(), Some(members[0].clone()));
    tx.members().update(&changed).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(world.store.member(world.organization_id(), changed.member_id).await.unwrap(), Some(changed));
}

#[tokio::test]
async fn address_is_unique_member_in_any_letter_case() {
    let world = world().await;
    add(&world, &member(&world, 1, "maria@example.org")).await;
    let mut tx = world.begin().await;
    let refused = tx.members().insert(&member(&world, 2, "Maria@Example.org")).await;
    assert_eq!(refused, Err(StoreError::Duplicate(Constraint::MemberEmail)));
}

#[tokio::test]
async fn address_can_join_several_organizations() {
    let world = world().await;
    let other = organization(2, "other@example.org");
    add_organization(&world.store, &other).await;
    let here = member(&world, 1, "maria@example.org");
    let there = Member {
        organization_id: other.organization_id,
        joined_at: Some(at(3)),
        ..member(&world, 2, "MARIA@example.org")
    };
    add(&world, &here).await;
    add(&world, &there).await;
    add(&world, &member(&world, 3, "max@example.org")).await;
    add_key(&world, &here, 5).await;
    let used = add_key(&world, &there, 6).await;
    world.store.touch_api_key(used.organization_id, used.api_key_id, at(50)).await.unwrap();
    add_key(&world, &there, 7).await;

    let mut tx = world.begin().await;
    let joined = tx.members().join(&address("Maria@example.org"), at(20)).await.unwrap();
    assert_eq!(joined, [Member { joined_at: Some(at(20)), updated_at: at(20), ..here.clone() }]);
    tx.commit().await.unwrap();
    let found = world.store.memberships(&address("mAria@example.org")).await.unwrap();
    let shown: Vec<_> = found.iter().map(|one| (one.organization.clone(), one.member.joined_at, one.used_at)).collect();
    let expected =
        [(world.organization.clone(), Some(at(20)), Some(at(5))), (other.clone(), Some(at(3)), Some(at(50)))];
    assert_eq!(shown, expected);
    assert_eq!(world.store.memberships(&address("nobody@example.org")).await.unwrap(), []);
    let mut tx = world.begin().await;
    assert_eq!(tx.members().of_address(&address("maria@example.org"), None).await.unwrap(), found);

    let asked = ["nobody@example.org", "MAX@example.org", "maria@example.org"].map(address);
    let max = world.store.memberships(&asked[1]).await.unwrap();
    assert_eq!(max.len(), 1);
    let of_each = world.store.memberships_of(&asked).await.unwrap();
    assert_eq!(of_each, [Some(Vec::new()), Some(max.clone()), Some(found)], "in the order of the query");
    world.database.execute("UPDATE members SET email = 'none' WHERE email = 'MARIA@example.org'").await;
    assert_eq!(world.store.memberships_of(&asked).await.unwrap(), [Some(Vec::new()), Some(max), None]);
}

#[tokio::test]
async fn newest_invitations_and_requested_one_are_read() {
    let world = world().await;
    let maria = address("maria@example.org");
    let most = u128::from(MAX_INVITATIONS_READ);
    let in_organization = |number: u128, joined_at| Member {
        organization_id: Uuid::from_u128(number).into(),
        joined_at,
        created_at: at(i64::try_from(number).unwrap()),
        ..member(&world, 1, "maria@example.org")
    };
    let mut tx = world.begin().await;
    // Joined in the oldest one, plus two more invitations than are read.
    for number in 2..=most + 4 {
        tx.accounts().insert(&organization(number, &format!("owner-{number}@example.org"))).await.unwrap();
        tx.members().insert(&in_organization(number, (number == 2).then(|| at(2)))).await.unwrap();
    }
    tx.commit().await.unwrap();
    let number = |id: OrganizationId| id.0.as_u128();
    let found = world.store.memberships(&maria).await.unwrap();
    let found: Vec<u128> = found.iter().map(|one| number(one.organization.organization_id)).collect();
    assert_eq!(found, [2].into_iter().chain(5..=most + 4).collect::<Vec<_>>());
    let mut tx = world.begin().await;
    let asked = tx.members().of_address(&maria, Some(Uuid::from_u128(3).into())).await.unwrap();
    assert_eq!(asked.len(), found.len() + 1);
    assert_eq!(number(asked[1].organization.organization_id), 3);
}

#[tokio::test]
async fn proven_member_address_conflicts_with_inbox() {
    let world = world().await;
    let verified = Organization { verified_at: Some(at(1)), ..organization(2, "two@example.org") };
    add_organization(&world.store, &verified).await;
    let mut tx = world.begin().await;
    let unverified_owner = Member { role: Role::Owner, joined_at: Some(at(1)), ..member(&world, 1, "one@example.org") };
    let owner = Member {
        organization_id: verified.organization_id,
        email: address("Two@example.org"),
        ..unverified_owner.clone()
    };
    let joined = |number, email| Member { joined_at: Some(at(1)), ..member(&world, number, email) };
    let gone = joined(7, "gone@example.org");
    let invited = member(&world, 8, "invited@example.org");
    let tagged = joined(9, "tagged+news@example.org");
    for member in [&unverified_owner, &owner, &gone, &invited, &tagged, &joined(10, "joined@example.org")] {
        tx.members().insert(member).await.unwrap();
    }
    tx.members().remove(&gone, at(2)).await.unwrap();
    let mut reads = Vec::new();
    for name in ["one", "two", "gone", "invited", "tagged", "joined", "tag", "tagged+other", "nobody"] {
        let inbox_id = InboxId::of(&address(&format!("{name}@example.org")));
        if tx.members().reads(&inbox_id).await.unwrap() {
            reads.push(name);
        }
    }
    assert_eq!(reads, ["two", "tagged", "joined"]);
    assert!(!tx.members().reads(&InboxId::of(&address("tagged@mail.example.org"))).await.unwrap());
}

#[tokio::test]
async fn removal_revokes_keys_of_member_and_frees_address() {
    let world = world().await;
    let (maria, max) = (member(&world, 1, "maria@example.org"), member(&world, 2, "max@example.org"));
    add(&world, &maria).await;
    add(&world, &max).await;
    for (member, number) in [(&maria, 5), (&maria, 6), (&max, 7)] {
        add_key(&world, member, number).await;
    }
    let credential = world.store.credential(&[5; 32]).await.unwrap().unwrap();
    assert_eq!((credential.member, credential.api_key.member_id), (Some(maria.clone()), Some(maria.member_id)));

    let mut tx = world.begin().await;
    let mut revoked = tx.members().remove(&maria, at(30)).await.unwrap();
    tx.commit().await.unwrap();
    revoked.api_key_ids.sort();
    assert_eq!(revoked.api_key_ids, [5, 6].map(|number| Uuid::from_u128(number).into()));
    assert_eq!(revoked.connection_ids, []);
    assert_eq!(world.store.credential(&[5; 32]).await.unwrap(), None);
    assert_eq!(world.store.credential(&[6; 32]).await.unwrap(), None);
    assert_eq!(world.store.credential(&[7; 32]).await.unwrap().unwrap().member, Some(max));
    assert_eq!(world.store.api_key(world.organization_id(), Uuid::from_u128(5).into()).await.unwrap(), None);
    assert_eq!(world.store.member(world.organization_id(), maria.member_id).await.unwrap(), None);
    assert_eq!(world.store.memberships(&maria.email).await.unwrap(), []);
    let mut tx = world.begin().await;
    assert_eq!(tx.members().count(world.organization_id()).await.unwrap(), 1);
    assert_eq!(tx.members().lock(world.organization_id(), maria.member_id).await.unwrap(), None);
    let (found, is_there) = tx.members().find_by_client_id(world.organization_id(), "client-1").await.unwrap().unwrap();
    assert_eq!((found.member_id, is_there), (maria.member_id, false));
    let again = Member { client_id: None, ..member(&world, 9, "maria@example.org") };
    tx.members().insert(&again).await.unwrap();
}

#[tokio::test]
async fn key_created_during_member_removal_is_refused() {
    let world = world().await;
    let maria = member(&world, 1, "maria@example.org");
    add(&world, &maria).await;
    let mut tx = world.begin().await;
    tx.members().remove(&maria, at(30)).await.unwrap();
    tx.commit().await.unwrap();
    add_key(&world, &maria, 5).await;
    assert_eq!(world.store.credential(&[5; 32]).await.unwrap(), None);
}
