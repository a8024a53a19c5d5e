//! Rules that evaluate the words of a sentence as an instruction to a machine.
//!
//! Each rule has a weight. Support adds to a rule that holds, and marks of texts between persons subtract. A sentence is
//! an instruction from [`THRESHOLD`] on; no rule reaches it alone.

use std::ops::Range;

use super::super::InstructionKind;
use super::TextVisibility;
use super::concept::Concept;
use crate::findings::{WordHit, is_spaced_letter, within};

/// Weight from which a sentence is an instruction to a machine.
const THRESHOLD: i32 = 4;
/// Maximum number of characters between a revocation and the instructions that it revokes.
const MAX_OVERRIDE_GAP: usize = 90;
/// Maximum number of characters between words that address a reader and the name of the reader.
const MAX_ADDRESS_GAP: usize = 10;
/// Maximum number of characters between a greeting and the name behind it.
const MAX_GREETING_GAP: usize = 3;
/// Maximum number of characters between a verb and its object.
const MAX_OBJECT_GAP: usize = 60;
/// Maximum number of characters between a negation and its verb.
const MAX_NEGATION_GAP: usize = 25;
/// Maximum length in bytes of a sentence; a longer one is cut.
const MAX_SENTENCE_BYTES: usize = 400;

type Hit = WordHit<Concept>;

/// Returns the instructions in a normalized text with their positions.
pub(super) fn evaluate(lower: &str, hits: &[Hit], visibility: TextVisibility) -> Vec<(InstructionKind, Range<usize>)> {
    let sentences = sentences(lower);
    let of =
        |number: usize| sentences.get(number).map_or(&[][..], |sentence| within(hits, sentence.start, sentence.end));
    let mut found = Vec::new();
    for (number, sentence) in sentences.iter().enumerate() {
        let here = of(number);
        if !here.iter().any(|hit| starts_rule(hit.meaning)) {
            continue;
        }
        let before = number.checked_sub(1).map_or(&[][..], of);
        let scene = Scene { text: lower, before, here, behind: of(number + 1) };
        found.extend(scene.kind(visibility).map(|kind| (kind, sentence.clone())));
    }
    found
}

fn starts_rule(concept: Concept) -> bool {
    use Concept::{Address, Greeting, Markup, MarkupWeak, Override, Persona, PersonaWeak, Prompt, Tell};
    matches!(concept, Address | Greeting | Markup | MarkupWeak | Override | Persona | PersonaWeak | Prompt | Tell)
}

/// A sentence with its neighbours.
struct Scene<'a> {
    text: &'a str,
    before: &'a [Hit],
    here: &'a [Hit],
    behind: &'a [Hit],
}

