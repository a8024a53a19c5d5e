//! All commands, valid and invalid.

use inboxd_core::app::NotReceived;

use super::support::{StubMailroom, TestClient, away, codes, last, limited_report, options, stored, talk};
use crate::inbound::ServerOptions;

const MAIL: &str = "EHLO c\r\nMAIL FROM:<a@out.example>\r\n";

#[tokio::test]
async fn message_is_stored_unmodified() {
    let mailroom = StubMailroom::new();
    let mut client = TestClient::greeted(&mailroom, options()).await;
    assert!(client.command("EHLO client.example").await.starts_with("250-mx.here.example greets client.example"));
    assert_eq!(client.command("MAIL FROM:<a@out.example> SIZE=20 BODY=8BITMIME").await, "250 2.1.0 sender ok");
    assert_eq!(client.command("RCPT TO:<Scout@here.example>").await, "250 2.1.5 recipient ok");
    assert_eq!(client.command("RCPT TO:<other@here.example>").await, "250 2.1.5 recipient ok");
    assert!(client.command("DATA").await.starts_with("354 "));
    client.send(b"Subject: hi\r\n\r\n..dot\r\n\xff\0\r\n.\r\n").await;
    assert_eq!(client.reply().await, "250 2.0.0 stored");
    assert_eq!(client.command("QUIT").await, "221 2.0.0 goodbye");
    assert_eq!(client.reply().await, "", "closed");

    let mails = mailroom.mails();
    let [mail] = mails.as_slice() else { panic!("one mail, not {}", mails.len()) };
    assert_eq!(mail.envelope_from.as_ref().unwrap().as_str(), "a@out.example");
    let recipients: Vec<_> = mail.recipients.iter().map(|recipient| recipient.address.as_str().to_owned()).collect();
    assert_eq!(recipients, ["Scout@here.example", "other@here.example"]);
    assert_eq!(mail.raw, b"Subject: hi\r\n\r\n.dot\r\n\xff\0\r\n");
    let client = mail.client.as_ref().unwrap();
    assert_eq!(client.helo, "client.example");
    assert_eq!(client.ip, super::support::CLIENT);
    assert_eq!(client.protocol, "ESMTP");
}

#[tokio::test]
async fn ehlo_lists_extensions() {
    let replies = talk(&StubMailroom::new(), options(), "EHLO [192.0.2.7]\r\n").await;
    let expected = [
        "250-mx.here.example greets [192.0.2.7]",
        "250-PIPELINING",
        "250-8BITMIME",
        "250-SMTPUTF8",
        "250-ENHANCEDSTATUSCODES",
        "250-CHUNKING",
        "250 SIZE 1000",
    ];
    assert_eq!(replies, expected);
}

#[tokio::test]
async fn helo_has_no_extensions() {
    let mailroom = StubMailroom::new();
    let input = "HELO c\r\nMAIL FROM:<>\r\nRCPT TO:<scout@here.example>\r\nDATA\r\nhi\r\n.\r\n";
    assert_eq!(talk(&mailroom, options(), input).await[0], "250 mx.here.example greets c");
    assert_eq!(mailroom.mails()[0].client.as_ref().unwrap().protocol, "SMTP");
    assert_eq!(mailroom.mails()[0].envelope_from, None);
    let reply = last(&mailroom, "HELO c\r\nMAIL FROM:<> SIZE=1\r\n").await;
    assert!(reply.starts_with("501 5.5.4 "), "{reply}");
}

#[tokio::test]
async fn ehlo_without_valid_name_is_501() {
    for line in ["EHLO", "EHLO ", "HELO", "EHLO a b", "EHLO b\u{fc}cher.example"] {
        let reply = last(&StubMailroom::new(), format!("{line}\r\n")).await;
        assert!(reply.starts_with("501 5.5.4 "), "{line}: {reply}");
    }
    let long = format!("EHLO {}\r\n", "x".repeat(256));
    assert!(last(&StubMailroom::new(), long).await.starts_with("501 5.5.4 "));
}

#[tokio::test]
async fn mail_accepts_standard_parameters() {
    let table = [
        "MAIL FROM:<a@out.example>",
        "mail from:<a@out.example>",
        "MAIL FROM: <a@out.example>",
        "MAIL FROM:<>",
        "MAIL FROM:<> BODY=7BIT",
        "MAIL FROM:<a@out.example> size=1000 body=8bitmime",
        "MAIL FROM:<a@out.example>  SMTPUTF8 ",
        "MAIL FROM:<\"a b>c\\\"@\"@out.example>",
        "MAIL FROM:<@relay.example,@other.example:a@out.example>",
        "MAIL FROM:<b\u{fc}ro@out.example> SMTPUTF8",
        "MAIL FROM:<a@b\u{fc}cher.example> SMTPUTF8",
    ];
    for line in table {
        assert_eq!(last(&StubMailroom::new(), format!("EHLO c\r\n{line}\r\n")).await, "250 2.1.0 sender ok", "{line}");
    }
}

