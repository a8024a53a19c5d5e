//! BDAT.

use super::support::{Client, ENVELOPE, Room, codes, options, talk};

#[tokio::test]
async fn chunks_make_a_mail_and_dots_mean_nothing() {
    let room = Room::new();
    let input = format!("{ENVELOPE}BDAT 8\r\na\r\n.\r\n..bdat 0\r\nBDAT 3 last\r\nc\r\nNOOP\r\n");
    assert_eq!(codes(&room, options(), input).await, ["250", "250", "250", "250", "250", "250", "250"]);
    assert_eq!(room.mails()[0].raw, b"a\r\n.\r\n..c\r\n");
}

#[tokio::test]
async fn a_line_end_may_fall_between_chunks() {
    let room = Room::new();
    let input = format!("{ENVELOPE}BDAT 2\r\na\rBDAT 1 LAST\r\n\n");
    assert_eq!(codes(&room, options(), input).await, ["250", "250", "250", "250", "250"]);
    assert_eq!(room.mails()[0].raw, b"a\r\n");
}

#[tokio::test]
async fn an_empty_last_chunk_ends_the_mail() {
    let room = Room::new();
    let input = format!("{ENVELOPE}BDAT 3\r\na\r\nBDAT 0 LAST\r\n");
    assert_eq!(codes(&room, options(), input).await, ["250", "250", "250", "250", "250"]);
    assert_eq!(room.mails().len(), 1);
}

#[tokio::test]
async fn bare_line_ends_are_refused_in_chunks_too() {
    for chunks in
        ["BDAT 2 LAST\r\na\n", "BDAT 2 LAST\r\na\r", "BDAT 2\r\na\rBDAT 1 LAST\r\nb", "BDAT 1\r\naBDAT 1 LAST\r\n\n"]
    {
        let room = Room::new();
        let replies = talk(&room, options(), format!("{ENVELOPE}{chunks}NOOP\r\n")).await;
        assert!(replies.iter().any(|reply| reply.starts_with("554 5.6.0 ")), "{chunks:?}: {replies:?}");
        assert_eq!(replies.last().unwrap(), "250 2.0.0 ok", "the session is in step");
        assert!(room.mails().is_empty(), "{chunks:?}");
    }
}

#[tokio::test]
async fn a_refused_chunk_is_read_and_the_mail_is_gone() {
    let room = Room::new();
    let big = "x".repeat(1001);
    let input = format!("{ENVELOPE}BDAT 1001\r\n{big}BDAT 2 LAST\r\nhiRSET\r\nNOOP\r\n");
    assert_eq!(codes(&room, options(), input).await, ["250", "250", "250", "552", "503", "250", "250"]);
    assert!(room.mails().is_empty());
}

#[tokio::test]
async fn the_limit_is_of_the_mail_and_not_of_the_chunk() {
    let room = Room::new();
    let half = "x".repeat(501);
    let input = format!("{ENVELOPE}BDAT 501\r\n{half}BDAT 501 LAST\r\n{half}NOOP\r\n");
    assert_eq!(codes(&room, options(), input).await, ["250", "250", "250", "250", "552", "250"]);
    assert!(room.mails().is_empty());
}

#[tokio::test]
async fn a_chunk_of_unknown_size_ends_the_session() {
    for line in
        ["BDAT", "BDAT x", "BDAT -1", "BDAT +1", "BDAT 1 FIRST", "BDAT 1 LAST LAST", "BDAT 99999999999999999999"]
    {
        let room = Room::new();
        let replies = talk(&room, options(), format!("{ENVELOPE}{line}\r\nNOOP\r\n")).await;
        assert!(replies.last().unwrap().starts_with("501 5.5.4 "), "{line}: {replies:?}");
    }
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_of_a_chunk_leaves_nothing() {
    let room = Room::new();
    let mut client = Client::greeted(&room, options()).await;
    client.send(format!("{ENVELOPE}BDAT 100 LAST\r\nhalf")).await;
    drop(client.stream);
    client.session.await.unwrap();
    assert!(room.mails().is_empty());
}