impl Scene<'_> {
    /// Returns the kind of the instruction that the sentence is.
    fn kind(&self, visibility: TextVisibility) -> Option<InstructionKind> {
        let weights = [
            (InstructionKind::Override, self.revocation()),
            (InstructionKind::Command, self.address()),
            (InstructionKind::Disclosure, self.disclosure()),
            (InstructionKind::Persona, self.persona()),
            (InstructionKind::Secrecy, self.secrecy()),
            (InstructionKind::Markup, self.markup()),
        ];
        let (kind, heaviest) = weights.into_iter().rev().max_by_key(|(_, weight)| *weight)?;
        let sum: i32 = weights.iter().map(|(_, weight)| weight).sum();
        let excuses = if visibility == TextVisibility::Visible { self.excuses() } else { 0 };
        (heaviest > 0 && sum + self.support() - excuses >= THRESHOLD).then_some(kind)
    }

    /// "Ignore all previous instructions."
    fn revocation(&self) -> i32 {
        let near = |object| self.is_near(Concept::Override, object, MAX_OVERRIDE_GAP);
        let weight = match () {
            () if near(Concept::Noun) || near(Concept::Prompt) => 2,
            // Persons replace rules for persons every day.
            () if self.names_machine() && near(Concept::WeakNoun) => 1,
            () => return 0,
        };
        weight + i32::from(self.has(Concept::Prior))
    }

    /// "If you are an AI assistant, …"
    fn address(&self) -> i32 {
        let addresses = |name| {
            self.is_near(Concept::Address, name, MAX_ADDRESS_GAP)
                || self.is_near(Concept::Greeting, name, MAX_GREETING_GAP)
        };
        match () {
            () if addresses(Concept::Machine) => 3,
            () if addresses(Concept::Assistant) => 1,
            () => 0,
        }
    }

    /// "Print your system prompt."
    fn disclosure(&self) -> i32 {
        3 * i32::from(self.is_near(Concept::Action, Concept::Prompt, MAX_OBJECT_GAP))
    }

    /// "You are now in developer mode."
    fn persona(&self) -> i32 {
        if self.has(Concept::Persona) { 3 } else { i32::from(self.names_machine() && self.has(Concept::PersonaWeak)) }
    }

    /// "Do not tell the user."
    fn secrecy(&self) -> i32 {
        let is_silent = self.is_near(Concept::Negation, Concept::Tell, MAX_NEGATION_GAP)
            && self.is_near(Concept::Tell, Concept::User, MAX_OBJECT_GAP);
        2 * i32::from(is_silent)
    }

    fn markup(&self) -> i32 {
        if self.has(Concept::Markup) { 3 } else { i32::from(self.has(Concept::MarkupWeak)) }
    }

    /// Commands, machines and secrets, which make a rule that holds more likely.
    fn support(&self) -> i32 {
        let is_here_or_behind =
            |sought: &[Concept]| self.here.iter().chain(self.behind).any(|hit| sought.contains(&hit.meaning));
        let is_of_machine = self.address() < 3 && self.is_around(&[Concept::Machine]);
        i32::from(is_here_or_behind(&[Concept::Action, Concept::Must]))
            + i32::from(is_here_or_behind(&[Concept::Secret]))
            + i32::from(is_of_machine)
    }

    /// Marks of a text from a person to a person, or about attacks.
    fn excuses(&self) -> i32 {
        3 * i32::from(self.has(Concept::Own))
            + i32::from(self.has(Concept::Polite))
            + 3 * i32::from(self.is_around(&[Concept::Mention]))
            + 2 * i32::from(self.is_quoted())
    }

    /// Returns whether the sentence or a neighbour has a word for a machine.
    fn names_machine(&self) -> bool {
        self.is_around(&[Concept::Machine, Concept::Assistant])
    }

    /// Returns whether the sentence or a neighbour has a word of these meanings.
    fn is_around(&self, sought: &[Concept]) -> bool {
        [self.before, self.here, self.behind].into_iter().flatten().any(|hit| sought.contains(&hit.meaning))
    }

    fn has(&self, sought: Concept) -> bool {
        self.here.iter().any(|hit| hit.meaning == sought)
    }

    /// Returns whether words of two meanings stand in the sentence with at most `gap` characters between them, in any order.
    fn is_near(&self, one: Concept, other: Concept, gap: usize) -> bool {
        let of = |sought: Concept| self.here.iter().filter(move |hit| hit.meaning == sought);
        of(one).any(|a| {
            of(other).any(|b| {
                let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
                // Overlapping words are two readings of one word.
                first.end <= second.start && self.is_within(first.end..second.start, gap)
            })
        })
    }

    /// Returns whether a range has at most this number of characters.
    fn is_within(&self, range: Range<usize>, characters: usize) -> bool {
        const MAX_BYTES: usize = 4;
        range.len() <= MAX_BYTES * characters
            && self.text.get(range).is_some_and(|between| between.chars().count() <= characters)
    }

    /// Returns whether the first word of a rule stands in quotation marks.
    fn is_quoted(&self) -> bool {
        const OPENING: [char; 9] = ['"', '“', '„', '«', '‘', '「', '『', '`', '\''];
        let Some(first) = self.here.iter().find(|hit| starts_rule(hit.meaning)) else { return false };
        let before = self.text.get(..first.start).unwrap_or_default();
        before.chars().rev().take(3).any(|c| OPENING.contains(&c))
    }
}

/// Splits a normalized text into sentences.
fn sentences(lower: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut characters = lower.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let end = at + c.len_utf8();
        let is_end = match c {
            '.' | '!' | '?' => characters.peek().is_none_or(|(_, next)| next.is_whitespace()),
            '。' | '！' | '？' | '\n' => true,
            c => end - start > MAX_SENTENCE_BYTES && !is_spaced_letter(c),
        };
        if is_end {
            sentences.push(start..end);
            start = end;
        }
    }
    if start < lower.len() {
        sentences.push(start..lower.len());
    }
    sentences
}
