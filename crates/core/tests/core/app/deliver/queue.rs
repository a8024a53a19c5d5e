use async_trait::async_trait;
use inboxd_core::app::{Delivered, LEASE, MailRoom, NotClaimed, claim_due_mail, size_of};
use inboxd_core::model::{
    Claim, DeliveryOutcome, DeliveryReport, DeliveryResult, QueuedMail, RawMail, RecipientResult, Route, ServerSession,
    SessionTls,
};
use inboxd_core::ports::{OutgoingMail, RecipientOutcome, StoreError, Transport, Vault};
use inboxd_core::testing::fixtures::{self, NOW};
use inboxd_core::testing::{Happened, PlainVault, World};

use uuid::Uuid;

use super::{Stub, attempt, bounce, deferred, expect_settling, mail, refused, transport, world};

#[tokio::test]
async fn attempt_with_lost_claim_changes_nothing() {
    for outcome in [DeliveryOutcome::Delivered, refused("5.1.1"), deferred()] {
        let mut world = world();
        let tx = world.unit_of_work();
        tx.threads.expect_lock_across().returning(|_| Ok(Vec::new()));
        tx.outgoing.expect_remove().times(..=1).returning(|_| Ok(Vec::new()));
        tx.outgoing.expect_defer().times(..=1).returning(|_, _| Ok(false));
        let journal = world.journal.clone();
        let delivered =
            attempt(world, &transport(&[("a@example.org", outcome)]), &mail(Route::Remote, &["a@example.org"])).await;
        assert_eq!(delivered, Delivered::default());
        assert_eq!(journal.commits(), 0);
    }
}

#[tokio::test]
async fn recording_is_retried_without_second_transmission() {
    let mut world = world();
    expect_settling(world.unit_of_work());
    world.last_unit_of_work().commit_fails = Some(StoreError::Contention);
    expect_settling(world.unit_of_work());
    let (journal, transport) = (world.journal.clone(), Stub::default());
    attempt(world, &transport, &mail(Route::Remote, &["a@example.org"])).await;
    assert_eq!((transport.handed_over.all().len(), journal.commits()), (1, 1));
}

#[tokio::test]
async fn mail_without_content_bounces_without_suppression() {
    let mut world = World::default();
    world.store.expect_raw_of_outgoing().returning(|_| Ok(None));
    let settled = expect_settling(world.unit_of_work());
    let transport = Stub::default();
    let delivered = attempt(world, &transport, &mail(Route::Remote, &["a@example.org"])).await;
    assert_eq!(delivered, Delivered { bounced: 1, ..Delivered::default() });
    let claim = (&mail(Route::Remote, &[])).into();
    assert_eq!((settled.removed.only(), transport.handed_over.all()), (claim, vec![]));
    assert_eq!(settled.bodies(), [bounce("Transient", "General", &[("a@example.org", "4.3.0")])]);
    assert!(settled.suppressed.all().is_empty());
}

#[tokio::test]
async fn system_mail_is_decrypted_and_appends_no_event() {
    let sealed = PlainVault.seal(mail(Route::Remote, &[]).outgoing_id.0.as_bytes(), b"the code").unwrap();
    for outcome in [DeliveryOutcome::Delivered, refused("5.1.1")] {
        let mut world = World::default();
        let settled = expect_settling(world.unit_of_work());
        let own = QueuedMail {
            message: None,
            raw: RawMail::Sealed(sealed.clone()),
            ..mail(Route::Remote, &["owner@example.org"])
        };
        let transport = transport(&[("owner@example.org", outcome)]);
        attempt(world, &transport, &own).await;
        assert_eq!(transport.handed_over.only().raw, b"the code");
        assert_eq!((settled.events.all().len(), settled.suppressed.all().len()), (0, 0));
    }
}

