//! Signals and verdicts of received messages, compared with a collection.
//!
//! A collection is one file. Lines that start with `%% ` describe the message below them: its name, the expected signals,
//! the authentication result, the earlier mail received and sent, and the persons that the organization knows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use inboxd_core::model::{AuthResult, Authentication, ContactDecision};
use inboxd_core::rules::trust::{
    AttachmentRisk, Evidence, History, KnownIdentities, KnownPerson, Reason, Relation, SenderAddress, ServiceIdentity,
    Verdict, judge,
};
use inboxd_mail::{ParsedMail, normalized_address, parse};

use crate::findings::FindingTally;

/// Start of a line about a message.
const FACT: &[u8] = b"%% ";
/// Name of the signal that the verdict is `suspicious`.
pub const SUSPICIOUS: &str = "suspicious";
/// Name of the signal that a message has instructions addressed to a machine.
pub const INSTRUCTION: &str = "machine_instruction";

/// A message with the facts about its sender and the expected signals.
#[derive(Debug, Default)]
pub struct JudgedMessage {
    /// Language and name, for instance `de/talk-012`.
    pub name: String,
    /// Expected signals.
    pub expected: BTreeSet<String>,
    /// Raw message.
    pub raw: Vec<u8>,
    evidence: Evidence,
    people: Vec<KnownPerson>,
}

impl JudgedMessage {
    /// Returns the signals of the message: the names of its reasons, the risks of its attachments, and `suspicious`.
    #[must_use]
    pub fn signals(&self) -> BTreeSet<String> {
        let judgement = judge(&self.evidence(parse(&self.raw)));
        let verdict = (judgement.verdict == Verdict::Suspicious).then(|| SUSPICIOUS.to_owned());
        judgement.reasons.iter().filter_map(signal).map(str::to_owned).chain(verdict).collect()
    }

    fn evidence(&self, mail: ParsedMail) -> Evidence {
        let from = mail.from.into_iter().next();
        Evidence {
            from: from.map(|from| SenderAddress { name: from.name, address: normalized_address(&from.address) }),
            reply_to: mail.reply_to.iter().map(|to| normalized_address(&to.address)).collect(),
            findings: mail.safety,
            known: Arc::new(KnownIdentities::new(world(), self.people.clone())),
            ..self.evidence.clone()
        }
    }

    /// Adds a fact about the message.
    fn add(&mut self, fact: &str) -> Option<()> {
        let (kind, value) = fact.split_once(' ').unwrap_or((fact, ""));
        match kind {
            "mail" => value.clone_into(&mut self.name),
            "expect" => self.expected = value.split_whitespace().map(str::to_owned).collect(),
            "dmarc" => self.evidence.authentication = Some(authentication(AuthResult::named(value)?)),
            "history" => {
                let (received, sent) = value.split_once(' ')?;
                let (received, sent) = (received.parse().ok()?, sent.parse().ok()?);
                self.evidence.inbox = History { received, sent, since: None, was_authenticated: false };
            }
            "decision" => self.evidence.decision = ContactDecision::named(value),
            "person" | "member" => {
                let relation = if kind == "person" { Relation::Correspondent } else { Relation::Member };
                let (name, address) = value.strip_suffix('>')?.rsplit_once(" <")?;
                let (name, address) = (Some(name.to_owned()), address.to_owned());
                self.people.push(KnownPerson { name, address, relation, pod_id: None });
            }
            _ => return None,
        }
        Some(())
    }
}

fn authentication(dmarc: AuthResult) -> Authentication {
    Authentication { spf: dmarc, dkim: AuthResult::None, dmarc, aligned_domain: None, arc: None }
}

/// Returns the name of a signal; `None` for a reason that no message of the collection is about.
fn signal(reason: &Reason) -> Option<&'static str> {
    Some(match reason {
        Reason::AuthenticatedDomain { .. } => "authenticated_domain",
        Reason::KnownCorrespondent { .. } => "known_correspondent",
        Reason::ImitatedName { .. } => "imitated_name",
        Reason::LookalikeDomain { .. } => "lookalike_domain",
        Reason::ReplyToElsewhere { .. } => "reply_to_elsewhere",
        Reason::MisleadingLink { .. } => "misleading_link",
        Reason::HiddenText { .. } => "hidden_text",
        Reason::MachineInstruction { .. } => INSTRUCTION,
        Reason::RiskyAttachment { risk: AttachmentRisk::Executable, .. } => "executable",
        Reason::RiskyAttachment { risk: AttachmentRisk::PasswordProtected, .. } => "password_protected",
        Reason::MassMail { .. } => "mass_mail",
        _ => return None,
    })
}

/// Reads the messages of a collection.
///
/// # Errors
///
/// An unreadable file, or a line about a message that is unknown.
pub fn read(collection: &Path) -> io::Result<Vec<JudgedMessage>> {
    let content = fs::read(collection.join("trust/mails.txt"))?;
    let mut messages: Vec<JudgedMessage> = Vec::new();
    for line in content.split_inclusive(|byte| *byte == b'\n') {
        let Some(fact) = line.strip_prefix(FACT) else {
            if let Some(message) = messages.last_mut() {
                message.raw.extend(line);
            }
            continue;
        };
        let fact = String::from_utf8_lossy(fact);
        if fact.starts_with("mail ") {
            messages.push(JudgedMessage::default());
        }
        let added = messages.last_mut().and_then(|message| message.add(fact.trim_end()));
        added.ok_or_else(|| io::Error::other(format!("unknown line about a message: {fact}")))?;
    }
    Ok(messages)
}

/// Returns the service that receives all messages.
fn world() -> ServiceIdentity {
    let domains = ["inboxd.example", "own.example"].map(str::to_owned).to_vec();
    let shared = vec!["inboxd.example".to_owned()];
    ServiceIdentity { name: "inboxd".to_owned(), domains, shared, ..ServiceIdentity::default() }
}

/// Returns the counts of each signal.
#[must_use]
pub fn score(messages: &[JudgedMessage]) -> BTreeMap<String, FindingTally> {
    let mut tallies: BTreeMap<String, FindingTally> = BTreeMap::new();
    for message in messages {
        let found = message.signals();
        for name in found.union(&message.expected) {
            let only = |signals: &BTreeSet<String>| signals.iter().filter(|signal| *signal == name).cloned().collect();
            tallies.entry(name.clone()).or_default().add(&only(&found), &only(&message.expected));
        }
    }
    tallies
}
