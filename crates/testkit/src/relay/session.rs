//! SMTP session of the relay. It reads one command at a time, which also serves pipelining.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::replies::DISCONNECT;
use super::{ConfirmedMail, RelayedMail, State};

const EXTENSIONS: &str = "250-relay.example\r\n250-PIPELINING\r\n250-SIZE 100000000\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 ENHANCEDSTATUSCODES\r\n";

/// Runs the session until the client quits or disconnects.
pub(super) async fn serve(stream: TcpStream, state: Arc<State>) {
    // A client that disconnects is no failure of the relay.
    let _ = talk(BufReader::new(stream), &state).await;
}

async fn talk(mut stream: BufReader<TcpStream>, state: &State) -> std::io::Result<()> {
    stream.write_all(b"220 relay.example ESMTP\r\n").await?;
    let (mut from, mut to) = (String::new(), Vec::new());
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let upper = line.to_ascii_uppercase();
        let reply = if upper.starts_with("EHLO") && state.is_tls_broken.load(Ordering::SeqCst) {
            EXTENSIONS.replace("250-SIZE", "250-STARTTLS\r\n250-SIZE")
        } else if upper.starts_with("EHLO") {
            EXTENSIONS.to_owned()
        } else if upper.starts_with("STARTTLS") {
            return stream.write_all(b"220 2.0.0 go ahead\r\n").await;
        } else if upper.starts_with("MAIL FROM:") {
            (from, to) = (path(&line), Vec::new());
            line_of("250 2.1.0 ok")
        } else if upper.starts_with("RCPT TO:") {
            let recipient = path(&line);
            let reply = state.replies.lock().unwrap().next(&recipient);
            if reply == DISCONNECT {
                return Ok(());
            }
            if reply.starts_with('2') {
                to.push(recipient);
            }
            line_of(&reply)
        } else if upper.starts_with("DATA") && to.is_empty() {
            line_of("554 5.5.1 no valid recipients")
        } else if upper.starts_with("DATA") {
            stream.write_all(b"354 go on\r\n").await?;
            let raw = content(&mut stream).await?;
            let mail = RelayedMail { from: from.clone(), to: std::mem::take(&mut to), raw };
            state.mails.lock().unwrap().push(mail.clone());
            let delay = *state.delay.lock().unwrap();
            tokio::time::sleep(delay).await;
            let _ = state.reply_permits.acquire().await;
            stream.write_all(b"250 2.0.0 taken\r\n").await?;
            state.confirmed.lock().unwrap().push(ConfirmedMail { mail, at: Instant::now() });
            continue;
        } else if upper.starts_with("RSET") || upper.starts_with("NOOP") {
            to.clear();
            line_of("250 2.0.0 ok")
        } else if upper.starts_with("QUIT") {
            return stream.write_all(b"221 2.0.0 goodbye\r\n").await;
        } else {
            line_of("502 5.5.1 not here")
        };
        stream.write_all(reply.as_bytes()).await?;
    }
}

/// Reads up to the line with a single dot and removes doubled dots (RFC 5321, section 4.5.2).
async fn content(stream: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut raw = Vec::new();
    loop {
        let mut line = Vec::new();
        let read = stream.take(100_000_000).read_until(b'\n', &mut line).await?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        if line == b".\r\n" {
            return Ok(raw);
        }
        raw.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
    }
}

fn line_of(reply: &str) -> String {
    format!("{reply}\r\n")
}

fn path(line: &str) -> String {
    let start = line.find('<').map_or(0, |place| place + 1);
    let end = line.rfind('>').unwrap_or(line.len());
    line[start..end].to_owned()
}
