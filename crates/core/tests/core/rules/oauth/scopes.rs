use std::collections::BTreeSet;

use inboxd_core::Error;
use inboxd_core::model::{Access, OAuthErrorCode, Permission};
use inboxd_core::rules::oauth::scopes::{
    DEFAULT, ScopeName, contains, descriptions, is_grantable, narrowed, parse, text,
};
use proptest::prelude::*;

#[test]
fn scope_of_request_becomes_permissions() {
    let table = [
        (None, DEFAULT),
        (Some(""), DEFAULT),
        (Some(" "), DEFAULT),
        (Some("offline_access"), DEFAULT),
        (Some("openid profile email offline_access"), DEFAULT),
        (Some("mail:read"), "mail:read"),
        (Some("mail:draft"), "mail:read mail:draft"),
        (Some("mail:send"), "mail:read mail:send"),
        (Some("mail:manage"), "mail:read mail:manage"),
        (Some("inboxes:manage"), "inboxes:manage"),
        (Some("admin"), "admin"),
        (Some("mail:read unknown offline_access"), "mail:read"),
        (Some("message_send"), "message_send"),
        (Some("draft_send message_send"), "message_send draft_send"),
        (Some("inbox_read message_read message_send draft_send"), "inbox_read message_read message_send draft_send"),
        (Some("draft_create draft_update draft_delete"), "draft_create draft_update draft_delete"),
        (Some("message_update message_delete admin"), "admin message_update message_delete"),
        (Some("mail:read message_send draft_send"), "mail:read mail:send"),
        (Some("mail:read webhook_create"), "mail:read"),
        (Some("mail:read  mail:read draft_create"), "mail:read draft_create"),
    ];
    for (scope, expected) in table {
        assert_eq!(text(&parse(scope).unwrap()), expected, "{scope:?}");
    }
}

#[test]
fn scope_without_known_name_is_invalid() {
    for scope in ["unknown", "api_key_create member_create", "mail:write openid", "Mail:Read", &"x".repeat(4097)] {
        let refused = parse(Some(scope));
        assert!(matches!(refused, Err(Error::OAuth(error)) if error.code == OAuthErrorCode::InvalidScope), "{scope}");
    }
}

#[test]
fn every_permission_is_in_one_scope() {
    let all: usize = ScopeName::ALL.into_iter().map(|scope| scope.permissions().count()).sum();
    assert_eq!(all, Permission::ALL.iter().filter(|permission| is_grantable(**permission)).count());
    let of = |scope: ScopeName| scope.permissions().map(Permission::as_str).collect::<Vec<_>>().join(" ");
    assert_eq!(
        of(ScopeName::MailRead),
        "inbox_read message_read label_spam_read label_trash_read draft_read event_read"
    );
    assert_eq!(of(ScopeName::MailDraft), "draft_create draft_update draft_delete");
    assert_eq!(of(ScopeName::MailSend), "message_send draft_send");
    assert_eq!(of(ScopeName::MailManage), "message_update message_delete");
    assert_eq!(of(ScopeName::InboxesManage), "inbox_create inbox_update inbox_delete");
}

#[test]
fn person_narrows_request() {
    let asked = parse(Some("mail:send mail:manage inboxes:manage mail:draft")).unwrap();
    let table = [
        (Access::Asked, "mail:read mail:draft mail:send mail:manage inboxes:manage"),
        (Access::ReadDraftSend, "mail:read mail:draft mail:send"),
        (Access::ReadAndDraft, "mail:read mail:draft"),
        (Access::ReadOnly, "mail:read"),
    ];
    for (access, expected) in table {
        assert_eq!(text(&narrowed(&asked, access)), expected);
        assert_eq!(Access::named(access.as_str()), Some(access));
    }
    let little = parse(Some("mail:draft")).unwrap();
    assert_eq!(text(&narrowed(&little, Access::ReadDraftSend)), "mail:read mail:draft", "nothing is added");
}

#[test]
fn descriptions_are_lines_for_people() {
    let permissions = parse(Some("mail:read draft_create")).unwrap();
    assert_eq!(descriptions(&permissions), ["Read mail, drafts and events", "Write drafts"]);
    let grantable = Permission::ALL.iter().filter(|permission| is_grantable(**permission));
    let lines = grantable.map(|permission| descriptions(&parse(Some(permission.as_str())).unwrap()).concat());
    let lines: Vec<String> = lines.collect();
    assert!(lines.iter().all(|line| line.starts_with(char::is_uppercase) && !line.contains('_')), "{lines:?}");
    assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "no two read the same: {lines:?}");
}

proptest! {
    #[test]
    fn text_of_permissions_parses_to_the_same(names in proptest::sample::subsequence(Permission::ALL.to_vec(), 1..40)) {
        let scope = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ");
        let Ok(permissions) = parse(Some(&scope)) else { return Ok(()) };
        prop_assert_eq!(&parse(Some(&text(&permissions))).unwrap(), &permissions);
        for access in Access::ALL {
            prop_assert!(contains(&permissions, &narrowed(&permissions, access)));
        }
    }
}
