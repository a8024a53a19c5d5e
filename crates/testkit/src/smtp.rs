//! A client that speaks SMTP line by line, right or wrong, as the test says.

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

use crate::patience::PATIENCE;

/// What the server replied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The three digits; 0 when the connection was closed instead.
    pub code: u16,
    /// The text of each line.
    pub lines: Vec<String>,
}

impl Reply {
    /// Checks the code, and that the first line begins with the enhanced status code.
    #[track_caller]
    pub fn is(&self, code: u16, status: &str) {
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

    /// Connects to a server that may not be there, or be busy, and greets it.
    pub async fn try_connect(address: &str) -> Option<Self> {
        let mut client = Self { stream: BufReader::new(TcpStream::connect(address).await.ok()?) };
        let is_welcome = client.reply().await.code == 220 && client.ehlo().await.code == 250;
        is_welcome.then_some(client)
    }

    /// Connects from an address of loopback, as a client of another network. Returns the greeting, or the refusal.
    pub async fn connect_from(ip: [u8; 4], address: &str) -> (Self, Reply) {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind((ip, 0).into()).unwrap();
        let stream = socket.connect(address.parse().unwrap()).await.unwrap();
        let mut client = Self { stream: BufReader::new(stream) };
        let greeting = client.reply().await;
        (client, greeting)
    }

    /// Says EHLO.
    pub async fn ehlo(&mut self) -> Reply {
        self.command("EHLO client.example").await
    }

    /// Sends a line and reads the reply.
    pub async fn command(&mut self, line: &str) -> Reply {
        self.write(format!("{line}\r\n").as_bytes()).await;
        self.reply().await
    }

    /// Sends octets as they are. That the server has hung up is seen by the next reply.
    pub async fn write(&mut self, octets: &[u8]) {
        let _ = self.stream.write_all(octets).await;
    }

    /// Reads one reply of one or more lines.
    pub async fn reply(&mut self) -> Reply {
        let read = tokio::time::timeout(PATIENCE, self.read_reply()).await;
        assert!(read.is_ok(), "no reply within {PATIENCE:?}");
        read.unwrap()
    }

    async fn read_reply(&mut self) -> Reply {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            let read = self.stream.read_line(&mut line).await.unwrap_or(0);
            if read < 4 || !line.ends_with('\n') {
                return Reply { code: 0, lines: vec!["closed".to_owned()] };
            }
            let is_last = line.as_bytes()[3] != b'-';
            lines.push(line[4..].trim_end().to_owned());
            if is_last {
                return Reply { code: line[..3].parse().unwrap(), lines };
            }
        }
    }

    /// Delivers a mail: answers the first reply that is a refusal, or the one to its content.
    pub async fn deliver(&mut self, from: &str, to: &[&str], mail: &[u8]) -> Reply {
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
        self.write(&stuffed(mail)).await;
        self.reply().await
    }

    /// Ends the session in order.
    pub async fn quit(mut self) {
        self.command("QUIT").await;
    }
}

/// A mail as DATA sends it: dots doubled at the beginning of lines, and the dot that ends it (RFC 5321, section 4.5.2).
fn stuffed(mail: &[u8]) -> Vec<u8> {
    let mut octets = Vec::with_capacity(mail.len() + 64);
    for line in mail.split_inclusive(|octet| *octet == b'\n') {
        if line.starts_with(b".") {
            octets.push(b'.');
        }
        octets.extend_from_slice(line);
    }
    if !mail.ends_with(b"\r\n") {
        octets.extend_from_slice(b"\r\n");
    }
    octets.extend_from_slice(b".\r\n");
    octets
}
