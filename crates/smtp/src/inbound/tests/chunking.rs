//! BDAT chunks.

use super::support::{ENVELOPE, StubMailroom, TestClient, codes, options, talk};
use crate::inbound::ServerOptions;

#[tokio::test]
async fn chunks_are_joined_without_dot_unstuffing() {
    let mailroom = StubMailroom::new();
    let input = format!("{ENVELOPE}BDAT 8\r\na\r\n.\r\n..bdat 0\r\nBDAT 3 last\r\nc\r\nNOOP\r\n");
    assert_eq!(codes(&mailroom, options(), input).await, ["250", "250", "250", "250", "250", "250", "250"]);
    assert_eq!(mailroom.mails()[0].raw, b"a\r\n.\r\n..c\r\n");
}

#[tokio::test]
async fn line_end_may_span_chunks() {
    let mailroom = StubMailroom::new();
    let input = format!("{ENVELOPE}BDAT 2\r\na\rBDAT 1 LAST\r\n\n");
    assert_eq!(codes(&mailroom, options(), input).await, ["250", "250", "250", "250", "250"]);
    assert_eq!(mailroom.mails()[0].raw, b"a\r\n");
}

#[tokio::test]
async fn empty_last_chunk_ends_message() {
    let mailroom = StubMailroom::new();
    let input = format!("{ENVELOPE}BDAT 3\r\na\r\nBDAT 0 LAST\r\n");
    assert_eq!(codes(&mailroom, options(), input).await, ["250", "250", "250", "250", "250"]);
    assert_eq!(mailroom.mails().len(), 1);
}

#[tokio::test]
async fn bare_line_end_in_chunk_is_refused() {
    for chunks in
        ["BDAT 2 LAST\r\na\n", "BDAT 2 LAST\r\na\r", "BDAT 2\r\na\rBDAT 1 LAST\r\nb", "BDAT 1\r\naBDAT 1 LAST\r\n\n"]
    {
        let mailroom = StubMailroom::new();
        let replies = talk(&mailroom, options(), format!("{ENVELOPE}{chunks}NOOP\r\n")).await;
        assert!(replies.iter().any(|reply| reply.starts_with("554 5.6.0 ")), "{chunks:?}: {replies:?}");
        assert_eq!(replies.last().unwrap(), "250 2.0.0 ok", "the session continues");
        assert!(mailroom.mails().is_empty(), "{chunks:?}");
    }
}

#[tokio::test]
async fn refused_chunk_is_read_and_transaction_reset() {
    let mailroom = StubMailroom::new();
    let big = "x".repeat(1001);
    let input = format!("{ENVELOPE}BDAT 1001\r\n{big}BDAT 2 LAST\r\nhiRSET\r\nNOOP\r\n");
    assert_eq!(codes(&mailroom, options(), input).await, ["250", "250", "250", "552", "503", "250", "250"]);
    assert!(mailroom.mails().is_empty());
}

#[tokio::test]
async fn size_limit_applies_to_whole_message() {
    let mailroom = StubMailroom::new();
    let half = "x".repeat(501);
    let input = format!("{ENVELOPE}BDAT 501\r\n{half}BDAT 501 LAST\r\n{half}NOOP\r\n");
    assert_eq!(codes(&mailroom, options(), input).await, ["250", "250", "250", "250", "552", "250"]);
    assert!(mailroom.mails().is_empty());
}

#[tokio::test]
async fn number_of_chunks_is_unlimited() {
    let mailroom = StubMailroom::new();
    let limited = || ServerOptions { max_commands: 10, max_message_bytes: 100_000, ..options() };
    let chunk = format!("BDAT 1024\r\n{}\r\n", "x".repeat(1022));
    let replies = codes(&mailroom, limited(), format!("{ENVELOPE}{}BDAT 0 LAST\r\n", chunk.repeat(30))).await;
    assert_eq!(replies, ["250"; 3 + 30 + 1]);
    assert_eq!(mailroom.mails()[0].raw.len(), 30 * 1024);
    // Tiny chunks are commands like any other.
    let replies = codes(&mailroom, limited(), format!("{ENVELOPE}{}", "BDAT 1\r\nx".repeat(30))).await;
    assert_eq!((replies.len(), replies.last().map(String::as_str)), (11, Some("421")));
}

#[tokio::test]
async fn chunk_of_unknown_size_ends_session() {
    for line in
        ["BDAT", "BDAT x", "BDAT -1", "BDAT +1", "BDAT 1 FIRST", "BDAT 1 LAST LAST", "BDAT 99999999999999999999"]
    {
        let mailroom = StubMailroom::new();
        let replies = talk(&mailroom, options(), format!("{ENVELOPE}{line}\r\nNOOP\r\n")).await;
        assert!(replies.last().unwrap().starts_with("501 5.5.4 "), "{line}: {replies:?}");
    }
}

#[tokio::test]
async fn chunk_of_disconnected_client_is_not_stored() {
    let mailroom = StubMailroom::new();
    let mut client = TestClient::greeted(&mailroom, options()).await;
    client.send(format!("{ENVELOPE}BDAT 100 LAST\r\nhalf")).await;
    drop(client.stream);
    client.session.await.unwrap();
    assert!(mailroom.mails().is_empty());
}
