//! From facts to reasons, and from reasons to the verdict.

use std::mem::{Discriminant, discriminant};

use inboxd_mail::{AttachmentRisk, HiddenTextKind, MassMailKind};
use serde::{Deserialize, Serialize};

use super::domains::{base_domain, has_same_name, resembles};
use super::evidence::{ContactDecision, Evidence, Relation, ScannerFinding, domain_of};
use super::names::{Imitation, has_known_name, imitated, names_person};
use super::reason::{ImitatedIdentity, Reason, Resemblance, Verdict};
use crate::model::AuthResult;

/// Minimum score of a finding of the external scanner that is a sign of an attack by itself.
const MIN_SURE_SCORE: u8 = 50;
/// Number of received messages that make a correspondent without an answer.
const MIN_RECEIVED: u64 = 3;

/// Verdict of a message with its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Results of the authentication; `None` for mail of this service, and without a check.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<Checks>,
    /// Reasons: facts about the sender first, then findings.
    pub reasons: Vec<Reason>,
}

/// Results of the authentication of a message (RFC 8601).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// SPF result.
    pub spf: AuthResult,
    /// DKIM result of the best signature.
    pub dkim: AuthResult,
    /// DMARC result.
    pub dmarc: AuthResult,
}

/// Weight of a reason against a message. The numbers add up, and [`SUSPICIOUS`] is the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// A fact for the reader.
    None = 0,
    /// Rare in legitimate mail of this sender.
    Doubt = 1,
    /// Hardly ever in legitimate mail of this sender.
    Attack = 2,
}

/// Maximum number of addresses in Reply-To at other domains that are compared: an answer has no more recipients.
const MAX_REPLY_TO: usize = 50;

/// Sum of weights from which a message is suspicious.
const SUSPICIOUS: u32 = 2;

/// Returns the verdict of a message with its reasons.
///
/// - `suspicious`: one sign of an attack, or two doubts.
/// - `trusted`: authentication confirms the address of a member, or one that a person decided to trust.
/// - `known`: somebody here wrote to the address, or it wrote three times before. Authentication neither failed nor is
///   missing where earlier mail had it.
/// - `first_contact`: everything else.
#[must_use]
pub fn judge(evidence: &Evidence) -> Judgement {
    let facts = Facts::of(evidence);
    let mut reasons = Vec::new();
    for check in [sender_reasons, identity_reasons, reply_reasons, content_reasons] {
        reasons.extend(check(evidence, &facts));
    }
    let against = weight_against(&reasons);
    let verdict = match &facts {
        _ if against >= SUSPICIOUS => Verdict::Suspicious,
        Facts { confirmed: Some(_), is_trusted: true, .. } | Facts { confirmed: Some(_), is_member: true, .. } => {
            Verdict::Trusted
        }
        Facts { is_known: true, .. } | Facts { is_trusted: true, .. }
            if !evidence.has_failed() && !facts.has_lost_authentication =>
        {
            Verdict::Known
        }
        _ => Verdict::FirstContact,
    };
    let checks =
        evidence.authentication.as_ref().map(|found| Checks { spf: found.spf, dkim: found.dkim, dmarc: found.dmarc });
    Judgement { verdict, checks, reasons: reasons.into_iter().map(|(reason, _)| reason).collect() }
}

type Weighted = (Reason, Weight);

/// Returns the sum of the weights, of each kind of reason only the heaviest: ten links are one sign.
fn weight_against(reasons: &[Weighted]) -> u32 {
    let mut heaviest: Vec<(Discriminant<Reason>, Weight)> = Vec::new();
    for (reason, weight) in reasons {
        let kind = discriminant(reason);
        match heaviest.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, known)) => *known = (*known).max(*weight),
            None => heaviest.push((kind, *weight)),
        }
    }
    heaviest.into_iter().map(|(_, weight)| weight as u32).sum()
}

/// Conclusions about the sender.
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one sender")]
struct Facts {
    /// Authenticated domain of the sender.
    confirmed: Option<String>,
    /// Domain of From.
    domain: Option<String>,
    is_trusted: bool,
    is_member: bool,
    /// Whether earlier mail of the address was authenticated, and this one is not.
    has_lost_authentication: bool,
    /// Whether somebody here wrote to the address.
    has_written: bool,
    is_known: bool,
}

