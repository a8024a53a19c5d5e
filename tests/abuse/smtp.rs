//! Limits of the SMTP server for one client network.

use std::time::{Duration, Instant};

use inboxd_testkit::{Persona, SmtpClient, SmtpReply, TestServer, eventually};
use tokio::task::JoinHandle;

use crate::support::{mail_to, options, server_and_agent};

const FROM: &str = "alice@outside.example";

/// Opens as many sessions from an address as the server accepts.
async fn open_sessions(server: &TestServer, ip: [u8; 4], sessions: usize) -> Vec<SmtpClient> {
    let mut held = Vec::new();
    for _ in 0..sessions {
        let (client, greeting) = SmtpClient::connect_from(ip, server.smtp_address()).await;
        assert_eq!(greeting.code, 220, "{greeting:?}");
        held.push(client);
    }
    held
}

/// Opens a session from an address as soon as the server accepts it.
async fn open_session_when_accepted(server: &TestServer, ip: [u8; 4]) -> SmtpClient {
    eventually("a new client receives a greeting", async || {
        let (client, greeting) = SmtpClient::connect_from(ip, server.smtp_address()).await;
        (greeting.code == 220).then_some(client)
    })
    .await
}

#[tokio::test]
async fn idle_networks_with_all_connections_yield_to_new_client() {
    let server = options().set("INBOXD_SMTP_MAX_CONNECTIONS", "64").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let mut silent = Vec::new();
    for number in 1..=4 {
        silent.extend(open_sessions(&server, [127, number, 0, 1], 16).await);
    }
    let mut client = open_session_when_accepted(&server, [127, 9, 0, 1]).await;
    client.ehlo().await;
    client.deliver(FROM, &[&agent.inbox_id], &mail_to(&agent, "hello").raw()).await.require_code(250, "2");
    let (mut yielded, mut open) = (0, 0);
    for mut client in silent {
        match tokio::time::timeout(Duration::from_millis(10), client.reply()).await {
            Ok(reply) => {
                reply.require_code(421, "4.3.2");
                yielded += 1;
            }
            Err(_) => open += 1,
        }
    }
    assert_eq!((yielded, open), (1, 63));
}

#[tokio::test]
async fn network_at_its_connection_limit_displaces_no_other() {
    let server = options().set("INBOXD_SMTP_MAX_CONNECTIONS", "128").start().await;
    let mut quiet = open_session_when_accepted(&server, [127, 1, 0, 1]).await;
    let (mut first, mut second) =
        (open_sessions(&server, [127, 2, 0, 1], 16).await, open_sessions(&server, [127, 2, 0, 2], 16).await);
    let _third = open_session_when_accepted(&server, [127, 2, 0, 3]).await;
    let mut ended = 0;
    for client in first.iter_mut().chain(&mut second) {
        if let Ok(reply) = tokio::time::timeout(Duration::from_millis(10), client.reply()).await {
            reply.require_code(421, "4.3.2");
            ended += 1;
        }
    }
    assert_eq!(ended, 1);
    quiet.command("NOOP").await.require_code(250, "2");
}

