use std::collections::BTreeSet;

use inboxd_core::model::{Actor, Attachment, HidingLabels, Labels, MessageItem, Thread};
use inboxd_core::rules::trust::{Judgement, Reason, Verdict};
use inboxd_core::testing::fixtures::{self, NOW, attachment, id, message_id};
use proptest::prelude::*;
use time::{Duration, OffsetDateTime};

/// Properties of one test message; its index is its time.
#[derive(Debug, Clone)]
struct Sketch {
    labels: Vec<&'static str>,
    sent: bool,
    from: u8,
    to: u8,
    subject: Option<u8>,
    attached: bool,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let hiding = proptest::sample::subsequence(HidingLabels::LABELS.to_vec(), 0..=4);
    let hiding = prop_oneof![Just(Vec::new()), hiding];
    (hiding, any::<bool>(), 0..4_u8, 0..4_u8, proptest::option::of(0..3_u8), any::<bool>())
        .prop_map(|(labels, sent, from, to, subject, attached)| Sketch { labels, sent, from, to, subject, attached })
}

fn messages(sketches: &[Sketch]) -> Vec<MessageItem> {
    (0_u32..).zip(sketches).map(|(number, sketch)| item(number, sketch)).collect()
}

fn item(number: u32, sketch: &Sketch) -> MessageItem {
    let at = NOW + Duration::seconds(i64::from(number));
    let own = if sketch.sent { vec!["sent"] } else { vec!["received", "unread"] };
    MessageItem {
        message_id: message_id(&format!("<{number}@example.org>")),
        labels: own.into_iter().chain(sketch.labels.iter().copied()).collect(),
        timestamp: at,
        from: format!("w{}@example.org", sketch.from),
        to: vec![format!("r{}@example.org", sketch.to)],
        cc: vec![format!("r{}@example.org", sketch.from)],
        subject: sketch.subject.map(|subject| format!("subject {subject}")),
        preview: Some(format!("preview {number}")),
        attachments: if sketch.attached { vec![attachment(u128::from(number))] } else { Vec::new() },
        size: 100 + u64::from(number),
        sent_by: sketch.sent.then(|| fixtures::caller().actor),
        created_at: at,
        updated_at: at,
        delivered_to: None,
        tag: None,
        trust: (!sketch.sent).then(|| Judgement {
            verdict: Verdict::ALL[number as usize % Verdict::ALL.len()],
            checks: None,
            reasons: vec![Reason::AuthenticatedDomain { domain: format!("{number}.example") }],
        }),
        ..fixtures::message_item()
    }
}

fn folded(messages: &[MessageItem]) -> Thread {
    let (first, rest) = messages.split_first().unwrap();
    rest.iter().fold(Thread::started_by(first), Thread::joined_by)
}

/// The thread by its specification, computed without incremental state: from the messages visible in every list, or
/// from the hidden ones if there are no others.
fn described(messages: &[MessageItem]) -> Thread {
    let is_visible = |message: &&MessageItem| HidingLabels::of(&message.labels) == HidingLabels::NONE;
    let visible: Vec<&MessageItem> = messages.iter().filter(is_visible).collect();
    let shown = if visible.is_empty() { messages.iter().collect() } else { visible };
    let newest = shown.last().unwrap();
    let latest = |sent: bool| -> Option<OffsetDateTime> {
        shown.iter().filter(|message| message.sent_by.is_some() == sent).map(|message| message.timestamp).max()
    };
    let mut labels = Labels::default();
    for message in messages {
        labels.extend(&message.labels);
    }
    Thread {
        organization_id: id(1),
        inbox_id: fixtures::inbox().inbox_id,
        thread_id: id(10),
        labels,
        timestamp: newest.timestamp,
        received_timestamp: latest(false),
        sent_timestamp: latest(true),
        senders: distinct(shown.iter().map(|message| &message.from)),
        recipients: distinct(shown.iter().flat_map(|message| message.to.iter().chain(&message.cc))),
        subject: shown.iter().find_map(|message| message.subject.clone()),
        preview: newest.preview.clone(),
        attachments: shown.iter().flat_map(|message| message.attachments.clone()).collect(),
        last_message_id: newest.message_id.clone(),
        message_count: messages.len() as u64,
        size: messages.iter().map(|message| message.size).sum(),
        hidden_sets: messages.iter().fold(0, |sets, message| sets | HidingLabels::of(&message.labels).as_set()),
        trust: shown.iter().rev().find(|message| message.sent_by.is_none()).and_then(|message| message.trust.clone()),
        assignee: None,
        created_at: messages[0].created_at,
        updated_at: messages.iter().map(|message| message.updated_at).max().unwrap(),
    }
}

fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for text in texts {
        if !known.contains(text) {
            known.push(text.clone());
        }
    }
    known
}

proptest! {
    #[test]
    fn incremental_thread_equals_specification(sketches in prop::collection::vec(sketch(), 1..12)) {
        let messages = messages(&sketches);
        prop_assert_eq!(folded(&messages), described(&messages));
    }

    #[test]
    fn recomputed_summary_equals_incremental_one(sketches in prop::collection::vec(sketch(), 1..12)) {
        let messages = messages(&sketches);
        let grown = folded(&messages);
        let now = NOW + Duration::days(1);
        let summed = grown.clone().summed_up(&messages, now).unwrap();
        prop_assert_eq!(summed, Thread { updated_at: now, ..grown });
    }

    #[test]
    fn summary_is_independent_of_order(
        (sketches, order) in prop::collection::vec(sketch(), 1..10).prop_flat_map(|sketches| {
            let order: Vec<usize> = (0..sketches.len()).collect();
            (Just(sketches), Just(order).prop_shuffle())
        })
    ) {
        let in_order = messages(&sketches);
        let shuffled: Vec<MessageItem> = order.iter().map(|place| in_order[*place].clone()).collect();
        let (one, other) = (folded(&in_order), folded(&shuffled));
        prop_assert_eq!(sums(&one), sums(&other));
        prop_assert_eq!(sets(&one), sets(&other));
    }

    #[test]
    fn removal_of_added_labels_restores_thread(
        sketches in prop::collection::vec(sketch(), 1..8),
        hidden: prop::sample::Index,
    ) {
        let before = messages(&sketches);
        let mut trashed = before.clone();
        trashed[hidden.index(before.len())].labels.insert("trash");
        let now = NOW + Duration::days(1);
        let there = folded(&before).summed_up(&trashed, now).unwrap();
        prop_assert_eq!(&there, &Thread { updated_at: now, ..described(&trashed) });
        let back = there.summed_up(&before, now).unwrap();
        prop_assert_eq!(back, Thread { updated_at: now, ..described(&before) });
    }
}

type Sums = (Labels, OffsetDateTime, Option<OffsetDateTime>, Option<OffsetDateTime>, String, u64, u64, i32);

fn sums(thread: &Thread) -> Sums {
    (
        thread.labels.clone(),
        thread.timestamp,
        thread.received_timestamp,
        thread.sent_timestamp,
        format!("{} {:?}", thread.last_message_id, thread.preview),
        thread.message_count,
        thread.size,
        thread.hidden_sets,
    )
}

fn sets(thread: &Thread) -> (BTreeSet<String>, BTreeSet<String>, BTreeSet<String>) {
    let ids = |attachments: &[Attachment]| attachments.iter().map(|one| one.attachment_id.to_string()).collect();
    (thread.senders.iter().cloned().collect(), thread.recipients.iter().cloned().collect(), ids(&thread.attachments))
}

fn plain() -> Sketch {
    Sketch { labels: Vec::new(), sent: false, from: 0, to: 0, subject: Some(0), attached: false }
}

