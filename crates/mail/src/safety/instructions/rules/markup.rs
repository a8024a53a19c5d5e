//! Markup of models.

use super::super::concept::Concept;
use super::{Hit, MAX_GREETING_GAP, Scene};

impl Scene<'_> {
    /// `<|im_start|>system`, "System message: the AI agent must …"
    pub(super) fn markup(&self) -> i32 {
        let starts = || {
            let mut marks = self.here.iter().filter(|hit| hit.meaning == Concept::MarkupWeak);
            marks.any(|hit| self.is_within(self.sentence.start..hit.start, MAX_GREETING_GAP))
        };
        let commands_machine =
            || starts() && !self.machines.is_empty() && self.is_around(&[Concept::Action, Concept::Must]);
        match () {
            () if self.has(Concept::Markup) => 2 + i32::from(self.is_structure()),
            () if self.has(Concept::MarkupWeak) => 1 + i32::from(commands_machine()),
            () => 0,
        }
    }

    /// Returns whether markup of a model stands where a host puts it: first in the sentence, or beside other markup or a tag.
    /// Elsewhere, and in questions, people write about it: "how do I escape `<|system|>`?"
    fn is_structure(&self) -> bool {
        let marks: Vec<&Hit> = self.here.iter().filter(|hit| hit.meaning == Concept::Markup).collect();
        let is_pair = |marks: &[&Hit]| matches!(marks, [one, other] if self.stands_within(one, other, 1));
        let before = |mark: &&Hit| self.text.get(self.sentence.start..mark.start).unwrap_or_default();
        let follows_tag = marks.iter().any(|mark| before(mark).trim_end().ends_with('>'));
        let is_placed = self.begins_with(Concept::Markup) || follows_tag || marks.windows(2).any(is_pair);
        self.is_hidden() || is_placed && !self.is_question()
    }

    /// Returns whether the sentence ends with a question mark.
    pub(super) fn is_question(&self) -> bool {
        self.text.get(self.sentence.clone()).is_some_and(|sentence| sentence.trim_end().ends_with(['?', '？', '؟']))
    }
}
