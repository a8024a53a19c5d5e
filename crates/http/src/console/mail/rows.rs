//! Threads in lists.

use inboxd_core::model::{Actor, Labels, Thread};
use inboxd_core::rules::labels::SYSTEM_LABELS;

use crate::console::links;
use crate::console::text::shown;
use crate::console::time::Moment;

/// Maximum characters of a subject.
pub(super) const MAX_SUBJECT_CHARS: usize = 200;
/// Maximum characters of a name with its address.
pub(super) const MAX_PERSON_CHARS: usize = 120;
/// Maximum characters of a preview.
const MAX_PREVIEW_CHARS: usize = 140;
/// Labels that a list shows by other means.
const NOT_SHOWN: [&str; 4] = ["received", "sent", "unread", "delivered"];

/// A thread in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ThreadRow {
    pub(super) id: String,
    pub(super) href: String,
    pub(super) subject: String,
    /// Its senders; in the list of sent mail its recipients.
    pub(super) people: String,
    pub(super) preview: String,
    pub(super) moment: Moment,
    pub(super) count: u64,
    pub(super) is_unread: bool,
    pub(super) labels: Vec<LabelBadge>,
    pub(super) assignee: Option<String>,
    pub(super) attachments: usize,
    /// Address of its inbox, in lists of several.
    pub(super) inbox: Option<String>,
}

/// People that a list names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListedPeople {
    Senders,
    Recipients,
}

impl ThreadRow {
    /// Returns the row of a thread.
    pub(super) fn new(thread: &Thread, people: ListedPeople) -> Self {
        let named = match people {
            ListedPeople::Senders if !thread.senders.is_empty() => &thread.senders,
            ListedPeople::Senders | ListedPeople::Recipients => &thread.recipients,
        };
        Self {
            id: thread.thread_id.to_string(),
            href: links::thread(&thread.inbox_id, thread.thread_id),
            subject: subject(thread.subject.as_deref()),
            people: people_of(named),
            preview: thread.preview.as_deref().map(|text| shown(text, MAX_PREVIEW_CHARS)).unwrap_or_default(),
            moment: Moment(thread.timestamp),
            count: thread.message_count,
            is_unread: thread.labels.contains("unread"),
            labels: badges(&thread.labels),
            assignee: thread.assignee.as_ref().map(name_of),
            attachments: thread.attachments.len(),
            inbox: None,
        }
    }

    /// Returns the row with the address of its inbox.
    pub(super) fn with_inbox(mut self, thread: &Thread) -> Self {
        self.inbox = Some(thread.inbox_id.to_string());
        self
    }
}

/// Returns a subject that a link can show.
pub(super) fn subject(subject: Option<&str>) -> String {
    let subject = subject.map(|text| shown(text, MAX_SUBJECT_CHARS)).unwrap_or_default();
    if subject.is_empty() { "(no subject)".to_owned() } else { subject }
}

fn people_of(people: &[String]) -> String {
    let Some((first, others)) = people.split_first() else { return "(nobody)".to_owned() };
    let first = shown(first, MAX_PERSON_CHARS);
    match others.len() {
        0 => first,
        1 => format!("{first} and 1 other"),
        others => format!("{first} and {others} others"),
    }
}

/// Returns the name of an author or assignee.
pub(super) fn name_of(actor: &Actor) -> String {
    match actor {
        Actor::Member { name, email, .. } if name.trim().is_empty() => shown(email, MAX_PERSON_CHARS),
        Actor::Member { name, .. } | Actor::ApiKey { name, .. } => shown(name, MAX_PERSON_CHARS),
    }
}

/// A label as lists and threads show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LabelBadge {
    pub(super) name: String,
    /// Class of its colour.
    pub(super) class: &'static str,
    /// Whether a person can remove it.
    pub(super) is_own: bool,
}

/// Returns the labels to show.
pub(super) fn badges(labels: &Labels) -> Vec<LabelBadge> {
    labels.iter().filter(|label| !NOT_SHOWN.contains(label)).map(badge).collect()
}

fn badge(label: &str) -> LabelBadge {
    let class = match label {
        "spam" | "blocked" | "bounced" | "complained" | "rejected" => "bad",
        "unauthenticated" | "trash" => "warn",
        _ => "",
    };
    LabelBadge { name: shown(label, 64), class, is_own: !SYSTEM_LABELS.contains(&label) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn people_are_counted() {
        assert_eq!(people_of(&[]), "(nobody)");
        assert_eq!(people_of(&texts(&["Anna <a@b.example>"])), "Anna <a@b.example>");
        assert_eq!(people_of(&texts(&["a@b.example", "c@d.example"])), "a@b.example and 1 other");
        assert_eq!(people_of(&texts(&["a@b.example", "c@d.example", "e@f.example"])), "a@b.example and 2 others");
    }

    #[test]
    fn missing_subject_has_words() {
        assert_eq!(subject(None), "(no subject)");
        assert_eq!(subject(Some("\u{202e}\u{200b}")), "(no subject)");
        assert_eq!(subject(Some("Offer\u{202e} 1")), "Offer 1");
    }

    #[test]
    fn labels_have_colours() {
        let labels: Labels = ["received", "unread", "spam", "offer", "trash"].into_iter().collect();
        let found: Vec<_> = badges(&labels).into_iter().map(|badge| (badge.name, badge.class, badge.is_own)).collect();
        let expected = [("offer", "", true), ("spam", "bad", false), ("trash", "warn", true)];
        assert_eq!(found, expected.map(|(name, class, is_own)| (name.to_owned(), class, is_own)));
    }
}
