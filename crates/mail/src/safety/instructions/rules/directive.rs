//! Rules that weigh the address of a machine together with the requests behind it.
//!
//! The clearer a sentence addresses a machine, the fewer signs of hostile requests are needed.

use std::ops::Range;

use super::super::super::kinds::InstructionKind;
use super::super::concept::Concept;
use super::{Hit, MAX_GREETING_GAP, Scene};
use crate::findings::MeaningSet;

/// Maximum number of names of machines in a sentence.
const MAX_NAMES: usize = 8;
/// Maximum number of characters between words such as "to" and the name of a machine.
const MAX_LEAD_GAP: usize = 25;
/// Maximum number of characters between the name of a machine and the words for its work, or the colon behind both.
const MAX_WORK_GAP: usize = 70;
/// Maximum number of characters in front of words such as "to": "Important note for".
const MAX_START_GAP: usize = 12;
/// Maximum number of characters of the words that describe a name in front of it.
const MAX_HEAD: usize = 40;
/// Maximum number of characters between a name with a colon and the command behind it, or between a verb and a secret.
const MAX_COMMAND_GAP: usize = 15;
/// Maximum number of characters between a negation and the words "without asking" that it inverts.
const MAX_INVERSION_GAP: usize = 60;
/// Maximum length in bytes of the text behind the start of a sentence that is searched for the address of a receiver.
const MAX_TARGET_BYTES: usize = 500;

/// Meanings of words without which no visible sentence addresses a machine.
const ADDRESSEES: [Concept; 7] = [
    Concept::Artificial,
    Concept::Assistant,
    Concept::Machine,
    Concept::Markup,
    Concept::MarkupWeak,
    Concept::PersonaWeak,
    Concept::User,
];
/// Meanings of words that command.
const COMMANDS: [Concept; 3] = [Concept::Action, Concept::Deed, Concept::Must];

/// Place of the name of a machine, with true if the name has no other meaning.
type Name = (Range<usize>, bool);

/// Requests of a sentence and of those behind it.
struct Requests {
    /// Meanings of all words.
    meanings: MeaningSet,
    weight: i32,
    /// True if consent is avoided or something is concealed.
    evades: bool,
    /// True if content is named that an attack is after.
    takes: bool,
    /// True if there is a command.
    commands: bool,
}

