//! Policies of sending: tables of single rules, and properties of several policies together.

use std::collections::BTreeMap;

use inboxd_core::model::{
    AmountRules, ApiKeyId, ContentRules, EntryName, Policy, PolicyAction, PolicyAuthors, PolicyDay, PolicyLevel,
    PolicyRule, PolicyRules, RecipientRules, SendingHours,
};
use inboxd_core::rules::sending_policy::{
    Decision, OutgoingFacts, RecentAmount, RecipientFacts, SecretKind, amount_name, decide, validate_rules, verdicts,
};
use inboxd_core::testing::fixtures::{NOW, address, id, inbox};
use proptest::collection::vec;
use proptest::prelude::*;

fn policy(level: PolicyLevel, rules: PolicyRules) -> Policy {
    Policy { organization_id: id(1), level, rules, updated_by: None, updated_at: NOW }
}

fn recipients(rules: RecipientRules) -> Policy {
    policy(PolicyLevel::Organization, PolicyRules { recipients: rules, ..PolicyRules::default() })
}

fn entries(names: &[&str]) -> Vec<EntryName> {
    names.iter().map(|name| EntryName::stored((*name).to_owned())).collect()
}

/// Returns the facts of an agent's message to recipients, of which the first is known.
fn facts(recipients: &[&str]) -> OutgoingFacts {
    let recipient = |(place, text): (usize, &&str)| RecipientFacts { address: address(text), is_known: place == 0 };
    OutgoingFacts {
        is_of_agent: true,
        recipients: recipients.iter().enumerate().map(recipient).collect(),
        continues_suspicious: false,
        attachments: 0,
        has_link: false,
        secret: None,
        has_received_code: false,
        recent: BTreeMap::new(),
        now: NOW,
    }
}

/// Returns the action, the rule and what it found.
fn decided(policies: &[Policy], facts: &OutgoingFacts) -> (PolicyAction, Option<PolicyRule>, Option<String>) {
    match decide(verdicts(policies, facts)) {
        Decision::Allow => (PolicyAction::Allow, None, None),
        Decision::Hold(rule) => (PolicyAction::Hold, Some(rule.rule), rule.found),
        Decision::Refuse(rule) => (PolicyAction::Refuse, Some(rule.rule), rule.found),
    }
}

#[test]
fn recipients_are_decided_by_lists_and_then_by_acquaintance() {
    let rules = RecipientRules {
        known: PolicyAction::Allow,
        first_contact: PolicyAction::Hold,
        suspicious: PolicyAction::Allow,
        allow: entries(&["friends.example"]),
        hold: entries(&["press.example"]),
        refuse: entries(&["rival.example", "ex@friends.example"]),
    };
    for (to, action, rule, found) in [
        (&["known@a.example"][..], PolicyAction::Allow, None, None),
        (
            &["known@a.example", "new@b.example"],
            PolicyAction::Hold,
            Some(PolicyRule::FirstContact),
            Some("new@b.example"),
        ),
        (&["known@a.example", "new@sub.friends.example"], PolicyAction::Allow, None, None),
        (&["known@press.example"], PolicyAction::Hold, Some(PolicyRule::HeldRecipient), Some("known@press.example")),
        (
            &["new@press.example", "known@RIVAL.example"],
            PolicyAction::Refuse,
            Some(PolicyRule::RefusedRecipient),
            Some("known@RIVAL.example"),
        ),
        (&["ex@friends.example"], PolicyAction::Refuse, Some(PolicyRule::RefusedRecipient), Some("ex@friends.example")),
        (
            &["ex+tag@friends.example"],
            PolicyAction::Refuse,
            Some(PolicyRule::RefusedRecipient),
            Some("ex+tag@friends.example"),
        ),
    ] {
        let decision = decided(&[recipients(rules.clone())], &facts(to));
        assert_eq!(decision, (action, rule, found.map(str::to_owned)), "{to:?}");
    }
    let never = RecipientRules {
        known: PolicyAction::Refuse,
        first_contact: PolicyAction::Refuse,
        allow: entries(&["boss@a.example"]),
        ..RecipientRules::default()
    };
    for (to, action) in [("boss@a.example", PolicyAction::Allow), ("known@a.example", PolicyAction::Refuse)] {
        assert_eq!(decided(&[recipients(never.clone())], &facts(&[to])).0, action, "{to}");
    }
}