#[tokio::test]
async fn network_with_unfinished_messages_leaves_memory_to_others() {
    let limits = options().set("INBOXD_MAX_MESSAGE_BYTES", "2000000").set("INBOXD_SMTP_SPOOL_BYTES", "8000000");
    let server = limits.start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let chunk = [b"BDAT 990000\r\n".as_slice(), &b"0123456789abcdef\r\n".repeat(55_000)].concat();
    let mut held = Vec::new();
    let refused = loop {
        let mut client = open_session_when_accepted(&server, [127, 1, 0, 1]).await;
        client.ehlo().await;
        client.command(&format!("MAIL FROM:<{FROM}>")).await.require_code(250, "2");
        client.command(&format!("RCPT TO:<{}>", agent.inbox_id)).await.require_code(250, "2");
        client.write(&chunk).await;
        let reply = client.reply().await;
        if reply.code != 250 {
            break reply;
        }
        held.push(client);
        assert!(held.len() < 10, "the memory of one network is unbounded");
    };
    refused.require_code(452, "4.3.1");
    assert_eq!(held.len(), 2);
    let large = mail_to(&agent, "large").attach("a.bin", "application/octet-stream", &vec![7; 800_000]).raw();
    let mut client = open_session_when_accepted(&server, [127, 9, 0, 1]).await;
    client.ehlo().await;
    client.deliver(FROM, &[&agent.inbox_id], &large).await.require_code(250, "2");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn spooled_message_leaves_no_file() {
    let (server, agent) = server_and_agent().await;
    let files =
        || std::fs::read_dir(server.data_dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    let before = files();
    let large = mail_to(&agent, "large").attach("a.bin", "application/octet-stream", &vec![7; 800_000]).raw();
    server.deliver(FROM, &[&agent.inbox_id], &large).await.require_code(250, "2");
    assert_eq!(files(), before);
}

#[tokio::test]
async fn locked_thread_does_not_delay_other_organizations() {
    let server = options().start().await;
    let stuck = server.verified("stuck@example.org", "stuck").await;
    let mut others = Vec::new();
    for number in 0..6 {
        others.push(server.verified(&format!("owner{number}@example.org"), &format!("other{number}")).await);
    }
    server
        .deliver(FROM, &[&stuck.inbox_id], mail_to(&stuck, "first").id("<first@outside.example>").raw())
        .await
        .require_code(250, "2");
    let mut session = server.database().session().await;
    session.execute("BEGIN; SELECT 1 FROM threads FOR UPDATE").await;
    let answer = |name: &str| mail_to(&stuck, name).header("In-Reply-To", "<first@outside.example>").raw();
    let mut waiting = Vec::new();
    // One of them also has a recipient in another organization.
    for recipients in [vec![stuck.inbox_id.clone()], vec![stuck.inbox_id.clone(), others[0].inbox_id.clone()]] {
        let mut client = server.smtp().await;
        let raw = answer(&format!("answer {}", recipients.len()));
        client.ehlo().await;
        waiting.push(tokio::spawn(async move {
            let recipients: Vec<&str> = recipients.iter().map(String::as_str).collect();
            client.deliver(FROM, &recipients, &raw).await
        }));
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    for other in &others {
        let mail = mail_to(other, "hello").raw();
        let recipients = [other.inbox_id.as_str()];
        let delivered = server.deliver(FROM, &recipients, mail);
        let reply = tokio::time::timeout(Duration::from_secs(5), delivered).await;
        reply.unwrap().require_code(250, "2");
    }
    assert!(waiting.iter().all(|one| !one.is_finished()));
    session.execute("ROLLBACK").await;
    for one in waiting {
        one.await.unwrap().require_code(250, "2");
    }
    assert_eq!(stuck.messages().await.len(), 3);
}

/// Delivers a reply into the thread of an agent in a separate session and task.
async fn deliver_reply(server: &TestServer, agent: &Persona) -> JoinHandle<SmtpReply> {
    let mut client = server.smtp().await;
    let raw = mail_to(agent, "answer").header("In-Reply-To", "<first@outside.example>").raw();
    let to = agent.inbox_id.clone();
    tokio::spawn(async move {
        client.ehlo().await;
        client.deliver(FROM, &[&to], &raw).await
    })
}

#[tokio::test]
async fn locked_threads_of_many_organizations_do_not_delay_others() {
    // The default of the program; the pools of other tests are smaller than the number of locked threads.
    let server = options().set("INBOXD_DATABASE_CONNECTIONS", "80").start().await;
    let mut stuck = Vec::new();
    for number in 0..20 {
        let agent = server.verified(&format!("stuck{number}@example.org"), &format!("stuck{number}")).await;
        let first = mail_to(&agent, "first").id("<first@outside.example>").raw();
        server.deliver(FROM, &[&agent.inbox_id], first).await.require_code(250, "2");
        stuck.push(agent);
    }
    let victim = server.verified("victim@example.org", "victim").await;
    let mut session = server.database().session().await;
    session.execute("BEGIN; SELECT 1 FROM threads FOR UPDATE").await;
    let mut waiting = Vec::new();
    for agent in &stuck {
        waiting.push(deliver_reply(&server, agent).await);
    }
    let (mut client, _) = SmtpClient::connect_from([127, 9, 0, 1], server.smtp_address()).await;
    client.ehlo().await;
    for number in 0..5 {
        let begun = Instant::now();
        let mail = mail_to(&victim, &format!("hello {number}")).raw();
        client.deliver(FROM, &[&victim.inbox_id], &mail).await.require_code(250, "2");
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    session.execute("ROLLBACK").await;
    // Each mail is stored or deferred; a deferred one is stored at the retry of its sender.
    for (agent, waiting) in stuck.iter().zip(waiting) {
        let reply = waiting.await.unwrap();
        if reply.code != 250 {
            reply.require_code(451, "4");
            deliver_reply(&server, agent).await.await.unwrap().require_code(250, "2");
        }
        assert_eq!(agent.messages().await.len(), 2);
    }
}

#[tokio::test]
async fn mail_to_postmaster_and_abuse_reaches_operator_inbox() {
    let operator = "desk@signup.inboxd.localhost";
    let server = options().set("INBOXD_POSTMASTER", operator).start().await;
    let agent = server.verified("owner@example.org", "desk").await;
    assert_eq!(agent.inbox_id, operator);
    let recipients = [
        "postmaster",
        "Postmaster@inboxd.localhost",
        "abuse@inboxd.localhost",
        "postmaster@signup.inboxd.localhost",
        "abuse+complaint@signup.inboxd.localhost",
    ];
    for (number, recipient) in recipients.iter().enumerate() {
        let mail = mail_to(&agent, &format!("complaint {number}")).raw();
        server.deliver(FROM, &[recipient], mail).await.require_code(250, "2");
        agent.message_about(&format!("complaint {number}")).await;
    }
    let mail = mail_to(&agent, "elsewhere").raw();
    server.deliver(FROM, &["postmaster@other.example"], &mail).await.require_code(550, "5.1.1");
}