impl Facts {
    fn of(evidence: &Evidence) -> Self {
        let is_member = evidence.from.as_ref().is_some_and(|from| {
            let is_same = |address: &str| address.eq_ignore_ascii_case(&from.address);
            evidence.known.people().iter().any(|person| person.relation == Relation::Member && is_same(&person.address))
        });
        let (inbox, organization) = (&evidence.inbox, &evidence.organization);
        let confirmed = evidence.aligned_domain();
        Self {
            domain: evidence.sender_domain(),
            is_trusted: evidence.decision == Some(ContactDecision::Trusted),
            is_member,
            has_lost_authentication: confirmed.is_none()
                && evidence.authentication.is_some()
                && (inbox.was_authenticated || organization.was_authenticated),
            has_written: inbox.sent.max(organization.sent) > 0,
            is_known: inbox.sent.max(organization.sent) > 0 || inbox.received >= MIN_RECEIVED,
            confirmed,
        }
    }

    /// Returns whether authentication confirms the sender of mail to a list.
    fn confirms_list(&self, evidence: &Evidence) -> bool {
        self.confirmed.is_some() && evidence.findings.mass == Some(MassMailKind::List)
    }

    /// Returns whether authentication confirms the sender of bulk or automatic mail.
    fn confirms_mass_mail(&self, evidence: &Evidence) -> bool {
        self.confirmed.is_some() && evidence.findings.mass.is_some()
    }

    /// Returns whether authentication confirms a sender whom somebody here chose. Mail alone, however much, is no choice.
    fn is_confirmed_acquaintance(&self) -> bool {
        self.confirmed.is_some() && (self.has_written || self.is_trusted || self.is_member)
    }
}

/// Facts about the sender: authentication, decisions, history.
fn sender_reasons(evidence: &Evidence, facts: &Facts) -> Vec<Weighted> {
    let mut reasons = Vec::new();
    let was_authenticated = evidence.inbox.was_authenticated || evidence.organization.was_authenticated;
    match (&facts.confirmed, &facts.domain) {
        (Some(domain), _) => reasons.push((Reason::AuthenticatedDomain { domain: domain.clone() }, Weight::None)),
        (None, Some(domain)) if evidence.has_failed() => {
            // Mailing lists and forwarding break signatures.
            let is_list = evidence.findings.mass == Some(MassMailKind::List);
            let claims = facts.is_member || evidence.known.is_own(domain) || was_authenticated;
            let weight = if claims && !is_list { Weight::Attack } else { Weight::Doubt };
            let domain = domain.clone();
            reasons.push(if was_authenticated {
                (Reason::LostAuthentication { domain }, weight)
            } else {
                (Reason::UnauthenticatedDomain { domain }, weight)
            });
        }
        (None, Some(domain)) if facts.has_lost_authentication => {
            reasons.push((Reason::LostAuthentication { domain: domain.clone() }, Weight::Doubt));
        }
        _ => {}
    }
    match evidence.decision {
        Some(ContactDecision::Trusted) => reasons.push((Reason::TrustedContact, Weight::None)),
        Some(ContactDecision::Blocked) => reasons.push((Reason::BlockedContact, Weight::Attack)),
        None => {}
    }
    if facts.is_member {
        reasons.push((Reason::OrganizationMember, Weight::None));
    }
    let (inbox, organization) = (&evidence.inbox, &evidence.organization);
    if inbox.received + inbox.sent + organization.received + organization.sent > 0 {
        let reason = Reason::KnownCorrespondent {
            received: inbox.received,
            sent: inbox.sent,
            organization_received: organization.received,
            organization_sent: organization.sent,
            since: [inbox.since, organization.since].into_iter().flatten().min(),
        };
        reasons.push((reason, Weight::None));
    }
    reasons
}

