//! Marks of texts between persons, or about attacks.

use super::super::concept::Concept;
use super::{Hit, Scene, starts_rule};

impl Scene<'_> {
    /// Marks of a text from a person to a person, or about attacks.
    pub(super) fn excuses(&self) -> i32 {
        3 * i32::from(self.has(Concept::Own))
            + i32::from(self.has(Concept::Polite))
            + 3 * i32::from(self.is_mention())
            + 2 * i32::from(self.is_quoted())
            + 3 * i32::from(self.tells_of_machine())
            // A notice of confidentiality asks persons for silence.
            + 3 * i32::from(self.has(Concept::Notice) && self.machines.is_empty())
    }

    /// Returns whether the text is about attacks. Behind the name of an addressed machine such a word has another meaning.
    pub(super) fn is_mention(&self) -> bool {
        let heading = self.machines.iter().find(|name| self.is_heading(name)).map(|name| name.end);
        let is_before = |hit: &&Hit| heading.is_none_or(|end| hit.start < end);
        let around = self.before.iter().chain(self.behind).filter(|_| heading.is_none());
        self.here.iter().filter(is_before).chain(around).any(|hit| hit.meaning == Concept::Mention)
    }

    /// Returns whether a machine is the subject of a revocation: "the chatbot often ignores my instructions".
    fn tells_of_machine(&self) -> bool {
        let of = |sought: fn(Concept) -> bool| self.here.iter().filter(move |hit| sought(hit.meaning));
        of(|concept| matches!(concept, Concept::Machine | Concept::Assistant)).any(|subject| {
            of(|concept| concept == Concept::Override)
                .any(|verb| self.text.get(subject.end..verb.start).is_some_and(|between| between == " "))
        })
    }

    /// Returns whether the first word of a rule stands in quotation marks.
    fn is_quoted(&self) -> bool {
        const OPENING: [char; 9] = ['"', '“', '„', '«', '‘', '「', '『', '`', '\''];
        let is_rule = |hit: &&Hit| {
            starts_rule(hit.meaning)
                && !matches!(hit.meaning, Concept::Artificial | Concept::Ask | Concept::Assistant | Concept::Machine)
        };
        let Some(first) = self.here.iter().find(is_rule) else { return false };
        let before = self.text.get(..first.start).unwrap_or_default();
        before.chars().rev().take(3).any(|c| OPENING.contains(&c))
    }
}
