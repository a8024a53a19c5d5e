//! Account take-over, posing as the service, and mail sent through sign-ups and invitations.

use inboxd_testkit::{Persona, TestServer, eventually};
use serde_json::{Value, json};

use crate::people::{SIGN_IN, invite_and_join, sign_in, sign_in_client};
use crate::support::{count, options, run_concurrently, server, server_and_agent, set_plan, text_fields};

const VERIFY: &str = "/v0/agent/verify";
const VICTIM: &str = "victim@outside.example";

/// Returns the text of all captured mail.
async fn captured_text(server: &TestServer) -> String {
    let output = server.command(&["admin", "captured", "--limit", "1000"]).await;
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits until that many sign-up codes were mailed and returns the last one.
async fn sign_up_code(server: &TestServer, email: &str, number: usize) -> String {
    let codes = async || {
        let is_code = |entry: &Value| {
            let text = entry["text"].as_str().filter(|_| entry["to"] == email)?;
            text.strip_prefix("Your verification code is ").map(str::to_owned)
        };
        server.log().entries().iter().filter_map(is_code).nth(number - 1)
    };
    eventually("a verification code is mailed", codes).await
}

/// Counts the mails to addresses that contain a text.
fn count_mails_to(server: &TestServer, part: &str) -> usize {
    server.log().entries().iter().filter(|entry| entry["to"].as_str().is_some_and(|to| to.contains(part))).count()
}

#[tokio::test]
async fn sign_in_prefers_proven_membership_to_hijacked_sign_up() {
    let (server, agent) = server_and_agent().await;
    invite_and_join(&server, &agent, VICTIM, "admin", json!([])).await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let answer = sign_in(&server, VICTIM, None).await;
    assert_eq!(answer["organization_id"], agent.organization_id);
    assert_ne!(answer["organization_id"], attacker.organization_id);
}

#[tokio::test]
async fn verification_by_owner_revokes_all_keys_of_stranger() {
    let server = server().await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let second = attacker.create_key("/v0/api-keys", json!({"name": "second"})).await;
    let pinned = attacker.create_key(&attacker.inbox("/api-keys"), json!({"name": "pinned"})).await;
    let victim = sign_in_client(&server, VICTIM).await;
    // The stranger uses all attempts of the new code.
    for _ in 0..10 {
        attacker.post(VERIFY, json!({"otp_code": "000000"})).await;
    }
    let otp_code = sign_up_code(&server, VICTIM, 2).await;
    let answer = victim.post(VERIFY, json!({"otp_code": otp_code})).await.ok();
    assert_eq!(text_fields(&answer, "existing_keys", "name"), ["Sign-up", "second", "pinned"]);
    assert!(answer["existing_keys"].as_array().unwrap().iter().all(|key| key["revoked"] == true), "{answer:#}");
    assert_eq!(answer["existing_webhooks"], json!([]));
    for key in [&*attacker, &second, &pinned] {
        key.get(&attacker.inbox("/messages")).await.require_error(401, "unknown_api_key");
    }
    assert_eq!(victim.get("/v0/api-keys").await.ok()["count"], 1);
}

#[tokio::test]
async fn sign_up_key_cannot_lock_out_owner_before_verification() {
    let server = server().await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let second = attacker.create_key("/v0/api-keys", json!({"name": "second"})).await;
    let victim = sign_in_client(&server, VICTIM).await;
    let me = victim.get("/v0/auth/me").await.ok();
    let path = format!("/v0/api-keys/{}", me["api_key_id"].as_str().unwrap());
    for stranger in [&*attacker, &second] {
        stranger.delete(&path).await.require_error(403, "owner_protected");
        stranger.patch(&path, json!({"permissions": {"inbox_read": true}})).await.require_error(403, "owner_protected");
        stranger.patch(&path, json!({"name": "stopped"})).await.require_error(403, "owner_protected");
    }
    let otp_code = sign_up_code(&server, VICTIM, 2).await;
    victim.post(VERIFY, json!({"otp_code": otp_code})).await.ok();
    // The owner changes and revokes any key.
    victim.patch(&path, json!({"name": "laptop"})).await.ok();
    victim.delete(&path).await.require_no_content();
}

#[tokio::test]
async fn verification_by_owner_can_retain_keys() {
    let server = server().await;
    let agent = server.sign_up(VICTIM, "scout").await;
    let owner = sign_in_client(&server, VICTIM).await;
    let otp_code = sign_up_code(&server, VICTIM, 2).await;
    let answer = owner.post(VERIFY, json!({"otp_code": otp_code, "keep_existing_keys": true})).await.ok();
    assert_eq!(answer["existing_keys"][0]["revoked"], false);
    agent.get("/v0/inboxes").await.ok();
    let other = server.sign_up("other@outside.example", "other").await;
    let otp_code = sign_up_code(&server, "other@outside.example", 1).await;
    let refused = other.post(VERIFY, json!({"otp_code": otp_code, "keep_existing_keys": "yes"})).await;
    assert_eq!(refused.bad_fields(), ["keep_existing_keys"]);
}

#[tokio::test]
async fn key_created_during_take_over_is_revoked() {
    let server = server().await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let victim = sign_in_client(&server, VICTIM).await;
    let otp_code = sign_up_code(&server, VICTIM, 2).await;
    let hammering = run_concurrently((0..40).map(|_| {
        let attacker = attacker.clone();
        async move { attacker.post("/v0/api-keys", json!({"name": "late"})).await }
    }));
    let verifying = async { victim.post(VERIFY, json!({"otp_code": otp_code})).await.ok() };
    let (answers, _) = tokio::join!(hammering, verifying);
    assert_eq!(count(&answers, 200) + count(&answers, 401), 40);
    assert_eq!(victim.get("/v0/api-keys").await.ok()["count"], 1);
}

#[tokio::test]
async fn code_mail_names_time_network_and_effect_of_verification() {
    let server = server().await;
    server.sign_up(VICTIM, "trap").await;
    server.log().code_for(VICTIM).await;
    let mail = captured_text(&server).await.replace("=\r\n", "").replace("=\n", "");
    assert!(mail.contains("from the network 127.0.0.0/24"), "{mail}");
    assert!(mail.contains("may then send mail to anyone in your name"), "{mail}");
    // The code of a later sign-in contains the same facts about the sign-up.
    sign_in_client(&server, VICTIM).await;
    let is_told = async || {
        let mail = captured_text(&server).await.replace("=\r\n", "").replace("=\n", "");
        (mail.matches("from the network 127.0.0.0/24").count() == 2).then_some(())
    };
    eventually("a second code mail names the network", is_told).await;
}

/// Moves all stored times into the past by that many days.
async fn move_into_past(server: &TestServer, days: u32) {
    let text = format!("UPDATE organizations SET created_at = created_at - interval '{days} days'");
    server.database().execute(&text).await;
}

#[tokio::test]
async fn unconfirmed_organization_is_removed_and_frees_its_names() {
    let server = options().set("INBOXD_UNVERIFIED_RETENTION_DAYS", "7").start().await;
    let kept = server.verified("kept@outside.example", "kept").await;
    let suspended = server.sign_up("abuser@outside.example", "abuser").await;
    let suspend = "UPDATE organizations SET suspended_at = now(), suspended_reason = 'spam' \
        WHERE owner_email = 'abuser@outside.example'";
    server.database().execute(suspend).await;
    let squatter = server.sign_up(VICTIM, "desk").await;
    squatter.create_key("/v0/api-keys", json!({"name": "second"})).await;
    squatter.post(&squatter.inbox("/drafts"), json!({"to": VICTIM, "subject": "x"})).await.ok();
    crate::support::receive(&server, &squatter, &crate::support::mail_to(&squatter, "hello")).await;
    move_into_past(&server, 6).await;
    squatter.get("/v0/inboxes").await.ok();
    move_into_past(&server, 2).await;
    let is_gone = async || (squatter.get("/v0/inboxes").await.status == 401).then_some(());
    eventually("the organization is inaccessible", is_gone).await;
    kept.get("/v0/inboxes").await.ok();
    // Otherwise a suspended organization could sign up again.
    suspended.get("/v0/inboxes").await.ok();
    // Both names are free for the owner of the address.
    let owner = server.sign_up(VICTIM, "desk").await;
    assert_eq!(owner.inbox_id, squatter.inbox_id);
    assert_ne!(owner.organization_id, squatter.organization_id);
    assert_eq!(owner.get(&owner.inbox("/messages")).await.ok()["count"], 0);
    // The log also contains the code of the earlier sign-up.
    eventually("the second code is mailed", async || (count_mails_to(&server, VICTIM) == 2).then_some(())).await;
    owner.verify().await;
    let uuid = squatter.organization_id.split_once('_').unwrap().1.to_owned();
    let left =
        "SELECT string_agg(format('SELECT 1 FROM %I WHERE organization_id = ''%s''', c.relname, '{}'), ' UNION ALL ')
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'organization_id'
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
            .replace("{}", &uuid);
    let check = format!(
        "DO $$ DECLARE q text; n bigint; BEGIN {};
            EXECUTE 'SELECT count(*) FROM (' || q || ') AS rows_left' INTO n;
            IF n > 0 THEN RAISE EXCEPTION '% rows are left', n; END IF; END $$",
        left.replacen("SELECT string_agg", "SELECT INTO q string_agg", 1)
    );
    let is_empty = async || server.database().try_execute(&check).await.ok();
    eventually("no row of the organization is left", is_empty).await;
}

#[tokio::test]
async fn key_cannot_change_other_keys() {
    let (_server, agent) = server_and_agent().await;
    let made =
        agent.post("/v0/api-keys", json!({"name": "permanent", "permissions": {"message_read": true}})).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let whole = agent.post("/v0/api-keys", json!({"name": "whole"})).await.ok();
    let whole = format!("/v0/api-keys/{}", whole["api_key_id"].as_str().unwrap());
    let maker = agent.create_key("/v0/api-keys", json!({"permissions": {"api_key_create": true}})).await;
    for path in [&path, &whole] {
        maker.patch(path, json!({"permissions": {}})).await.require_error(403, "permission_escalation");
        maker.patch(path, json!({"name": "mine"})).await.require_error(403, "permission_escalation");
    }
    let expires_at = crate::support::in_seconds(600);
    let expiring = agent.create_key("/v0/api-keys", json!({"expires_at": expires_at})).await;
    let wider = json!({"permissions": {"message_read": true, "message_send": true, "api_key_create": true}});
    let refused = expiring.patch(&path, wider.clone()).await.require_error(403, "permission_escalation");
    assert!(refused["fix"].as_str().unwrap().contains("at least as long"), "{refused:#}");
    expiring.patch(&path, json!({"permissions": {}})).await.ok();
    agent.patch(&path, wider).await.ok();
    let updater = json!({"permissions": {"api_key_update": true, "message_read": true}});
    let updater = agent.create_key("/v0/api-keys", updater).await;
    let reader = agent.post("/v0/api-keys", json!({"permissions": {"message_read": true}})).await.ok();
    let reader = format!("/v0/api-keys/{}", reader["api_key_id"].as_str().unwrap());
    updater.patch(&reader, json!({"name": "renamed"})).await.ok();
}

#[tokio::test]
async fn service_name_is_refused_to_tenants() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "business").await;
    for username in [
        "inboxd",
        "In-Boxd",
        "inboxd-support",
        "verify",
        "do.not.reply",
        "no_reply",
        "help",
        "security-1",
        "post-master",
    ] {
        assert_eq!(
            agent.post("/v0/inboxes", json!({"username": username})).await.bad_fields(),
            ["username"],
            "{username}"
        );
        let sign_up = json!({"human_email": VICTIM, "username": username});
        let refused = server.http().post("/v0/agent/sign-up", sign_up).await;
        assert_eq!(refused.bad_fields(), ["username"], "{username}");
    }
    for display_name in ["inboxd <no-reply@inboxd.localhost>", "a@b", "x\u{ff20}y", "\u{ff1c}x", "a\u{202e}b"] {
        let refused = agent.post("/v0/inboxes", json!({"username": "desk", "display_name": display_name})).await;
        assert_eq!(refused.bad_fields(), ["display_name"], "{display_name}");
        let refused = agent.patch(&agent.inbox(""), json!({"display_name": display_name})).await;
        assert_eq!(refused.bad_fields(), ["display_name"], "{display_name}");
        let member = json!({"email": VICTIM, "role": "member", "name": display_name});
        assert_eq!(agent.post("/v0/members", member).await.bad_fields(), ["name"], "{display_name}");
    }
}