/// Names and domains that imitate others.
fn identity_reasons(evidence: &Evidence, facts: &Facts) -> Vec<Weighted> {
    let mut reasons = Vec::new();
    // Somebody who got an answer keeps the name of then. With another name, the answer proves nothing.
    let is_acquainted = facts.is_confirmed_acquaintance();
    let keeps_name = is_acquainted && (facts.is_trusted || facts.is_member || has_known_name(evidence));
    if !keeps_name && let Some((reason, imitation)) = imitated(evidence, facts.confirmed.as_deref()) {
        // The inbox wrote first and knows no name yet: two correspondents may have the same.
        let is_namesake = is_acquainted
            && evidence.known_name.is_none()
            && matches!(reason, Reason::ImitatedName { imitates: ImitatedIdentity::Correspondent, .. });
        let weight = match imitation {
            Imitation::Clear if is_namesake => Weight::Doubt,
            Imitation::Clear => Weight::Attack,
            Imitation::Possible if is_acquainted || facts.confirms_list(evidence) => Weight::None,
            Imitation::Possible => Weight::Doubt,
        };
        reasons.push((reason, weight));
    }
    let is_settled = facts.has_written || facts.is_trusted;
    let domain = facts.domain.as_deref().filter(|_| !is_settled);
    reasons.extend(domain.and_then(|domain| {
        let is_usual = facts.confirms_mass_mail(evidence);
        lookalike(evidence, facts, domain, is_usual).or_else(|| namesake(evidence, facts, domain))
    }));
    reasons
}

/// Returns the finding that a domain has the name of a known one, and the sender that of a person there. Companies have
/// several endings, so it is a doubt, unless the domain is not authenticated.
fn namesake(evidence: &Evidence, facts: &Facts, domain: &str) -> Option<Weighted> {
    let name = evidence.from.as_ref()?.name.as_deref()?;
    if facts.confirms_mass_mail(evidence) {
        return None;
    }
    let known = evidence.known.namesake(domain, |person| names_person(name, person))?;
    let known_domain = known.is_known_to(evidence.pod_id).then(|| known.host.clone());
    let weight = if facts.confirmed.is_some() { Weight::Doubt } else { Weight::Attack };
    let (domain, resemblance) = (domain.to_owned(), Resemblance::SameName);
    Some((Reason::LookalikeDomain { domain, known_domain, resemblance }, weight))
}

/// Returns the finding that a domain resembles a known one. `is_usual` says that a second ending is usual in such mail.
fn lookalike(evidence: &Evidence, facts: &Facts, domain: &str, is_usual: bool) -> Option<Weighted> {
    let (known_domain, resemblance) = evidence.known.resembled(domain)?;
    let weight = copy_weight(facts, (domain, known_domain.host.as_str()), is_usual);
    let known_domain = known_domain.is_known_to(evidence.pod_id).then(|| known_domain.host.clone());
    let domain = domain.to_owned();
    Some((Reason::LookalikeDomain { domain, known_domain, resemblance }, weight))
}

/// Returns the weight of a domain that resembles another one. Companies have several endings, `.co` beside `.com`, so a
/// domain of the same name is a doubt, unless the sender is not authenticated.
fn copy_weight(facts: &Facts, (domain, copied): (&str, &str), is_usual: bool) -> Weight {
    match () {
        () if facts.confirmed.is_none() || !has_same_name(domain, copied) => Weight::Attack,
        () if is_usual => Weight::None,
        () => Weight::Doubt,
    }
}

