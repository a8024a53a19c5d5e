use inboxd_core::app::{Client, IncomingMail, receive};
use inboxd_core::model::{
    AuthResult, EventBody, EventType, NewMessage, OrganizationId, SealedCodes, Thread, UsageChange,
};
use inboxd_core::ports::{OnArrival, SpfEvidence, Vault};
use inboxd_core::rules::deduplication;
use inboxd_core::rules::trust::{Reason, ScannerFinding, Verdict};
use inboxd_core::testing::fixtures::{NOW, id, inbox_id, message_id};
use inboxd_core::testing::{Captured, Happened, PlainVault, StubScanner};

use inboxd_mail::header_values;

use super::{FRESH, expect_storing, expect_storing_on, incoming, raw, world};

#[tokio::test]
async fn mail_is_stored_with_thread_event_and_usage_in_one_unit_of_work() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let journal = world.journal.clone();
    let mail = incoming(&["scout@inboxd.example"], raw(FRESH));
    let digest = deduplication::digest(mail.envelope_from.as_ref(), &mail.raw);
    let arrived = receive(&world.app(), mail).await.unwrap();
    assert_eq!(arrived.messages, [(inbox_id("scout@inboxd.example"), message_id("<fresh@example.org>"))]);
    assert_eq!(journal.entries(), [Happened::Committed]);

    let NewMessage { message, raw, raw_blob, header_message_id, digest: stored_digest, search_text } =
        stored.messages.only();
    assert_eq!(raw_blob, None);
    assert_eq!((message.item.from.as_str(), message.item.timestamp), ("Anna <anna@example.org>", NOW));
    assert_eq!(message.item.labels.to_vec(), ["received", "unread"]);
    assert_eq!(message.item.to, ["Scout <scout+tag@inboxd.example>"], "the tag is retained");
    assert_eq!(message.item.sent_by, None);
    assert_eq!(message.item.size, raw.len() as u64);
    assert_eq!(message.body.text.as_deref().map(str::trim_end), Some("Shall we?"));
    assert_eq!((header_message_id, stored_digest), (None, Some(digest)));
    assert!(search_text.starts_with("anna <anna@example.org>\nscout <scout+tag@inboxd.example>\na question\n"));

    let thread = stored.begun.only();
    assert_eq!(thread, Thread::started_by(&message.item));
    let event = stored.events.only().remove(0);
    let body = EventBody::Received { verdict: message.item.trust.as_ref().map(|trust| trust.verdict) };
    assert_eq!((event.event_type, &event.body), (EventType::MessageReceived, &body));
    assert!(event.verdict().is_some());
    assert_eq!((event.thread_id, &event.message_id), (Some(thread.thread_id), &Some(message.item.message_id.clone())));
    assert_eq!((event.organization_id, event.pod_id, event.created_at), (id(1), Some(id(2)), NOW));
    let change = UsageChange { storage_bytes: i64::try_from(raw.len()).unwrap(), messages: 1, threads: 1 };
    assert_eq!(stored.usage.only(), [(id(1), message.item.inbox_id, change)]);
}

#[tokio::test]
async fn codes_of_a_mail_are_sealed_beside_it() {
    let mut world = world();
    expect_storing(world.unit_of_work(), Vec::new());
    let kept = Captured::<Vec<SealedCodes>>::default();
    let seen = kept.clone();
    world.last_unit_of_work().policies.expect_keep_codes().once().returning(move |codes| {
        seen.push(codes.to_vec());
        Ok(())
    });
    let text = String::from_utf8(raw(FRESH)).unwrap().replace("Shall we?", "Your verification code is 482913");
    receive(&world.app(), incoming(&["scout@inboxd.example"], text.into_bytes())).await.unwrap();
    let codes = kept.only().remove(0);
    assert_eq!((codes.inbox_id, codes.received_at), (inbox_id("scout@inboxd.example"), NOW));
    let plain = PlainVault.open(codes.message_id.as_str().as_bytes(), &codes.sealed).unwrap();
    assert_eq!(String::from_utf8(plain).unwrap(), "anna@example.org\n482913");
}