#[test]
fn spam_affects_only_count_and_labels_of_thread() {
    let spam = Sketch { labels: vec!["spam"], from: 3, subject: Some(2), attached: true, ..plain() };
    let thread = folded(&messages(&[plain(), spam]));
    assert_eq!(thread.senders, ["w0@example.org"]);
    assert_eq!((thread.message_count, thread.attachments.len()), (2, 0));
    assert_eq!(thread.last_message_id.as_str(), "<0@example.org>");
    assert!(thread.labels.contains("spam"));
}

#[test]
fn first_visible_message_replaces_hidden_summary() {
    let spam = Sketch { labels: vec!["spam"], from: 3, subject: Some(2), ..plain() };
    let thread = folded(&messages(&[spam, plain()]));
    assert_eq!((thread.senders, thread.subject), (vec!["w0@example.org".to_owned()], Some("subject 0".to_owned())));
}

#[test]
fn new_mail_leaves_assignee_and_start_unchanged() {
    let spam = Sketch { labels: vec!["spam"], ..plain() };
    let assignee = Some(Actor::ApiKey { api_key_id: id(8), name: "Worker".to_owned() });
    let [first, second, third] = &messages(&[spam, plain(), plain()])[..] else { panic!("three messages") };
    let thread = Thread { assignee: assignee.clone(), ..Thread::started_by(first) };
    let thread = thread.joined_by(second).joined_by(third);
    assert_eq!((thread.assignee, thread.created_at), (assignee, first.created_at));
}

#[test]
fn earlier_message_does_not_revert_change_time() {
    let spam = Sketch { labels: vec!["spam"], ..plain() };
    let [first, second] = &messages(&[spam, plain()])[..] else { panic!("two messages") };
    let changed_at = NOW + Duration::hours(1);
    let thread = Thread { updated_at: changed_at, ..Thread::started_by(first) };
    assert_eq!(thread.joined_by(second).updated_at, changed_at);
}

#[test]
fn thread_without_messages_has_no_summary() {
    let thread = Thread::started_by(&fixtures::message_item());
    assert_eq!(thread.summed_up(&[], NOW), None);
}

#[test]
fn thread_lists_limited_number_of_people() {
    let crowd = MessageItem {
        to: (0..1_000).map(|number| format!("r{number}@example.org")).collect(),
        ..fixtures::message_item()
    };
    assert_eq!(Thread::started_by(&crowd).recipients.len(), 200);
}

#[test]
fn thread_lists_limited_bytes_of_people() {
    let long = |number: usize| format!("{} <r{number}@example.org>", "ü".repeat(250));
    let bytes = |list: &[String]| list.iter().map(String::len).sum::<usize>();
    let crowd = MessageItem { to: (0..190).map(long).collect(), from: "f".repeat(33_000), ..fixtures::message_item() };
    let thread = Thread::started_by(&crowd);
    assert!((32_000..=32 * 1024).contains(&bytes(&thread.recipients)), "{}", bytes(&thread.recipients));
    assert_eq!(thread.senders, [""; 0], "this address exceeds the limit");
    let later = MessageItem { to: (190..380).map(long).collect(), ..fixtures::message_item() };
    let grown = thread.clone().joined_by(&later);
    assert_eq!((&grown.recipients, grown.senders.len()), (&thread.recipients, 1));
}

#[test]
fn thread_lists_limited_bytes_of_attachments() {
    let named = |number| Attachment { filename: Some("n".repeat(250)), ..attachment(number) };
    let laden = MessageItem { attachments: (0..200).map(named).collect(), ..fixtures::message_item() };
    let thread = Thread::started_by(&laden).joined_by(&laden);
    let listed = thread.attachments.len();
    assert!((230..=262).contains(&listed), "{listed}");
    assert_eq!(thread.joined_by(&laden).attachments.len(), listed);
}

#[test]
fn thread_lists_limited_number_of_attachments() {
    let laden = MessageItem { attachments: (0..300).map(attachment).collect(), ..fixtures::message_item() };
    let thread = Thread::started_by(&laden).joined_by(&laden).joined_by(&laden);
    assert_eq!((thread.attachments.len(), thread.message_count), (500, 3));
}