#[test]
fn content_is_decided_by_what_it_contains() {
    let plain = facts(&["known@a.example"]);
    for (facts, rule, found) in [
        (OutgoingFacts { attachments: 2, ..plain.clone() }, PolicyRule::Attachments, Some("2")),
        (OutgoingFacts { has_link: true, ..plain.clone() }, PolicyRule::Links, None),
        (
            OutgoingFacts { secret: Some(SecretKind::CardNumber), ..plain.clone() },
            PolicyRule::Secrets,
            Some("card number"),
        ),
        (OutgoingFacts { has_received_code: true, ..plain.clone() }, PolicyRule::ReceivedCodes, None),
    ] {
        for action in [PolicyAction::Allow, PolicyAction::Hold, PolicyAction::Refuse] {
            let content = ContentRules { attachments: action, links: action, secrets: action, received_codes: action };
            let policy = policy(PolicyLevel::Organization, PolicyRules { content, ..PolicyRules::default() });
            let decision = decided(std::slice::from_ref(&policy), &facts);
            match action {
                PolicyAction::Allow => assert_eq!(decision, (PolicyAction::Allow, None, None)),
                action => assert_eq!(decision, (action, Some(rule), found.map(str::to_owned))),
            }
            assert_eq!(decided(&[policy], &plain).0, PolicyAction::Allow);
        }
    }
}

#[test]
fn amounts_count_within_the_scope_of_their_policy() {
    let level = PolicyLevel::Inbox(inbox().inbox_id);
    let amount = AmountRules { per_hour: Some(3), per_recipient_hour: Some(2), beyond: PolicyAction::Refuse };
    let policy = policy(level.clone(), PolicyRules { amount, ..PolicyRules::default() });
    let with = |level: &PolicyLevel, messages, to: &[(&str, u32)]| {
        let to = to.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        let recent = BTreeMap::from([(level.clone(), RecentAmount { messages, to })]);
        OutgoingFacts { recent, ..facts(&["Known+tag@a.example", "new@b.example"]) }
    };
    for (facts, expected) in [
        (with(&level, 2, &[("known@a.example", 1)]), None),
        (with(&level, 3, &[]), Some((PolicyRule::PerHour, "3"))),
        (with(&level, 2, &[("known@a.example", 2)]), Some((PolicyRule::PerRecipientHour, "known@a.example"))),
        (with(&level, 2, &[("other@a.example", 9)]), None),
        (with(&PolicyLevel::Organization, 9, &[("known@a.example", 9)]), None),
    ] {
        let decision = decided(std::slice::from_ref(&policy), &facts);
        let expected = expected.map(|(rule, found)| (PolicyAction::Refuse, Some(rule), Some(found.to_owned())));
        assert_eq!(decision, expected.unwrap_or((PolicyAction::Allow, None, None)), "{facts:?}");
    }
}

#[test]
fn hours_hold_what_is_written_outside_them() {
    // `NOW` is within one of these hours and outside the other.
    let hour = u16::from(NOW.hour());
    for (from, until, action) in
        [(hour * 60, hour * 60 + 59, PolicyAction::Allow), ((hour + 1) % 24 * 60, hour * 60, PolicyAction::Hold)]
    {
        let hours = SendingHours {
            zone: "UTC".to_owned(),
            days: PolicyDay::ALL.to_vec(),
            from,
            until,
            outside: PolicyAction::Hold,
        };
        let policy = policy(PolicyLevel::Organization, PolicyRules { hours: Some(hours), ..PolicyRules::default() });
        assert_eq!(decided(&[policy], &facts(&["a@a.example"])).0, action, "{from} {until}");
    }
}

