//! Display names that imitate a person or the service.

use std::collections::BTreeSet;

use inboxd_mail::MassMailKind;

use super::confusables::{folded, is_accent, is_invisible, skeleton};
use super::domains::base_domain;
use super::evidence::{Evidence, KnownPerson, Relation, domain_of};
use super::reason::{ImitatedIdentity, Reason};

/// Words that a service adds to its name in its own mail.
const ROLES: &[&str] = &[
    "account",
    "accounts",
    "admin",
    "administrator",
    "alert",
    "alerts",
    "billing",
    "care",
    "center",
    "customer",
    "desk",
    "helpdesk",
    "help",
    "it",
    "mail",
    "mailer",
    "mailbox",
    "noreply",
    "notification",
    "notifications",
    "official",
    "operations",
    "payments",
    "postmaster",
    "security",
    "server",
    "service",
    "services",
    "sicherheit",
    "soporte",
    "storage",
    "support",
    "system",
    "team",
    "the",
    "verification",
    "assistance",
    "webmaster",
    "поддержка",
    "支持",
];

/// Last letter of the blocks of Latin letters that languages of Europe use.
const LAST_LATIN_LETTER: char = '\u{24f}';

/// Weight of an imitation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Imitation {
    /// Persons with a second address look like this too.
    Possible,
    /// Legitimate mail does not look like this.
    Clear,
}

/// Returns the identity that the display name of the sender imitates.
///
/// Domains decide: the name of a person belongs to all addresses of the domain of the person, unless strangers share it,
/// and to each address that the organization knows. `confirmed` is the authenticated domain.
pub(super) fn imitated(evidence: &Evidence, confirmed: Option<&str>) -> Option<(Reason, Imitation)> {
    let from = evidence.from.as_ref()?;
    let name = from.name.as_deref()?;
    let domain = domain_of(&from.address)?;
    let base = base_domain(&domain);
    let (author, is_relayed) = author(name);
    let words = words(author);
    let reason = |imitates, address: Option<&str>| Reason::ImitatedName {
        display_name: name.to_owned(),
        imitates,
        address: address.map(str::to_owned),
    };
    if imitates_service(evidence, &words) && !evidence.known.speaks_for_service(&from.address) {
        return Some((reason(ImitatedIdentity::Service, None), Imitation::Clear));
    }
    let of_person = |person: &KnownPerson| {
        let address = Some(person.address.as_str()).filter(|_| person.pod_id == evidence.pod_id);
        reason(person.relation.into(), address)
    };
    let is_known = |person: &KnownPerson| person.address.eq_ignore_ascii_case(&from.address);
    let is_shared = evidence.known.is_shared(base);
    let is_of_domain = |person: &KnownPerson| {
        is_known(person) || !is_shared && domain_of(&person.address).is_some_and(|known| base_domain(&known) == base)
    };
    // A group posts for its members, and a program writes for its users: "Anna via Docs". Members are reached otherwise.
    let is_list = evidence.findings.mass == Some(MassMailKind::List);
    let may_relay = |person: &KnownPerson| {
        is_relayed && confirmed.is_some() && (is_list || person.relation == Relation::Correspondent)
    };
    let namesakes: Vec<&KnownPerson> =
        evidence.known.people_like(author).filter(|person| is_named(person, &words)).collect();
    if namesakes.iter().any(|person| is_known(person)) {
        return None;
    }
    let is_imitated = |person: &&KnownPerson| !is_of_domain(person) && !may_relay(person);
    // Of several persons the first one that the reason may name.
    let first = |people: Vec<&KnownPerson>| {
        people.into_iter().filter(is_imitated).min_by_key(|person| person.pod_id != evidence.pod_id).cloned()
    };
    let shown = shown_addresses(&folded(author));
    if !shown.is_empty() {
        let is_shown = |person: &&KnownPerson| shown.contains(&skeleton(&person.address));
        if let Some(person) = first(evidence.known.people().iter().filter(is_shown).collect()) {
            return Some((of_person(&person), Imitation::Clear));
        }
    }
    let person = first(namesakes)?;
    // Programs write in the name of a person, those of members to lists only: the rest of a team is reached otherwise.
    let is_of_program = confirmed.is_some()
        && match person.relation {
            Relation::Member => is_list,
            Relation::Correspondent => evidence.findings.mass.is_some(),
        };
    let is_spelled_alike =
        is_latin(author) || person.name.as_deref().is_some_and(|known| plain_words(known) == plain_words(author));
    let resembles_owner = names_its_owner(&from.address, &words);
    let is_possible = is_of_program || (confirmed.is_some() && resembles_owner && is_spelled_alike);
    let weight = if is_possible { Imitation::Possible } else { Imitation::Clear };
    Some((of_person(&person), weight))
}

/// Returns whether the sender has the name under which the inbox knows the address.
pub(super) fn has_known_name(evidence: &Evidence) -> bool {
    let name = evidence.from.as_ref().and_then(|from| from.name.as_deref());
    name.zip(evidence.known_name.as_deref()).is_some_and(|(name, known)| words(name) == words(known))
}