/// Invites an address and withdraws the invitation.
async fn invite_and_remove(agent: &Persona, email: &str) -> u16 {
    let answer = agent.post("/v0/members", json!({"email": email, "role": "member"})).await;
    if answer.status == 200 {
        let member: Value = answer.json();
        agent.delete(&format!("/v0/members/{}", member["member_id"].as_str().unwrap())).await.require_no_content();
    } else {
        let envelope = answer.require_error(429, "too_many_requests");
        assert!(answer.header("Retry-After").is_some() && envelope["fix"].as_str().unwrap().contains("wait until"));
    }
    answer.status
}

#[tokio::test]
async fn mailbox_receives_few_invitations_and_sign_ups_over_all_tags() {
    let server =
        options().set("INBOXD_MAILBOX_MAILS_PER_HOUR", "4").set("INBOXD_MAILBOX_MAILS_PER_DAY", "20").start().await;
    let one = server.verified("one@outside.example", "one").await;
    let two = server.verified("two@outside.example", "two").await;
    let addresses = ["target@outside.example", "target+1@outside.example", "TARGET+2@Outside.example"];
    let mut allowed = 0;
    for address in addresses {
        for agent in [&one, &two] {
            allowed += usize::from(invite_and_remove(agent, address).await == 200);
        }
    }
    assert_eq!(allowed, 4);
    let sign_up = json!({"human_email": "target+9@outside.example", "username": "bomber"});
    server.http().post("/v0/agent/sign-up", sign_up).await.require_error(429, "too_many_requests");
    // Nothing of the refused sign-up is stored.
    server.sign_up("somebody@outside.example", "bomber").await;
    let is_mailed = async || (count_mails_to(&server, "target") + count_mails_to(&server, "TARGET") >= 4).then_some(());
    eventually("the invitations are mailed", is_mailed).await;
    assert_eq!(count_mails_to(&server, "target") + count_mails_to(&server, "TARGET"), 4);
    let a_day_ago =
        "UPDATE mail_quotas SET hour_until = hour_until - interval '1 hour', day_until = day_until - interval '1 day'";
    server.database().execute(a_day_ago).await;
    assert_eq!(invite_and_remove(&one, addresses[0]).await, 200);
}