#[tokio::test]
async fn findings_of_scanner_are_reasons_of_stored_message() {
    let mut world = world();
    let finding = ScannerFinding { category: "phishing".to_owned(), score: None, place: None };
    world.scanner = Some(StubScanner(vec![finding]));
    let stored = expect_storing_on(world.unit_of_work(), OnArrival::default());
    receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.unwrap();
    let trust = stored.messages.only().message.item.trust.unwrap();
    let reason = trust.reasons.iter().any(|reason| matches!(reason, Reason::ScannerFinding { .. }));
    assert_eq!((trust.verdict, reason), (Verdict::Suspicious, true));
}

#[tokio::test]
async fn each_inbox_gets_one_copy_in_the_same_unit_of_work() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let journal = world.journal.clone();
    let recipients = ["scout@inboxd.example", "far@inboxd.example", "scout+tag@inboxd.example", "other@inboxd.example"];
    let arrived = receive(&world.app(), incoming(&recipients, raw(FRESH))).await.unwrap();

    let inboxes: Vec<String> = arrived.messages.iter().map(|(inbox_id, _)| inbox_id.to_string()).collect();
    assert_eq!(inboxes, ["far@inboxd.example", "other@inboxd.example", "scout@inboxd.example"]);
    assert_eq!(stored.messages.all().len(), 3);
    assert_eq!(stored.begun.all().len(), 3);
    let events = stored.events.only();
    let organizations: Vec<OrganizationId> = events.iter().map(|event| event.organization_id).collect();
    assert_eq!(organizations, [id(100), id(1), id(1)]);
    let usage = stored.usage.only();
    assert_eq!(usage.iter().map(|(of, ..)| *of).collect::<Vec<_>>(), organizations);
    assert_eq!(journal.commits(), 1);
}

#[tokio::test]
async fn trust_assessment_sets_labels_event_and_stored_results() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    world.authenticator.0.spf =
        SpfEvidence { result: AuthResult::Fail, domain: "example.org".to_owned(), of_helo: false };
    let client = Client { ip: [192, 0, 2, 1].into(), helo: "mx.example.org".to_owned(), protocol: "ESMTP" };
    let forged = "Authentication-Results: inboxd.example; dmarc=pass";
    let body = format!(
        "{forged}\r\nFrom: anna@example.org\r\n\r\nXJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n"
    );
    let mail = IncomingMail { client: Some(client), ..incoming(&["scout@inboxd.example"], body.into_bytes()) };
    receive(&world.app(), mail).await.unwrap();
    let NewMessage { message, raw, .. } = stored.messages.only();
    assert_eq!(message.item.labels.to_vec(), ["received", "spam", "unauthenticated", "unread"]);
    let events = stored.events.only();
    assert_eq!(events.iter().map(|event| event.event_type).collect::<Vec<_>>(), [EventType::MessageReceivedSpam]);
    assert_eq!(message.body.authentication.unwrap().spf, AuthResult::Fail);
    assert_eq!(message.body.spam.unwrap().reasons[0].name, "GTUBE");
    let results = "inboxd.example; spf=fail smtp.mailfrom=example.org; dkim=none; dmarc=none";
    assert_eq!(message.body.headers[0], ("Authentication-Results".to_owned(), results.to_owned()));
    assert_eq!(header_values(&raw, "authentication-results"), [results]);
}

#[tokio::test]
async fn local_mail_is_not_authenticated() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    world.authenticator.0.spf.result = AuthResult::Fail;
    receive(&world.app(), incoming(&["scout@inboxd.example"], raw(FRESH))).await.unwrap();
    let NewMessage { message, raw, .. } = stored.messages.only();
    assert_eq!((message.body.authentication, message.item.labels.to_vec().len()), (None, 2));
    assert_eq!(header_values(&raw, "authentication-results"), Vec::<String>::new());
}

#[tokio::test]
async fn large_mail_is_parsed_and_scored_on_the_blocking_pool() {
    for (size, runs) in [(1_000, 0), (300_000, 2)] {
        let mut world = world();
        expect_storing(world.unit_of_work(), Vec::new());
        let blocking = world.blocking.clone();
        let mut content = raw(FRESH);
        content.extend(vec![b'x'; size]);
        receive(&world.app(), incoming(&["scout@inboxd.example"], content)).await.unwrap();
        assert_eq!(blocking.runs(), runs, "{size}");
    }
}
