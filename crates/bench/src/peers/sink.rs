//! smtp-sink, which discards and counts messages.

use std::io::Read;
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use crate::outcome::Outcome;
use crate::peers::postfix::free_address;

/// Limit for the arrival of messages.
const ARRIVAL_TIMEOUT: Duration = Duration::from_mins(2);

/// Running sink. Dropping it stops the process.
pub(crate) struct Sink {
    pub(crate) address: SocketAddr,
    process: Child,
    taken: Arc<AtomicUsize>,
}

impl Sink {
    /// Starts a sink.
    pub(crate) fn start() -> Outcome<Self> {
        let address = free_address()?;
        let mut process = Command::new("/usr/sbin/smtp-sink")
            .args(["-c", "-u", "nobody", &address.to_string(), "1024"])
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("smtp-sink cannot be run: {error}; install postfix"))?;
        let output = process.stdout.take().ok_or("smtp-sink says nothing")?;
        let taken = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&taken);
        thread::spawn(move || follow(output, &counted));
        let sink = Self { address, process, taken };
        let began = Instant::now();
        while TcpStream::connect(address).is_err() {
            if began.elapsed() > ARRIVAL_TIMEOUT {
                return Err("smtp-sink does not listen".into());
            }
            sleep(Duration::from_millis(10));
        }
        Ok(sink)
    }

    /// Returns the number of received messages.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }

    /// Waits for so many messages.
    pub(crate) fn until(&self, mails: usize) -> Outcome<()> {
        let began = Instant::now();
        while self.taken() < mails {
            if began.elapsed() > ARRIVAL_TIMEOUT {
                return Err(format!("{} of {mails} mails have arrived", self.taken()).into());
            }
            sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads the counters: `sess=1 quit=0 mesg=5` and a carriage return.
fn follow(mut output: ChildStdout, taken: &AtomicUsize) {
    let mut line = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = output.read(&mut buffer) {
        line.extend_from_slice(buffer.get(..length).unwrap_or_default());
        let Some(end) = line.iter().rposition(|byte| *byte == b'\r') else { continue };
        let rest = line.split_off(end);
        let text = String::from_utf8_lossy(&line);
        let count = text.rsplit("mesg=").next().and_then(|count| count.trim().parse().ok());
        if let Some(count) = count {
            taken.store(count, Ordering::SeqCst);
        }
        line = rest;
    }
}
