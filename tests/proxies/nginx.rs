//! nginx with `X-Forwarded-For`.

use std::path::Path;

use inboxd_testkit::{HostCertificate, ReverseProxy, ServerOptions};
use tokio::process::Command;

use super::{
    HOST, ProxiedServer, adapt, assert_client_addresses, assert_streams, assert_uploads, behind_proxy, limited,
    upstream,
};

const FILE: &str = include_str!("../../packaging/proxies/nginx.conf");

async fn start(options: ServerOptions) -> ProxiedServer {
    let server = options.start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let (api, certificate) = (ReverseProxy::free_address(), HostCertificate::new(HOST));
    let proxy = ReverseProxy::start(&[api], |folder: &Path| {
        let path = folder.display();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("cert.pem", certificate.pem());
        write("key.pem", certificate.key_pem());
        let site = adapt(
            FILE,
            &[
                ("listen 443 ssl http2;", format!("listen {api} ssl http2;")),
                ("    listen [::]:443 ssl http2;\n", String::new()),
                ("/etc/ssl/certs/mail.example.org.pem", format!("{path}/cert.pem")),
                ("/etc/ssl/private/mail.example.org.key", format!("{path}/key.pem")),
                ("server 127.0.0.1:8080;", format!("server {};", upstream(&server))),
            ],
        );
        write("site.conf", &site);
        // One process, so that nothing outlives it.
        let main = format!(
            "daemon off;\nmaster_process off;\npid {path}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n\
             client_body_temp_path {path}/body;\nproxy_temp_path {path}/proxy;\nfastcgi_temp_path {path}/fastcgi;\n\
             uwsgi_temp_path {path}/uwsgi;\nscgi_temp_path {path}/scgi;\ninclude {path}/site.conf;\n}}\n"
        );
        write("nginx.conf", &main);
        let mut command = Command::new("/usr/sbin/nginx");
        command.arg("-c").arg(folder.join("nginx.conf")).arg("-p").arg(folder);
        command
    })
    .await;
    let smtp = server.smtp_address().to_owned();
    ProxiedServer { server, agent, api, smtp, certificate, _proxy: proxy }
}

#[tokio::test]
async fn clients_behind_nginx_have_their_own_addresses() {
    assert_client_addresses(&start(limited(behind_proxy())).await).await;
}

#[tokio::test]
async fn streams_and_uploads_pass_through_nginx() {
    let world = start(behind_proxy()).await;
    assert_streams(&world).await;
    assert_uploads(&world).await;
}
