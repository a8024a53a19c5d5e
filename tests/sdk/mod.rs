//! Unmodified AgentMail clients against the built server.

pub(crate) mod node;
pub(crate) mod program;
pub(crate) mod venv;

use inboxd_testkit::{DnsServer, TestServer};

use crate::support::options;

/// Starts a server with an empty DNS server.
async fn start_server() -> (DnsServer, TestServer) {
    let dns = DnsServer::start().await;
    let server = options().dns(&dns).start().await;
    (dns, server)
}

#[tokio::test]
async fn python_client_works_unmodified() {
    let (_dns, server) = start_server().await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/sdk/python/drive.py");
    program::run(&server, &venv::python(), script.as_ref()).await;
}

#[tokio::test]
async fn typescript_client_works_unmodified() {
    let (_dns, server) = start_server().await;
    let scripts = node::with_modules(&[
        ("apps.mjs", include_str!("typescript/apps.mjs")),
        ("drive.mjs", include_str!("typescript/drive.mjs")),
        ("every.mjs", include_str!("typescript/every.mjs")),
        ("pods.mjs", include_str!("typescript/pods.mjs")),
        ("stream.mjs", include_str!("typescript/stream.mjs")),
        ("support.mjs", include_str!("typescript/support.mjs")),
        ("webhooks.mjs", include_str!("typescript/webhooks.mjs")),
    ]);
    program::run(&server, "node".as_ref(), &scripts.join("drive.mjs")).await;
}
