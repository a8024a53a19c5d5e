//! Properties of the safety findings in a message, and of the trust verdict.

use std::sync::Arc;

use inboxd_core::rules::trust::{
    Evidence, KnownIdentities, KnownPerson, Relation, SenderAddress, ServiceIdentity, Verdict, base_domain, judge,
    resembles,
};
use inboxd_mail::{MAX_SAFETY_FINDINGS, MachineInstruction, MessageField, ParsedMail, parse};

/// Parses a message and judges it for an organization in which a member and the service have the name of its sender.
pub fn trust(raw: &[u8]) {
    let mail = parse(raw);
    let found = &mail.safety;
    let lengths = [found.instructions.len(), found.links.len(), found.attachments.len()];
    assert!(lengths.iter().all(|length| *length <= MAX_SAFETY_FINDINGS), "findings are bounded");
    for instruction in &found.instructions {
        check_range(&mail, instruction);
    }
    for link in &found.links {
        assert!(link.shown_host != link.target_host && !link.shown_host.contains('/'), "{link:?}");
    }
    let Some(from) = mail.from.first().cloned() else { return };
    let (name, address) = (from.name.clone(), "a@b.example".to_owned());
    let person = KnownPerson { name, address, relation: Relation::Member, pod_id: None };
    let domains = vec![from.address.clone(), "b.example".to_owned()];
    let shared = vec!["b.example".to_owned()];
    let name = from.name.clone().unwrap_or_default();
    let service = ServiceIdentity { name, domains, shared, ..ServiceIdentity::default() };
    let has_instruction = !found.instructions.is_empty();
    let judgement = judge(&Evidence {
        from: Some(SenderAddress { name: from.name, address: from.address.clone() }),
        reply_to: mail.reply_to.iter().map(|to| to.address.clone()).collect(),
        known: Arc::new(KnownIdentities::new(service, vec![person])),
        findings: mail.safety.clone(),
        ..Evidence::default()
    });
    assert!(!has_instruction || judgement.verdict == Verdict::Suspicious, "an instruction is suspicious");
    assert_eq!(resembles(&from.address, &from.address), None, "no domain resembles itself");
    assert!(from.address.contains(base_domain(&from.address)), "a registered domain is a part of the host");
}

/// Verifies that a finding names a non-empty range within its field.
fn check_range(mail: &ParsedMail, found: &MachineInstruction) {
    let length = |field: &Option<String>| field.as_deref().unwrap_or_default().chars().count();
    let length = match found.field {
        MessageField::From => mail.from.first().map_or(0, |from| length(&from.name)),
        MessageField::Subject => length(&mail.subject),
        MessageField::Text => length(&mail.text),
        MessageField::Html => length(&mail.html),
        MessageField::Attachment => {
            mail.attachments.iter().map(|file| length(&file.filename)).max().unwrap_or_default()
        }
        MessageField::Calendar => {
            let entries = mail.calendar.iter().flat_map(|found| std::iter::once(&found.entry).chain(&found.others));
            let texts = entries.flat_map(|entry| [&entry.title, &entry.location, &entry.description, &entry.comment]);
            texts.map(length).max().unwrap_or_default()
        }
    };
    assert!(found.start < found.end && found.end <= length, "{found:?} in {length} characters");
}
