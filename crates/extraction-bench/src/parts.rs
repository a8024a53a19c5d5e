//! Scores of the parts of messages: new text, new HTML, signature and footer.

use std::fmt;

use inboxd_mail::{parse, text_from_html};

use crate::collection::ExpectedMessage;
use crate::score::{ReadingScore, as_float, kept};

/// Scores of all parts.
#[derive(Debug, Clone, Copy, Default)]
pub struct PartScores {
    /// New text.
    pub text: ReadingScore,
    /// New text of messages in languages other than English.
    pub text_beside_english: ReadingScore,
    /// New HTML as text.
    pub html: ReadingScore,
    /// Signatures of the messages that have one or for which one was reported.
    pub signature: ReadingScore,
    /// Footers of the messages that have one or for which one was reported.
    pub footer: ReadingScore,
    /// Number of expected words of new text that were reported as new text.
    kept: usize,
    /// Number of all expected words of new text.
    expected: usize,
}

impl PartScores {
    /// Reads and scores messages.
    #[must_use]
    pub fn of(messages: &[ExpectedMessage]) -> Self {
        let mut scores = Self::default();
        for message in messages {
            let mail = parse(&message.raw);
            let text = mail.extracted_text.unwrap_or_default();
            scores.text.add(&message.expected, &text);
            if message.language != "en" {
                scores.text_beside_english.add(&message.expected, &text);
            }
            scores.keep(&message.expected, &text);
            if let Some(html) = mail.extracted_html {
                let text = text_from_html(&html);
                scores.html.add(&message.expected, &text);
                scores.keep(&message.expected, &text);
            }
            let parts = [
                (&mut scores.signature, &message.signature, mail.signature),
                (&mut scores.footer, &message.footer, mail.footer),
            ];
            for (score, expected, read) in parts {
                if !expected.is_empty() || read.is_some() {
                    score.add(expected, &read.unwrap_or_default());
                }
            }
        }
        scores
    }

    fn keep(&mut self, expected: &str, read: &str) {
        let (kept, all) = kept(expected, read);
        self.kept += kept;
        self.expected += all;
    }

    /// Returns the share of the words of new text that remain, 0 to 1.
    #[must_use]
    pub fn kept_rate(&self) -> f64 {
        as_float(self.kept) / as_float(self.expected.max(1))
    }
}

impl fmt::Display for PartScores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            ("text", self.text),
            ("text, others", self.text_beside_english),
            ("HTML", self.html),
            ("signature", self.signature),
            ("footer", self.footer),
        ];
        for (name, score) in parts {
            let (exact, f1) = (100.0 * score.exact_rate(), 100.0 * score.mean_f1());
            writeln!(f, "{name:<18} {:>5} {exact:>7.1} / {f1:.1}", score.mails)?;
        }
        write!(f, "{:<18} {:>13.2}", "new text kept", 100.0 * self.kept_rate())
    }
}
