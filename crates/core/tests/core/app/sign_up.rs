use inboxd_core::app::Limits;
use inboxd_core::app::account::{SignUp, sign_up};
use inboxd_core::model::outgoing::{QueuedMail, RawMail, Route};
use inboxd_core::model::{ApiKey, Inbox, Member, Organization, Pod, Reach, Role, SignUpMode, VerificationCode};
use inboxd_core::ports::{Constraint, StoreError, Vault};
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::testing::{Captured, Happened, PlainVault, World};
use inboxd_core::{Error, SignUpRefusal};
use inboxd_mail::parse;
use time::Duration;

use super::paths;

fn request() -> SignUp {
    SignUp {
        human_email: Some(" Owner@Example.org ".to_owned()),
        username: "Scout".to_owned(),
        invitation: None,
        client: "198.51.100.7".parse().ok(),
    }
}

fn world() -> World {
    let mut world = World::default();
    world.store.expect_organization_of_owner().returning(|_| Ok(None));
    world
}

#[derive(Default)]
struct Written {
    organization: Captured<Organization>,
    pod: Captured<Pod>,
    owner: Captured<Member>,
    inbox: Captured<Inbox>,
    api_key: Captured<(ApiKey, [u8; 32])>,
    code: Captured<VerificationCode>,
    mail: Captured<Vec<QueuedMail>>,
}

/// Expects all writes of a sign-up up to the failing step.
fn expect_writes(world: &mut World, failing: Option<(usize, StoreError)>) -> Written {
    let answer = move |step: usize| match &failing {
        Some((failing, error)) if *failing == step => Err(error.clone()),
        _ => Ok(()),
    };
    let written = Written::default();
    let Written { organization, pod, owner, inbox, api_key, code, mail } = &written;
    let tx = world.unit_of_work();
    let (seen, answers) = (organization.clone(), answer.clone());
    tx.accounts.expect_insert().times(..=1).returning(move |value| {
        seen.push(value.clone());
        answers(0)
    });
    let (seen, answers) = (pod.clone(), answer.clone());
    tx.accounts.expect_insert_pod().times(..=1).returning(move |value| {
        seen.push(value.clone());
        answers(1)
    });
    let (seen, answers) = (inbox.clone(), answer.clone());
    tx.inboxes.expect_insert().times(..=1).returning(move |value| {
        seen.push(value.clone());
        answers(2)
    });
    let (seen, answers) = (api_key.clone(), answer.clone());
    tx.api_keys.expect_insert().times(..=1).returning(move |value, hash| {
        seen.push((value.clone(), *hash));
        answers(3)
    });
    let (seen, answers) = (code.clone(), answer.clone());
    tx.accounts.expect_put_code().times(..=1).returning(move |value| {
        seen.push(value.clone());
        answers(4)
    });
    let (seen, answers) = (owner.clone(), answer.clone());
    tx.members.expect_insert().times(..=1).returning(move |value| {
        seen.push(value.clone());
        answers(6)
    });
    let (seen, answers) = (mail.clone(), answer);
    tx.outgoing.expect_enqueue().times(..=1).returning(move |value| {
        seen.push(value.to_vec());
        answers(5)
    });
    written
}

#[tokio::test]
async fn sign_up_creates_organization_pod_inbox_and_key_in_one_unit_of_work() {
    let mut world = world();
    let written = expect_writes(&mut world, None);
    let journal = world.journal.clone();
    let signed_up = sign_up(&world.app(), request()).await.unwrap();

    let organization = written.organization.only();
    assert_eq!(organization.organization_id, signed_up.organization_id);
    assert_eq!(organization.owner_email.as_ref().unwrap().normalized(), "owner@example.org");
    assert!(!organization.is_verified());
    let pod = written.pod.only();
    assert_eq!((pod.organization_id, pod.pod_id), (organization.organization_id, organization.default_pod_id));
    let owner = written.owner.only();
    assert_eq!(
        (owner.organization_id, owner.role, owner.name.as_str()),
        (organization.organization_id, Role::Owner, "Owner")
    );
    assert_eq!((Some(owner.email), owner.joined_at), (organization.owner_email, Some(NOW)));
    let inbox = written.inbox.only();
    assert_eq!(inbox.inbox_id.as_str(), "scout@signup.inboxd.example");
    assert_eq!(inbox.inbox_id, signed_up.inbox_id);
    assert_eq!((inbox.organization_id, inbox.pod_id), (organization.organization_id, pod.pod_id));
    let (api_key, hash) = written.api_key.only();
    assert_eq!(hash, signed_up.api_key.hash());
    assert_eq!((api_key.reach, api_key.permissions, api_key.expires_at), (Reach::Organization, None, None));
    assert_eq!(api_key.prefix, signed_up.api_key.prefix());
    assert_eq!(journal.entries(), [Happened::Committed, Happened::Woken]);
}

