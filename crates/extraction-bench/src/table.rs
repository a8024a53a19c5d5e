//! Printable table of the scores of several readers.
//!
//! A reader is a program that extracts the new text of a reply: inboxd, or another one with results in files.

use std::collections::BTreeMap;

use crate::score::ReadingScore;

/// Scores of one reader by message group.
#[derive(Debug, Default)]
pub struct ReaderScores {
    scores: BTreeMap<String, ReadingScore>,
}

impl ReaderScores {
    /// Adds a result to each of the groups.
    pub fn add(&mut self, groups: &[&str], expected: &str, read: &str) {
        for group in groups {
            self.scores.entry((*group).to_owned()).or_default().add(expected, read);
        }
    }

    /// Returns the score of a group; empty for an unknown group.
    #[must_use]
    pub fn of(&self, group: &str) -> ReadingScore {
        self.scores.get(group).copied().unwrap_or_default()
    }
}

/// Formats a line for each group: exact matches and mean F1 of each reader, in per cent.
#[must_use]
pub fn lines(groups: &[&str], readers: &[(String, ReaderScores)]) -> Vec<String> {
    let line = |title: &str, mails: &str, cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:>23}")).collect();
        format!("{title:<26} {mails:>5}{}", cells.concat())
    };
    let names = readers.iter().map(|(name, _)| name.clone()).collect();
    let mut lines = vec![line("exact % / token F1 %", "mails", names)];
    for group in groups {
        let mails = readers.first().map_or(0, |(_, reader)| reader.of(group).mails);
        let scores = readers.iter().map(|(_, reader)| reader.of(group));
        let cells = scores.map(|score| format!("{:.1} / {:.1}", 100.0 * score.exact_rate(), 100.0 * score.mean_f1()));
        lines.push(line(group, &mails.to_string(), cells.collect()));
    }
    lines
}
