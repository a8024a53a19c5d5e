//! Caddy with `X-Forwarded-For`.

use std::path::Path;

use inboxd_testkit::{HostCertificate, ReverseProxy, ServerOptions};
use tokio::process::Command;

use super::{
    HOST, ProxiedServer, adapt, assert_client_addresses, assert_streams, assert_uploads, behind_proxy, limited,
    upstream,
};
use crate::sdk::venv::programs;

const FILE: &str = include_str!("../../packaging/proxies/Caddyfile");
const REQUIREMENTS: &str = include_str!("requirements.txt");

async fn start(options: ServerOptions) -> ProxiedServer {
    let server = options.start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let (api, certificate) = (ReverseProxy::free_address(), HostCertificate::new(HOST));
    let program = tokio::task::spawn_blocking(|| programs("caddy", REQUIREMENTS).join("caddy")).await.unwrap();
    let proxy = ReverseProxy::start(&[api], |folder: &Path| {
        let path = folder.display();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("cert.pem", certificate.pem());
        write("key.pem", certificate.key_pem());
        // A certificate of the test in place of one from an authority, for any `Host`.
        let site = format!("https://:{} {{\n\tbind 127.0.0.1\n\ttls {path}/cert.pem {path}/key.pem\n", api.port());
        let changes = [("mail.example.org {\n", site), ("127.0.0.1:8080", upstream(&server))];
        write("Caddyfile", &format!("{{\n\tadmin off\n\tauto_https off\n}}\n{}", adapt(FILE, &changes)));
        let mut command = Command::new(program);
        command.args(["run", "--config"]).arg(folder.join("Caddyfile")).args(["--adapter", "caddyfile"]);
        command.env("HOME", folder).env("XDG_DATA_HOME", folder).env("XDG_CONFIG_HOME", folder);
        command
    })
    .await;
    let smtp = server.smtp_address().to_owned();
    ProxiedServer { server, agent, api, smtp, certificate, _proxy: proxy }
}

#[tokio::test]
async fn clients_behind_caddy_have_their_own_addresses() {
    assert_client_addresses(&start(limited(behind_proxy())).await).await;
}

#[tokio::test]
async fn streams_and_uploads_pass_through_caddy() {
    let world = start(behind_proxy()).await;
    assert_streams(&world).await;
    assert_uploads(&world).await;
}
