//! Minimal SMTP client.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// SMTP session.
pub(crate) struct Session {
    replies: BufReader<TcpStream>,
    commands: TcpStream,
}

impl Session {
    /// Connects and sends EHLO.
    pub(crate) fn open(address: SocketAddr) -> io::Result<Self> {
        let commands = TcpStream::connect(address)?;
        commands.set_nodelay(true)?;
        let mut session = Self { replies: BufReader::new(commands.try_clone()?), commands };
        session.expect("220")?;
        session.say("EHLO client.bench.example\r\n", "250")?;
        Ok(session)
    }

    /// Sends one message with a pipelined envelope. Returns the time from MAIL to the 250 for its content, which ends
    /// with CRLF.CRLF.
    pub(crate) fn send(&mut self, sender: &str, recipient: &str, content: &[u8]) -> io::Result<Duration> {
        let began = Instant::now();
        let envelope = format!("MAIL FROM:<{sender}>\r\nRCPT TO:<{recipient}>\r\nDATA\r\n");
        self.commands.write_all(envelope.as_bytes())?;
        for code in ["250", "250", "354"] {
            self.expect(code)?;
        }
        self.commands.write_all(content)?;
        self.expect("250")?;
        Ok(began.elapsed())
    }

    /// Ends the session with QUIT.
    pub(crate) fn quit(mut self) -> io::Result<()> {
        self.say("QUIT\r\n", "221")
    }

    fn say(&mut self, text: &str, code: &str) -> io::Result<()> {
        self.commands.write_all(text.as_bytes())?;
        self.expect(code)
    }

    fn expect(&mut self, code: &str) -> io::Result<()> {
        let mut line = String::new();
        loop {
            line.clear();
            self.replies.read_line(&mut line)?;
            if !line.starts_with(code) {
                return Err(io::Error::other(format!("expected {code}, got {line:?}")));
            }
            if line.as_bytes().get(3) != Some(&b'-') {
                return Ok(());
            }
        }
    }
}