#[tokio::test]
async fn owner_is_mailed_code_stored_as_hash() {
    let mut world = world();
    let written = expect_writes(&mut world, None);
    let app = world.app();
    sign_up(&app, request()).await.unwrap();

    let mail = written.mail.only().remove(0);
    assert_eq!((mail.route, mail.message.clone()), (Route::Remote, None));
    assert_eq!(mail.recipients, [fixtures::address("owner@example.org")]);
    let RawMail::Sealed(sealed) = &mail.raw else { panic!("the code is encrypted at rest") };
    let parsed = parse(&PlainVault.open(mail.outgoing_id.0.as_bytes(), sealed).unwrap());
    assert_eq!(parsed.to[0].address, "Owner@Example.org");
    let text = parsed.text.unwrap();
    assert!(text.contains("2026-11-20 10:00 UTC, from the network 198.51.100.0/24"), "{text}");
    let digits = text.split_whitespace().find(|word| word.len() == 6 && word.parse::<u32>().is_ok()).unwrap();
    let code = written.code.only();
    assert_eq!(code.code_hash, app.settings.signing_key.code_hash(code.organization_id, digits));
    assert_eq!((code.expires_at, code.attempts), (NOW + Duration::hours(24), 0));
}

#[tokio::test]
async fn sign_up_without_owner_has_no_member_and_mails_no_code() {
    let mut world = World::default();
    let written = expect_writes(&mut world, None);
    sign_up(&world.app(), SignUp { human_email: None, ..request() }).await.unwrap();
    let organization = written.organization.only();
    assert_eq!((organization.owner_email, organization.verified_at), (None, None));
    assert_eq!((written.owner.all().len(), written.code.all().len(), written.mail.all().len()), (0, 0, 0));
}

#[tokio::test]
async fn closed_sign_up_and_missing_invitation_are_refused() {
    for (mode, invitation, expected) in [
        (SignUpMode::Closed, Some("inv_x"), SignUpRefusal::Closed),
        (SignUpMode::Closed, None, SignUpRefusal::Closed),
        (SignUpMode::Invite, None, SignUpRefusal::InvitationRequired),
    ] {
        let world = World::default();
        let limits = world.settings.limits.get();
        world.settings.limits.replace(Limits { sign_up: mode, ..limits });
        let wanted = SignUp { invitation: invitation.map(str::to_owned), ..request() };
        let refused = sign_up(&world.app(), wanted).await;
        assert!(matches!(refused, Err(Error::SignUp(found)) if found == expected), "{mode:?}");
    }
}

#[tokio::test]
async fn locally_hosted_owner_address_is_refused() {
    let owner = SignUp { human_email: Some("human@INBOXD.example".to_owned()), ..request() };
    let refused = sign_up(&World::default().app(), owner).await;
    assert!(matches!(refused, Err(Error::Invalid(fields)) if fields[0].path == "human_email"));
}

#[tokio::test]
async fn second_account_of_owner_is_refused() {
    let mut world = World::default();
    world.store.expect_organization_of_owner().returning(|_| Ok(Some(fixtures::organization())));
    let refused = sign_up(&world.app(), request()).await;
    assert!(matches!(refused, Err(Error::AccountExists(owner)) if owner == "Owner@Example.org"));
}

#[tokio::test]
async fn concurrent_second_account_is_refused() {
    let mut world = world();
    expect_writes(&mut world, Some((0, StoreError::Duplicate(Constraint::OwnerEmail))));
    let journal = world.journal.clone();
    let refused = sign_up(&world.app(), request()).await;
    assert!(matches!(refused, Err(Error::AccountExists(_))));
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn address_in_use_is_refused_without_account() {
    let mut world = world();
    expect_writes(&mut world, Some((2, StoreError::Duplicate(Constraint::Address))));
    let journal = world.journal.clone();
    let refused = sign_up(&world.app(), request()).await;
    assert!(matches!(refused, Err(Error::AddressTaken(address)) if address == "scout@signup.inboxd.example"));
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn failure_at_any_step_commits_nothing_and_wakes_no_worker() {
    for step in 0..7 {
        let mut world = world();
        expect_writes(&mut world, Some((step, StoreError::Unavailable("gone".to_owned()))));
        let journal = world.journal.clone();
        let failed = sign_up(&world.app(), request()).await;
        assert!(matches!(failed, Err(Error::Store(StoreError::Unavailable(_)))), "step {step}");
        assert_eq!(journal.entries(), [], "step {step}");
    }
}

#[tokio::test]
async fn failed_commit_wakes_no_worker() {
    let mut world = world();
    expect_writes(&mut world, None);
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    let journal = world.journal.clone();
    assert!(matches!(sign_up(&world.app(), request()).await, Err(Error::Store(StoreError::Contention))));
    assert_eq!(journal.entries(), []);
}

#[tokio::test]
async fn invalid_sign_up_fields_are_all_named() {
    let both =
        SignUp { human_email: Some("nobody".to_owned()), username: "a b".to_owned(), invitation: None, client: None };
    let refused = sign_up(&World::default().app(), both).await.err().unwrap();
    assert_eq!(paths(refused), ["human_email", "username"]);
    let reserved = SignUp { username: "postmaster".to_owned(), ..request() };
    assert_eq!(paths(sign_up(&World::default().app(), reserved).await.err().unwrap()), ["username"]);
}