/// Returns the author that a display name names, and whether it also names who relays the message: "Anna via Docs".
fn author(name: &str) -> (&str, bool) {
    let mut place = 0;
    for word in name.split_inclusive(char::is_whitespace) {
        if word.trim().eq_ignore_ascii_case("via")
            && let Some(author) = name.get(..place).map(str::trim).filter(|author| !author.is_empty())
        {
            return (author.trim_matches(['"', '\'']), true);
        }
        place += word.len();
    }
    (name, false)
}

/// Returns whether a name has letters of European languages only, with accents or without. Letters of another script, and
/// characters without a glyph, in a name that looks the same are no second spelling.
fn is_latin(name: &str) -> bool {
    name.chars().all(|c| is_accent(c) || !is_invisible(c) && (!c.is_alphabetic() || c <= LAST_LATIN_LETTER))
}

/// Returns the skeletons of the words of a name in alphabetical order, since directories write "Weber, Anna".
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = plain_words(&folded(name)).iter().map(|word| skeleton(word)).collect();
    words.sort();
    words
}

fn plain_words(name: &str) -> Vec<String> {
    let mut words: Vec<String> =
        name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    words.sort();
    words
}

/// Returns whether a person has a name of these words. A single word is not enough: many persons share a first name.
fn is_named(person: &KnownPerson, name: &[String]) -> bool {
    let letters = name.iter().map(|word| word.chars().count()).sum::<usize>();
    let is_whole = name.len() >= 2 || name.first().is_some_and(|word| !word.is_ascii() && letters >= 3);
    is_whole && letters >= 3 && person.name.as_deref().is_some_and(|known| words(known) == name)
}

/// Returns whether a display name is that of a person, in full or with initials: "A. Weber".
pub(super) fn names_person(name: &str, person: &KnownPerson) -> bool {
    let words = words(author(name).0);
    is_named(person, &words) || is_abbreviated(person, &words)
}

fn is_abbreviated(person: &KnownPerson, name: &[String]) -> bool {
    let mut left = person.name.as_deref().map(words).unwrap_or_default();
    let (initials, whole): (Vec<&String>, Vec<&String>) = name.iter().partition(|word| word.chars().count() == 1);
    for word in whole.iter().chain(&initials) {
        let is_initial = word.chars().count() == 1;
        let fits = |known: &String| if is_initial { known.starts_with(word.as_str()) } else { known == *word };
        let Some(place) = left.iter().position(fits) else { return false };
        left.remove(place);
    }
    name.len() >= 2 && left.is_empty() && whole.iter().any(|word| word.chars().count() >= 3)
}

/// Returns whether the name is that of the service, alone or with a role.
fn imitates_service(evidence: &Evidence, name: &[String]) -> bool {
    let service = words(&evidence.known.service().name);
    let is_role = |word: &String| ROLES.iter().any(|role| skeleton(role) == *word);
    let (of_service, rest): (Vec<&String>, Vec<&String>) = name.iter().partition(|word| service.contains(word));
    !service.is_empty() && of_service.len() == service.len() && rest.into_iter().all(is_role)
}

/// Returns the skeletons of the addresses in a display name.
fn shown_addresses(name: &str) -> BTreeSet<String> {
    let parts = name.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | '"' | '\'' | '[' | ']'));
    let parts = parts.map(|part| part.trim_matches(|c: char| !c.is_alphanumeric()));
    parts.filter(|part| part.contains('@')).map(skeleton).collect()
}

