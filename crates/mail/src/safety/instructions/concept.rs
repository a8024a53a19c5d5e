//! Meanings of the words of an instruction.

use crate::findings::WordMeaning;

/// Meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Concept {
    /// A command to a reader: forward, reveal.
    Action,
    /// Words that address a reader: "if you are", "note to".
    Address,
    /// Further content that an attack is after, which counts for an addressed machine only.
    Asset,
    /// A word that makes a machine of the word beside it: automatic.
    Artificial,
    /// Words for the consent of a person: ask, approval.
    Ask,
    /// A word for a machine that also names persons or other things: assistant, agent.
    Assistant,
    /// A claim of rights over the reader: owner of this mailbox, approved verbally.
    Authority,
    /// Action without consent or check: without asking.
    Bypass,
    /// Silence toward persons, as a phrase: tell nobody.
    Conceal,
    /// Words that begin a condition: if.
    Condition,
    /// Further commands, which count for an addressed machine only.
    Deed,
    /// The text above, without a word for instructions.
    Foregoing,
    /// Words that greet or warn a reader right before its name: dear.
    Greeting,
    /// The end of rules, without a command to end them: no longer apply.
    Lapse,
    /// A change that lasts: always, remember.
    Lasting,
    /// Further words that begin the address of a reader.
    Lead,
    /// A word for a machine that reads text: language model.
    Machine,
    /// Who made the reader: "your developers", "trained you".
    Maker,
    /// Markup between a model and its host.
    Markup,
    /// Words that may be such markup: "system:".
    MarkupWeak,
    /// A word of texts about attacks, which quote instructions.
    Mention,
    /// An obligation: must.
    Must,
    /// A negation.
    Negation,
    /// A prohibition, which inverts "without asking": must not, never.
    Never,
    /// Words of a notice of confidentiality: intended recipient.
    Notice,
    /// A word for the instructions of a machine.
    Noun,
    /// Silence without a negation: omit.
    Omit,
    /// Revocation: ignore, forget.
    Override,
    /// A word of persons about their own instructions to persons: my, regarding.
    Own,
    /// A role without limits.
    Persona,
    /// Words that begin a role, or any other change: "from now on".
    PersonaWeak,
    /// A word of courtesy.
    Polite,
    /// A quantity or place of instructions: all, previous.
    Prior,
    /// A word that names a machine beside a word such as "automatic": reader, system.
    Program,
    /// The instructions of the reader: "your system prompt".
    Prompt,
    /// The work of a machine on a message: processing this.
    Reading,
    /// Content that an attack is after.
    Secret,
    /// What the reader works at: "your current task", "your new task".
    Task,
    /// Communication: tell, mention.
    Tell,
    /// Words that begin the address of a reader: to, for.
    Toward,
    /// What shows the instruction to a person: "this paragraph", "your summary".
    Trace,
    /// The person whom the reader serves.
    User,
    /// A judgement in favour of the sender: safe, trusted.
    Verdict,
    /// A word for rules of any kind.
    WeakNoun,
}

// A set of meanings has a bit for each of them.
const _: () = assert!((Concept::WeakNoun as u32) < 64, "too many meanings");

impl Concept {
    /// Returns true for a word without which no rule holds. The first search looks for these alone.
    pub(super) fn is_key(self) -> bool {
        matches!(
            self,
            Self::Artificial
                | Self::Machine
                | Self::Maker
                | Self::Markup
                | Self::MarkupWeak
                | Self::Noun
                | Self::Persona
                | Self::Prompt
                | Self::User
                | Self::Assistant
                | Self::Task
        )
    }
}

impl WordMeaning for Concept {
    fn is_subject(self) -> bool {
        // A word may have several meanings: "prompt" is part of "your prompt".
        true
    }

    fn number(self) -> u32 {
        self as u32
    }
}
