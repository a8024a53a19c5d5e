//! Commands out of sequence.

use super::support::{StubMailroom, codes, options, talk};

const M: &str = "MAIL FROM:<a@out.example>\r\n";
const R: &str = "RCPT TO:<scout@here.example>\r\n";
const U: &str = "RCPT TO:<unknown@here.example>\r\n";
const E: &str = "EHLO c\r\n";
const D: &str = "DATA\r\n";
const B: &str = "BDAT 2\r\nhi";
const L: &str = "BDAT 2 LAST\r\nhi";
const X: &str = "RSET\r\n";

#[tokio::test]
async fn command_out_of_sequence_is_503() {
    let table: &[(&[&str], &[&str])] = &[
        (&[M], &["503"]),
        (&[R], &["503"]),
        (&[D], &["503"]),
        (&[L], &["503"]),
        (&[E, R], &["250", "503"]),
        (&[E, D], &["250", "503"]),
        (&[E, L], &["250", "503"]),
        (&[E, M, M], &["250", "250", "503"]),
        (&[E, M, D], &["250", "250", "554"]),
        (&[E, M, L], &["250", "250", "554"]),
        (&[E, M, U, D], &["250", "250", "550", "554"]),
        (&[E, M, R, M], &["250", "250", "250", "503"]),
        (&[E, M, X, R], &["250", "250", "250", "503"]),
        (&[E, M, R, X, D], &["250", "250", "250", "250", "503"]),
        (&[E, M, R, E, D], &["250", "250", "250", "250", "503"]),
        (&[E, M, E, M], &["250", "250", "250", "250"]),
        (&[E, M, R, B, D], &["250", "250", "250", "250", "503"]),
        (&[E, M, R, B, R], &["250", "250", "250", "250", "503"]),
        (&[E, M, R, B, M], &["250", "250", "250", "250", "503"]),
        (&[E, M, R, B, X, L], &["250", "250", "250", "250", "250", "503"]),
        (&[E, M, R, L, L], &["250", "250", "250", "250", "503"]),
        (&[E, M, R, L, M], &["250", "250", "250", "250", "250"]),
    ];
    for (commands, expected) in table {
        assert_eq!(codes(&StubMailroom::new(), options(), commands.concat()).await, *expected, "{commands:?}");
    }
}

#[tokio::test]
async fn reply_503_names_next_command() {
    for (before, line) in [("", M), (E, R), (E, D), (E, L)] {
        let reply = talk(&StubMailroom::new(), options(), [before, line].concat()).await.pop().unwrap();
        assert!(reply.starts_with("503 5.5.1 ") && reply.contains("; send "), "{reply}");
    }
}

#[tokio::test]
async fn consecutive_messages_share_no_state() {
    let mailroom = StubMailroom::new();
    let other = "RCPT TO:<other@here.example>\r\n";
    let input = [E, M, R, D, "one\r\n.\r\n", "MAIL FROM:<>\r\n", other, L].concat();
    codes(&mailroom, options(), input).await;
    let mails = mailroom.mails();
    assert_eq!(mails.len(), 2);
    assert_eq!(mails[0].raw, b"one\r\n");
    assert_eq!(mails[1].raw, b"hi");
    assert_eq!(mails[1].envelope_from, None);
    assert_eq!(mails[1].recipients.len(), 1);
    assert_eq!(mails[1].recipients[0].address.as_str(), "other@here.example");
}