impl Scene<'_> {
    /// Returns the kind of the instruction that the sentence begins together with those behind it.
    pub(super) fn directive(&self) -> Option<InstructionKind> {
        if !self.is_hidden() && !ADDRESSEES.into_iter().any(|concept| self.has(concept)) {
            return None;
        }
        let names = self.names();
        let requests = self.requests(&names);
        let standing = self.standing(&names, &requests);
        // Beside a mere mention of a machine, words of silence and commands are those of a notice of confidentiality.
        let has_notice = requests.meanings.has(Concept::Notice) && !self.is_hidden();
        let needed = match standing {
            4 => 1,
            3 => 2,
            2 => 3,
            1 if requests.evades && requests.commands && !has_notice => 5,
            0 if requests.evades && self.is_hidden() => 4,
            _ => return None,
        };
        // "If the reader is an agent responsible for delivery, delete this message" sets a condition for persons.
        let is_condition_of_notice = has_notice && standing < 3 && self.is_to_persons(&names);
        let excuses = if self.is_hidden() { -1 } else { self.doubts(standing) + 2 * i32::from(is_condition_of_notice) };
        let kind = match () {
            () if self.has(Concept::MarkupWeak) || self.has(Concept::Markup) => InstructionKind::Markup,
            () if names.is_empty() && requests.evades => InstructionKind::Secrecy,
            () => InstructionKind::Command,
        };
        (requests.weight >= needed + excuses).then_some(kind)
    }

    /// Marks of a text about instructions, or of one between persons.
    fn doubts(&self, standing: i32) -> i32 {
        3 * i32::from(self.is_mention()) + i32::from(standing < 3 && self.has(Concept::Own))
    }

    /// Weight of the address of a machine, from 0 to 4.
    fn standing(&self, names: &[Name], requests: &Requests) -> i32 {
        let frames = names.iter().map(|(name, is_machine)| self.frame(name, *is_machine, requests));
        let frame = frames.max().unwrap_or_default();
        let meets = |sought: &[Concept]| sought.iter().any(|concept| requests.meanings.has(*concept));
        let meets_machine = meets(&[Concept::Machine, Concept::Assistant, Concept::User]);
        let is_role = self.has(Concept::PersonaWeak)
            && meets_machine
            && (requests.evades || meets(&[Concept::Persona]) || requests.takes && self.names_receiver());
        let is_marked = self.begins_with(Concept::Markup) || self.begins_with(Concept::MarkupWeak) && meets_machine;
        frame.max(2 * i32::from(is_role)).max(2 * i32::from(is_marked)).max(i32::from(self.has(Concept::User)))
    }

    /// Returns whether a word of a meaning begins the sentence.
    pub(super) fn begins_with(&self, sought: Concept) -> bool {
        self.here
            .iter()
            .any(|hit| hit.meaning == sought && self.is_within(self.sentence.start..hit.start, MAX_GREETING_GAP))
    }

    /// Returns the names of machines, each with true if it names nothing else. "My assistant" is a person.
    fn names(&self) -> Vec<Name> {
        let contains =
            |outer: &Range<usize>, inner: &Range<usize>| outer.start <= inner.start && inner.end <= outer.end;
        let mut names: Vec<_> = self.machines.iter().cloned().map(|name| (name, true)).collect();
        let assistants = self.ranges(Concept::Assistant).into_iter();
        names.extend(
            assistants
                .filter(|name| !self.machines.iter().any(|machine| contains(machine, name)))
                .map(|name| (name, false)),
        );
        names.truncate(MAX_NAMES);
        let is_owned = |name: &Range<usize>| {
            self.here.iter().any(|hit| {
                hit.meaning == Concept::Own && self.text.get(hit.end..name.start).is_some_and(|between| between == " ")
            })
        };
        let owned: Vec<_> = names.iter().filter(|(name, _)| is_owned(name)).map(|(name, _)| name.clone()).collect();
        names.retain(|(name, _)| !owned.iter().any(|owned| contains(owned, name)));
        names
    }

    /// Weight of the words around a name, from 1 for a mention to 4 for a greeting.
    fn frame(&self, name: &Range<usize>, is_machine: bool, requests: &Requests) -> i32 {
        let before = self.text.get(self.sentence.start..name.start).unwrap_or_default();
        let behind = self.text.get(name.end..self.sentence.end).unwrap_or_default();
        let sure = i32::from(is_machine);
        let is_first = is_article(before);
        let is_last = !before.contains([',', ';', ':', '，', '、', '：']) && before.chars().nth(MAX_HEAD).is_none();
        let is_led = self.is_led(name) || behind.starts_with(['へ', '宛']) || behind.starts_with("에게");
        let calls = behind.trim_start_matches(['へ', ' ']).starts_with([',', '，', '、', '،', '!', '！', '।']);
        let names_only = behind.starts_with([':', '：']);
        let has_colon = has_colon(behind);
        let works = self.is_beside(Concept::Reading, name);
        let is_condition = self.is_beside(Concept::Condition, name);
        let is_commanded = || self.here.iter().any(|hit| is_command(hit) && hit.start >= name.end);
        let must = || self.here.iter().any(|hit| hit.meaning == Concept::Must && hit.start >= name.end);
        match () {
            () if calls && self.is_greeted(name) && is_machine => 4,
            () if before.ends_with('@') && behind.starts_with([':', ' ', ',', '：']) => 3,
            () if is_bracketed(before, behind) && is_led => 3,
            () if is_condition && works => 2 + sure,
            () if has_colon && works && (is_led || is_first || is_last && names_only) => 3,
            () if has_colon && is_led && is_machine => 3,
            () if has_colon && is_first && !names_only => 2,
            () if calls && is_first || requests.evades && is_led && (calls || has_colon) => 2,
            () if names_only && is_last && self.is_commanded(name) => 1 + sure,
            () if requests.evades && (works && is_commanded() || is_machine && must() || calls && is_last) => 2,
            () if works && is_machine && is_commanded() => 2,
            () => 1,
        }
    }

    /// Returns whether a word such as "dear" is in front of a name.
    fn is_greeted(&self, name: &Range<usize>) -> bool {
        self.stands_beside(Concept::Greeting, &(name.start..name.start), MAX_GREETING_GAP)
    }

    /// Returns whether a command is right behind a name and a colon.
    fn is_commanded(&self, name: &Range<usize>) -> bool {
        let follows = |hit: &Hit| hit.start > name.end && self.is_within(name.end..hit.start, MAX_COMMAND_GAP);
        self.here.iter().any(|hit| is_command(hit) && follows(hit))
    }

    /// Returns whether words such as "to" begin the sentence and lead to a name.
    fn is_led(&self, name: &Range<usize>) -> bool {
        let leads =
            |hit: &&Hit| matches!(hit.meaning, Concept::Toward | Concept::Lead | Concept::Address | Concept::Greeting);
        let is_start = |at: usize| {
            self.is_within(self.sentence.start..at, MAX_START_GAP)
                || self
                    .text
                    .get(..at)
                    .is_some_and(|before| before.ends_with(['(', '[', '（', '【', '«', '"', '„', '“']))
        };
        self.here.iter().filter(leads).any(|hit| {
            // Hindi and Turkish put these words behind the name.
            let follows = hit.start >= name.end && self.is_within(name.end..hit.start, 1);
            let precedes = hit.end <= name.start && self.is_within(hit.end..name.start, MAX_LEAD_GAP);
            follows && is_start(name.start) || precedes && is_start(hit.start)
        })
    }

    /// Returns whether a word of a meaning stands near a name.
    fn is_beside(&self, sought: Concept, name: &Range<usize>) -> bool {
        self.stands_beside(sought, name, MAX_WORK_GAP)
    }

    /// Weighs what the sentence and those behind it ask for.
    fn requests(&self, names: &[Name]) -> Requests {
        let meanings = MeaningSet::of(self.window);
        let has = |sought: Concept| meanings.has(sought);
        let of = |sought: Concept| self.window.iter().filter(move |hit| hit.meaning == sought);
        let commands = COMMANDS.into_iter().any(has);
        let bypasses = of(Concept::Bypass).any(|hit| !self.is_inverted(hit, names));
        // "Do not reply to this message" conceals nothing.
        let negates_command = |negation: &Hit| {
            self.window.iter().any(|hit| is_command(hit) && self.stands_within(negation, hit, MAX_GREETING_GAP))
        };
        let negates = || of(Concept::Negation).any(|hit| !negates_command(hit));
        let hides = has(Concept::Trace) && (has(Concept::Omit) || negates());
        let silences = has(Concept::Tell) && has(Concept::Negation) && has(Concept::User);
        // "If you are not the intended recipient or an agent, delete this message" conceals nothing.
        let is_to_persons = self.is_to_persons(names);
        let is_notice = is_to_persons && has(Concept::Notice);
        let is_silent = || of(Concept::Conceal).any(|hit| !(is_to_persons && self.protects_secret(hit)));
        let conceals = !is_notice && (hides || silences || is_silent());
        let takes = has(Concept::Secret) || has(Concept::Asset) || has(Concept::Prompt);
        let weight = i32::from(commands)
            + 2 * i32::from(bypasses)
            + 2 * i32::from(conceals)
            + i32::from(takes)
            + i32::from(has(Concept::Authority) || self.before.iter().any(|hit| hit.meaning == Concept::Authority))
            + i32::from(has(Concept::Verdict))
            + i32::from(has(Concept::Lasting))
            + i32::from(has(Concept::Override) && (has(Concept::Noun) || has(Concept::WeakNoun)))
            + i32::from(has(Concept::Persona))
            + i32::from(self.names_receiver());
        Requests { meanings, weight, evades: bypasses || conceals, takes, commands }
    }

    /// Returns whether a visible sentence names no machine, other than by words that name persons too.
    fn is_to_persons(&self, names: &[Name]) -> bool {
        !self.is_hidden() && !names.iter().any(|(_, is_machine)| *is_machine)
    }

    /// Returns whether words of silence are about a secret, as in the advice "never disclose this code".
    fn protects_secret(&self, silence: &Hit) -> bool {
        const MAX_GAP_BYTES: usize = 4 * MAX_COMMAND_GAP;
        let first = self.window.partition_point(|hit| hit.start <= silence.start);
        let behind = self.window.get(first..).unwrap_or_default();
        let mut near = behind.iter().take_while(|hit| hit.start <= silence.end + MAX_GAP_BYTES);
        let is_verb = |hit: &Hit| hit.meaning == Concept::Action && hit.end == silence.end;
        let is_secret = |hit: &Hit| {
            matches!(hit.meaning, Concept::Secret | Concept::Asset)
                && hit.start > silence.end
                && self.is_within(silence.end..hit.start, MAX_COMMAND_GAP)
        };
        // A secret is behind the verb.
        near.any(is_verb) && near.any(is_secret)
    }

    /// Returns whether a negation or a question inverts words: "never send anything without asking".
    fn is_inverted(&self, words: &Hit, names: &[Name]) -> bool {
        let behind = self.text.get(words.end..self.window_end).unwrap_or_default();
        let end = behind.chars().find(|c| matches!(c, '.' | '!' | '\n' | '。' | '।' | '?' | '？' | '؟'));
        if matches!(end, Some('?' | '？' | '؟')) && !self.is_hidden() {
            return !names.iter().any(|(name, _)| self.is_beside(Concept::Condition, name));
        }
        self.window.iter().any(|hit| {
            matches!(hit.meaning, Concept::Negation | Concept::Never)
                && hit.end < words.start
                && self.is_within(hit.end..words.start, MAX_INVERSION_GAP)
                && self
                    .text
                    .get(hit.end..words.start)
                    .is_some_and(|between| !between.contains(['.', ',', ';', ':', '\n', '。', '،', '，', '、']))
        })
    }

    /// Returns whether the text names a mail address or a URL.
    fn names_receiver(&self) -> bool {
        let end = self.text.ceil_char_boundary((self.sentence.start + MAX_TARGET_BYTES).min(self.text.len()));
        let end = end.min(self.window_end);
        self.text.get(self.sentence.start..end).is_some_and(|text| {
            let mut words = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | '“' | '「'));
            words.any(|word| {
                word.contains("://") || word.split_once('@').is_some_and(|(name, host)| is_address(name, host))
            })
        })
    }
}

