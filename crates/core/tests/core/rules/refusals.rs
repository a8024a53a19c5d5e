//! Collapsed and bounded refusals.

use std::net::{IpAddr, Ipv4Addr};

use inboxd_core::model::{RefusedMail, SmtpStage};
use inboxd_core::ports::Destination;
use inboxd_core::rules::refusals::{MAX_PENDING, MAX_PENDING_OF_NETWORK, PendingRefusal, RefusalLedger, stored};
use inboxd_core::testing::fixtures::{NOW, address, id, inbox_id};
use time::Duration;

/// A refusal for the fixture inbox by a host of a network.
fn refused(network: u32, host: u32, sender: &str) -> RefusedMail {
    RefusedMail {
        client: IpAddr::V4(Ipv4Addr::from_bits(0x0a00_0000 + (network << 8) + host)),
        helo: "client.example".to_owned(),
        envelope_from: Some(address(sender)),
        recipient: address("scout@inboxd.example"),
        stage: SmtpStage::Recipient,
        code: 450,
        status: "4.2.1",
        reply: "the mailbox scout@inboxd.example is paused".to_owned(),
    }
}

fn taken(refusals: impl IntoIterator<Item = (RefusedMail, i64)>) -> (Vec<PendingRefusal>, u64) {
    let mut ledger = RefusalLedger::default();
    for (mail, seconds) in refusals {
        ledger.note(mail, NOW + Duration::seconds(seconds));
    }
    let mut pending = ledger.take();
    pending.sort_by_key(|refusal| (refusal.first_at, refusal.first.client));
    (pending, ledger.take_dropped())
}

#[test]
fn same_network_sender_and_reason_of_one_hour_become_one() {
    let one = || refused(1, 1, "eve@example.org");
    let (pending, dropped) = taken([
        (one(), 0),
        (RefusedMail { helo: "other".to_owned(), ..refused(1, 2, "Eve@example.org") }, 20),
        (one(), 7),
    ]);
    assert_eq!((pending.len(), dropped), (1, 0));
    assert_eq!((&pending[0].first, pending[0].count), (&one(), 3));
    assert_eq!((pending[0].first_at, pending[0].last_at), (NOW, NOW + Duration::seconds(20)));
    let different = [
        (one(), 0),
        (refused(2, 1, "eve@example.org"), 0),
        (refused(1, 1, "bob@example.org"), 0),
        (RefusedMail { envelope_from: None, ..one() }, 0),
        (RefusedMail { stage: SmtpStage::Content, ..one() }, 0),
        (RefusedMail { code: 452, ..one() }, 0),
        (RefusedMail { status: "4.2.2", ..one() }, 0),
        (RefusedMail { recipient: address("other@inboxd.example"), ..one() }, 0),
        (one(), 3600),
    ];
    assert_eq!(taken(different.clone()).0.len(), different.len());
}

#[test]
fn network_and_process_bound_pending_refusals() {
    let of_network = (0..150).map(|number| (refused(1, 1, &format!("s{number}@example.org")), 0));
    let (pending, dropped) = taken(of_network);
    assert_eq!((pending.len(), dropped), (MAX_PENDING_OF_NETWORK, 150 - MAX_PENDING_OF_NETWORK as u64));
    let flood = (0..).take(MAX_PENDING + 20).map(|network| (refused(network, 1, "eve@example.org"), 0));
    let (pending, dropped) = taken(flood);
    assert_eq!((pending.len(), dropped), (MAX_PENDING, 20));
    let repeated = (0..500).map(|_| (refused(1, 1, "eve@example.org"), 0));
    assert_eq!(taken(repeated).1, 0);
}

#[test]
fn bounds_begin_again_after_taking() {
    let mut ledger = RefusalLedger::default();
    for round in 0..2 {
        for number in 0..MAX_PENDING_OF_NETWORK {
            ledger.note(refused(1, 1, &format!("s{number}@example.org")), NOW);
        }
        assert_eq!((ledger.take().len(), ledger.take_dropped()), (MAX_PENDING_OF_NETWORK, 0), "{round}");
    }
}

#[test]
fn texts_are_one_bounded_line_without_other_recipients() {
    let first = |mail: RefusedMail| taken([(mail, 0)]).0.remove(0).first;
    let eve = || refused(1, 1, "eve@example.org");
    let long = first(RefusedMail { helo: format!("a\r\nb{}", "x".repeat(1000)), reply: "y".repeat(1000), ..eve() });
    assert!(long.helo.starts_with("a  bx") && long.helo.len() == 500, "{}", long.helo);
    assert_eq!(long.reply.len(), 500);
    let table = [
        ("the mailbox scout@inboxd.example is paused", true),
        ("<Scout+tag@inboxd.example> is over its limit", true),
        ("the disk is full", true),
        ("the mailbox bob@elsewhere.example is paused", false),
        ("myscout@inboxd.example is over its limit", false),
        ("scout@inboxd.example and <bob@elsewhere.example>: full", false),
    ];
    for (reply, is_kept) in table {
        let noted = first(RefusedMail { reply: reply.to_owned(), ..eve() }).reply;
        assert_eq!(noted == reply, is_kept, "{noted}");
        assert!(is_kept || !noted.contains('@'), "{noted}");
    }
}

#[test]
fn addresses_of_an_inbox_share_the_id_in_all_processes() {
    let inbox = Destination { organization_id: id(1), pod_id: id(2), inbox_id: inbox_id("scout@inboxd.example") };
    let other = Destination { inbox_id: inbox_id("other@inboxd.example"), ..inbox.clone() };
    let pending = |mail: RefusedMail, seconds: i64| taken([(mail, seconds)]).0.remove(0);
    let eve = || refused(1, 1, "eve@example.org");
    let row = stored(pending(eve(), 0), &inbox);
    assert_eq!((row.client.as_str(), row.count, row.refused_at), ("10.0.1.1", 1, NOW));
    let tagged = RefusedMail { recipient: address("scout+x@inboxd.example"), ..refused(1, 9, "EVE@example.org") };
    assert_eq!(stored(pending(tagged, 60), &inbox).refusal_id, row.refusal_id);
    let unlike = [
        stored(pending(eve(), 0), &other),
        stored(pending(eve(), 3600), &inbox),
        stored(pending(RefusedMail { envelope_from: None, ..eve() }, 0), &inbox),
        stored(pending(refused(2, 1, "eve@example.org"), 0), &inbox),
        stored(pending(RefusedMail { stage: SmtpStage::Content, ..eve() }, 0), &inbox),
        stored(pending(RefusedMail { code: 451, ..eve() }, 0), &inbox),
    ];
    assert!(unlike.iter().all(|other| other.refusal_id != row.refusal_id));
}