#[tokio::test]
async fn undecryptable_mail_is_deferred() {
    let mut world = World::default();
    world.unit_of_work().outgoing.expect_defer().once().returning(|left, reason| {
        assert_eq!(reason, "the mail is sealed under another key");
        assert_eq!(left.recipients, [fixtures::address("owner@example.org")]);
        assert!(left.due_at > NOW);
        Ok(true)
    });
    let sealed = PlainVault.seal(b"another", b"the code").unwrap();
    let own = QueuedMail { message: None, raw: RawMail::Sealed(sealed), ..mail(Route::Remote, &["owner@example.org"]) };
    let delivered = attempt(world, &Stub::default(), &own).await;
    assert_eq!(delivered, Delivered { deferred: 1, ..Delivered::default() });
}

/// A transport of one session that accepts the first recipient.
struct OneSession;

#[async_trait]
impl Transport for OneSession {
    async fn deliver(&self, mail: &OutgoingMail) -> Vec<RecipientOutcome> {
        let session = ServerSession {
            server: "mx.example.org at 192.0.2.1".to_owned(),
            tls: Some(SessionTls::Verified),
            reply: Some("250 2.0.0 queued as 7".to_owned()),
        };
        let later = DeliveryOutcome::Deferred { reason: format!("mx.example.org\r\nreplied: {}", "x".repeat(600)) };
        let outcomes = std::iter::once(DeliveryOutcome::Delivered).chain(std::iter::repeat(later));
        let report = |(recipient, outcome): (&inboxd_mail::EmailAddress, DeliveryOutcome)| RecipientOutcome {
            recipient: recipient.clone(),
            report: DeliveryReport { outcome, session: Some(session.clone()) },
        };
        mail.recipients.iter().zip(outcomes).map(report).collect()
    }
}

#[tokio::test]
async fn attempt_is_logged_with_bounded_replies_of_its_server() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let mail = mail(Route::Remote, &["a@example.org", "b@example.org", "c@example.org"]);
    attempt(world, &OneSession, &mail).await;
    let logged = settled.logged.only().remove(0);
    assert_eq!((logged.attempt, &logged.message), (1, mail.message.as_ref().unwrap()));
    assert_eq!(logged.next_attempt_at, Some(settled.left.only().due_at));
    let result = |recipients: &[&str], result, reply: &str| RecipientResult {
        recipients: recipients.iter().map(|address| (*address).to_owned()).collect(),
        result,
        status: None,
        reply: Some(reply.to_owned()),
        server: Some("mx.example.org at 192.0.2.1".to_owned()),
        is_encrypted: Some(true),
        tls: Some(SessionTls::Verified),
    };
    let later = format!("mx.example.org  replied: {}", "x".repeat(475));
    let expected = [
        result(&["a@example.org"], DeliveryResult::Delivered, "250 2.0.0 queued as 7"),
        result(&["b@example.org", "c@example.org"], DeliveryResult::Deferred, &later),
    ];
    assert_eq!(logged.results, expected);
    assert_eq!(later.chars().count(), 500);
}

/// A transport that returns no outcome.
struct Silent;

#[async_trait]
impl Transport for Silent {
    async fn deliver(&self, _: &OutgoingMail) -> Vec<RecipientOutcome> {
        Vec::new()
    }
}

#[tokio::test]
async fn recipient_without_outcome_is_deferred() {
    let mut world = world();
    let settled = expect_settling(world.unit_of_work());
    let mail = mail(Route::Remote, &["a@example.org"]);
    let delivered = attempt(world, &Silent, &mail).await;
    assert_eq!(delivered, Delivered { deferred: 1, ..Delivered::default() });
    assert!(settled.removed.all().is_empty());
}

fn room() -> MailRoom {
    MailRoom {
        mails: 7,
        retries: 5,
        messages: 6,
        codes: 3,
        per_organization: 2,
        held: vec![(Uuid::nil().into(), 1)],
        per_destination: 4,
        in_hand: vec![("example.org".to_owned(), 3)],
    }
}