#[tokio::test]
async fn invalid_mail_names_cause() {
    let table = [
        ("MAIL", "501 5.1.7 no address"),
        ("MAIL FROM", "501 5.1.7 no address"),
        ("MAIL TO:<a@out.example>", "501 5.1.7 no address"),
        ("MAIL FROM:a@out.example", "501 5.1.7 address without angle brackets"),
        ("MAIL FROM:<a@out.example", "501 5.1.7 address without a closing bracket"),
        ("MAIL FROM:<a b@out.example>", "501 5.1.7 address with a space"),
        ("MAIL FROM:<a@out.example>SIZE=1", "501 5.1.7 no space after the address"),
        ("MAIL FROM:<@relay.example>", "501 5.1.7 source route"),
        ("MAIL FROM:<nobody>", "501 5.1.7 the address has no @"),
        ("MAIL FROM:<a@out..example>", "501 5.1.7 the domain is not valid"),
        ("MAIL FROM:<b\u{fc}ro@out.example>", "553 5.6.7 "),
        ("MAIL FROM:<a@out.example> SIZE=1001", "552 5.3.4 "),
        ("MAIL FROM:<a@out.example> SIZE=99999999999999999999", "552 5.3.4 "),
        ("MAIL FROM:<a@out.example> SIZE=-1", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> SIZE=+1", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> SIZE=", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> SIZE", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> SIZE=1 SIZE=1", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> SMTPUTF8 SMTPUTF8", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> SMTPUTF8=yes", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> BODY=7BIT BODY=7BIT", "501 5.5.4 "),
        ("MAIL FROM:<a@out.example> BODY=BINARYMIME", "504 5.5.4 "),
        ("MAIL FROM:<a@out.example> BODY", "504 5.5.4 "),
        ("MAIL FROM:<a@out.example> RET=HDRS", "555 5.5.4 parameter RET "),
        ("MAIL FROM:<a@out.example> AUTH=<>", "555 5.5.4 parameter AUTH "),
    ];
    for (line, expected) in table {
        let reply = last(&StubMailroom::new(), format!("EHLO c\r\n{line}\r\n")).await;
        assert!(reply.starts_with(expected), "{line}: {reply}");
    }
}

#[tokio::test]
async fn invalid_rcpt_names_cause() {
    let table = [
        ("RCPT TO:<unknown@here.example>", "550 5.1.1 <unknown@here.example> does not exist here"),
        ("RCPT TO:<scout@elsewhere.example>", "550 5.1.1 "),
        ("RCPT TO:<busy@here.example>", "451 4.3.0 "),
        ("RCPT TO:<panic@here.example>", "451 4.3.0 "),
        ("RCPT TO:<>", "501 5.1.3 empty address"),
        ("RCPT TO:<scout>", "501 5.1.3 the address has no @"),
        ("RCPT TO:scout@here.example", "501 5.1.3 address without angle brackets"),
        ("RCPT <scout@here.example>", "501 5.1.3 no address"),
        ("RCPT", "501 5.1.3 no address"),
        ("RCPT TO:<scout@here.example> NOTIFY=NEVER", "555 5.5.4 parameter NOTIFY "),
        ("RCPT TO:<b\u{fc}ro@here.example>", "553 5.6.7 "),
        ("RCPT TO:<scout@here.example", "501 5.1.3 "),
    ];
    for (line, expected) in table {
        let reply = last(&StubMailroom::new(), format!("{MAIL}{line}\r\n")).await;
        assert!(reply.starts_with(expected), "{line}: {reply}");
    }
}

#[tokio::test]
async fn rcpt_accepts_standard_addresses() {
    let mailroom = StubMailroom::new();
    let input = "EHLO c\r\nMAIL FROM:<> SMTPUTF8\r\nRCPT TO:<\"quoted local\"@here.example>\r\n\
                 RCPT TO:<b\u{fc}ro@here.example>\r\nRCPT TO:<@relay.example:scout@here.example>\r\n\
                 RCPT TO:<SCOUT@HERE.EXAMPLE>\r\nDATA\r\n.\r\n";
    assert_eq!(codes(&mailroom, options(), input).await, ["250", "250", "250", "250", "250", "250", "354", "250"]);
    let mail = &mailroom.mails()[0];
    let recipients: Vec<_> = mail.recipients.iter().map(|recipient| recipient.address.as_str().to_owned()).collect();
    assert_eq!(recipients, ["\"quoted local\"@here.example", "b\u{fc}ro@here.example", "scout@here.example"]);
    assert_eq!(mail.client.as_ref().unwrap().protocol, "UTF8SMTP");
    assert!(mail.raw.is_empty());
}

#[tokio::test]
async fn bare_postmaster_is_postmaster_of_server() {
    let reply = last(&StubMailroom::new(), format!("{MAIL}RCPT TO:<Postmaster>\r\n")).await;
    assert_eq!(reply, "550 5.1.1 <Postmaster> does not exist here; check the address");
    let here = ServerOptions { hostname: "here.example".to_owned(), ..options() };
    let mut client = TestClient::greeted(&StubMailroom::new(), here).await;
    client.command("HELO c").await;
    client.command("MAIL FROM:<>").await;
    assert_eq!(client.command("RCPT TO:<postmaster>").await, "250 2.1.5 recipient ok");
}

#[tokio::test]
async fn other_commands_have_expected_replies() {
    let table = [
        ("NOOP", "250 2.0.0 "),
        ("NOOP whatever it says", "250 2.0.0 "),
        ("noop", "250 2.0.0 "),
        ("RSET", "250 2.0.0 "),
        ("RSET now", "501 5.5.4 "),
        ("HELP", "214 2.0.0 "),
        ("HELP MAIL", "214 2.0.0 "),
        ("VRFY scout@here.example", "252 2.0.0 "),
        ("VRFY", "501 5.5.4 "),
        ("EXPN list", "502 5.5.1 EXPN "),
        ("AUTH PLAIN AGEAYg==", "502 5.5.1 AUTH "),
        ("ETRN x", "502 5.5.1 ETRN "),
        ("STARTTLS", "502 5.5.1 STARTTLS "),
        ("STARTTLS now", "501 5.5.4 "),
        ("DATA now", "501 5.5.4 "),
        ("QUIT now", "501 5.5.4 "),
        ("WHAT", "500 5.5.2 "),
        ("", "500 5.5.2 "),
        (" NOOP", "500 5.5.2 "),
        ("NOOP\0", "500 5.5.2 "),
        ("NO\tOP", "500 5.5.2 "),
        ("N\u{f6}\u{f6}P", "500 5.5.2 "),
    ];
    for (line, expected) in table {
        let reply = last(&StubMailroom::new(), format!("{line}\r\n")).await;
        assert!(reply.starts_with(expected), "{line}: {reply}");
    }
    assert!(last(&StubMailroom::new(), b"NOOP \xff\xfe\r\n").await.starts_with("500 5.5.2 "));
}

#[tokio::test]
async fn result_of_application_decides_reply() {
    let table = [
        (Ok(stored()), "250 2.0.0 stored"),
        (Ok(limited_report()), "250 2.0.0 accepted; none of its reports is stored"),
        (Err(away()), "451 4.3.0 the mail was not stored; try again later"),
        (Err(NotReceived::Loop("it has been here; stop it")), "554 5.4.6 mail loop: it has been here; stop it"),
    ];
    for (result, expected) in table {
        let mailroom = std::sync::Arc::new(StubMailroom::returning(result));
        let input = format!("{}DATA\r\n.\r\n", super::support::ENVELOPE);
        assert_eq!(last(&mailroom, input).await, expected);
    }
}

#[tokio::test]
async fn panicking_application_defers_message() {
    let mut mailroom = StubMailroom::returning(Ok(stored()));
    mailroom.panics = true;
    let input = format!("{}DATA\r\n.\r\nNOOP\r\n", super::support::ENVELOPE);
    assert_eq!(
        codes(&std::sync::Arc::new(mailroom), options(), input).await,
        ["250", "250", "250", "354", "451", "250"]
    );
}

#[tokio::test]
async fn http_request_ends_session() {
    let mailroom = StubMailroom::new();
    let request = format!("POST / HTTP/1.1\r\nHost: x\r\n\r\n{}DATA\r\n.\r\n", super::support::ENVELOPE);
    assert_eq!(codes(&mailroom, options(), request).await, ["421"]);
    assert!(mailroom.mails().is_empty());
}
