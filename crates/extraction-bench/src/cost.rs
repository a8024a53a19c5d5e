//! Time that reading and judging a received message take.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use inboxd_core::model::{AuthResult, Authentication};
use inboxd_core::rules::trust::{
    Evidence, KnownIdentities, KnownPerson, Relation, SenderAddress, ServiceIdentity, judge,
};
use inboxd_mail::parse;

/// Time of one measurement.
const ROUND: Duration = Duration::from_millis(300);
/// Number of measurements; the fastest one counts.
const ROUNDS: usize = 7;
/// Number of people that an organization knows at most.
const PEOPLE: usize = 300;

/// Times of one message.
#[derive(Debug, Clone, Copy)]
pub struct MessageCost {
    /// Parsing, with the findings of the content.
    pub parsing: Duration,
    /// The verdict, from the findings and 300 known people.
    pub judging: Duration,
}

/// Measures a message with a text of about this length, made of the words of other messages, as text and as HTML.
#[must_use]
pub fn measure(words: &str, length: usize) -> MessageCost {
    let text = words.get(..words.floor_char_boundary(length)).unwrap_or(words);
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    let raw = format!(
        "From: Kim Larsen <kim@larsen.example>\r\nTo: agent@inboxd.example\r\nSubject: Site plan\r\nMIME-Version: 1.0\r\n\
         Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
         {text}\r\n--b\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>{}</p>\r\n--b--\r\n",
        escaped.replace("\n\n", "</p><p>")
    );
    let evidence = evidence(raw.as_bytes());
    MessageCost {
        parsing: fastest(|| drop(black_box(parse(black_box(raw.as_bytes()))))),
        judging: fastest(|| drop(black_box(judge(black_box(&evidence))))),
    }
}

fn evidence(raw: &[u8]) -> Evidence {
    let person = |number: usize| KnownPerson {
        name: Some(format!("Person {number} Larssen")),
        address: format!("person{number}@firm{number}.example"),
        relation: Relation::Correspondent,
        pod_id: None,
    };
    let domains = vec!["inboxd.example".to_owned()];
    let shared = domains.clone();
    let service = ServiceIdentity { name: "inboxd".to_owned(), shared, domains, ..ServiceIdentity::default() };
    let pass = AuthResult::Pass;
    let mail = parse(raw);
    let from = mail.from.into_iter().next();
    Evidence {
        from: from.map(|from| SenderAddress { name: from.name, address: from.address }),
        authentication: Some(Authentication { spf: pass, dkim: pass, dmarc: pass, aligned_domain: None, arc: None }),
        findings: mail.safety,
        known: Arc::new(KnownIdentities::new(service, (0..PEOPLE).map(person).collect())),
        ..Evidence::default()
    }
}

/// Returns the time of one call in the fastest measurement.
fn fastest(mut call: impl FnMut()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let (start, mut calls) = (Instant::now(), 0);
        while start.elapsed() < ROUND {
            call();
            calls += 1;
        }
        start.elapsed() / calls
    });
    rounds.min().unwrap_or_default()
}
