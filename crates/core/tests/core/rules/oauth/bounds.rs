use std::collections::BTreeSet;

use inboxd_core::Error;
use inboxd_core::model::{Caller, Connection, InboxId, Member, Organization, Permission, Permissions, Reach, Role};
use inboxd_core::rules::access::{self, holds};
use inboxd_core::rules::oauth::bounds::{
    bounded, holdable, missing_scope, narrowed, require_expiry, require_inboxes, require_permissions, require_trusted,
    sees,
};
use inboxd_core::rules::oauth::scopes::{ScopeName, parse, text};
use inboxd_core::testing::fixtures::{self, NOW, id, inbox_id};
use time::Duration;

fn scope(names: &str) -> Permissions {
    parse(Some(names)).unwrap()
}

fn inboxes(names: &[&str]) -> BTreeSet<InboxId> {
    names.iter().map(|name| inbox_id(&format!("{name}@inboxd.example"))).collect()
}

fn connection(scopes: &str, inbox_ids: &[&str]) -> Connection {
    Connection { permissions: scope(scopes), inbox_ids: inboxes(inbox_ids), ..fixtures::connection() }
}

fn person(role: Role, inbox_ids: &[&str]) -> Caller {
    fixtures::calling(&Member { role, inbox_ids: inboxes(inbox_ids), ..fixtures::member() })
}

#[test]
fn reach_is_intersection() {
    let all = Reach::Organization;
    let some = |names: &[&str]| Reach::Inboxes(inboxes(names));
    let one = |name: &str| Reach::Inbox { pod_id: id(2), inbox_id: inbox_id(&format!("{name}@inboxd.example")) };
    let table = [
        (all.clone(), &[][..], Some(all.clone())),
        (all, &["a", "b"], Some(some(&["a", "b"]))),
        (some(&["a", "b"]), &[], Some(some(&["a", "b"]))),
        (some(&["a", "b"]), &["b", "c"], Some(some(&["b"]))),
        (some(&["a"]), &["c"], None),
        (one("a"), &["a", "b"], Some(one("a"))),
        (one("c"), &["a"], None),
        (Reach::Pod(id(2)), &["a"], None),
        (Reach::Pod(id(2)), &[], Some(Reach::Pod(id(2)))),
    ];
    for (reach, inbox_ids, expected) in table {
        assert_eq!(narrowed(reach.clone(), &inboxes(inbox_ids)), expected, "{reach:?} {inbox_ids:?}");
    }
}

#[test]
fn caller_of_connection_holds_permissions_of_both_person_and_connection() {
    let owner = bounded(person(Role::Owner, &[]), &connection("mail:send admin", &[])).unwrap();
    assert!(holds(&owner, Permission::MessageSend) && holds(&owner, Permission::DomainCreate));
    assert!(!holds(&owner, Permission::MessageDelete));
    let teammate = bounded(person(Role::Member, &[]), &connection("mail:manage admin", &[])).unwrap();
    assert!(holds(&teammate, Permission::MessageUpdate) && !holds(&teammate, Permission::MessageDelete));
    assert!(!holds(&teammate, Permission::DomainCreate));
    let key = Caller { permissions: Some(scope("mail:read")), ..person(Role::Owner, &[]) };
    let narrow = bounded(key, &connection("mail:send", &[])).unwrap();
    assert!(holds(&narrow, Permission::MessageRead) && !holds(&narrow, Permission::MessageSend));
    assert!(bounded(person(Role::Member, &["a"]), &connection("mail:read", &["b"])).is_none());
}

