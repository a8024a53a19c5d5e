//! SMTP sessions.

use crate::support::{mail_to, server_and_agent};

const FROM: &str = "alice@outside.example";

#[tokio::test]
async fn ehlo_lists_extensions() {
    let (server, _agent) = server_and_agent().await;
    let ehlo = server.smtp().await.ehlo().await;
    assert_eq!(ehlo.code, 250);
    for extension in ["PIPELINING", "SIZE 41943040", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "CHUNKING"] {
        assert!(ehlo.lines.iter().any(|line| line == extension), "{extension} is not in {ehlo:?}");
    }
}

#[tokio::test]
async fn pipelined_commands_are_replied_in_order() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    let inbox = &agent.inbox_id;
    let pipelined = format!("MAIL FROM:<{FROM}>\r\nRCPT TO:<nobody@inboxd.localhost>\r\nRCPT TO:<{inbox}>\r\nDATA\r\n");
    client.write(pipelined.as_bytes()).await;
    for code in [250, 550, 250, 354] {
        assert_eq!(client.reply().await.code, code);
    }
    client.write(format!("Subject: piped\r\n\r\nx\r\n.\r\nMAIL FROM:<{FROM}>\r\nRSET\r\nQUIT\r\n").as_bytes()).await;
    for code in [250, 250, 250, 221] {
        assert_eq!(client.reply().await.code, code);
    }
    agent.message_about("piped").await;
}

#[tokio::test]
async fn commands_out_of_sequence_are_refused_on_open_session() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(503, "5.5.1");
    client.command("DATA").await.require_code(503, "5.5.1");
    client.ehlo().await;
    client.command("DATA").await.require_code(503, "5.5.1");
    client.command(&format!("MAIL FROM:<{FROM}>")).await.require_code(250, "2");
    client.command(&format!("MAIL FROM:<{FROM}>")).await.require_code(503, "5.5.1");
    client.command("DATA").await;
    client.command("FLY").await.require_code(500, "5.5");
    client.command("RSET").await.require_code(250, "2");
    client.command("VRFY scout").await.require_code(252, "2");
    client.command("AUTH PLAIN AAAA").await;
    client.deliver(FROM, &[&agent.inbox_id], &mail_to(&agent, "after all").raw()).await.require_code(250, "2");
}

#[tokio::test]
async fn bdat_chunks_form_mail_with_any_bytes() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command(&format!("MAIL FROM:<{FROM}> BODY=8BITMIME")).await.require_code(250, "2");
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(250, "2");
    let (first, second) = (b"Subject: chunks\r\n\r\nfirst\r\n.\r\n", b"second \xc3\xbc\r\n");
    client.write(format!("BDAT {}\r\n", first.len()).as_bytes()).await;
    client.write(first).await;
    client.reply().await.require_code(250, "2");
    client.write(format!("BDAT {} LAST\r\n", second.len()).as_bytes()).await;
    client.write(second).await;
    client.reply().await.require_code(250, "2.0.0");
    let text = agent.message_about("chunks").await["text"].as_str().unwrap().replace("\r\n", "\n");
    assert_eq!(text.trim(), "first\n.\nsecond ü");
}

#[tokio::test]
async fn second_mail_cannot_be_smuggled_into_first() {
    let (server, agent) = server_and_agent().await;
    let inbox = &agent.inbox_id;
    for end in ["\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r\n.\r", "\r.\r\n"] {
        let smuggled = format!(
            "x{end}MAIL FROM:<admin@outside.example>\r\nRCPT TO:<{inbox}>\r\nDATA\r\nSubject: smuggled\r\n\r\nx\r\n.\r\n"
        );
        let mut client = server.smtp().await;
        client.ehlo().await;
        client.command(&format!("MAIL FROM:<{FROM}>")).await.require_code(250, "2");
        client.command(&format!("RCPT TO:<{inbox}>")).await.require_code(250, "2");
        client.command("DATA").await;
        client.write(format!("Subject: outer\r\n\r\n{smuggled}").as_bytes()).await;
        let reply = client.reply().await;
        assert!(reply.code >= 500, "{end:?}: {reply:?}");
    }
    assert_eq!(agent.messages().await.len(), 0, "a mail with bare line ends is refused");
}

#[tokio::test]
async fn disconnected_client_leaves_no_mail() {
    let (server, agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.ehlo().await;
    client.command(&format!("MAIL FROM:<{FROM}>")).await;
    client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await;
    client.command("DATA").await;
    client.write(b"Subject: half\r\n\r\nnever finished").await;
    drop(client);
    server.deliver(FROM, &[&agent.inbox_id], mail_to(&agent, "whole").raw()).await.require_code(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn http_request_closes_session() {
    let (server, _agent) = server_and_agent().await;
    let mut client = server.smtp().await;
    client.write(b"POST / HTTP/1.1\r\nHost: x\r\n\r\nEHLO x\r\n").await;
    let reply = client.reply().await;
    assert!(reply.code == 0 || reply.code >= 400, "{reply:?}");
}
