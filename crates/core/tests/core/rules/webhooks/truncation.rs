use inboxd_core::model::event::EventRecord;
use inboxd_core::model::{Event, EventBody, EventType, Message, MessageBody, Thread};
use inboxd_core::rules::webhooks::truncation::{OmittablePart, fit};
use inboxd_core::testing::fixtures::{self, NOW, attachment, id, message_id};
use proptest::prelude::*;

/// An event with bodies of these lengths: HTML, text, both extracted, header.
fn record(lengths: [usize; 5]) -> EventRecord {
    let [html, text, extracted_html, extracted_text, headers] =
        lengths.map(|length| (length > 0).then(|| "x".repeat(length)));
    let headers = headers.map(|value| ("X".to_owned(), value)).into_iter().collect();
    let body = MessageBody { html, text, extracted_html, extracted_text, headers, ..MessageBody::default() };
    let message = Message { item: fixtures::message_item(), body };
    let thread = Thread::started_by(&message.item);
    let event = Event {
        event_id: id(70),
        event_type: EventType::MessageReceived,
        organization_id: id(1),
        pod_id: Some(id(2)),
        inbox_id: Some(message.item.inbox_id.clone()),
        thread_id: Some(thread.thread_id),
        message_id: Some(message.item.message_id.clone()),
        body: EventBody::Received { verdict: None },
        created_at: NOW,
        traceparent: None,
    };
    EventRecord { event, mail: Some((message, thread)) }
}

/// Returns the size of an event: ten bytes, its bodies, and a hundred for each list entry.
fn bytes(record: &EventRecord) -> usize {
    let Some((message, thread)) = &record.mail else { return 10 };
    let (item, body) = (&message.item, &message.body);
    let texts = [&body.html, &body.text, &body.extracted_html, &body.extracted_text];
    let texts: usize = texts.iter().map(|text| text.as_ref().map_or(0, String::len)).sum();
    let headers: usize = body.headers.iter().map(|(_, value)| value.len()).sum();
    let lists = thread.attachments.len() + item.attachments.len() + item.references.len();
    10 + texts + headers + 100 * lists
}

/// Renders an event with one `#` for each byte, and the names of its omitted parts.
fn shown(record: EventRecord, left_out: &[OmittablePart], most: usize) -> (usize, String) {
    let told = std::cell::RefCell::new(String::new());
    let shown = fit(record, left_out, most, |record, missing| {
        *told.borrow_mut() = missing.join(" ");
        vec![b'#'; bytes(record)]
    });
    (shown.len(), told.into_inner())
}

#[test]
fn parts_are_omitted_in_order_until_event_fits() {
    for (lengths, most, expected) in [
        ([10, 10, 10, 10, 10], 60, (60, "")),
        ([10, 10, 10, 10, 10], 59, (50, "html")),
        ([10, 10, 10, 10, 10], 49, (40, "html text")),
        ([0, 10, 10, 10, 10], 49, (40, "text")),
        ([10, 10, 10, 10, 10], 20, (20, "html text extracted_html extracted_text")),
        ([10, 10, 10, 10, 10], 10, (10, "html text extracted_html extracted_text headers")),
        // No part is left to omit.
        ([10, 10, 0, 0, 0], 5, (10, "html text message")),
    ] {
        let (length, missing) = shown(record(lengths), &[], most);
        assert_eq!((length, missing.as_str()), expected, "{lengths:?} in {most}");
    }
}

#[test]
fn stored_omission_implies_earlier_omissions() {
    for (lengths, left_out, most, expected) in [
        ([0, 10, 0, 0, 10], &[OmittablePart::Html][..], 100, (30, "html")),
        ([10, 0, 10, 0, 10], &[OmittablePart::Text], 100, (30, "html text")),
        (
            [0, 0, 10, 10, 10],
            &[OmittablePart::Text, OmittablePart::Html],
            25,
            (20, "html text extracted_html extracted_text"),
        ),
    ] {
        let (length, missing) = shown(record(lengths), left_out, most);
        assert_eq!((length, missing.as_str()), expected, "{lengths:?} without {left_out:?} in {most}");
    }
}

#[test]
fn growing_lists_are_omitted_too() {
    let mut large = record([0; 5]);
    if let Some((message, thread)) = &mut large.mail {
        thread.attachments = vec![attachment(50); 30];
        message.item.attachments = vec![attachment(51); 20];
        message.item.references = vec![message_id("<a@example.org>"); 10];
    }
    for (most, expected) in [
        (6_010, (6_010, "")),
        (6_009, (3_010, "thread.attachments")),
        (3_009, (1_010, "thread.attachments attachments")),
        (1_009, (10, "thread.attachments attachments references")),
    ] {
        let (length, missing) = shown(large.clone(), &[], most);
        assert_eq!((length, missing.as_str()), expected, "in {most}");
    }
}

#[test]
fn event_without_mail_is_unchanged() {
    let gone = EventRecord { mail: None, ..record([0; 5]) };
    assert_eq!(shown(gone, &[], 5), (10, String::new()));
}

proptest! {
    #[test]
    fn event_fits_whenever_possible(lengths: [u8; 5], most in 10_usize..2_000) {
        prop_assert!(shown(record(lengths.map(usize::from)), &[], most).0 <= most);
    }

    #[test]
    fn nothing_is_omitted_without_need(lengths: [u8; 5], more in 0_usize..100) {
        let lengths = lengths.map(usize::from);
        let whole = 10 + lengths.iter().sum::<usize>();
        prop_assert_eq!(shown(record(lengths), &[], whole + more), (whole, String::new()));
    }
}