fn is_command(hit: &Hit) -> bool {
    COMMANDS.contains(&hit.meaning)
}

fn is_address(name: &str, host: &str) -> bool {
    !name.is_empty() && host.trim_end_matches(['.', ',']).contains('.')
}

/// Returns whether the words in front of a name are none, or an article.
fn is_article(before: &str) -> bool {
    const ARTICLES: [&str; 24] = [
        "the", "an", "any", "der", "die", "das", "le", "la", "les", "l'", "el", "los", "il", "lo", "gli", "o", "os",
        "as", "de", "het", "een", "ein", "every", "al",
    ];
    let words = before.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
    words.is_empty() || ARTICLES.contains(&words)
}

/// Returns whether a colon ends the words behind a name.
fn has_colon(behind: &str) -> bool {
    let mut near = behind.char_indices().take(MAX_WORK_GAP);
    near.any(|(at, c)| {
        c == '：'
            || c == ':'
                && behind.get(at + 1..).is_some_and(|rest| !rest.starts_with(['/', '0', '1', '2', '3', '4', '5']))
    })
}

/// Returns whether brackets enclose a name and the words that lead to it.
fn is_bracketed(before: &str, behind: &str) -> bool {
    let opens = before.chars().rev().take(MAX_LEAD_GAP).any(|c| matches!(c, '(' | '[' | '（' | '【' | '<'));
    let closes = behind.chars().take(MAX_LEAD_GAP).any(|c| matches!(c, ')' | ']' | '）' | '】' | '>'));
    opens && closes
}
