//! `HAProxy` with PROXY protocol v2, for the API and for mail.

use std::net::Ipv4Addr;
use std::path::Path;

use inboxd_testkit::{DnsServer, HostCertificate, MailBuilder, ReverseProxy, ServerOptions, SmtpClient};
use serde_json::{Value, json};
use tokio::process::Command;

use super::{
    HOST, ProxiedServer, adapt, assert_client_addresses, assert_streams, assert_uploads, behind_proxy, limited,
    upstream,
};

const FILE: &str = include_str!("../../packaging/proxies/haproxy.cfg");

async fn start(options: ServerOptions) -> ProxiedServer {
    let options = options
        .set("INBOXD_HTTP_ADDR", "127.0.0.1:0?proxy=required")
        .set("INBOXD_SMTP_ADDR", "127.0.0.1:0?proxy=required");
    let server = options.start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let (api, smtp) = (ReverseProxy::free_address(), ReverseProxy::free_address());
    let certificate = HostCertificate::new(HOST);
    let proxy = ReverseProxy::start(&[api, smtp], |folder: &Path| {
        let pem = folder.join("mail.example.org.pem");
        std::fs::write(&pem, [certificate.pem(), certificate.key_pem()].concat()).unwrap();
        let file = adapt(
            FILE,
            &[
                ("bind :443", format!("bind {api}")),
                ("/etc/haproxy/mail.example.org.pem", pem.display().to_string()),
                ("inboxd 127.0.0.1:8080", format!("inboxd {}", upstream(&server))),
                ("bind :25", format!("bind {smtp}")),
                ("inboxd 127.0.0.1:2525", format!("inboxd {}", server.smtp_address())),
            ],
        );
        std::fs::write(folder.join("haproxy.cfg"), file).unwrap();
        let mut command = Command::new("/usr/sbin/haproxy");
        // In the foreground as one process, so that nothing outlives it.
        command.arg("-db").arg("-f").arg(folder.join("haproxy.cfg"));
        command
    })
    .await;
    ProxiedServer { server, agent, api, smtp: smtp.to_string(), certificate, _proxy: proxy }
}

#[tokio::test]
async fn clients_behind_haproxy_have_their_own_addresses() {
    assert_client_addresses(&start(limited(behind_proxy())).await).await;
}

#[tokio::test]
async fn streams_and_uploads_pass_through_haproxy() {
    let world = start(behind_proxy()).await;
    assert_streams(&world).await;
    assert_uploads(&world).await;
}

#[tokio::test]
async fn mail_through_haproxy_is_judged_by_address_of_client() {
    let dns = DnsServer::start().await;
    dns.txt("good.example", "v=spf1 ip4:127.0.0.7 -all");
    let world = start(behind_proxy().dns(&dns)).await;
    for (client, subject, spf) in [([127, 0, 0, 7], "permitted", "pass"), ([127, 0, 0, 8], "forged", "fail")] {
        let (mut session, greeting) = SmtpClient::connect_from(client, &world.smtp).await;
        greeting.require_code(220, "");
        assert!(session.ehlo().await.lines.iter().any(|line| line == "STARTTLS"));
        let mail = MailBuilder::new("Ann <ann@good.example>", &world.agent.inbox_id, subject, "Hello.").raw();
        session.deliver("ann@good.example", &[&world.agent.inbox_id], &mail).await.require_code(250, "2");
        let list = world.agent.get(&world.agent.inbox("/messages?include_unauthenticated=true")).await.ok();
        let item = &list["messages"][0];
        assert_eq!(item["subject"], subject);
        let message = world.agent.get(&world.agent.message(&item["message_id"], "")).await.ok();
        assert_eq!(message["authentication"]["spf"], spf, "{subject}");
        assert_eq!(message["labels"].as_array().unwrap().contains(&json!("unauthenticated")), spf == "fail");
        let address = Ipv4Addr::from(client).to_string();
        let is_receipt = |entry: &Value| entry["message"] == "message received" && entry["client"] == address.as_str();
        world.server.log().entry("the log names the client of the mail", is_receipt).await;
    }
}
