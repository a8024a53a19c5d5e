use inboxd_core::model::{Member, Membership, Organization, OrganizationId, Role, SignInCode};
use inboxd_core::rules::sign_in::{choose_membership, digits};
use inboxd_core::rules::signing::SigningKey;
use inboxd_core::testing::fixtures::{self, NOW, address, id};
use time::Duration;

fn code(email: &str, nonce: u8) -> SignInCode {
    SignInCode::fresh(address(email), [nonce; 32], NOW)
}

#[test]
fn codes_have_six_digits_and_differ() {
    let key = SigningKey::new([7; 32]);
    let mut seen = std::collections::BTreeSet::new();
    for nonce in 0..=255 {
        let digits = digits(&key, &code("maria@example.org", nonce));
        assert!(digits.len() == 6 && digits.bytes().all(|c| c.is_ascii_digit()), "{digits}");
        seen.insert(digits);
    }
    assert!(seen.len() > 250, "codes are repeated");
    let one = digits(&key, &code("maria@example.org", 1));
    assert_eq!(one, digits(&key, &code("Maria@Example.org", 1)), "letter case is ignored");
    assert_ne!(one, digits(&key, &code("max@example.org", 1)));
    assert_ne!(one, digits(&SigningKey::new([8; 32]), &code("maria@example.org", 1)));
}

#[test]
fn code_is_valid_for_fifteen_minutes_and_ten_attempts() {
    let code = code("maria@example.org", 1);
    assert!(!code.is_expired(NOW + Duration::minutes(15) - Duration::MILLISECOND));
    assert!(code.is_expired(NOW + Duration::minutes(15)));
    assert!(!SignInCode { attempts: 9, ..code.clone() }.is_exhausted());
    assert!(SignInCode { attempts: 10, ..code }.is_exhausted());
}

#[test]
fn wrong_codes_of_address_are_limited_to_50_at_once_and_100_a_day() {
    let mut tried = code("maria@example.org", 1);
    let (mut now, mut guesses) = (NOW, 0);
    while tried.paused_until(now).is_none() {
        tried = tried.tried(now);
        guesses += 1;
    }
    assert_eq!((guesses, tried.attempts), (50, 50));
    // A new code and the delay until the next attempt, repeated for a day.
    while now < NOW + Duration::days(1) {
        now = tried.paused_until(now).unwrap_or(now);
        (tried, guesses) = (tried.tried(now), guesses + 1);
    }
    assert!((95..100).contains(&guesses), "{guesses}");
    assert_eq!(tried.paused_until(now + Duration::days(2)), None);
}

fn membership(number: u128, role: Role, used: Option<i64>) -> Membership {
    let organization = Organization { organization_id: id(number), ..fixtures::organization() };
    let created_at = NOW + Duration::seconds(i64::try_from(number).unwrap());
    let member = Member { organization_id: id(number), role, created_at, ..fixtures::member() };
    Membership { organization, member, used_at: used.map(|seconds| NOW + Duration::seconds(seconds)) }
}

#[test]
fn membership_is_proven_by_used_code() {
    let of = |role, joined_at, organization| {
        Membership { organization, member: Member { role, joined_at, ..fixtures::member() }, used_at: None }.is_proven()
    };
    assert!(of(Role::Member, Some(NOW), fixtures::organization()));
    assert!(of(Role::Member, Some(NOW), fixtures::unverified()), "the person signed in");
    assert!(of(Role::Owner, Some(NOW), fixtures::organization()));
    assert!(!of(Role::Owner, Some(NOW), fixtures::unverified()), "anyone can sign up with any address");
    assert!(!of(Role::Admin, None, fixtures::organization()));
}

#[test]
fn sign_in_selects_owned_else_most_recently_used_organization() {
    let owned = membership(1, Role::Owner, Some(1));
    let (earlier, later) = (membership(2, Role::Admin, Some(5)), membership(3, Role::Member, Some(9)));
    let hijacked = Membership {
        organization: Organization { organization_id: id(6), ..fixtures::unverified() },
        ..membership(6, Role::Owner, Some(99))
    };
    let (old, new) = (membership(4, Role::Member, None), membership(5, Role::Member, None));
    let invited = Membership { member: Member { joined_at: None, ..new.member.clone() }, ..new.clone() };
    let table: [(&[&Membership], Option<u128>, Option<u128>); 11] = [
        (&[], None, None),
        (&[&later, &owned, &earlier], None, Some(1)),
        (&[&earlier, &later, &new], None, Some(3)),
        (&[&later, &earlier], None, Some(3)),
        (&[&old, &new], None, Some(5)),
        (&[&owned, &earlier], Some(2), Some(2)),
        (&[&owned, &earlier], Some(9), None),
        (&[&new], None, Some(5)),
        (&[&hijacked, &earlier, &later], None, Some(3)),
        (&[&hijacked, &invited], None, Some(6)),
        (&[&hijacked], None, Some(6)),
    ];
    for (memberships, asked, expected) in table {
        let memberships: Vec<Membership> = memberships.iter().map(|one| (*one).clone()).collect();
        let landed = choose_membership(&memberships, asked.map(id::<OrganizationId>));
        assert_eq!(landed.map(|one| one.organization.organization_id), expected.map(id), "{asked:?}");
    }
}
