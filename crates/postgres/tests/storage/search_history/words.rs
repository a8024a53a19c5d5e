//! Searches by words in random histories, compared with lists of words.

use inboxd_core::model::page::Direction;
use inboxd_core::model::{HidingLabels, MessageId, MessageItem, NewMessage, Scope, ThreadId};
use inboxd_core::ports::{MessageQuery, WordSearch, WordSearchReads};
use inboxd_core::rules::word_search::WordQuery;
use proptest::prelude::*;

use super::{History, Question, WORDS};

/// A term of a search by words: the beginning of a word, with its field (text, sender, subject), quoted or excluded.
#[derive(Debug, Clone)]
pub(super) struct Word {
    number: usize,
    length: usize,
    field: usize,
    is_quoted: bool,
    is_excluded: bool,
}

const FIELDS: [&str; 3] = ["", "from:", "subject:"];

impl Word {
    fn start(&self) -> String {
        let word = WORDS[self.number];
        // A term of punctuation alone has no words.
        let least = if word.starts_with('<') { 2 } else { 1 };
        word.chars().take(self.length.max(least)).collect()
    }

    fn query(&self) -> String {
        let (sign, quote) = (if self.is_excluded { "-" } else { "" }, if self.is_quoted { "\"" } else { "" });
        format!("{sign}{}{quote}{}{quote}", FIELDS[self.field], self.start())
    }

    /// Returns whether a part of a mail has the words, by a list of its words.
    fn is_in(&self, part: &str) -> bool {
        if self.start().contains(['会', '月']) {
            return part.contains(&self.start());
        }
        let split = |text: &str| -> Vec<String> {
            let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_lowercase).collect()
        };
        let wanted = split(&self.start());
        split(part).windows(wanted.len()).any(|words| {
            words.iter().zip(&wanted).enumerate().all(|(place, (word, wanted))| {
                word == wanted || (!self.is_quoted && place + 1 == words.len() && word.starts_with(wanted))
            })
        })
    }
}

/// Returns any term.
pub(super) fn term() -> impl Strategy<Value = Word> {
    let flags = (prop::bool::weighted(0.3), prop::bool::weighted(0.2));
    (0..WORDS.len(), 1..12_usize, 0..4_usize, flags).prop_map(|(number, length, field, (is_quoted, is_excluded))| {
        Word {
            number,
            length,
            // Half of the terms are about any part.
            field: field % FIELDS.len(),
            is_quoted,
            is_excluded,
        }
    })
}

impl History {
    /// Returns the fault of the responses to a search by words, if any.
    pub(super) async fn check_words(&self, question: &Question) -> Result<(), String> {
        let text = question.words.iter().map(Word::query).collect::<Vec<_>>().join(" ");
        let Ok(words) = WordQuery::parse(&text) else { return Ok(()) };
        let MessageQuery { organization_id, inbox_id, labels, before, after, included, page, .. } =
            self.query(question);
        // The whole organization is searched through the same inbox.
        let scope = if question.limit.is_multiple_of(2) { Scope::Organization } else { Scope::Inbox(inbox_id) };
        let (delivered_to, tag) = (None, None);
        let mut search =
            WordSearch { organization_id, scope, words, labels, before, after, included, delivered_to, tag, page };
        let (mut found, mut query) = (Vec::new(), search.clone());
        loop {
            let page = self.other.search_messages(&query).await.unwrap().unwrap();
            found.extend(page.items.into_iter().map(|one| one.item.message_id));
            let Some(next) = page.next else { break };
            query.page.after = Some(next);
        }
        let expected: Vec<MessageId> = self.by_words(&search, question).map(|item| item.message_id.clone()).collect();
        if found != expected {
            return Err(format!("{text} {search:?}\nfound {found:?}\nwanted {expected:?}"));
        }
        if !question.threads {
            return Ok(());
        }
        search.labels.clear();
        let mut expected: Vec<ThreadId> = Vec::new();
        let all = WordSearch { before: None, after: None, ..search.clone() };
        for item in self.by_words(&all, question) {
            let times = self.live.iter().map(|mail| &mail.message.item).filter(|one| one.thread_id == item.thread_id);
            let newest = times.map(|one| one.timestamp).max();
            let is_within = search.before.is_none_or(|before| newest < Some(before))
                && search.after.is_none_or(|after| newest > Some(after));
            if is_within && !expected.contains(&item.thread_id) {
                expected.push(item.thread_id);
            }
        }
        let (mut found, mut query) = (Vec::new(), search.clone());
        loop {
            let page = self.other.search_threads(&query).await.unwrap().unwrap();
            found.extend(page.items.into_iter().map(|one| one.thread.thread_id));
            let Some(next) = page.next else { break };
            query.page.after = Some(next);
        }
        if found == expected { Ok(()) } else { Err(format!("{text} {search:?}\nfound {found:?}\nwanted {expected:?}")) }
    }

    /// Returns the messages with the words of a question, in order.
    fn by_words<'a>(&'a self, search: &WordSearch, question: &Question) -> impl Iterator<Item = &'a MessageItem> {
        let is_found = |mail: &NewMessage, word: &Word| {
            let item = &mail.message.item;
            let subject = item.subject.as_deref().unwrap_or_default();
            match word.field {
                0 => {
                    let attachments = self.attachments.get(&item.message_id).into_iter().flatten().map(String::as_str);
                    [&item.from, subject, mail.message.body.text.as_deref().unwrap_or_default()]
                        .into_iter()
                        .chain(attachments)
                        .any(|part| word.is_in(part))
                }
                1 => word.is_in(&item.from),
                _ => word.is_in(subject),
            }
        };
        let mut found: Vec<&MessageItem> = self
            .live
            .iter()
            .filter(|mail| {
                let item = &mail.message.item;
                HidingLabels::of(&item.labels).shown_to(search.included)
                    && search.labels.iter().all(|label| item.labels.contains(label))
                    && search.before.is_none_or(|before| item.timestamp < before)
                    && search.after.is_none_or(|after| item.timestamp > after)
                    && question.words.iter().all(|word| is_found(mail, word) != word.is_excluded)
            })
            .map(|mail| &mail.message.item)
            .collect();
        found.sort_by_key(|item| (item.timestamp, item.message_id.as_str()));
        if search.page.direction == Direction::Descending {
            found.reverse();
        }
        found.into_iter()
    }
}