#[tokio::test]
async fn unverified_organizations_share_limit_of_owner_mailbox() {
    let server = server().await;
    let mut allowed = 0;
    for tag in 0..3 {
        let owner = format!("Target+{tag}@outside.example");
        let agent = server.sign_up(&owner, &format!("bomber-{tag}")).await;
        for _ in 0..9 {
            let answer = agent.post(&agent.inbox("/messages/send"), json!({"to": owner, "text": "buy"})).await;
            match answer.status {
                200 => allowed += 1,
                _ => assert_eq!(answer.require_error(429, "too_many_requests")["name"], "RateLimitError"),
            }
        }
    }
    assert_eq!(allowed, 20);
    // Another mailbox has a separate limit.
    let other = server.sign_up("other@outside.example", "other").await;
    other.send(json!({"to": "other@outside.example", "text": "hello"})).await;
}

#[tokio::test]
async fn withdrawn_invitations_count_against_limit() {
    let server = options().set("INBOXD_INVITATIONS_PER_HOUR", "5").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    set_plan(&server, &agent, "enterprise").await;
    let mut allowed = 0;
    for number in 0..12 {
        let status = invite_and_remove(&agent, &format!("stranger-{number}@outside.example")).await;
        allowed += usize::from(status == 200);
    }
    assert_eq!(allowed, 5);
}

