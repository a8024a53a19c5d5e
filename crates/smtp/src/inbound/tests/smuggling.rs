//! SMTP smuggling: bytes after a false end must not be read as commands.

use super::support::{ENVELOPE, StubMailroom, codes, options, talk};

/// Smuggled message after a false end.
const SMUGGLED: &str = "MAIL FROM:<ceo@out.example>\r\nRCPT TO:<scout@here.example>\r\nDATA\r\nfalse\r\n.\r\n";

#[tokio::test]
async fn only_crlf_dot_crlf_ends_content() {
    let ends = [
        "\n.\n",
        "\n.\r\n",
        "\r\n.\n",
        "\r.\r",
        "\r.\r\n",
        "\r\n.\r",
        "\r\n.\r\r\n",
        "\n\n.\r\n",
        "\r\n\n.\r\n",
        "\n.\r",
        "\r.\n",
        "\r\n\0.\r\n",
        "\r\n.\0\r\n",
        "\r\n .\r\n",
        "\r\n. \r\n",
        "\r\r\n.\r\r\n",
        "\r\n.\n\r\n",
        "\u{85}.\u{85}",
        "\u{2028}.\u{2028}",
        "\u{b}.\u{b}",
        "\u{c}.\u{c}",
    ];
    for end in ends {
        let mailroom = StubMailroom::new();
        let input = format!("{ENVELOPE}DATA\r\nhello{end}{SMUGGLED}QUIT\r\n");
        let codes = codes(&mailroom, options(), &input).await;
        let mails = mailroom.mails();
        let has_bare = {
            let rest = end.replace("\r\n", "");
            rest.contains(['\r', '\n'])
        };
        if has_bare {
            assert_eq!(codes, ["250", "250", "250", "354", "554", "221"], "{end:?}");
            assert!(mails.is_empty(), "{end:?}");
        } else {
            // The line ends are valid, and the second message is text of the first.
            assert_eq!(codes, ["250", "250", "250", "354", "250", "221"], "{end:?}");
            assert_eq!(mails.len(), 1, "{end:?}");
            assert!(mails[0].raw.windows(4).any(|window| window == b"ceo@"), "{end:?}");
        }
    }
}

#[tokio::test]
async fn bare_line_end_refuses_message_and_session_continues() {
    for content in ["a\nb\r\n", "a\rb\r\n", "\n", "\r", "a\r\r\n", "a\r\n\n", "\r\n\ra\r\n", ".\ra\r\n", ".\n"] {
        let mailroom = StubMailroom::new();
        let input = format!("{ENVELOPE}DATA\r\n{content}\r\n.\r\nNOOP\r\n");
        let codes = codes(&mailroom, options(), input).await;
        assert_eq!(codes, ["250", "250", "250", "354", "554", "250"], "{content:?}");
        assert!(mailroom.mails().is_empty(), "{content:?}");
    }
}

#[tokio::test]
async fn command_line_must_end_with_crlf() {
    let bare = "500 5.5.2 CR or LF on its own; end each line with CR LF";
    let table: [(&str, &[&str]); 5] = [
        ("NOOP\n", &[bare]),
        ("NOOP\nNOOP\r\n", &[bare, "250 2.0.0 ok"]),
        ("NOOP\rNOOP\r\n", &[bare]),
        ("NOOP\r\r\n", &[bare]),
        ("NOOP\r\n", &["250 2.0.0 ok"]),
    ];
    for (input, expected) in table {
        assert_eq!(talk(&StubMailroom::new(), options(), input).await, expected, "{input:?}");
    }
}
