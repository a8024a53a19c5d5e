use inboxd_core::model::{Permission, Role};
use inboxd_core::rules::roles::allows;

#[test]
fn owners_and_admins_have_all_permissions() {
    for role in [Role::Owner, Role::Admin] {
        assert!(Permission::ALL.iter().all(|permission| allows(role, *permission)), "{role}");
    }
}

#[test]
fn members_may_read_reply_draft_and_label_only() {
    let denied: Vec<&str> = Permission::ALL
        .iter()
        .filter(|permission| !allows(Role::Member, **permission))
        .map(|permission| permission.as_str())
        .collect();
    assert_eq!(
        denied,
        [
            "inbox_create",
            "inbox_update",
            "inbox_delete",
            "message_delete",
            "agent_armor_release",
            "webhook_create",
            "webhook_update",
            "webhook_delete",
            "domain_create",
            "domain_update",
            "domain_delete",
            "list_entry_create",
            "list_entry_delete",
            "api_key_create",
            "api_key_update",
            "api_key_delete",
            "pod_create",
            "pod_update",
            "pod_delete",
            "member_create",
            "member_update",
            "member_delete",
            "policy_update",
            "organization_update",
            "billing",
            "audit_read",
            "legal_hold_read",
            "legal_hold_update",
        ]
    );
}

#[test]
fn roles_have_distinct_names() {
    for role in Role::ALL {
        assert_eq!(role.as_str().parse(), Ok(role));
    }
    assert!("boss".parse::<Role>().is_err());
}
