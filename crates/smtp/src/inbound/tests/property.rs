//! Properties of sessions with arbitrary input.

use std::sync::Arc;

use proptest::prelude::*;

use super::support::{ENVELOPE, StubMailroom, options, talk};

fn run(input: &[u8]) -> (Arc<StubMailroom>, Vec<String>) {
    let mailroom = StubMailroom::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    let replies = runtime.block_on(talk(&mailroom, options(), input));
    (mailroom, replies)
}

/// Returns the content up to its end by a simple method. `None` without an end, or when it must not be stored.
fn expected(stream: &[u8]) -> Option<Vec<u8>> {
    let framed = [b"\r\n", stream].concat();
    let end = framed.windows(5).position(|window| window == b"\r\n.\r\n")?;
    let mut content = Vec::new();
    for line in String::from_utf8(framed[2..].to_vec()).unwrap()[..end].split_inclusive("\r\n") {
        content.extend_from_slice(line.strip_prefix('.').unwrap_or(line).as_bytes());
    }
    let bare = String::from_utf8(content.clone()).unwrap().replace("\r\n", "").contains(['\r', '\n']);
    (!bare && content.len() <= 1000).then_some(content)
}

fn command() -> impl Strategy<Value = Vec<u8>> {
    let whole = prop::sample::select(vec![
        "EHLO c\r\n",
        "HELO c\r\n",
        "MAIL FROM:<a@out.example>\r\n",
        "RCPT TO:<scout@here.example>\r\n",
        "DATA\r\n",
        ".\r\n",
        "\r\n.\r\n",
        "\n.\n",
        "BDAT 3 LAST\r\n",
        "BDAT 3\r\n",
        "abc",
        "RSET\r\n",
        "QUIT\r\n",
        "STARTTLS\r\n",
        "\r",
        "\n",
        "..",
    ]);
    prop_oneof![
        4 => whole.prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn arbitrary_bytes_store_nothing(input in prop::collection::vec(any::<u8>(), 0..3000)) {
        let (mailroom, _) = run(&input);
        prop_assert!(mailroom.mails().is_empty());
    }

    #[test]
    fn arbitrary_commands_store_complete_messages_only(parts in prop::collection::vec(command(), 0..40)) {
        let (mailroom, replies) = run(&parts.concat());
        for reply in &replies {
            prop_assert!(reply.len() > 3 && reply.as_bytes()[..3].iter().all(u8::is_ascii_digit), "{reply}");
        }
        let stored = replies.iter().filter(|reply| *reply == "250 2.0.0 stored").count();
        prop_assert_eq!(mailroom.mails().len(), stored);
        for mail in mailroom.mails() {
            let text = String::from_utf8_lossy(&mail.raw).replace("\r\n", "");
            prop_assert!(!text.contains(['\r', '\n']));
            prop_assert!(!mail.recipients.is_empty());
        }
    }

    #[test]
    fn content_ends_at_first_valid_end(
        parts in prop::collection::vec(prop::sample::select(vec!["\r", "\n", ".", "a", "\r\n", "\r\n.", "x.y"]), 0..30),
        ended in any::<bool>(),
    ) {
        let stream = parts.concat() + if ended { "\r\n.\r\n" } else { "" };
        let (mailroom, _) = run(format!("{ENVELOPE}DATA\r\n{stream}").as_bytes());
        let stored: Vec<_> = mailroom.mails().into_iter().map(|mail| mail.raw).collect();
        prop_assert_eq!(stored, expected(stream.as_bytes()).into_iter().collect::<Vec<_>>());
    }
}