#[tokio::test]
async fn sign_in_codes_share_limit_over_tags_of_mailbox() {
    let server = server().await;
    for tag in 0..3 {
        server.sign_up(&format!("target+{tag}@outside.example"), &format!("trap-{tag}")).await;
    }
    for _ in 0..15 {
        for tag in 0..3 {
            let email = format!("target+{tag}@outside.example");
            let answer = server.http().post(SIGN_IN, json!({"email": email})).await.ok();
            assert_eq!(answer, json!({"sent": true}));
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let due = "SELECT 1 / (1 - least(count(*), 1)) FROM sign_in_codes WHERE mail_due_at IS NOT NULL";
    eventually("no code is due", async || server.database().try_execute(due).await.ok()).await;
    let codes: usize =
        (0..3).map(|tag| crate::people::mailed_codes(&server, &format!("target+{tag}@outside.example")).len()).sum();
    assert!(codes <= 20, "{codes}");
    // Strangers cannot lock out an address where a code was read.
    let (owner, tagged) = ("target@outside.example", "target+0@outside.example");
    server.database().execute("DELETE FROM mail_quotas").await;
    let agent = server.verified(owner, "mine").await;
    for _ in 0..20 {
        server.http().post(SIGN_IN, json!({"email": tagged})).await.ok();
    }
    let back = sign_in_client(&server, owner).await;
    assert_eq!(back.get("/v0/auth/me").await.ok()["organization_id"], agent.organization_id);
}

#[tokio::test]
async fn invitation_contains_no_text_of_tenant() {
    let (server, agent) = server_and_agent().await;
    let invitee = "visit-evil.example+win@outside.example";
    let name = "Click http://evil.example";
    agent
        .post("/v0/members", json!({"email": invitee, "role": "member", "name": name, "inbox_ids": [agent.inbox_id]}))
        .await
        .ok();
    let entry = server.log().entry("the invitation", |entry| entry["to"] == invitee).await;
    assert!(entry["text"].as_str().unwrap().starts_with("You are invited"), "{entry:#}");
    let mails = captured_text(&server).await;
    let (_, body) = mails.rsplit_once("You are invited to an organization").unwrap();
    for text in ["evil", "://", "scout"] {
        assert!(!body.contains(text), "{body}");
    }
}
