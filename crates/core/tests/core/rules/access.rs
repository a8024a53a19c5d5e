use std::collections::BTreeMap;

use inboxd_core::Error;
use inboxd_core::model::{Caller, HidingLabels, Inbox, Member, Permission, Permissions, Reach, Role};
use inboxd_core::rules::access::{
    holds, is_above_inbox, listed, readable, require, require_grantable, require_inbox, require_pod, require_whole_pod,
};
use inboxd_core::rules::delegation::delegated;
use inboxd_core::testing::fixtures::{self, id, inbox_id};
use proptest::prelude::*;

fn map(grants: &[(&str, bool)]) -> Permissions {
    Permissions(grants.iter().map(|(name, granted)| ((*name).to_owned(), *granted)).collect())
}

fn restricted(grants: &[(&str, bool)]) -> Caller {
    Caller { permissions: Some(map(grants)), ..fixtures::caller() }
}

/// The scope of an inbox key.
fn one_inbox() -> Reach {
    fixtures::inbox_caller().reach
}

/// Returns the paths of the fields in a validation error.
fn paths(error: Error) -> Vec<String> {
    match error {
        Error::Invalid(fields) => fields.into_iter().map(|field| field.path).collect(),
        other => panic!("not a validation error: {other:?}"),
    }
}

#[test]
fn key_without_map_has_all_permissions_of_scope() {
    let organization_level = [
        "inbox_create",
        "domain_read",
        "domain_create",
        "domain_update",
        "domain_delete",
        "pod_read",
        "pod_create",
        "pod_update",
        "pod_delete",
        "member_read",
        "member_create",
        "member_update",
        "member_delete",
        "organization_read",
        "organization_update",
        "billing",
        "audit_read",
    ];
    for permission in Permission::ALL {
        let is_above = organization_level.contains(&permission.as_str());
        assert_eq!(is_above_inbox(*permission), is_above, "{permission:?}");
        let is_opt_in = permission.is_opt_in();
        assert_eq!(holds(&fixtures::caller(), *permission), !is_opt_in, "{permission:?}");
        assert_eq!(holds(&fixtures::inbox_caller(), *permission), !is_above && !is_opt_in, "{permission:?}");
    }
}

#[test]
fn opt_in_permission_is_held_by_its_map_or_by_a_person() {
    let person = fixtures::calling(&Member { role: Role::Admin, ..fixtures::member() });
    for permission in [Permission::AgentArmorRelease, Permission::LabelHeldRead] {
        let named = [(permission.as_str(), true)];
        assert!(holds(&restricted(&named), permission) && holds(&person, permission), "{permission:?}");
        let refused = delegated(&fixtures::caller(), Some(map(&named)), &Reach::Organization);
        assert!(matches!(refused, Err(Error::PermissionEscalation(lacking)) if lacking == permission));
        assert!(delegated(&person, Some(map(&named)), &one_inbox()).is_ok());
    }
    assert!(require_grantable(&fixtures::caller(), Role::Admin).is_ok(), "an admin can be invited with a key");
    let releasing = restricted(&[("agent_armor_release", true)]);
    assert_eq!(readable(&releasing), HidingLabels::HELD, "a release shows what it releases");
}

#[test]
fn map_is_complete_grant() {
    let caller = restricted(&[("message_read", true), ("message_send", false), ("unheard_of", true)]);
    for permission in Permission::ALL {
        assert_eq!(holds(&caller, *permission), *permission == Permission::MessageRead, "{permission:?}");
    }
    let nothing = restricted(&[]);
    assert!(Permission::ALL.iter().all(|permission| !holds(&nothing, *permission)));
}

#[test]
fn scope_overrides_map() {
    let caller = Caller {
        permissions: Some(map(&[("inbox_create", true), ("message_read", true)])),
        ..fixtures::inbox_caller()
    };
    assert!(!holds(&caller, Permission::InboxCreate));
    assert!(holds(&caller, Permission::MessageRead));
}

#[test]
fn refusal_names_missing_permission() {
    let refused = require(&restricted(&[]), Permission::EventRead);
    assert!(matches!(refused, Err(Error::MissingPermission(Permission::EventRead))));
    assert!(require(&fixtures::caller(), Permission::EventRead).is_ok());
}

#[test]
fn inbox_key_has_access_to_its_inbox_only() {
    let own = inbox_id("scout@inboxd.example");
    let sibling = inbox_id("other@inboxd.example");
    let caller = fixtures::inbox_caller();
    assert!(require_inbox(&caller, &own).is_ok());
    let refused = require_inbox(&caller, &sibling);
    assert!(matches!(refused, Err(Error::InboxOutOfScope { reached }) if reached == own));
    for reach in [Reach::Organization, Reach::Pod(id(2))] {
        assert!(require_inbox(&Caller { reach, ..fixtures::caller() }, &sibling).is_ok());
    }
}

