//! Persistent API connection.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::outcome::{Outcome, ms};
use crate::report::Spread;

/// Number of requests in a time measurement, unless one takes long.
const MEASURED_REQUESTS: usize = 9;
/// Milliseconds beyond which a request is sent once.
const LONG_MS: f64 = 300.0;
/// Idle time after which a new connection is opened.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

/// API client with or without a key, or client of the console with a session.
pub(crate) struct Http {
    address: SocketAddr,
    /// Header line with the key or the session.
    credential: String,
    answers: BufReader<TcpStream>,
    requests: TcpStream,
    used: Instant,
}

impl Http {
    /// Opens a connection.
    pub(crate) fn connect(address: SocketAddr, key: Option<&str>) -> Outcome<Self> {
        Self::open(address, key.map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default())
    }

    /// Opens a connection with the session of a person.
    pub(crate) fn with_session(address: SocketAddr, token: &str) -> Outcome<Self> {
        Self::open(address, format!("Cookie: inboxd_session={token}\r\n"))
    }

    fn open(address: SocketAddr, credential: String) -> Outcome<Self> {
        let requests = TcpStream::connect(address)?;
        requests.set_nodelay(true)?;
        let answers = BufReader::new(requests.try_clone()?);
        Ok(Self { address, credential, answers, requests, used: Instant::now() })
    }

    /// Sends a GET request, which must return 2xx.
    pub(crate) fn get(&mut self, path: &str) -> Outcome<Value> {
        self.call("GET", path, None)
    }

    /// Sends a GET request and returns the response bytes.
    pub(crate) fn bytes(&mut self, path: &str) -> Outcome<Vec<u8>> {
        self.exchange("GET", path, None)
    }

    /// Returns the median time of a GET request in milliseconds.
    ///
    /// The first request does not count, unless it takes too long to repeat. Each has a unique parameter without
    /// meaning, so no response is reused.
    pub(crate) fn median_ms(&mut self, path: &str) -> Outcome<f64> {
        static REQUEST_COUNTER: AtomicU64 = AtomicU64::new(0);
        let sign = if path.contains('?') { '&' } else { '?' };
        let mut once = || -> Outcome<f64> {
            let path = format!("{path}{sign}asked={}", REQUEST_COUNTER.fetch_add(1, Ordering::Relaxed));
            let began = Instant::now();
            self.bytes(&path)?;
            Ok(ms(began.elapsed()))
        };
        let first = once()?;
        if first > LONG_MS {
            return Ok(first);
        }
        let times = (0..MEASURED_REQUESTS).map(|_| once()).collect::<Outcome<Vec<_>>>()?;
        Ok(Spread::of(times.into_iter()).median)
    }

    /// Sends a POST request, which must return 2xx.
    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Outcome<Value> {
        self.call("POST", path, Some(body))
    }

    /// Sends a PATCH request, which must return 2xx.
    pub(crate) fn patch(&mut self, path: &str, body: &Value) -> Outcome<Value> {
        self.call("PATCH", path, Some(body))
    }

    fn call(&mut self, method: &str, path: &str, body: Option<&Value>) -> Outcome<Value> {
        Ok(serde_json::from_slice(&self.exchange(method, path, body)?)?)
    }

    fn exchange(&mut self, method: &str, path: &str, body: Option<&Value>) -> Outcome<Vec<u8>> {
        // The server closes connections that are idle for long.
        if self.used.elapsed() > IDLE_TIMEOUT {
            *self = Self::open(self.address, self.credential.clone())?;
        }
        let body = body.map(Value::to_string).unwrap_or_default();
        // MCP requires both media types.
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{}Accept: application/json, text/event-stream\r\nAccept-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.credential,
            body.len()
        );
        self.requests.write_all(request.as_bytes())?;
        let (status, answer) = self.answer()?;
        self.used = Instant::now();
        if (200..300).contains(&status) {
            return Ok(answer);
        }
        Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(&answer)).into())
    }

    fn answer(&mut self) -> Outcome<(u16, Vec<u8>)> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).ok_or_else(|| format!("not HTTP: {first:?}"))?.parse()?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(bytes) = line.strip_prefix("content-length:") {
                length = bytes.trim().parse()?;
            }
            is_chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        }
        let body = if is_chunked { self.chunks()? } else { self.read_bytes(length)? };
        Ok((status, body))
    }

    fn chunks(&mut self) -> Outcome<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(self.line()?.trim(), 16)?;
            body.extend(self.read_bytes(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn read_bytes(&mut self, length: usize) -> Outcome<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.answers.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn line(&mut self) -> Outcome<String> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err("the server hung up".into());
        }
        Ok(line.trim_end().to_owned())
    }
}

/// Encodes a path segment or query value.
pub(crate) use inboxd_testkit::encoded;
