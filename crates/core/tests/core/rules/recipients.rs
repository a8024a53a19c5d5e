use inboxd_core::Error;
use inboxd_core::model::{Locality, Route};
use inboxd_core::rules::recipients::{
    MAX_RECIPIENT_ENTRIES, MAX_RECIPIENTS, group_by_route, require_allowed, require_reply_all_limit, unique_recipients,
};
use inboxd_core::testing::fixtures::{self, address, mailbox};
use inboxd_mail::{EmailAddress, Mailbox};

fn numbered(count: usize) -> Vec<Mailbox> {
    (0..count).map(|number| mailbox(&format!("n{number}@example.org"))).collect()
}

#[test]
fn recipients_are_deduplicated_in_field_order() {
    let to = [mailbox("Anna <anna@example.org>"), mailbox("ben@example.org")];
    let cc = [mailbox("ANNA@Example.org"), mailbox("cleo@example.org")];
    let bcc = [mailbox("ben@example.org"), mailbox("dora@example.org")];
    let recipients: Vec<String> =
        unique_recipients(&to, &cc, &bcc).unwrap().iter().map(EmailAddress::normalized).collect();
    assert_eq!(recipients, ["anna@example.org", "ben@example.org", "cleo@example.org", "dora@example.org"]);
}

#[test]
fn at_least_one_recipient_field_is_needed() {
    let one = [mailbox("anna@example.org")];
    for (to, cc, bcc) in [(&one[..], &[][..], &[][..]), (&[], &one, &[]), (&[], &[], &one)] {
        assert_eq!(unique_recipients(to, cc, bcc).unwrap(), [address("anna@example.org")]);
    }
    assert!(matches!(unique_recipients(&[], &[], &[]), Err(problem) if problem.path == "to"));
}

#[test]
fn more_than_50_recipients_are_refused() {
    assert_eq!(unique_recipients(&numbered(MAX_RECIPIENTS), &[], &[]).unwrap().len(), 50);
    let twice_the_same: Vec<Mailbox> = [numbered(MAX_RECIPIENTS), numbered(MAX_RECIPIENTS)].concat();
    assert_eq!(unique_recipients(&twice_the_same, &[], &[]).unwrap().len(), 50);
    assert!(unique_recipients(&numbered(40), &numbered(51), &[]).is_err());
    let repeated = vec![mailbox("anna@example.org"); MAX_RECIPIENT_ENTRIES];
    assert_eq!(unique_recipients(&repeated, &[], &[]).unwrap().len(), 1);
    assert!(unique_recipients(&repeated, &[], &numbered(1)).is_err());
}

#[test]
fn reply_all_above_50_recipients_is_refused_without_field_names() {
    assert!(require_reply_all_limit(&numbered(MAX_RECIPIENTS), &numbered(MAX_RECIPIENTS), &[]).is_ok());
    let refused = require_reply_all_limit(&numbered(51), &[], &[]);
    assert!(matches!(refused, Err(Error::TooManyToAnswer { count: 51, most: 50 })), "{refused:?}");
}

#[test]
fn endless_recipient_list_is_refused_quickly() {
    assert!(unique_recipients(&numbered(200_000), &[], &[]).is_err());
}

#[test]
fn unverified_organization_sends_to_owner_only() {
    let owner = address("Owner@EXAMPLE.org");
    let other = address("other@example.org");
    assert!(require_allowed(&fixtures::unverified(), std::slice::from_ref(&owner)).is_ok());
    let refused = require_allowed(&fixtures::unverified(), &[owner, other.clone()]);
    assert!(matches!(refused, Err(Error::OrganizationUnverified { recipient }) if recipient == "other@example.org"));
    assert!(require_allowed(&fixtures::organization(), &[other]).is_ok());
}

#[test]
fn local_recipients_are_delivered_locally_and_others_by_dns() {
    let [inside, outside, claimed] = ["scout@inboxd.example", "anna@example.org", "nobody@example.com"].map(address);
    assert_eq!(
        group_by_route(
            vec![outside.clone(), inside.clone(), claimed.clone()],
            &[Locality::Remote, Locality::Local, Locality::Claimed]
        ),
        [(Route::Local, vec![inside.clone()]), (Route::Remote, vec![outside.clone(), claimed])]
    );
    assert_eq!(group_by_route(vec![inside.clone()], &[Locality::Local]), [(Route::Local, vec![inside])]);
    assert_eq!(group_by_route(vec![outside.clone()], &[Locality::Remote]), [(Route::Remote, vec![outside])]);
}
