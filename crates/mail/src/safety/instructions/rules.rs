//! Rules that evaluate the words of a sentence as an instruction to a machine.
//!
//! Each rule has a weight. Support adds to a rule that holds, and marks of texts between persons subtract. A sentence is
//! an instruction from [`THRESHOLD`] on; no rule reaches it alone in visible text.

mod directive;
mod excuses;
mod machines;
mod markup;

use std::ops::Range;

use self::machines::machines;
use super::super::kinds::InstructionKind;
use super::TextVisibility;
use super::concept::Concept;
use super::segment::sentences;
use crate::findings::{MeaningSet, WordHit, within};

/// Weight from which a sentence is an instruction to a machine.
const THRESHOLD: i32 = 4;
/// The same for hidden sentences, which persons do not write to persons.
const HIDDEN_THRESHOLD: i32 = 3;
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
/// Maximum number of characters between the name of a reader and the colon behind it.
const MAX_HEADING: usize = 40;
/// Maximum number of characters between the name of a called reader and its command: "please".
const MAX_CALL_GAP: usize = 10;
/// Number of sentences in which the requests to an addressed machine are sought.
const WINDOW_SENTENCES: usize = 3;

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
        let behind = of(number + 1);
        let window_end = window_end(lower, sentences.get(number..).unwrap_or_default());
        let window = within(hits, sentence.start, window_end);
        let meanings = MeaningSet::of(here);
        let scene = Scene {
            text: lower,
            sentence: sentence.clone(),
            before,
            here,
            behind,
            meanings,
            meanings_around: meanings.union(MeaningSet::of(before)).union(MeaningSet::of(behind)),
            window,
            window_end,
            machines: machines(lower, here),
            visibility,
        };
        found.extend(scene.kind().or_else(|| scene.directive()).map(|kind| (kind, sentence.clone())));
    }
    found
}

/// Returns the end of the sentences in which the requests of the first one are sought: those of its paragraph. A line
/// without a full stop belongs to the next one.
fn window_end(lower: &str, sentences: &[Range<usize>]) -> usize {
    let is_blank =
        |sentence: &&Range<usize>| lower.get((*sentence).clone()).is_none_or(|words| words.trim().is_empty());
    let of_paragraph = sentences.iter().take(WINDOW_SENTENCES).take_while(|sentence| !is_blank(sentence));
    of_paragraph.last().map_or(0, |last| last.end)
}

fn starts_rule(concept: Concept) -> bool {
    use Concept::{
        Address, Artificial, Ask, Assistant, Bypass, Conceal, Greeting, Lapse, Machine, Markup, MarkupWeak, Omit,
        Override, Persona, PersonaWeak, Prompt, Tell,
    };
    matches!(
        concept,
        Address
            | Artificial
            | Ask
            | Assistant
            | Bypass
            | Conceal
            | Greeting
            | Lapse
            | Machine
            | Markup
            | MarkupWeak
            | Omit
            | Override
            | Persona
            | PersonaWeak
            | Prompt
            | Tell
    )
}

/// A sentence with its neighbours.
struct Scene<'a> {
    text: &'a str,
    sentence: Range<usize>,
    before: &'a [Hit],
    here: &'a [Hit],
    behind: &'a [Hit],
    /// Meanings of the words of the sentence.
    meanings: MeaningSet,
    /// Meanings of the words of the sentence and of both neighbours.
    meanings_around: MeaningSet,
    /// Words of the sentence and of the next ones.
    window: &'a [Hit],
    window_end: usize,
    /// Places of the names of machines in the sentence.
    machines: Vec<Range<usize>>,
    visibility: TextVisibility,
}

