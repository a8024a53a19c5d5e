//! The parent: starts a child for each document and waits for its text.

use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use inboxd_core::AttachmentTextRefusal;
use inboxd_core::ports::{AttachedDocument, AttachmentText, ExtractedText, TextFormat};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::message::{MAX_RESPONSE_BYTES, read_response, request_head};

/// Argument that makes the program a child.
pub const CHILD_COMMAND: &str = "extract-text";
/// The running program, also after its file was replaced.
const OWN_PROGRAM: &str = "/proc/self/exe";
/// Time from the start of a child until it is ended.
const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The allocator reserves no address space ahead, which would count against the limit of the child.
const ENVIRONMENT: [(&str, &str); 2] = [("MIMALLOC_ARENA_RESERVE", "0"), ("MIMALLOC_DISALLOW_ARENA_ALLOC", "1")];

/// Reader of documents that starts the running program again for each of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextProcess;

/// End of a child.
struct ChildEnd {
    status: ExitStatus,
    response: Vec<u8>,
}

#[async_trait]
impl AttachmentText for TextProcess {
    async fn extract(
        &self,
        document: AttachedDocument,
        format: TextFormat,
    ) -> Result<ExtractedText, AttachmentTextRefusal> {
        let start = Command::new(OWN_PROGRAM)
            .arg0("inboxd")
            .arg(CHILD_COMMAND)
            .env_clear()
            .envs(ENVIRONMENT)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let child = start.map_err(|error| {
            tracing::error!(%error, "extraction process not started");
            AttachmentTextRefusal::Failed
        })?;
        // A child that is late is killed when its handle is dropped.
        match timeout(TIME_LIMIT, communicate(child, &document, format)).await {
            Err(_) => Err(AttachmentTextRefusal::TimedOut),
            Ok(Err(error)) => {
                tracing::error!(%error, "extraction process failed");
                Err(AttachmentTextRefusal::Failed)
            }
            Ok(Ok(end)) => result(&end),
        }
    }
}

/// Sends the document and reads the response until the child ends.
async fn communicate(mut child: Child, document: &AttachedDocument, format: TextFormat) -> std::io::Result<ChildEnd> {
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let send = async {
        let Some(mut input) = input else { return };
        // A child that ended early reads no more; its exit status shows the cause.
        let _ = input.write_all(&request_head(document, format)).await;
        let _ = input.write_all(&document.content).await;
    };
    let receive = async {
        let mut response = Vec::new();
        if let Some(output) = output {
            let max_bytes = u64::try_from(MAX_RESPONSE_BYTES).unwrap_or(u64::MAX);
            output.take(max_bytes).read_to_end(&mut response).await?;
        }
        Ok::<_, std::io::Error>(response)
    };
    let ((), response) = tokio::join!(send, receive);
    Ok(ChildEnd { response: response?, status: child.wait().await? })
}

fn result(end: &ChildEnd) -> Result<ExtractedText, AttachmentTextRefusal> {
    match end.status.signal() {
        None if end.status.success() => read_response(&end.response).unwrap_or(Err(AttachmentTextRefusal::Failed)),
        // An allocation beyond the limit and an overflow of the stack abort the process.
        Some(libc::SIGABRT | libc::SIGSEGV | libc::SIGBUS) => Err(AttachmentTextRefusal::TooLarge),
        Some(libc::SIGXCPU | libc::SIGKILL) => Err(AttachmentTextRefusal::TimedOut),
        signal => {
            tracing::error!(?signal, code = end.status.code(), "extraction process failed");
            Err(AttachmentTextRefusal::Failed)
        }
    }
}