#[test]
fn pod_key_has_access_to_inboxes_of_its_pod() {
    let caller = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let elsewhere = Inbox { pod_id: id(99), ..fixtures::inbox() };
    assert!(require_pod(&caller, &fixtures::inbox()).is_ok());
    assert!(matches!(require_pod(&caller, &elsewhere), Err(Error::PodOutOfScope)));
    assert!(require_pod(&fixtures::caller(), &elsewhere).is_ok());
}

#[test]
fn hiding_labels_have_separate_permissions() {
    let names =
        ["label_spam_read", "label_blocked_read", "label_unauthenticated_read", "label_trash_read", "label_held_read"];
    for combination in 0..32_usize {
        let held = |place: usize| combination & (1 << place) != 0;
        let grants: Vec<_> = names.iter().enumerate().map(|(place, name)| (*name, held(place))).collect();
        let expected = (0..5).filter(|place| held(*place)).fold(HidingLabels::NONE, HidingLabels::with);
        assert_eq!(readable(&restricted(&grants)), expected);
    }
    assert_eq!(readable(&fixtures::caller()), fixtures::readable());
}

#[test]
fn new_key_without_map_inherits_map_of_creator() {
    let maker = restricted(&[("api_key_create", true), ("calendar_read", true)]);
    assert_eq!(delegated(&maker, None, &Reach::Organization).unwrap(), maker.permissions);
    assert_eq!(delegated(&fixtures::caller(), None, &one_inbox()).unwrap(), None);
}

#[test]
fn key_grants_only_own_permissions() {
    let maker = restricted(&[("api_key_create", true), ("message_read", true), ("message_send", false)]);
    let narrower = map(&[("message_read", true), ("message_send", false), ("inbox_read", false)]);
    assert_eq!(delegated(&maker, Some(narrower.clone()), &Reach::Organization).unwrap(), Some(narrower));
    for name in ["message_send", "inbox_read", "billing"] {
        let refused = delegated(&maker, Some(map(&[(name, true)])), &Reach::Organization);
        assert!(matches!(refused, Err(Error::PermissionEscalation(lacking)) if lacking.as_str() == name), "{name}");
    }
}

#[test]
fn inbox_key_is_refused_wider_permissions() {
    let asked = map(&[("inbox_create", true), ("message_read", true), ("pod_read", true), ("billing", false)]);
    for maker in [fixtures::caller(), fixtures::inbox_caller()] {
        let refused = delegated(&maker, Some(asked.clone()), &one_inbox()).unwrap_err();
        assert_eq!(paths(refused), ["permissions.inbox_create", "permissions.pod_read"]);
    }
}

#[test]
fn pod_key_is_refused_wider_permissions() {
    let beyond = [
        "audit_read",
        "billing",
        "member_create",
        "member_delete",
        "member_read",
        "member_update",
        "organization_read",
        "organization_update",
        "pod_create",
        "pod_delete",
    ];
    let refused = delegated(&fixtures::caller(), Some(map(&beyond.map(|name| (name, true)))), &Reach::Pod(id(2)));
    assert_eq!(paths(refused.unwrap_err()), beyond.map(|name| format!("permissions.{name}")));
    let of_pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    let lacking: Vec<_> = Permission::ALL.iter().filter(|permission| !holds(&of_pod, **permission)).collect();
    let mut lacking: Vec<_> = lacking.into_iter().map(|permission| permission.as_str()).collect();
    lacking.sort_unstable();
    lacking.retain(|name| Permission::named(name).is_some_and(|permission| !permission.is_opt_in()));
    assert_eq!(lacking, beyond, "scope takes precedence");
}

#[test]
fn whole_pod_is_accessible_to_pod_and_organization_keys() {
    let of_pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    assert!(require_whole_pod(&fixtures::caller(), id(9)).is_ok());
    assert!(require_whole_pod(&of_pod, id(2)).is_ok());
    assert!(matches!(require_whole_pod(&of_pod, id(9)), Err(Error::PodOutOfScope)));
    for pod in [2, 9] {
        let refused = require_whole_pod(&fixtures::inbox_caller(), id(pod));
        assert!(matches!(refused, Err(Error::InboxOutOfScope { .. })));
    }
}

#[test]
fn permission_names_without_effect_are_stored_and_grant_nothing() {
    let maker = restricted(&[("api_key_create", true)]);
    let asked = map(&[("message_reply", true), ("calendar_read", true), ("file_update", false)]);
    let given = delegated(&maker, Some(asked.clone()), &one_inbox()).unwrap();
    assert_eq!(given, Some(asked));
    let child = Caller { permissions: given, ..fixtures::caller() };
    assert!(Permission::ALL.iter().all(|permission| !holds(&child, *permission)));
}

