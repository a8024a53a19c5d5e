//! Account take-over, posing as the service, and mail sent through sign-ups and invitations.

use inboxd_testkit::{Persona, Server, eventually};
use serde_json::{Value, json};

use crate::people::{SIGN_IN, joined, person, signed_in};
use crate::support::{at_once, count, each, options, server, server_and_agent, set_plan};

const VERIFY: &str = "/v0/agent/verify";
const VICTIM: &str = "victim@outside.example";

/// Every mail that would have left so far, whole.
async fn captured(server: &Server) -> String {
    let output = server.command(&["admin", "captured", "--limit", "1000"]).await;
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits for the code of a sign-up that was mailed last, of as many as this.
async fn sign_up_code(server: &Server, email: &str, number: usize) -> String {
    let codes = async || {
        let is_code = |entry: &Value| {
            let text = entry["text"].as_str().filter(|_| entry["to"] == email)?;
            text.strip_prefix("Your verification code is ").map(str::to_owned)
        };
        server.log().entries().iter().filter_map(is_code).nth(number - 1)
    };
    eventually("a verification code is mailed", codes).await
}

/// How many mails went to addresses that hold this.
fn mails_to(server: &Server, part: &str) -> usize {
    server.log().entries().iter().filter(|entry| entry["to"].as_str().is_some_and(|to| to.contains(part))).count()
}

#[tokio::test]
async fn sign_in_prefers_proven_membership_to_hijacked_sign_up() {
    let (server, agent) = server_and_agent().await;
    joined(&server, &agent, VICTIM, "admin", json!([])).await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let answer = signed_in(&server, VICTIM, None).await;
    assert_eq!(answer["organization_id"], agent.organization_id);
    assert_ne!(answer["organization_id"], attacker.organization_id);
}

#[tokio::test]
async fn verify_by_person_revokes_every_key_of_the_stranger() {
    let server = server().await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let second = attacker.key_with("/v0/api-keys", json!({"name": "second"})).await;
    let pinned = attacker.key_with(&attacker.inbox("/api-keys"), json!({"name": "pinned"})).await;
    let victim = person(&server, VICTIM).await;
    // The stranger uses up the attempts of the fresh code.
    for _ in 0..10 {
        attacker.post(VERIFY, json!({"otp_code": "000000"})).await;
    }
    let otp_code = sign_up_code(&server, VICTIM, 2).await;
    let answer = victim.post(VERIFY, json!({"otp_code": otp_code})).await.ok();
    assert_eq!(each(&answer, "existing_keys", "name"), ["Sign-up", "second", "pinned"]);
    assert!(answer["existing_keys"].as_array().unwrap().iter().all(|key| key["revoked"] == true), "{answer:#}");
    assert_eq!(answer["existing_webhooks"], json!([]));
    for key in [&*attacker, &second, &pinned] {
        key.get(&attacker.inbox("/messages")).await.refused(401, "unknown_api_key");
    }
    assert_eq!(victim.get("/v0/api-keys").await.ok()["count"], 1);
}

#[tokio::test]
async fn sign_up_key_cannot_stop_the_owner_before_verify() {
    let server = server().await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let second = attacker.key_with("/v0/api-keys", json!({"name": "second"})).await;
    let victim = person(&server, VICTIM).await;
    let me = victim.get("/v0/auth/me").await.ok();
    let path = format!("/v0/api-keys/{}", me["api_key_id"].as_str().unwrap());
    for stranger in [&*attacker, &second] {
        stranger.delete(&path).await.refused(403, "owner_protected");
        stranger.patch(&path, json!({"permissions": {"inbox_read": true}})).await.refused(403, "owner_protected");
        stranger.patch(&path, json!({"name": "stopped"})).await.refused(403, "owner_protected");
    }
    let otp_code = sign_up_code(&server, VICTIM, 2).await;
    victim.post(VERIFY, json!({"otp_code": otp_code})).await.ok();
    // The owner changes and revokes any key.
    victim.patch(&path, json!({"name": "laptop"})).await.ok();
    victim.delete(&path).await.gone();
}

#[tokio::test]
async fn verify_by_person_keeps_keys_on_request() {
    let server = server().await;
    let agent = server.sign_up(VICTIM, "scout").await;
    let owner = person(&server, VICTIM).await;
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
async fn key_made_during_take_over_does_not_survive() {
    let server = server().await;
    let attacker = server.sign_up(VICTIM, "trap").await;
    let victim = person(&server, VICTIM).await;
    let otp_code = sign_up_code(&server, VICTIM, 2).await;
    let hammering = at_once((0..40).map(|_| {
        let attacker = attacker.clone();
        async move { attacker.post("/v0/api-keys", json!({"name": "late"})).await }
    }));
    let verifying = async { victim.post(VERIFY, json!({"otp_code": otp_code})).await.ok() };
    let (answers, _) = tokio::join!(hammering, verifying);
    assert_eq!(count(&answers, 200) + count(&answers, 401), 40);
    assert_eq!(victim.get("/v0/api-keys").await.ok()["count"], 1);
}

#[tokio::test]
async fn code_mail_names_time_network_and_effect_of_confirming() {
    let server = server().await;
    server.sign_up(VICTIM, "trap").await;
    server.log().code_for(VICTIM).await;
    let mail = captured(&server).await.replace("=\r\n", "").replace("=\n", "");
    assert!(mail.contains("from the network 127.0.0.0/24"), "{mail}");
    assert!(mail.contains("may then send mail to anyone in your name"), "{mail}");
    // The code of a later sign-in says the same of the sign-up.
    person(&server, VICTIM).await;
    let is_told = async || {
        let mail = captured(&server).await.replace("=\r\n", "").replace("=\n", "");
        (mail.matches("from the network 127.0.0.0/24").count() == 2).then_some(())
    };
    eventually("a second code mail names the network", is_told).await;
}

/// Makes everything look older by some days.
async fn age(server: &Server, days: u32) {
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
    squatter.key_with("/v0/api-keys", json!({"name": "second"})).await;
    squatter.post(&squatter.inbox("/drafts"), json!({"to": VICTIM, "subject": "x"})).await.ok();
    crate::support::receive(&server, &squatter, &crate::support::mail_to(&squatter, "hello")).await;
    age(&server, 6).await;
    squatter.get("/v0/inboxes").await.ok();
    age(&server, 2).await;
    let is_gone = async || (squatter.get("/v0/inboxes").await.status == 401).then_some(());
    eventually("the organization is out of reach", is_gone).await;
    kept.get("/v0/inboxes").await.ok();
    // A suspended organization could sign up again otherwise.
    suspended.get("/v0/inboxes").await.ok();
    // Both names are free, for the owner of the address.
    let owner = server.sign_up(VICTIM, "desk").await;
    assert_eq!(owner.inbox_id, squatter.inbox_id);
    assert_ne!(owner.organization_id, squatter.organization_id);
    assert_eq!(owner.get(&owner.inbox("/messages")).await.ok()["count"], 0);
    // The code of the sign-up before is in the log as well.
    eventually("the second code is mailed", async || (mails_to(&server, VICTIM) == 2).then_some(())).await;
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
async fn key_changes_nothing_beyond_itself() {
    let (_server, agent) = server_and_agent().await;
    let made =
        agent.post("/v0/api-keys", json!({"name": "permanent", "permissions": {"message_read": true}})).await.ok();
    let path = format!("/v0/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let whole = agent.post("/v0/api-keys", json!({"name": "whole"})).await.ok();
    let whole = format!("/v0/api-keys/{}", whole["api_key_id"].as_str().unwrap());
    let maker = agent.key_with("/v0/api-keys", json!({"permissions": {"api_key_create": true}})).await;
    for path in [&path, &whole] {
        maker.patch(path, json!({"permissions": {}})).await.refused(403, "permission_escalation");
        maker.patch(path, json!({"name": "mine"})).await.refused(403, "permission_escalation");
    }
    let expires_at = crate::support::in_seconds(600);
    let expiring = agent.key_with("/v0/api-keys", json!({"expires_at": expires_at})).await;
    let wider = json!({"permissions": {"message_read": true, "message_send": true, "api_key_create": true}});
    let refused = expiring.patch(&path, wider.clone()).await.refused(403, "permission_escalation");
    assert!(refused["fix"].as_str().unwrap().contains("at least as long"), "{refused:#}");
    expiring.patch(&path, json!({"permissions": {}})).await.ok();
    agent.patch(&path, wider).await.ok();
    let updater = json!({"permissions": {"api_key_update": true, "message_read": true}});
    let updater = agent.key_with("/v0/api-keys", updater).await;
    let reader = agent.post("/v0/api-keys", json!({"permissions": {"message_read": true}})).await.ok();
    let reader = format!("/v0/api-keys/{}", reader["api_key_id"].as_str().unwrap());
    updater.patch(&reader, json!({"name": "renamed"})).await.ok();
}

#[tokio::test]
async fn name_of_the_service_is_not_for_tenants() {
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

/// Invites an address and takes the invitation back.
async fn invite_and_remove(agent: &Persona, email: &str) -> u16 {
    let answer = agent.post("/v0/members", json!({"email": email, "role": "member"})).await;
    if answer.status == 200 {
        let member: Value = answer.json();
        agent.delete(&format!("/v0/members/{}", member["member_id"].as_str().unwrap())).await.gone();
    } else {
        let envelope = answer.refused(429, "too_many_requests");
        assert!(answer.header("Retry-After").is_some() && envelope["fix"].as_str().unwrap().contains("wait until"));
    }
    answer.status
}

#[tokio::test]
async fn mailbox_gets_few_invitations_and_sign_ups_whatever_its_tag() {
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
    server.http().post("/v0/agent/sign-up", sign_up).await.refused(429, "too_many_requests");
    // Nothing of the refused sign-up stays.
    server.sign_up("somebody@outside.example", "bomber").await;
    let is_mailed = async || (mails_to(&server, "target") + mails_to(&server, "TARGET") >= 4).then_some(());
    eventually("the invitations are mailed", is_mailed).await;
    assert_eq!(mails_to(&server, "target") + mails_to(&server, "TARGET"), 4);
    let a_day_ago =
        "UPDATE mail_quotas SET hour_until = hour_until - interval '1 hour', day_until = day_until - interval '1 day'";
    server.database().execute(a_day_ago).await;
    assert_eq!(invite_and_remove(&one, addresses[0]).await, 200);
}

#[tokio::test]
async fn unverified_organizations_share_the_limit_of_their_owners_mailbox() {
    let server = server().await;
    let mut allowed = 0;
    for tag in 0..3 {
        let owner = format!("Target+{tag}@outside.example");
        let agent = server.sign_up(&owner, &format!("bomber-{tag}")).await;
        for _ in 0..9 {
            let answer = agent.post(&agent.inbox("/messages/send"), json!({"to": owner, "text": "buy"})).await;
            match answer.status {
                200 => allowed += 1,
                _ => assert_eq!(answer.refused(429, "too_many_requests")["name"], "RateLimitError"),
            }
        }
    }
    assert_eq!(allowed, 20);
    // Another mailbox has a limit of its own.
    let other = server.sign_up("other@outside.example", "other").await;
    other.send(json!({"to": "other@outside.example", "text": "hello"})).await;
}

#[tokio::test]
async fn organization_sends_few_invitations_even_when_it_takes_them_back() {
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
async fn sign_in_codes_of_tags_share_the_limit_of_their_mailbox() {
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
    eventually("no code is due any more", async || server.database().try_execute(due).await.ok()).await;
    let codes: usize =
        (0..3).map(|tag| crate::people::codes(&server, &format!("target+{tag}@outside.example")).len()).sum();
    assert!(codes <= 20, "{codes}");
    // An address where a code was read is not kept out by strangers.
    let (owner, tagged) = ("target@outside.example", "target+0@outside.example");
    server.database().execute("DELETE FROM mail_quotas").await;
    let agent = server.verified(owner, "mine").await;
    for _ in 0..20 {
        server.http().post(SIGN_IN, json!({"email": tagged})).await.ok();
    }
    let back = person(&server, owner).await;
    assert_eq!(back.get("/v0/auth/me").await.ok()["organization_id"], agent.organization_id);
}

#[tokio::test]
async fn invitation_carries_no_text_of_the_tenant() {
    let (server, agent) = server_and_agent().await;
    let invitee = "visit-evil.example+win@outside.example";
    let name = "Click http://evil.example";
    agent
        .post("/v0/members", json!({"email": invitee, "role": "member", "name": name, "inbox_ids": [agent.inbox_id]}))
        .await
        .ok();
    let entry = server.log().entry("the invitation", |entry| entry["to"] == invitee).await;
    assert!(entry["text"].as_str().unwrap().starts_with("You are invited"), "{entry:#}");
    let mails = captured(&server).await;
    let (_, body) = mails.rsplit_once("You are invited to an organization").unwrap();
    for text in ["evil", "://", "scout"] {
        assert!(!body.contains(text), "{body}");
    }
}