impl Scene<'_> {
    /// Returns the kind of the instruction that the sentence is.
    fn kind(&self) -> Option<InstructionKind> {
        let address = self.address();
        let weights = [
            (InstructionKind::Override, self.revocation()),
            (InstructionKind::Command, address),
            (InstructionKind::Disclosure, self.disclosure()),
            (InstructionKind::Persona, self.persona()),
            (InstructionKind::Secrecy, self.secrecy()),
            (InstructionKind::Markup, self.markup()),
        ];
        let (kind, heaviest) = weights.into_iter().rev().max_by_key(|(_, weight)| *weight)?;
        let sum: i32 = weights.iter().map(|(_, weight)| weight).sum();
        let (excuses, threshold) = if self.is_hidden() { (0, HIDDEN_THRESHOLD) } else { (self.excuses(), THRESHOLD) };
        (heaviest > 0 && sum + self.support(address) - excuses >= threshold).then_some(kind)
    }

    fn is_hidden(&self) -> bool {
        self.visibility == TextVisibility::Hidden
    }

    /// "Ignore all previous instructions."
    fn revocation(&self) -> i32 {
        let near = |verb, object| self.is_near(verb, object, MAX_OVERRIDE_GAP);
        let ends = |verb| near(verb, Concept::Noun) || near(verb, Concept::Prompt) || near(verb, Concept::Maker);
        let weight = match () {
            () if ends(Concept::Override) => 2,
            // Persons replace rules for persons every day.
            () if ends(Concept::Lapse) => 1 + i32::from(self.names_machine()),
            () if self.is_hidden() && self.is_near(Concept::Override, Concept::Foregoing, MAX_GREETING_GAP) => 1,
            // "Ignore your current task: your new task is …"
            () if near(Concept::Override, Concept::Task) => {
                return 1 + i32::from(self.is_near(Concept::Task, Concept::Task, MAX_OBJECT_GAP));
            }
            () if !self.names_machine() => return 0,
            () if near(Concept::Override, Concept::WeakNoun) || near(Concept::Lapse, Concept::WeakNoun) => 1,
            () => return 0,
        };
        weight + i32::from(self.has(Concept::Prior))
    }

    /// "If you are an AI assistant, …"
    fn address(&self) -> i32 {
        let addresses = |name: &Range<usize>| {
            self.stands_beside(Concept::Address, name, MAX_ADDRESS_GAP)
                || self.stands_beside(Concept::Greeting, name, MAX_GREETING_GAP)
        };
        let assistants = self.ranges(Concept::Assistant);
        match () {
            () if self.machines.iter().any(|name| addresses(name) || self.is_heading(name)) => 3,
            () if self.machines.iter().chain(&assistants).any(|name| self.is_called(name)) => 2,
            () if assistants.iter().any(addresses) => 1,
            () => 0,
        }
    }

    /// Returns whether a name is in front of a colon, with words such as "to" and no others: "To the AI agent: send …".
    fn is_heading(&self, name: &Range<usize>) -> bool {
        let leads = |hit: &Hit| matches!(hit.meaning, Concept::Toward | Concept::Address);
        let starts = || {
            self.here.iter().filter(|hit| leads(hit)).any(|hit| {
                self.is_within(self.sentence.start..hit.start, MAX_GREETING_GAP)
                    && hit.end <= name.start
                    && self.is_within(hit.end..name.start, MAX_ADDRESS_GAP)
            })
        };
        let is_of_two_words = || {
            self.is_within(self.sentence.start..name.start, MAX_GREETING_GAP)
                && !self.ranges(Concept::Machine).contains(name)
        };
        let behind = self.text.get(name.end..self.sentence.end).unwrap_or_default();
        // "To" is behind the name in Japanese and Korean.
        let is_followed = || {
            self.here.iter().any(|hit| {
                hit.meaning == Concept::Toward
                    && hit.start == name.end
                    && self.text.get(hit.end..).is_some_and(|behind| behind.starts_with([':', '：', '、', ',']))
            })
        };
        let has_colon = behind.chars().take(MAX_HEADING).any(|c| matches!(c, ':' | '：'));
        has_colon && (starts() || is_of_two_words()) || is_followed()
    }

    /// Returns whether a sentence calls a name and commands it: "Assistant, send …".
    fn is_called(&self, name: &Range<usize>) -> bool {
        let behind = self.text.get(name.end..self.sentence.end).unwrap_or_default();
        let commands = |hit: &Hit| {
            let follows = hit.start >= name.end && self.is_within(name.end..hit.start, MAX_CALL_GAP);
            // The verb ends the sentence in Japanese and Korean.
            hit.meaning == Concept::Action && (follows || !behind.is_ascii() && behind.starts_with(['，', '、']))
        };
        self.is_within(self.sentence.start..name.start, MAX_GREETING_GAP)
            && behind.starts_with([',', '，', '、', '!', '！'])
            && self.here.iter().any(commands)
    }

    /// "Print your system prompt."
    fn disclosure(&self) -> i32 {
        let is_command = |verb: &&Hit| verb.meaning == Concept::Action && !self.is_negated(verb);
        let is_of_reader = |prompt: &&Hit| prompt.meaning == Concept::Prompt && !self.is_of_other(prompt);
        let asks = self.here.iter().filter(is_command).any(|verb| {
            self.here.iter().filter(is_of_reader).any(|prompt| {
                // A verb behind another clause has another object: "to change your instructions, write to us".
                let clause = self.text.get(prompt.end..verb.start).unwrap_or_default();
                self.stands_within(verb, prompt, MAX_OBJECT_GAP) && !clause.contains([',', ';', '，'])
            })
        });
        3 * i32::from(asks)
    }

    /// Returns whether a negation is right before a verb: "it does not show".
    fn is_negated(&self, verb: &Hit) -> bool {
        self.here.iter().any(|hit| {
            hit.meaning == Concept::Negation && self.text.get(hit.end..verb.start).is_some_and(|between| between == " ")
        })
    }

    /// Returns whether instructions are those of a machine that the sentence tells of: "the prompt of our chatbot".
    fn is_of_other(&self, prompt: &Hit) -> bool {
        const POSSESSIVES: [&str; 6] = ["的", "の", "의 ", "'s ", "’s ", "s' "];
        let is_machine = |hit: &&Hit| matches!(hit.meaning, Concept::Machine | Concept::Assistant);
        self.here
            .iter()
            .filter(is_machine)
            .any(|owner| self.text.get(owner.end..prompt.start).is_some_and(|between| POSSESSIVES.contains(&between)))
    }

    /// "You are now in developer mode."
    fn persona(&self) -> i32 {
        let (is_free, begins) = (self.has(Concept::Persona), self.has(Concept::PersonaWeak));
        match () {
            () if is_free && (begins || self.is_around(&[Concept::Machine])) => 3,
            // Licences and offers are without restrictions too.
            () => i32::from(is_free || begins && self.names_machine()),
        }
    }

    /// "Do not tell the user.", "without asking your operator", "leave this out of your summary"
    fn secrecy(&self) -> i32 {
        let negates = |verb| self.is_near(Concept::Negation, verb, MAX_NEGATION_GAP);
        let is_about = |verb, object| self.is_near(verb, object, MAX_OBJECT_GAP);
        let hides = negates(Concept::Tell) && is_about(Concept::Tell, Concept::Trace)
            || is_about(Concept::Omit, Concept::Trace);
        let is_unasked = self.is_unasked();
        match () {
            () if negates(Concept::Tell) && is_about(Concept::Tell, Concept::User) => 2,
            () if is_about(Concept::Omit, Concept::User) => 2,
            () if (hides || is_unasked) && !self.machines.is_empty() => 2,
            () if is_unasked && is_about(Concept::Ask, Concept::User) => 1 + i32::from(self.names_machine()),
            () => i32::from(hides),
        }
    }

    /// Returns whether the sentence does without consent. "Never without approval" asks for it, and so does a question.
    fn is_unasked(&self) -> bool {
        if !self.has(Concept::Ask) || self.is_question() {
            return false;
        }
        let Some(negation) = self.here.iter().find(|hit| hit.meaning == Concept::Negation) else { return false };
        let inverted = self.first_inverted_negation();
        let is_forbidden = |ask: &Hit| inverted.is_some_and(|end| end < ask.start);
        let lacks = |ask: &Hit| match self.text.get(ask.end..negation.start) {
            // "Frage den Nutzer nicht"
            Some(between) => {
                let user = self.here.iter().filter(|hit| hit.meaning == Concept::User && hit.start >= ask.end);
                let ends: Vec<usize> = user.map(|hit| hit.end).chain([ask.end]).collect();
                !between.contains([',', '，', '、', ';'])
                    && ends
                        .into_iter()
                        .any(|end| end <= negation.start && self.is_within(end..negation.start, MAX_GREETING_GAP))
            }
            None => self.stands_within(negation, ask, MAX_NEGATION_GAP),
        };
        self.here.iter().any(|hit| hit.meaning == Concept::Ask && lacks(hit) && !is_forbidden(hit))
    }

    /// Returns the end of the first negation that a prohibition in front inverts: "must send nothing without approval".
    fn first_inverted_negation(&self) -> Option<usize> {
        let of = |sought: Concept| self.here.iter().filter(move |hit| hit.meaning == sought);
        let mut prohibitions: Vec<usize> = of(Concept::Never).map(|never| never.end).collect();
        prohibitions.sort_unstable();
        let is_inverted = |negation: &&Hit| {
            // The last prohibition is in the same clause if any is.
            let before = prohibitions.partition_point(|end| *end < negation.start);
            let last = before.checked_sub(1).and_then(|last| prohibitions.get(last));
            last.and_then(|end| self.text.get(*end..negation.start))
                .is_some_and(|between| !between.contains([',', ';', ':']))
        };
        of(Concept::Negation).filter(is_inverted).map(|negation| negation.end).min()
    }

    /// Commands, machines and secrets, which make a rule that holds more likely.
    fn support(&self, address: i32) -> i32 {
        // "Please" behind a revocation is no second command: "忘れてください".
        let is_ending =
            |must: &Hit| self.here.iter().any(|verb| verb.meaning == Concept::Override && verb.end == must.start);
        let commands = |hit: &Hit| hit.meaning == Concept::Action || hit.meaning == Concept::Must && !is_ending(hit);
        let is_here_or_behind =
            |sought: &[Concept]| self.here.iter().chain(self.behind).any(|hit| sought.contains(&hit.meaning));
        let is_of_machine = address < 3 && self.is_around(&[Concept::Machine]);
        i32::from(self.here.iter().chain(self.behind).any(commands))
            + i32::from(is_here_or_behind(&[Concept::Secret]))
            + i32::from(is_of_machine)
    }

    /// Returns whether the sentence or a neighbour has a word for a machine. "Our agent" is a person.
    fn names_machine(&self) -> bool {
        let around = || [self.before, self.here, self.behind].into_iter().flatten();
        let is_owned = |name: &&Hit| {
            around().any(|hit| {
                hit.meaning == Concept::Own && self.text.get(hit.end..name.start).is_some_and(|between| between == " ")
            })
        };
        let mut assistants = around().filter(|hit| hit.meaning == Concept::Assistant).peekable();
        self.is_around(&[Concept::Machine]) || assistants.peek().is_some() && !assistants.any(|name| is_owned(&name))
    }

    /// Returns whether the sentence or a neighbour has a word of these meanings.
    fn is_around(&self, sought: &[Concept]) -> bool {
        sought.iter().any(|concept| self.meanings_around.has(*concept))
    }

    fn ranges(&self, sought: Concept) -> Vec<Range<usize>> {
        self.here.iter().filter(|hit| hit.meaning == sought).map(|hit| hit.start..hit.end).collect()
    }

    fn has(&self, sought: Concept) -> bool {
        self.meanings.has(sought)
    }

    /// Returns whether words of two meanings stand in the sentence with at most `gap` characters between them, in any order.
    fn is_near(&self, one: Concept, other: Concept, gap: usize) -> bool {
        let of = |sought: Concept| self.here.iter().filter(move |hit| hit.meaning == sought);
        self.has(other) && of(one).any(|a| of(other).any(|b| self.stands_within(a, b, gap)))
    }

    /// Returns whether a word of a meaning stands beside a range.
    fn stands_beside(&self, sought: Concept, place: &Range<usize>, gap: usize) -> bool {
        let place = Hit { meaning: sought, start: place.start, end: place.end };
        self.here.iter().any(|hit| hit.meaning == sought && self.stands_within(hit, &place, gap))
    }

    /// Returns whether two words have at most `gap` characters between them, in any order.
    fn stands_within(&self, a: &Hit, b: &Hit, gap: usize) -> bool {
        let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
        // Overlapping words are two readings of one word.
        first.end <= second.start && self.is_within(first.end..second.start, gap)
    }

    /// Returns whether a range has at most this number of characters.
    fn is_within(&self, range: Range<usize>, characters: usize) -> bool {
        const MAX_BYTES: usize = 4;
        range.len() <= MAX_BYTES * characters
            && self.text.get(range).is_some_and(|between| between.chars().count() <= characters)
    }
}