/// An environment with one due mail and this result of the claim.
fn world_with_one_due(commit_fails: Option<StoreError>) -> World {
    let mut world = World::default();
    let tx = world.unit_of_work();
    tx.outgoing.expect_claim().once().returning(|claim| {
        assert_eq!((claim.now, claim.until, claim.limit, claim.retries), (NOW, NOW + LEASE, 7, 5));
        assert_eq!(
            (claim.messages, claim.codes, claim.per_organization, claim.held.as_slice()),
            (6, 3, 2, [(Uuid::nil().into(), 1)].as_slice())
        );
        assert_eq!((claim.per_destination, claim.in_hand.as_slice()), (4, [("example.org".to_owned(), 3)].as_slice()));
        Ok(vec![mail(Route::Remote, &["a@example.org"])])
    });
    tx.commit_fails = commit_fails;
    world
}

#[tokio::test]
async fn due_mail_is_journaled_before_claim() {
    let world = world_with_one_due(None);
    let journal = world.journal.clone();
    assert_eq!(claim_due_mail(&world.app(), &journal, room()).await.unwrap().len(), 1);
    assert_eq!(journal.entries(), [Happened::Begun, Happened::Committed]);
}

#[tokio::test]
async fn failed_claim_is_removed_from_journal() {
    let world = world_with_one_due(Some(StoreError::Contention));
    let journal = world.journal.clone();
    let error = claim_due_mail(&world.app(), &journal, room()).await.unwrap_err();
    assert_eq!(error, NotClaimed { error: StoreError::Contention, undecided: Vec::new() });
    assert_eq!(journal.entries(), [Happened::Begun, Happened::Settled]);
}

#[tokio::test]
async fn undecided_claim_is_released() {
    let lost = StoreError::Undecided("the connection broke".to_owned());
    let world = world_with_one_due(Some(lost.clone()));
    let journal = world.journal.clone();
    let error = claim_due_mail(&world.app(), &journal, room()).await.unwrap_err();
    let claim = Claim::Mail((&mail(Route::Remote, &["a@example.org"])).into());
    assert_eq!(error, NotClaimed { error: lost, undecided: vec![claim] });
    assert_eq!(journal.entries(), [Happened::Begun], "it stays in the journal until its recovery");
}

#[tokio::test]
async fn outcome_is_journaled_before_storage() {
    let mut world = world();
    expect_settling(world.unit_of_work());
    let journal = world.journal.clone();
    attempt(world, &Stub::default(), &mail(Route::Remote, &["a@example.org"])).await;
    assert_eq!(journal.entries(), [Happened::Answered, Happened::Committed]);
}

#[tokio::test]
async fn mail_with_unreadable_content_is_deferred() {
    for error in [StoreError::Unavailable("gone".to_owned()), StoreError::ContentUnavailable("away".to_owned())] {
        let mut world = World::default();
        world.store.expect_raw_of_outgoing().returning(move |_| Err(error.clone()));
        let settled = expect_settling(world.unit_of_work());
        let transport = Stub::default();
        let delivered = attempt(world, &transport, &mail(Route::Remote, &["a@example.org"])).await;
        assert_eq!(delivered, Delivered { deferred: 1, ..Delivered::default() });
        assert_eq!((settled.left.all().len(), transport.handed_over.all()), (1, vec![]));
    }
}

#[tokio::test]
async fn mail_size_is_known_before_its_content() {
    let mut world = World::default();
    world.store.expect_size_of_outgoing().once().returning(|_| Ok(Some(12)));
    world.store.expect_size_of_outgoing().once().returning(|_| Ok(None));
    let app = world.app();
    let of_message = mail(Route::Remote, &["a@example.org"]);
    let sealed = QueuedMail { raw: RawMail::Sealed(vec![0; 9]), ..of_message.clone() };
    for (mail, size) in [(&of_message, 12), (&of_message, 0), (&sealed, 9)] {
        assert_eq!(size_of(&app, mail).await.unwrap(), size);
    }
}
