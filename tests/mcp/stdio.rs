//! `inboxd mcp`: the server on the standard streams of a program.

use std::io::{Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::client::{message, stateless_message};
use crate::support::server_and_agent;

/// A running `inboxd mcp`.
struct StdioServer {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
}

impl StdioServer {
    fn start(url: &str, key: Option<&str>) -> Self {
        Self::start_trusting(url, key, None)
    }

    /// Starts a program that trusts the certificate authorities of a file.
    fn start_trusting(url: &str, key: Option<&str>, authorities: Option<&Path>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inboxd"));
        command.args(["mcp", "--url", url]).env_remove("INBOXD_API_KEY").kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.envs(key.map(|key| ("INBOXD_API_KEY", key)));
        command.envs(authorities.map(|file| ("INBOXD_OUTBOUND_CA_FILE", file)));
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, input, output }
    }

    async fn write(&mut self, message: &Value) {
        self.input.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(inboxd_testkit::WAIT_TIMEOUT, self.output.next_line()).await.unwrap();
        serde_json::from_str(&line.unwrap().unwrap()).unwrap()
    }

    async fn exchange(&mut self, message: &Value) -> Value {
        self.write(message).await;
        self.read().await
    }
}

#[tokio::test]
async fn both_lifecycles_work_over_the_standard_streams() {
    let (server, agent) = server_and_agent().await;
    let created = agent.post("/v0/api-keys", json!({"name": "stdio"})).await.ok();
    let mut program = StdioServer::start(&server.base_url(), created["api_key"].as_str());
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let begun = program.exchange(&message("initialize", hello)).await;
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25", "{begun:#}");
    program.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    let call = json!({"name": "list_inboxes", "arguments": {}});
    for request in [message("tools/call", call.clone()), stateless_message("tools/call", call)] {
        let listed = program.exchange(&request).await;
        assert_eq!(listed["id"], 7);
        assert_eq!(listed["result"]["structuredContent"]["inboxes"][0]["inboxId"], agent.inbox_id, "{listed:#}");
    }
    let wait = json!({"name": "wait_for_message", "arguments": {"inboxId": agent.inbox_id, "timeoutSeconds": 50}});
    let mut waiting = message("tools/call", wait);
    waiting["id"] = json!("long");
    program.write(&waiting).await;
    program
        .write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}))
        .await;
    assert_eq!(program.exchange(&message("ping", json!({}))).await["result"], json!({}));
    program.input = None;
    let ended = tokio::time::timeout(inboxd_testkit::WAIT_TIMEOUT, program.child.wait()).await.unwrap().unwrap();
    assert!(ended.success(), "{ended}");
}

#[tokio::test]
async fn failures_are_responses_that_say_what_to_do() {
    let (server, _agent) = server_and_agent().await;
    let mut program = StdioServer::start(&server.base_url(), Some("am_unknown"));
    let refused = program.exchange(&message("tools/list", json!({}))).await;
    let text = refused["error"]["message"].as_str().unwrap();
    assert!(text.contains("API key"), "{text}");
    program.input.as_mut().unwrap().write_all(b"{\n").await.unwrap();
    assert_eq!(program.read().await["error"]["code"], -32700);

    let mut program = StdioServer::start("http://127.0.0.1:1", Some("am_x"));
    let unreachable = program.exchange(&message("tools/list", json!({}))).await;
    assert!(unreachable["error"]["message"].as_str().unwrap().contains("cannot be reached"), "{unreachable:#}");

    for (url, key, expected) in [("http://127.0.0.1:1", None, "INBOXD_API_KEY"), ("ftp://x", Some("am_x"), "--url")] {
        let output = StdioServer::start(url, key).child.wait_with_output().await.unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(expected), "{text}");
    }
}

/// Starts a server of `localhost` with a certificate that is its own authority, and returns its URL. It responds to each
/// connection with one empty result.
fn private_server(certificate: &Path) -> String {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(certificate, made.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let (listener, config) = (std::net::TcpListener::bind("127.0.0.1:0").unwrap(), Arc::new(config));
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            // A client that does not trust the certificate ends here.
            if stream.read(&mut [0; 4096]).is_ok() {
                let body = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close";
                write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
            }
        }
    });
    format!("https://localhost:{port}")
}

#[tokio::test]
async fn private_authority_is_trusted_where_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("authority.pem");
    let url = private_server(&file);
    let ping = message("ping", json!({}));
    let refused = StdioServer::start(&url, Some("am_x")).exchange(&ping).await;
    let text = refused["error"]["message"].as_str().unwrap();
    assert!(text.contains("certificate") && text.contains("INBOXD_OUTBOUND_CA_FILE"), "{text}");
    let trusted = StdioServer::start_trusting(&url, Some("am_x"), Some(&file)).exchange(&ping).await;
    assert_eq!(trusted["result"], json!({}), "{trusted:#}");
    let missing = folder.path().join("missing.pem");
    let output =
        StdioServer::start_trusting(&url, Some("am_x"), Some(&missing)).child.wait_with_output().await.unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && text.contains("INBOXD_OUTBOUND_CA_FILE"), "{text}");
}

#[tokio::test]
async fn host_that_does_not_answer_is_given_up() {
    // The system drops the handshakes of further connections while two wait to be accepted.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    while let Ok(stream) = tokio::time::timeout(std::time::Duration::from_secs(1), TcpStream::connect(address)).await {
        waiting.push(stream.unwrap());
    }
    let mut program = StdioServer::start(&format!("http://{address}"), Some("am_x"));
    let refused = program.exchange(&message("ping", json!({}))).await;
    let text = refused["error"]["message"].as_str().unwrap();
    assert!(text.contains("no connection within 10 s") && text.contains("--url"), "{text}");
}
