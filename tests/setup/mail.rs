//! First mail: out to a server of another provider, and the reply in.

use inboxd_testkit::{MailBuilder, RelayServer, RelayedMail, TestServer, eventually};

use super::{DOMAIN, Machine};

const FRIEND: &str = "you@example.net";

/// A machine that delivers to a mail server of example.net, with its records.
async fn world(settings: &[(&str, String)]) -> (Machine, RelayServer, TestServer) {
    let (machine, peer) = (Machine::new().await, RelayServer::start().await);
    machine.dns.mx("example.net", 10, "mx.example.net");
    machine.dns.host("mx.example.net", std::net::Ipv4Addr::LOCALHOST.into());
    let server = machine.serve(settings).await;
    machine.publish(&machine.records("nsupdate", &["--domain", DOMAIN, "--address", "127.0.0.1"]).await);
    (machine, peer, server)
}

/// Options of a run with a first mail.
fn arguments(peer: &RelayServer, wait: &'static str) -> Vec<String> {
    let port = format!("INBOXD_DIRECT_PORT={}", peer.port());
    let fixed = ["--domain", DOMAIN, "--delivery", "direct", "--set", "INBOXD_OUTBOUND_ALLOW_CIDRS=127.0.0.0/8"];
    let rest = ["--set", &port, "--address", "127.0.0.1", "--mail-to", FRIEND, "--wait", wait];
    fixed.iter().chain(&rest).map(|&text| text.to_owned()).collect()
}

async fn first_mail(peer: &RelayServer) -> RelayedMail {
    eventually("the first mail", async || peer.mails().into_iter().next()).await
}

#[tokio::test]
async fn first_mail_leaves_and_its_reply_arrives() {
    let (machine, peer, server) = world(&[]).await;
    let arguments = arguments(&peer, "60");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let replied = async {
        let mail = first_mail(&peer).await;
        assert_eq!((mail.from.as_str(), mail.to.as_slice()), ("postmaster@mail.example.org", &[FRIEND.to_owned()][..]));
        let subject = mail.header("Subject");
        assert!(subject.starts_with("inboxd setup test "), "{subject}");
        // A report about a failed delivery quotes the subject, and is no reply.
        let postmaster = "postmaster@mail.example.org";
        let report =
            MailBuilder::new("mailer-daemon@example.net", postmaster, &format!("Failed: {subject}"), "No such user.");
        server.deliver("", &[postmaster], report.raw()).await.require_code(250, "");
        // Other mail to the postmaster is no reply.
        for (from, subject) in [("eve@example.com", "Hello".to_owned()), (FRIEND, format!("Re: {subject}"))] {
            let mail = MailBuilder::new(from, "postmaster@mail.example.org", &subject, "It arrived.");
            server.deliver(from, &["postmaster@mail.example.org"], mail.raw()).await.require_code(250, "");
        }
    };
    let (output, ()) = tokio::join!(machine.setup(&arguments), replied);
    output.require("ok", "port 25", "mx.example.net, 127.0.0.1, answers this machine");
    output.require("ok", "mail out", "for you@example.net was accepted at mx.example.net");
    output.require("ok", "mail in", "arrived for postmaster@mail.example.org");
    assert_eq!(output.code, 0, "{output:?}");
    // A repeated run without a recipient knows the reply, and sends nothing.
    let again = machine.setup(&[]).await;
    again.require("ok", "mail out", "and in: a reply to a test mail arrived");
    assert_eq!((again.code, peer.mails().len()), (0, 1), "{again:?}");
}

#[tokio::test]
async fn mail_that_fails_says_where_to_look() {
    let (machine, peer, server) = world(&[]).await;
    let arguments = arguments(&peer, "0");
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let silent = machine.setup(&arguments).await;
    silent.require("fail", "mail in", "no reply of you@example.net within 0 s. To mend: reply to the mail");
    assert_eq!(silent.code, 1, "{silent:?}");
    // A bounce of it is no reply, neither to this run nor to a later one.
    let subject = format!("Failed: {}", first_mail(&peer).await.header("Subject"));
    let postmaster = "postmaster@mail.example.org";
    let bounce = MailBuilder::new("mailer-daemon@example.net", postmaster, &subject, "No such user.");
    server.deliver("", &[postmaster], bounce.raw()).await.require_code(250, "");
    let again = machine.setup(&[]).await;
    again.require("warn", "mail out", "is not tried");
    peer.set_reply(FRIEND, "550 5.7.1 your address is on a block list");
    let refused = machine.setup(&arguments).await;
    refused.require("fail", "mail out", "was refused at mx.example.net");
    refused.require("fail", "mail out", "5.7.1 your address is on a block list");
    let own = machine.setup(&["--mail-to", "someone@signup.mail.example.org"]).await;
    own.require("fail", "mail out", "is an address of this service");
    drop(peer);
    let closed = machine.setup(&arguments).await;
    closed.require("fail", "port 25", "does not answer this machine");
    closed.require("fail", "mail out", "did not leave");
    let captured = machine.setup(&["--delivery", "capture"]).await;
    captured.require("warn", "mail out", "INBOXD_DELIVERY is capture");
}

#[tokio::test]
async fn reply_in_inbox_of_postmaster_is_found() {
    let postmaster = "scout@signup.mail.example.org";
    let (machine, peer, server) = world(&[("INBOXD_POSTMASTER", postmaster.to_owned())]).await;
    server.sign_up("owner@example.net", "scout").await;
    let arguments = arguments(&peer, "60");
    let setting = format!("INBOXD_POSTMASTER={postmaster}");
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    arguments.extend(["--set", &setting]);
    let replied = async {
        let subject = format!("Re: {}", first_mail(&peer).await.header("Subject"));
        let mail = MailBuilder::new(FRIEND, "postmaster@mail.example.org", &subject, "It arrived.");
        server.deliver(FRIEND, &["postmaster@mail.example.org"], mail.raw()).await.require_code(250, "");
    };
    let (output, ()) = tokio::join!(machine.setup(&arguments), replied);
    output.require("ok", "mail in", "arrived in scout@signup.mail.example.org");
    assert_eq!(output.code, 0, "{output:?}");
}