/// Returns whether the local part of an address has a word of the name, as private addresses have.
fn names_its_owner(address: &str, name: &[String]) -> bool {
    let local = skeleton(address.rsplit_once('@').map_or("", |(local, _)| local));
    let is_ascii = name.iter().all(|word| word.is_ascii());
    // Names of other scripts are transcribed in addresses.
    !is_ascii || name.iter().any(|word| word.len() >= 3 && local.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use inboxd_mail::SafetyFindings;

    use super::super::evidence::{Relation, SenderAddress, ServiceIdentity};
    use super::super::known::KnownIdentities;
    use super::*;

    fn evidence(name: &str, address: &str) -> Evidence {
        let person = |name: &str, address: &str, relation| KnownPerson {
            name: Some(name.to_owned()),
            address: address.to_owned(),
            relation,
            ..KnownPerson::default()
        };
        let people = vec![
            person("Anna Weber", "anna@weber.example", Relation::Correspondent),
            person("Tom Berg", "tom@own.example", Relation::Member),
            person("王小明", "wang@firm.example", Relation::Correspondent),
            person("Nora Quist", "nora@gmail.com", Relation::Correspondent),
        ];
        let service = ServiceIdentity {
            name: "Inboxd".to_owned(),
            domains: vec!["inboxd.example".to_owned()],
            shared: vec!["inboxd.example".to_owned()],
            ..ServiceIdentity::default()
        };
        Evidence {
            from: Some(SenderAddress { name: Some(name.to_owned()), address: address.to_owned() }),
            known: Arc::new(KnownIdentities::new(service, people)),
            ..Evidence::default()
        }
    }

    #[test]
    fn names_of_others_are_imitations() {
        use ImitatedIdentity::{Correspondent, Member, Service};
        use Imitation::{Clear, Possible};
        for (name, address, expected) in [
            ("Anna Weber", "office2291@mail.example", Some((Correspondent, Clear))),
            ("Weber, Anna", "office2291@mail.example", Some((Correspondent, Clear))),
            ("Anna Weber", "anna.weber@mail.example", Some((Correspondent, Possible))),
            ("Аnnа Weber", "anna.weber@mail.example", Some((Correspondent, Clear))),
            ("anna@weber.example", "x@mail.example", Some((Correspondent, Clear))),
            ("Anna Weber <anna@weber.example>", "x@mail.example", Some((Correspondent, Clear))),
            ("anna＠weber.example", "x@mail.example", Some((Correspondent, Clear))),
            ("anna@weber.example, Weber Ltd", "x@mail.example", Some((Correspondent, Clear))),
            ("@office anna@weber.example", "x@mail.example", Some((Correspondent, Clear))),
            ("аnna@weber.example", "x@mail.example", Some((Correspondent, Clear))),
            ("hanna@weber.example", "x@mail.example", None),
            ("Tom Berg", "ceo@mail.example", Some((Member, Clear))),
            ("王小明", "boss99@mail.example", Some((Correspondent, Possible))),
            ("Inboxd Support", "help@mail.example", Some((Service, Clear))),
            ("lnboxd Security Team", "help@mail.example", Some((Service, Clear))),
            ("Inboxd Support", "help@inboxd.example", None),
            ("Inboxd Support", "no-reply@inboxd.example", None),
            ("Inboxd Support", "agent7@inboxd.example", Some((Service, Clear))),
            ("Ｉｎｂｏｘｄ Support", "help@mail.example", Some((Service, Clear))),
            ("I\u{336}n\u{200b}boxd", "help@mail.example", Some((Service, Clear))),
            ("Nora Quist", "office@gmail.com", Some((Correspondent, Clear))),
            ("Nora Quist", "nora.quist@gmail.com", Some((Correspondent, Possible))),
            ("nora@gmail.com", "x@gmail.com", Some((Correspondent, Clear))),
            ("nora@gmail.com", "NORA@gmail.com", None),
            ("Ａｎｎａ Ｗｅｂｅｒ", "anna.weber@mail.example", Some((Correspondent, Clear))),
            ("𝐀𝐧𝐧𝐚 Weber", "anna.weber@mail.example", Some((Correspondent, Clear))),
            ("An\u{200b}na Weber", "anna.weber@mail.example", Some((Correspondent, Clear))),
            ("A\u{301}nna We\u{308}ber", "anna.weber@mail.example", Some((Correspondent, Possible))),
            ("ΑΝΝΑ Weber", "anna.weber@mail.example", Some((Correspondent, Clear))),
            ("ᴀɴɴᴀ ᴡᴇʙᴇʀ", "anna.weber@mail.example", Some((Correspondent, Clear))),
            ("Inboxd fans of Bergen", "help@mail.example", None),
            ("Anna Weber", "anna@weber.example", None),
            ("Anna Weber", "a.weber@mail.weber.example", None),
            ("Anna Weber via Docs", "docs@mail.example", None),
            ("anna@weber.example via Group", "group@mail.example", None),
            ("Tom Berg via Docs", "docs@mail.example", Some((Member, Clear))),
            ("tom@own.example VIA Docs", "docs@mail.example", Some((Member, Clear))),
            ("Inboxd via Docs", "docs@mail.example", Some((Service, Clear))),
            ("Via Roma", "roma@mail.example", None),
            ("Anna", "anna@mail.example", None),
            ("Anna Webber", "anna@mail.example", None),
        ] {
            let found = imitated(&evidence(name, address), Some("mail.example"));
            let found = found.map(|(reason, weight)| match reason {
                Reason::ImitatedName { imitates, .. } => (imitates, weight),
                other => panic!("{other:?}"),
            });
            assert_eq!(found, expected, "{name} {address}");
        }
    }

    #[test]
    fn name_of_person_may_have_initials() {
        let anna = KnownPerson { name: Some("Anna Maria Weber".to_owned()), ..KnownPerson::default() };
        for (name, expected) in [
            ("Anna Maria Weber", true),
            ("A. M. Weber", true),
            ("Weber, Anna M.", true),
            ("А. M. Weber via Docs", true),
            ("A. Weber", false),
            ("B. M. Weber", false),
            ("A. M. W.", false),
            ("Weber", false),
            ("", false),
        ] {
            assert_eq!(names_person(name, &anna), expected, "{name}");
        }
    }

    #[test]
    fn notification_with_name_of_author_is_possible_imitation() {
        let findings = SafetyFindings { mass: Some(MassMailKind::List), ..SafetyFindings::default() };
        let evidence = Evidence { findings, ..evidence("Anna Weber", "notifications@forge.example") };
        assert_eq!(imitated(&evidence, Some("forge.example")).map(|(_, weight)| weight), Some(Imitation::Possible));
        assert_eq!(imitated(&evidence, None).map(|(_, weight)| weight), Some(Imitation::Clear));
    }
}
