//! Previews and codes by language, compared with short messages of the collection.
//!
//! A language is one file. A line `%% <kind> <name> <form>` precedes each message: its kind (`preview` or `code`), its
//! name and its form (`text` or `html`). A line `%= ` behind the message has the expected preview or code; `-` is none.

use std::fmt;
use std::fs;
use std::io;
use std::path::Path;

use inboxd_mail::{ParsedMail, parse};

use crate::collection;
use crate::score::as_float;

/// Beginning of the line above a message.
const HEAD: &str = "%% ";
/// Beginning of the line below it.
const EXPECTED: &str = "%= ";
/// Expected code of a message without one.
const NONE: &str = "-";

/// Kind of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShortKind {
    /// Compared by its preview.
    Preview,
    /// Compared by its best code.
    Code,
}

/// A short message with the expected result.
#[derive(Debug)]
pub struct ShortMessage {
    /// Kind of the message.
    pub kind: ShortKind,
    /// Name within language and kind, for instance `banner`.
    pub name: String,
    /// Raw message.
    pub raw: Vec<u8>,
    /// Expected preview or code.
    pub expected: String,
}

/// Exact results among all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExactTally {
    /// Number of messages.
    pub mails: usize,
    /// Number of messages with the expected result.
    pub exact: usize,
}

/// Scores of one language.
#[derive(Debug)]
pub struct LanguageScores {
    /// Language, for instance `en`.
    pub language: String,
    /// Scores of previews.
    pub previews: ExactTally,
    /// Scores of codes.
    pub codes: ExactTally,
    /// Scores of new text, of the folder `replies`.
    pub replies: ExactTally,
}

impl ShortMessage {
    /// Returns the result of the reader.
    #[must_use]
    pub fn read(&self) -> String {
        let mail = parse(&self.raw);
        match self.kind {
            ShortKind::Preview => mail.preview.unwrap_or_default(),
            ShortKind::Code => best_code(&mail),
        }
    }
}

impl ExactTally {
    /// Adds a message.
    pub fn add(&mut self, is_exact: bool) {
        self.mails += 1;
        self.exact += usize::from(is_exact);
    }

    /// Returns the share of exact results, 0 to 1.
    #[must_use]
    pub fn rate(&self) -> f64 {
        as_float(self.exact) / as_float(self.mails.max(1))
    }
}

impl fmt::Display for ExactTally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.0} ({})", 100.0 * self.rate(), self.mails)
    }
}

/// Returns the code with the highest confidence, without spaces.
fn best_code(mail: &ParsedMail) -> String {
    mail.codes.first().map_or_else(|| NONE.to_owned(), |code| code.code.clone())
}

/// Reads the short messages of a language.
///
/// # Errors
///
/// An unreadable file or a malformed message.
pub fn read(file: &Path) -> io::Result<Vec<ShortMessage>> {
    let text = fs::read_to_string(file)?;
    let wrong = |message: &str| io::Error::other(format!("{}: {message}", file.display()));
    let (each, head) = (format!("\n{text}"), format!("\n{HEAD}"));
    let messages = each.split(head.as_str()).skip(1).map(|message| {
        let parsed = message_of(message);
        parsed.ok_or_else(|| wrong(message.lines().next().unwrap_or_default()))
    });
    messages.collect()
}

fn message_of(message: &str) -> Option<ShortMessage> {
    let (head, rest) = message.split_once('\n')?;
    let (content, expected) = rest.split_once(&format!("\n{EXPECTED}"))?;
    let mut words = head.split(' ');
    let kind = match words.next()? {
        "preview" => ShortKind::Preview,
        "code" => ShortKind::Code,
        _ => return None,
    };
    let name = words.next()?.to_owned();
    let media = match words.next()? {
        "text" => "plain",
        "html" => "html",
        _ => return None,
    };
    let head = format!(
        "From: Fern <fern@fern.example>\nTo: ines@inboxd.example\nMIME-Version: 1.0\n\
        Content-Type: text/{media}; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"
    );
    Some(ShortMessage { kind, name, raw: (head + content).into_bytes(), expected: expected.trim_end().to_owned() })
}

/// Scores all languages of a collection, and returns the deviations from the expected results as lines.
///
/// # Errors
///
/// An unreadable or malformed collection.
pub fn score(folder: &Path) -> io::Result<(Vec<LanguageScores>, Vec<String>)> {
    let replies = collection::read(&folder.join("replies"), "txt")?;
    let (mut scores, mut deviations) = (Vec::new(), Vec::new());
    for file in collection::entries(&folder.join("languages"))? {
        let language = collection::last(&file.with_extension(""));
        let [mut previews, mut codes, mut answers] = [ExactTally::default(); 3];
        for message in read(&file)? {
            let found = message.read();
            let tally = if message.kind == ShortKind::Preview { &mut previews } else { &mut codes };
            tally.add(found == message.expected);
            if found != message.expected {
                let ShortMessage { kind, name, expected, .. } = message;
                deviations.push(format!("=== {language} {kind:?} {name}\n--- expected\n{expected}\n--- read\n{found}"));
            }
        }
        for case in replies.iter().filter(|case| case.language == language) {
            let new = parse(&case.raw).extracted_text.unwrap_or_default();
            answers.add(crate::score::words(&new) == crate::score::words(&case.expected));
        }
        scores.push(LanguageScores { language, previews, codes, replies: answers });
    }
    Ok((scores, deviations))
}
