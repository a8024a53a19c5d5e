//! The unmodified AgentMail clients, driven against the built server.

pub(crate) mod node;
pub(crate) mod program;
pub(crate) mod venv;

use inboxd_testkit::{Dns, Server};

use crate::support::options;

/// A server, and a DNS server that knows no name.
async fn server() -> (Dns, Server) {
    let dns = Dns::start().await;
    let server = options().dns(&dns).start().await;
    (dns, server)
}

#[tokio::test]
async fn the_python_client_works_unmodified() {
    let (_dns, server) = server().await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/sdk/python/drive.py");
    program::run(&server, &venv::python(), script.as_ref()).await;
}

#[tokio::test]
async fn the_typescript_client_works_unmodified() {
    let (_dns, server) = server().await;
    let scripts = node::beside_modules(&[
        ("drive.mjs", include_str!("typescript/drive.mjs")),
        ("every.mjs", include_str!("typescript/every.mjs")),
        ("pods.mjs", include_str!("typescript/pods.mjs")),
        ("stream.mjs", include_str!("typescript/stream.mjs")),
        ("support.mjs", include_str!("typescript/support.mjs")),
        ("webhooks.mjs", include_str!("typescript/webhooks.mjs")),
    ]);
    program::run(&server, "node".as_ref(), &scripts.join("drive.mjs")).await;
}