#[test]
fn unknown_permission_names_are_refused_together() {
    let asked = map(&[("message_red", true), ("", false), ("message_read", true)]);
    let refused = delegated(&fixtures::caller(), Some(asked), &Reach::Organization).unwrap_err();
    assert_eq!(paths(refused), ["permissions.", "permissions.message_red"]);
}

fn any_map() -> impl Strategy<Value = Option<Permissions>> {
    let names: Vec<String> = Permission::ALL.iter().map(|permission| permission.as_str().to_owned()).collect();
    let grants = proptest::collection::btree_map(proptest::sample::select(names), any::<bool>(), 0..12);
    proptest::option::of(grants.prop_map(|grants: BTreeMap<String, bool>| Permissions(grants)))
}

proptest! {
    #[test]
    fn key_cannot_create_broader_key(own in any_map(), asked in any_map(), from_inbox: bool, to_inbox: bool) {
        let base = if from_inbox { fixtures::inbox_caller() } else { fixtures::caller() };
        let maker = Caller { permissions: own, ..base };
        let reach = if from_inbox || to_inbox { one_inbox() } else { Reach::Organization };
        if let Ok(permissions) = delegated(&maker, asked, &reach) {
            let child = Caller { permissions, reach, ..fixtures::caller() };
            for permission in Permission::ALL {
                prop_assert!(!holds(&child, *permission) || holds(&maker, *permission), "{:?}", permission);
            }
        }
    }
}

/// The caller of a member with these inboxes.
fn limited_to(inboxes: &[&str]) -> Caller {
    let inbox_ids = inboxes.iter().map(|text| inbox_id(text)).collect();
    fixtures::calling(&Member { inbox_ids, ..fixtures::member() })
}

#[test]
fn permission_outside_role_is_refused_with_permitted_roles() {
    let member = fixtures::calling(&fixtures::member());
    assert!(!holds(&member, Permission::ApiKeyCreate));
    match require(&member, Permission::ApiKeyCreate) {
        Err(Error::RoleNotAllowed { role: Role::Member, permission: Permission::ApiKeyCreate, owner }) => {
            assert_eq!(owner, "owner@example.org");
        }
        other => panic!("{other:?}"),
    }
    assert!(require(&member, Permission::MessageSend).is_ok());
    for role in [Role::Owner, Role::Admin] {
        let mighty = fixtures::calling(&Member { role, ..fixtures::member() });
        assert!(Permission::ALL.iter().all(|permission| require(&mighty, *permission).is_ok()), "{role}");
    }
    assert_eq!(readable(&member), HidingLabels::ALL);
}

#[test]
fn limited_member_has_access_to_own_inboxes_only() {
    let member = limited_to(&["scout@inboxd.example", "ranger@inboxd.example"]);
    assert!(require_inbox(&member, &inbox_id("ranger@inboxd.example")).is_ok());
    let refused = require_inbox(&member, &inbox_id("nobody@inboxd.example"));
    assert!(matches!(refused, Err(Error::NotTheirInbox { theirs }) if theirs.len() == 2));
}

#[test]
fn member_of_several_inboxes_must_name_one_to_list() {
    let scout = inbox_id("scout@inboxd.example");
    let several = limited_to(&["scout@inboxd.example", "ranger@inboxd.example"]);
    assert!(matches!(listed(&several, None), Err(Error::InboxIdRequired { theirs }) if theirs.len() == 2));
    assert_eq!(listed(&several, Some(scout.clone())).unwrap(), (None, Some(scout.clone())));
    assert_eq!(listed(&limited_to(&["scout@inboxd.example"]), None).unwrap(), (None, Some(scout.clone())));
    assert_eq!(listed(&limited_to(&[]), None).unwrap(), (None, None));
    assert_eq!(listed(&fixtures::inbox_caller(), None).unwrap(), (None, Some(scout.clone())));
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    assert_eq!(listed(&pod, Some(scout.clone())).unwrap(), (Some(id(2)), Some(scout)));
}

#[test]
fn member_operations_are_out_of_scope_for_inbox_and_pod_keys() {
    let pod = Caller { reach: Reach::Pod(id(2)), ..fixtures::caller() };
    for caller in [pod, fixtures::inbox_caller(), restricted(&[("message_read", true)])] {
        let refused = require(&caller, Permission::MemberRead);
        assert!(matches!(refused, Err(Error::MissingPermission(Permission::MemberRead))));
    }
    let restricted = restricted(&[("member_read", true)]);
    assert!(require(&restricted, Permission::MemberRead).is_ok());
    assert!(require(&limited_to(&["scout@inboxd.example"]), Permission::MemberRead).is_ok(), "every role may");
}
