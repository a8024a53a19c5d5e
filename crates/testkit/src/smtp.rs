//! SMTP client that sends single lines, valid or not.

use memchr::memmem;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

use crate::wait::WAIT_TIMEOUT;

/// A reply of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmtpReply {
    /// Reply code; 0 when the server closed the connection.
    pub code: u16,
    /// Text of each line.
    pub lines: Vec<String>,
}

impl SmtpReply {
    /// Requires the code, and the enhanced status code at the start of the first line.
    #[track_caller]
    pub fn require_code(&self, code: u16, status: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.lines[0].starts_with(status), "{self:?} does not begin with {status}");
    }
}

/// One SMTP session.
#[derive(Debug)]
pub struct SmtpClient {
    stream: BufReader<TcpStream>,
}

impl SmtpClient {
    /// Connects and reads the greeting.
    pub async fn connect(address: &str) -> Self {
        let mut client = Self { stream: BufReader::new(TcpStream::connect(address).await.unwrap()) };
        let greeting = client.reply().await;
        assert_eq!(greeting.code, 220, "{greeting:?}");
        client
    }

    /// Connects to a server that may be down or busy, and sends EHLO.
    pub async fn try_connect(address: &str) -> Option<Self> {
        let mut client = Self { stream: BufReader::new(TcpStream::connect(address).await.ok()?) };
        let is_welcome = client.reply().await.code == 220 && client.ehlo().await.code == 250;
        is_welcome.then_some(client)
    }

    /// Connects from a loopback address, as a client of another network. Returns the greeting or the refusal.
    pub async fn connect_from(ip: [u8; 4], address: &str) -> (Self, SmtpReply) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((ip, 0).into()).unwrap();
        let stream = socket.connect(address.parse().unwrap()).await.unwrap();
        let mut client = Self { stream: BufReader::new(stream) };
        let greeting = client.reply().await;
        (client, greeting)
    }

    /// Sends EHLO.
    pub async fn ehlo(&mut self) -> SmtpReply {
        self.command("EHLO client.example").await
    }

    /// Sends a line and reads the reply.
    pub async fn command(&mut self, line: &str) -> SmtpReply {
        self.write(format!("{line}\r\n").as_bytes()).await;
        self.reply().await
    }

    /// Sends raw bytes. The next reply shows whether the server has disconnected.
    pub async fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
    }

    /// Reads one reply of one or more lines.
    pub async fn reply(&mut self) -> SmtpReply {
        let read = tokio::time::timeout(WAIT_TIMEOUT, self.read_reply()).await;
        assert!(read.is_ok(), "no reply within {WAIT_TIMEOUT:?}");
        read.unwrap()
    }

    async fn read_reply(&mut self) -> SmtpReply {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.stream.read_line(&mut line).await.unwrap_or(0);
            if read < 4 || !line.ends_with('\n') {
                return SmtpReply { code: 0, lines: vec!["closed".to_owned()] };
            }
            let is_last = line.as_bytes()[3] != b'-';
            lines.push(line[4..].trim_end().to_owned());
            if is_last {
                return SmtpReply { code: line[..3].parse().unwrap(), lines };
            }
        }
    }

    /// Delivers a mail and returns the first refusal or the reply to its content.
    pub async fn deliver(&mut self, from: &str, to: &[&str], mail: &[u8]) -> SmtpReply {
        let sender = self.command(&format!("MAIL FROM:<{from}> BODY=8BITMIME SMTPUTF8")).await;
        if sender.code != 250 {
            return sender;
        }
        for recipient in to {
            let reply = self.command(&format!("RCPT TO:<{recipient}>")).await;
            if reply.code != 250 {
                return reply;
            }
        }
        let data = self.command("DATA").await;
        if data.code != 354 {
            return data;
        }
        self.write(&dot_stuff(mail)).await;
        self.reply().await
    }

    /// Ends the session with QUIT.
    pub async fn quit(mut self) {
        self.command("QUIT").await;
    }
}

/// Dot-stuffs a mail for DATA and appends the final dot (RFC 5321, section 4.5.2).
fn dot_stuff(mail: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(mail.len() + 64);
    if mail.starts_with(b".") {
        bytes.push(b'.');
    }
    let mut rest = mail;
    while let Some(end) = memmem::find(rest, b"\n.") {
        let (lines, dotted) = rest.split_at(end + 1);
        bytes.extend_from_slice(lines);
        bytes.push(b'.');
        rest = dotted;
    }
    bytes.extend_from_slice(rest);
    if !mail.ends_with(b"\r\n") {
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b".\r\n");
    bytes
}