#[test]
fn connection_limited_to_inboxes_holds_permissions_of_members_and_those_inside_inbox() {
    use Permission as P;
    let asked = scope("mail:manage inboxes:manage admin");
    let limited = holdable(&asked, &inboxes(&["a"]));
    for permission in Permission::ALL {
        let is_of_members = inboxd_core::rules::roles::allows(Role::Member, *permission);
        let is_inside = matches!(permission, P::MessageDelete | P::InboxUpdate | P::InboxDelete);
        assert_eq!(
            limited.grants(*permission),
            is_of_members && asked.grants(*permission) || is_inside,
            "{permission:?}"
        );
    }
    let owner = bounded(person(Role::Owner, &[]), &connection("mail:manage admin", &["a"])).unwrap();
    assert!(!holds(&owner, Permission::DomainDelete) && !holds(&owner, Permission::MemberCreate));
    assert!(holds(&owner, Permission::MessageUpdate) && holds(&owner, Permission::MessageDelete));
    let teammate = bounded(person(Role::Member, &[]), &connection("mail:manage", &["a"])).unwrap();
    assert!(!holds(&teammate, Permission::MessageDelete), "the role lacks it");
    let limited = holdable(&scope("mail:read mail:manage"), &inboxes(&["a"]));
    assert_eq!(text(&limited), "mail:read mail:manage");
}

/// Permissions whose effect outlives the connection, or that bind it.
const NEVER_HELD: [Permission; 14] = [
    Permission::LegalHoldUpdate,
    Permission::DraftApprove,
    Permission::PolicyUpdate,
    Permission::WebhookCreate,
    Permission::WebhookUpdate,
    Permission::WebhookDelete,
    Permission::ApiKeyCreate,
    Permission::ApiKeyUpdate,
    Permission::ApiKeyDelete,
    Permission::MemberCreate,
    Permission::MemberUpdate,
    Permission::MemberDelete,
    Permission::LabelHeldRead,
    Permission::AgentArmorRelease,
];

#[test]
fn no_scope_permits_anything_that_outlives_the_connection() {
    let scopes = ScopeName::ALL.iter().map(|scope| scope.as_str());
    let singles = Permission::ALL.iter().map(|permission| permission.as_str());
    let all = scopes.clone().chain(singles.clone()).collect::<Vec<_>>().join(" ");
    for permission in Permission::ALL {
        let is_never_held = NEVER_HELD.contains(permission);
        let giving = |name: &&str| parse(Some(name)).is_ok_and(|granted| granted.grants(*permission));
        let names: Vec<&str> = scopes.clone().chain(singles.clone()).filter(giving).collect();
        assert_eq!(names.is_empty(), is_never_held, "{permission:?} {names:?}");
        // Neither does a stored map of an owner without a limit, and no step-up asks for it.
        let map = Permissions([(permission.as_str().to_owned(), true)].into());
        let stored = Connection { permissions: map, ..connection("mail:read", &[]) };
        let client = bounded(person(Role::Owner, &[]), &stored).unwrap();
        assert_eq!(access::require(&client, *permission).is_err(), is_never_held, "{permission:?}");
        let reader = bounded(person(Role::Owner, &[]), &connection("label_trash_read", &[])).unwrap();
        let is_offered = missing_scope(&reader, *permission).is_some();
        assert_eq!(is_offered, !is_never_held && *permission != Permission::LabelTrashRead, "{permission:?}");
    }
    let widest = bounded(person(Role::Owner, &[]), &connection(&all, &[])).unwrap();
    assert!(Permission::ALL.iter().all(|permission| holds(&widest, *permission) != NEVER_HELD.contains(permission)));
}

#[test]
fn key_of_unconfirmed_sign_up_is_not_trusted_with_connections() {
    let unverified = Organization { verified_at: None, ..fixtures::organization() };
    let key = Caller { organization: unverified.clone(), ..fixtures::caller() };
    assert!(matches!(require_trusted(&key), Err(Error::MemberConnectionProtected)));
    assert!(require_trusted(&fixtures::caller()).is_ok());
    assert!(require_trusted(&Caller { organization: unverified, ..person(Role::Owner, &[]) }).is_ok());
}