#[test]
fn people_are_bound_by_policies_for_everyone_alone() {
    let by_hand = OutgoingFacts { is_of_agent: false, ..facts(&["known@a.example"]) };
    for (applies_to, action) in
        [(PolicyAuthors::Agents, PolicyAction::Allow), (PolicyAuthors::Everyone, PolicyAction::Refuse)]
    {
        let recipients = RecipientRules { known: PolicyAction::Refuse, ..RecipientRules::default() };
        let rules = PolicyRules { applies_to, recipients, ..PolicyRules::default() };
        assert_eq!(decided(&[policy(PolicyLevel::Organization, rules)], &by_hand).0, action);
    }
}

#[test]
fn policy_of_new_organizations_holds_secrets_received_codes_and_suspicious_threads_alone() {
    let policy = [policy(PolicyLevel::Organization, PolicyRules::of_new_organization())];
    let plain = facts(&["new@a.example", "other@b.example"]);
    for (facts, action) in [
        (OutgoingFacts { attachments: 1, has_link: true, ..plain.clone() }, PolicyAction::Allow),
        (OutgoingFacts { secret: Some(SecretKind::AccessKey), ..plain.clone() }, PolicyAction::Hold),
        (OutgoingFacts { has_received_code: true, ..plain.clone() }, PolicyAction::Hold),
        (OutgoingFacts { continues_suspicious: true, ..plain.clone() }, PolicyAction::Hold),
        (OutgoingFacts { continues_suspicious: true, is_of_agent: false, ..plain.clone() }, PolicyAction::Allow),
        (OutgoingFacts { has_received_code: true, is_of_agent: false, ..plain.clone() }, PolicyAction::Allow),
    ] {
        assert_eq!(decided(&policy, &facts).0, action, "{facts:?}");
    }
}

#[test]
fn invalid_rules_are_named_by_their_field() {
    let hours = SendingHours {
        zone: "Moon/Base".to_owned(),
        days: Vec::new(),
        from: 24 * 60,
        until: 0,
        outside: PolicyAction::Hold,
    };
    let rules = PolicyRules {
        recipients: RecipientRules {
            allow: vec![EntryName::stored("a.example".to_owned()); 1_001],
            ..Default::default()
        },
        amount: AmountRules { per_hour: Some(0), per_recipient_hour: Some(100_001), beyond: PolicyAction::Hold },
        hours: Some(hours),
        ..PolicyRules::default()
    };
    let paths: Vec<String> = validate_rules(&rules).into_iter().map(|problem| problem.path).collect();
    let expected =
        ["recipients", "amount.per_hour", "amount.per_recipient_hour", "hours.zone", "hours.days", "hours.from"];
    assert_eq!(paths, expected);
    assert_eq!(validate_rules(&PolicyRules::of_new_organization()), []);
}

fn any_action() -> impl Strategy<Value = PolicyAction> {
    prop::sample::select(PolicyAction::ALL)
}

fn any_entries() -> impl Strategy<Value = Vec<EntryName>> {
    vec(prop::sample::select(&["a.example", "known@a.example", "b.example", "new@b.example"]), 0..3)
        .prop_map(|names| entries(&names))
}

