//! Limits of the child process. The test is its own child, so it has no harness.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use inboxd_core::AttachmentTextRefusal;
use inboxd_core::ports::{AttachedDocument, AttachmentText as _, ExtractedText, TextFormat};
use inboxd_extractor::{CHILD_COMMAND, TextProcess, limit_process, run_child};

/// The allocator of the program: its reserve must not lift the limit of memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Time within which each document ends, with the start of the process.
const TIME_LIMIT: Duration = Duration::from_millis(5500);

/// Argument that makes this program try what the limits deny.
const PROBE: &str = "probe";

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some(CHILD_COMMAND) => return run_child(),
        Some(PROBE) => return probe(),
        _ => {}
    }
    limits_deny_files_sockets_and_processes();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        documents_become_text().await;
        bombs_end_in_clear_states().await;
    });
    println!("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
    ExitCode::SUCCESS
}

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../documents/tests/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

async fn read(name: &str, content: Vec<u8>) -> Result<ExtractedText, AttachmentTextRefusal> {
    let start = Instant::now();
    let document = AttachedDocument { content, content_type: None, filename: Some(name.to_owned()) };
    let read = TextProcess.extract(document, TextFormat::Text).await;
    let taken = start.elapsed();
    println!("{name}: {taken:?}, {:?}", read.as_ref().map(|read| read.text.len()));
    assert!(taken < TIME_LIMIT, "{name}: {taken:?}");
    read
}

async fn documents_become_text() {
    for (name, words) in
        [("invoice.pdf", "1,234.50 €"), ("report.docx", "Quarterly report"), ("deck.pptx", "Say goodbye.")]
    {
        let text = read(name, sample(name)).await.unwrap().text;
        assert!(text.contains(words), "{name}: {text}");
    }
    assert_eq!(read("locked.pdf", sample("locked.pdf")).await, Err(AttachmentTextRefusal::Encrypted));
    assert_eq!(read("a.bin", vec![0; 100]).await, Err(AttachmentTextRefusal::Unsupported));
    let long = read("long.txt", vec![b'x'; 30 * 1024 * 1024]).await.unwrap();
    assert!(long.is_cut && long.text.len() == 1_000_000);
}

async fn bombs_end_in_clear_states() {
    // On a busy machine the time may end first.
    let huge = read("huge.pdf", sample("huge.pdf")).await;
    assert!(matches!(huge, Err(AttachmentTextRefusal::TooLarge | AttachmentTextRefusal::TimedOut)), "{huge:?}");
    assert_eq!(read("slow.pdf", sample("slow.pdf")).await, Err(AttachmentTextRefusal::TimedOut));
    let groups = [b"{\\rtf1 ".as_slice(), &b"{".repeat(20 * 1024 * 1024), b"x"].concat();
    let deep = read("deep.rtf", groups).await.map(|read| read.text);
    assert!(matches!(deep.as_deref(), Ok("x") | Err(AttachmentTextRefusal::TimedOut)), "{deep:?}");
}

/// Starts this program again as a limited process that tries what a document must never do.
fn limits_deny_files_sockets_and_processes() {
    let probe = std::process::Command::new("/proc/self/exe").arg(PROBE).output().unwrap();
    assert!(probe.status.success(), "{probe:?}");
}

fn probe() -> ExitCode {
    limit_process().unwrap();
    let denied = [
        std::fs::File::open("/etc/passwd").is_err(),
        std::fs::write("/tmp/inboxd-extractor-probe", b"x").is_err(),
        std::net::TcpStream::connect("127.0.0.1:1").is_err_and(|error| error.raw_os_error() == Some(1)),
        std::net::UdpSocket::bind("127.0.0.1:0").is_err(),
        std::process::Command::new("/bin/true").spawn().is_err(),
        std::thread::Builder::new().spawn(|| ()).is_err(),
        limit_process().is_err(),
    ];
    println!("{denied:?}");
    if denied.iter().all(|denied| *denied) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