#[test]
fn missing_scope_is_all_that_client_has_and_the_missing_one() {
    let caller = |role, scopes| bounded(person(role, &[]), &connection(scopes, &[])).unwrap();
    let reader = caller(Role::Owner, "mail:read");
    assert_eq!(missing_scope(&reader, Permission::MessageSend).as_deref(), Some("mail:read mail:send"));
    assert_eq!(missing_scope(&reader, Permission::DomainCreate).as_deref(), Some("mail:read domain_create"));
    assert_eq!(missing_scope(&reader, Permission::ApiKeyRead).as_deref(), Some("mail:read api_key_read"));
    assert_eq!(missing_scope(&reader, Permission::InboxCreate).as_deref(), Some("mail:read inboxes:manage"));
    assert_eq!(missing_scope(&reader, Permission::MessageRead), None, "it is held");
    let teammate = caller(Role::Member, "mail:read");
    assert_eq!(missing_scope(&teammate, Permission::DomainCreate), None, "no consent gives it");
    assert_eq!(missing_scope(&teammate, Permission::DraftCreate).as_deref(), Some("mail:read mail:draft"));
    assert_eq!(missing_scope(&fixtures::caller(), Permission::MessageSend), None, "a key has no consent");
}

#[test]
fn connection_is_seen_by_its_member_and_by_those_with_whole_organization() {
    let connection = connection("mail:read", &[]);
    let other = Member { member_id: id(77), ..fixtures::member() };
    let other = |role| fixtures::calling(&Member { role, ..other.clone() });
    assert!(sees(&person(Role::Member, &["a"]), &connection));
    assert!(!sees(&other(Role::Member), &connection));
    assert!(sees(&other(Role::Admin), &connection) && sees(&other(Role::Owner), &connection));
    assert!(sees(&fixtures::caller(), &connection) && !sees(&fixtures::inbox_caller(), &connection));
}

#[test]
fn connection_is_widened_by_its_member_alone_and_within_own_rights() {
    let narrow = connection("mail:read", &["a"]);
    let own = person(Role::Owner, &[]);
    let admin = fixtures::calling(&Member { member_id: id(77), role: Role::Admin, ..fixtures::member() });
    let wider = scope("mail:read mail:send mail:manage");
    assert_eq!(text(&require_permissions(&own, &narrow, &wider).unwrap()), "mail:read mail:send mail:manage");
    assert!(matches!(require_permissions(&admin, &narrow, &wider), Err(Error::NotTheirConnection)));
    assert!(require_permissions(&admin, &narrow, &scope("message_read")).is_ok());
    let teammate = person(Role::Member, &[]);
    let permissions = require_permissions(&teammate, &narrow, &scope("mail:manage admin")).unwrap();
    assert!(permissions.grants(Permission::MessageUpdate) && !permissions.grants(Permission::MessageDelete));
    let key = Caller { permissions: Some(scope("mail:read")), ..own.clone() };
    let refused = require_permissions(&key, &narrow, &wider);
    assert!(matches!(refused, Err(Error::PermissionEscalation(Permission::MessageSend))), "{refused:?}");

    assert!(require_inboxes(&own, &narrow, &inboxes(&[])).is_ok());
    assert!(require_inboxes(&own, &narrow, &inboxes(&["b"])).is_ok());
    assert!(require_inboxes(&admin, &narrow, &inboxes(&["a"])).is_ok());
    assert!(matches!(require_inboxes(&admin, &narrow, &inboxes(&[])), Err(Error::NotTheirConnection)));
    let limited = person(Role::Member, &["a"]);
    assert!(matches!(require_inboxes(&limited, &narrow, &inboxes(&["b"])), Err(Error::NotTheirInbox { .. })));

    let later = narrow.expires_at + Duration::days(1);
    assert!(require_expiry(&own, &narrow, later).is_ok());
    assert!(require_expiry(&admin, &narrow, NOW).is_ok());
    assert!(matches!(require_expiry(&admin, &narrow, later), Err(Error::NotTheirConnection)));
    let expiring = Caller { expires_at: Some(NOW), ..own };
    assert!(matches!(require_expiry(&expiring, &narrow, later), Err(Error::KeyOutlivesCaller { .. })));
}