prop_compose! {
    fn any_rules()(
        everyone in any::<bool>(),
        known in any_action(), first_contact in any_action(), suspicious in any_action(),
        allow in any_entries(), hold in any_entries(), refuse in any_entries(),
        per_hour in prop::option::of(1..4_u32), per_recipient_hour in prop::option::of(1..4_u32), beyond in any_action(),
        content in vec(any_action(), 4),
        hours in prop::option::of((0..1440_u16, 0..1440_u16, any_action(), 1..128_u8)),
    ) -> PolicyRules {
        let content_of = |place: usize| content.get(place).copied().unwrap_or_default();
        let days = |bits: u8| {
            PolicyDay::ALL.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).map(|(_, day)| *day).collect()
        };
        PolicyRules {
            applies_to: if everyone { PolicyAuthors::Everyone } else { PolicyAuthors::Agents },
            recipients: RecipientRules { known, first_contact, suspicious, allow, hold, refuse },
            amount: AmountRules { per_hour, per_recipient_hour, beyond },
            content: ContentRules {
                attachments: content_of(0), links: content_of(1), secrets: content_of(2), received_codes: content_of(3),
            },
            hours: hours.map(|(from, until, outside, bits)| SendingHours {
                zone: "Europe/Berlin".to_owned(), days: days(bits), from, until, outside,
            }),
        }
    }
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let level = prop::sample::select(vec![
        PolicyLevel::Organization,
        PolicyLevel::Pod(id(2)),
        PolicyLevel::Inbox(inbox().inbox_id),
        PolicyLevel::ApiKey(id::<ApiKeyId>(3)),
    ]);
    (level, any_rules()).prop_map(|(level, rules)| policy(level, rules))
}

prop_compose! {
    fn any_facts()(
        is_of_agent in any::<bool>(),
        known in vec(any::<bool>(), 1..4), continues_suspicious in any::<bool>(),
        attachments in 0..2_usize, has_link in any::<bool>(), has_received_code in any::<bool>(),
        secret in prop::option::of(prop::sample::select(SecretKind::ALL)),
        messages in 0..5_u32, to in 0..5_u32,
    ) -> OutgoingFacts {
        let names = ["known@a.example", "new@b.example", "x@c.example"];
        let recent = RecentAmount { messages, to: BTreeMap::from([("known@a.example".to_owned(), to)]) };
        let recipient =
            |(is_known, name): (&bool, &&str)| RecipientFacts { address: address(name), is_known: *is_known };
        OutgoingFacts {
            is_of_agent,
            recipients: known.iter().zip(&names).map(recipient).collect(),
            continues_suspicious,
            attachments,
            has_link,
            secret,
            has_received_code,
            recent: BTreeMap::from([(PolicyLevel::Organization, recent.clone()), (PolicyLevel::Pod(id(2)), recent)]),
            now: NOW,
        }
    }
}

proptest! {
    #[test]
    fn another_policy_never_makes_a_decision_milder(
        policies in vec(any_policy(), 0..4), further in any_policy(), place in 0..4_usize, facts in any_facts(),
    ) {
        let before = decided(&policies, &facts).0;
        let mut more = policies;
        more.insert(place.min(more.len()), further);
        prop_assert!(decided(&more, &facts).0 >= before);
    }

    #[test]
    fn decision_is_the_strictest_verdict_and_names_its_rule(
        policies in vec(any_policy(), 0..4), facts in any_facts(),
    ) {
        let verdicts = verdicts(&policies, &facts);
        let strictest = verdicts.iter().map(|verdict| verdict.action).max().unwrap_or_default();
        match decide(verdicts.clone()) {
            Decision::Allow => prop_assert_eq!(strictest, PolicyAction::Allow),
            Decision::Hold(rule) | Decision::Refuse(rule) => {
                prop_assert_eq!(rule.action, strictest);
                prop_assert!(verdicts.contains(&rule));
            }
        }
    }

    #[test]
    fn without_policies_everything_leaves(facts in any_facts()) {
        prop_assert_eq!(decide(verdicts(&[], &facts)), Decision::Allow);
    }
}

#[test]
fn forms_of_an_address_are_counted_as_one() {
    for form in [
        "ann@münchen.example",
        "\"ann\"@MÜNCHEN.example",
        "ann+tag@xn--mnchen-3ya.example",
        "Ann@xn--mnchen-3ya.example",
    ] {
        assert_eq!(amount_name(&address(form)), "ann@xn--mnchen-3ya.example", "{form}");
    }
}
