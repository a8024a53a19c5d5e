use inboxd_core::Error;
use inboxd_core::model::{Home, Route};
use inboxd_core::rules::recipients::{MOST, allow, allow_everyone, by_route, of};
use inboxd_core::testing::fixtures::{self, address, mailbox};
use inboxd_mail::{EmailAddress, Mailbox};

fn numbered(count: usize) -> Vec<Mailbox> {
    (0..count).map(|number| mailbox(&format!("n{number}@example.org"))).collect()
}

#[test]
fn everyone_is_written_to_once_in_the_order_of_the_fields() {
    let to = [mailbox("Anna <anna@example.org>"), mailbox("ben@example.org")];
    let cc = [mailbox("ANNA@Example.org"), mailbox("cleo@example.org")];
    let bcc = [mailbox("ben@example.org"), mailbox("dora@example.org")];
    let recipients: Vec<String> = of(&to, &cc, &bcc).unwrap().iter().map(EmailAddress::normalized).collect();
    assert_eq!(recipients, ["anna@example.org", "ben@example.org", "cleo@example.org", "dora@example.org"]);
}

#[test]
fn any_one_field_is_enough_and_none_is_not() {
    let one = [mailbox("anna@example.org")];
    for (to, cc, bcc) in [(&one[..], &[][..], &[][..]), (&[], &one, &[]), (&[], &[], &one)] {
        assert_eq!(of(to, cc, bcc).unwrap(), [address("anna@example.org")]);
    }
    assert!(matches!(of(&[], &[], &[]), Err(problem) if problem.path == "to"));
}

#[test]
fn fifty_are_allowed_and_fifty_one_are_not() {
    assert_eq!(of(&numbered(MOST), &[], &[]).unwrap().len(), 50);
    let twice_the_same: Vec<Mailbox> = [numbered(MOST), numbered(MOST)].concat();
    assert_eq!(of(&twice_the_same, &[], &[]).unwrap().len(), 50);
    assert!(of(&numbered(40), &numbered(51), &[]).is_err());
}

#[test]
fn everyone_is_answered_up_to_fifty_and_beyond_that_nothing_is_said_of_fields() {
    assert!(allow_everyone(&numbered(MOST), &numbered(MOST), &[]).is_ok());
    let refused = allow_everyone(&numbered(51), &[], &[]);
    assert!(matches!(refused, Err(Error::TooManyToAnswer { count: 51, most: 50 })), "{refused:?}");
}

#[test]
fn a_list_without_end_is_refused_soon() {
    assert!(of(&numbered(200_000), &[], &[]).is_err());
}

#[test]
fn an_unverified_organization_writes_to_its_owner_only() {
    let owner = address("Owner@EXAMPLE.org");
    let other = address("other@example.org");
    assert!(allow(&fixtures::unverified(), std::slice::from_ref(&owner)).is_ok());
    let refused = allow(&fixtures::unverified(), &[owner, other.clone()]);
    assert!(matches!(refused, Err(Error::OrganizationUnverified { recipient }) if recipient == "other@example.org"));
    assert!(allow(&fixtures::organization(), &[other]).is_ok());
}

#[test]
fn who_is_here_is_delivered_inside_and_all_others_by_dns() {
    let [inside, outside, claimed] = ["scout@inboxd.example", "anna@example.org", "nobody@example.com"].map(address);
    assert_eq!(
        by_route(vec![outside.clone(), inside.clone(), claimed.clone()], &[Home::Elsewhere, Home::Here, Home::Claimed]),
        [(Route::Local, vec![inside.clone()]), (Route::Remote, vec![outside.clone(), claimed])]
    );
    assert_eq!(by_route(vec![inside.clone()], &[Home::Here]), [(Route::Local, vec![inside])]);
    assert_eq!(by_route(vec![outside.clone()], &[Home::Elsewhere]), [(Route::Remote, vec![outside])]);
}
