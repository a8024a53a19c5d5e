use inboxd_core::app::{Arrived, Client, IncomingMail, MAX_INLINE_BYTES, NotReceived, Place, Recipient, receive};
use inboxd_core::model::mail_report::{MailReport, ReceivedReport, ReportKind, ReportOutcome};
use inboxd_core::model::{AuthResult, OperatorMail, OrganizationId};
use inboxd_core::ports::DmarcPolicy;
use inboxd_core::testing::fixtures::{self, NOW, address, id};
use inboxd_core::testing::{Captured, World};

use super::{expect_storing, incoming, to_inbox, world};

/// Days relative to now.
const DAY: i64 = 86_400;

/// Returns a mail with a DMARC report about a domain and a time relative to now.
fn report_of(domain: &str, begin: i64, end: i64) -> IncomingMail {
    let now = NOW.unix_timestamp();
    let (begin, end) = (now.saturating_add(begin), now.saturating_add(end));
    let raw = format!(
        "From: reports@receiver.example\r\nContent-Type: text/xml\r\n\r\n<feedback><report_metadata><report_id>1</report_id>\
         <date_range><begin>{begin}</begin><end>{end}</end></date_range></report_metadata><policy_published>\
         <domain>{domain}</domain></policy_published></feedback>\r\n"
    );
    to_reports(raw)
}

fn report(domain: &str) -> IncomingMail {
    report_of(domain, -2 * DAY, -DAY)
}

fn to_reports(raw: String) -> IncomingMail {
    let place = Place::Reports(ReportKind::Dmarc);
    let recipient = Recipient { address: address("dmarc-reports@inboxd.example"), place };
    IncomingMail { recipients: vec![recipient], ..incoming(&[], raw.into_bytes()) }
}

fn arrived(outcome: ReportOutcome) -> Arrived {
    let aggregate = vec![ReceivedReport { kind: ReportKind::Dmarc, outcome }];
    Arrived { messages: Vec::new(), returned: Vec::new(), aggregate, is_held: false }
}

/// Expects units of work that store reports, and captures these.
fn expect_reports(world: &mut World, units: usize) -> Captured<MailReport> {
    let stored = Captured::default();
    for _ in 0..units {
        let seen = stored.clone();
        world.unit_of_work().mail_reports.expect_store().once().returning(move |reports: &[MailReport], _| {
            for report in reports {
                seen.push(report.clone());
            }
            Ok(vec![ReportOutcome::Stored; reports.len()])
        });
    }
    stored
}

#[tokio::test]
async fn aggregate_report_belongs_to_owner_of_its_domain() {
    let mut world = world();
    world.store.expect_proven_domain().returning(|name| Ok((name == "example.com").then(fixtures::domain)));
    let stored = expect_reports(&mut world, 3);
    let computations = world.blocking.clone();
    let app = world.app();
    for domain in ["inboxd.example", "sub.signup.inboxd.example", "mail.example.com"] {
        assert_eq!(receive(&app, report(domain)).await, Ok(arrived(ReportOutcome::Stored)), "{domain}");
    }
    for domain in ["example.net", "notinboxd.example"] {
        let foreign = vec![ReceivedReport { kind: ReportKind::Dmarc, outcome: ReportOutcome::Foreign }];
        assert_eq!(receive(&app, report(domain)).await, Err(NotReceived::ForeignReports(foreign)), "{domain}");
    }
    let owned = [
        ("inboxd.example", "inboxd.example", None),
        ("sub.signup.inboxd.example", "signup.inboxd.example", None),
        ("mail.example.com", "example.com", Some(id::<OrganizationId>(1))),
    ];
    let seen =
        stored.all().into_iter().map(|stored| (stored.report.domain, stored.base_domain, stored.organization_id));
    let owned = owned.map(|(domain, base, owner)| (domain.to_owned(), base.to_owned(), owner));
    assert_eq!(seen.collect::<Vec<_>>(), owned);
    assert!(report("example.net").raw.len() < MAX_INLINE_BYTES);
    assert_eq!(computations.runs(), 5, "small reports unpack to much and are read on the blocking pool");
}

#[tokio::test]
async fn report_for_impossible_or_old_time_is_not_stored() {
    let mut world = world();
    let stored = expect_reports(&mut world, 2);
    let app = world.app();
    for (begin, end, outcome) in [
        (-DAY, DAY, ReportOutcome::Stored),
        (-100 * DAY, -90 * DAY, ReportOutcome::Stored),
        (-DAY, DAY + 1, ReportOutcome::Outdated),
        (-DAY, -DAY - 1, ReportOutcome::Outdated),
        (-91 * DAY, -90 * DAY - 1, ReportOutcome::Outdated),
        (i64::MIN, i64::MAX, ReportOutcome::Outdated),
    ] {
        assert_eq!(receive(&app, report_of("inboxd.example", begin, end)).await, Ok(arrived(outcome)), "{begin} {end}");
    }
    let stored = stored.all();
    assert_eq!((stored[0].share.as_str(), &stored[0].sender), ("inside", &None));
    assert_ne!(stored[0].digest, stored[1].digest);
}

#[tokio::test]
async fn forged_report_is_ignored() {
    let mut world = world();
    world.authenticator.0.dmarc.result = AuthResult::Fail;
    world.authenticator.0.dmarc.policy = DmarcPolicy::Reject;
    world.authenticator.0.dmarc.from_domain = Some("receiver.example".to_owned());
    let client = Client { ip: [192, 0, 2, 1].into(), helo: "mx.example.org".to_owned(), protocol: "ESMTP" };
    let mail = IncomingMail { client: Some(client), ..report("inboxd.example") };
    assert_eq!(receive(&world.app(), mail).await, Ok(arrived(ReportOutcome::Unauthenticated)));
}

#[tokio::test]
async fn foreign_report_to_inbox_as_well_is_received() {
    let mut world = world();
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let mut mail = report("example.net");
    mail.recipients.push(to_inbox("scout@inboxd.example"));
    let arrived = receive(&world.app(), mail).await.unwrap();
    assert_eq!((arrived.messages.len(), arrived.aggregate[0].outcome), (1, ReportOutcome::Foreign));
    assert_eq!(stored.messages.all().len(), 1);
}

#[tokio::test]
async fn unreadable_mail_is_held_apart_and_never_forwarded() {
    let mut world = world();
    world.settings.postmaster = Some(address("ops@company.example"));
    let held: Captured<OperatorMail> = Captured::default();
    let seen = held.clone();
    world.unit_of_work().operator_mails.expect_hold().once().returning(move |mail| {
        seen.push(mail.clone());
        Ok(true)
    });
    let arrived = receive(&world.app(), to_reports("Subject: Hi\r\n\r\nHello\r\n".to_owned())).await.unwrap();
    assert!(arrived.is_held);
    assert_eq!(held.all()[0].network, "reports");
}

#[tokio::test]
async fn unreadable_mail_reaches_inbox_of_postmaster() {
    let mut world = world();
    world.settings.postmaster = Some(address("scout@inboxd.example"));
    let stored = expect_storing(world.unit_of_work(), Vec::new());
    let arrived = receive(&world.app(), to_reports("Subject: Hi\r\n\r\nHello\r\n".to_owned())).await.unwrap();
    assert!(!arrived.is_held);
    assert_eq!(stored.messages.all().len(), 1);
}