/// Replies that lead elsewhere.
fn reply_reasons(evidence: &Evidence, facts: &Facts) -> Vec<Weighted> {
    let Some(domain) = facts.domain.as_deref() else { return Vec::new() };
    let places = evidence.reply_to.iter().filter_map(|address| Some((address, domain_of(address)?)));
    let away = places.filter(|(_, to)| base_domain(to) != base_domain(domain));
    let elsewhere: Vec<(&String, String)> = away.take(MAX_REPLY_TO).collect();
    let is_acquainted = |(address, to): &(&String, String)| {
        evidence.known.is_own(to)
            || evidence.known.people().iter().any(|person| person.address.eq_ignore_ascii_case(address))
            || facts.is_confirmed_acquaintance()
            || facts.confirms_list(evidence)
    };
    // An answer goes to all of them, so the first stranger counts, and the first copy.
    let stranger = elsewhere.iter().find(|place| !is_acquainted(place));
    let weight = if stranger.is_some() { Weight::Doubt } else { Weight::None };
    let named = stranger.or(elsewhere.first());
    let mut reasons: Vec<Weighted> = named
        .map(|(address, _)| (Reason::ReplyToElsewhere { address: (*address).clone() }, weight))
        .into_iter()
        .collect();
    let copy = |(_, to): &(&String, String)| {
        // A copy of the own domain of the sender collects the answers that the real one would get.
        let copied = resembles(to, domain).map(|resemblance| {
            let is_usual = facts.is_confirmed_acquaintance() || facts.confirms_mass_mail(evidence);
            let weight = copy_weight(facts, (to.as_str(), domain), is_usual);
            let known_domain = Some(domain.to_owned());
            (Reason::LookalikeDomain { domain: to.clone(), known_domain, resemblance }, weight)
        });
        copied.or_else(|| lookalike(evidence, facts, to, false))
    };
    reasons.extend(elsewhere.iter().find_map(copy));
    reasons
}

/// Finding of the external scanner. It is precise by assumption, unless it says that it is not sure.
fn scanner_reason(finding: &ScannerFinding) -> Weighted {
    let ScannerFinding { category, score, place } = finding.clone();
    let weight = if score.is_some_and(|score| score < MIN_SURE_SCORE) { Weight::Doubt } else { Weight::Attack };
    let field = place.map(|place| place.field);
    let (start, end) = (place.map(|place| place.start), place.map(|place| place.end));
    (Reason::ScannerFinding { category, score, field, start, end }, weight)
}

/// Findings of the content.
fn content_reasons(evidence: &Evidence, facts: &Facts) -> Vec<Weighted> {
    let findings = &evidence.findings;
    let is_acquainted = facts.is_confirmed_acquaintance();
    let mut reasons: Vec<Weighted> = evidence.scanner.iter().map(scanner_reason).collect();
    for link in &findings.links {
        // A sender may count the clicks on links to itself.
        let shown = base_domain(&link.shown_host);
        if facts.confirmed.as_deref().is_some_and(|domain| base_domain(domain) == shown) {
            continue;
        }
        let weight = match () {
            () if evidence.known.is_own(&link.target_host) => Weight::None,
            () if is_acquainted || facts.confirms_mass_mail(evidence) => Weight::Doubt,
            () => Weight::Attack,
        };
        let (shown_host, target_host) = (link.shown_host.clone(), link.target_host.clone());
        reasons.push((Reason::MisleadingLink { shown_host, target_host }, weight));
    }
    if let Some(kind) = findings.hidden_text {
        let weight = match kind {
            HiddenTextKind::Characters => Weight::Attack,
            HiddenTextKind::Styled if facts.confirms_mass_mail(evidence) || is_acquainted => Weight::None,
            HiddenTextKind::Styled => Weight::Doubt,
        };
        reasons.push((Reason::HiddenText { kind: kind.into() }, weight));
    }
    for found in &findings.instructions {
        let reason = Reason::MachineInstruction {
            kind: found.kind.into(),
            field: found.field.into(),
            start: found.start,
            end: found.end,
            is_hidden: found.is_hidden,
        };
        reasons.push((reason, Weight::Attack));
    }
    for attachment in &findings.attachments {
        let weight = match attachment.risk {
            AttachmentRisk::Executable if is_acquainted => Weight::Doubt,
            AttachmentRisk::Executable => Weight::Attack,
            AttachmentRisk::PasswordProtected if is_acquainted => Weight::None,
            AttachmentRisk::PasswordProtected => Weight::Doubt,
        };
        let filename = attachment.filename.clone();
        reasons.push((Reason::RiskyAttachment { filename, risk: attachment.risk.into() }, weight));
    }
    reasons.extend(findings.mass.map(|kind| (Reason::MassMail { kind: kind.into() }, Weight::None)));
    reasons
}
