//! Tools of the connection, inboxes, lists and domains.

use serde_json::json;

use super::client::ToolClient;
use super::parameters::World;
use crate::support::{server, set_plan};

pub(crate) async fn inboxes(world: &mut World) {
    let tools = world.tools.clone();
    let new = json!({
        "username": "helper", "domain": "inboxd.localhost", "displayName": "Helper", "clientId": "inbox-1",
        "metadata": {"team": "blue", "seats": 3, "my_key": true},
    });
    let created = tools.call("create_inbox", new.clone()).await;
    let inbox_id = created["inboxId"].as_str().unwrap().to_owned();
    assert_eq!(inbox_id, "helper@inboxd.localhost");
    assert_eq!((&created["displayName"], &created["clientId"]), (&json!("Helper"), &json!("inbox-1")));
    assert_eq!(created["metadata"], json!({"team": "blue", "seats": 3, "my_key": true}));
    assert_eq!(tools.call("create_inbox", new).await["inboxId"], json!(inbox_id));
    world.observed("create_inbox", "username domain displayName clientId metadata");
    let changes =
        json!({"inboxId": inbox_id, "displayName": "Aid", "metadata": {"team": null, "seats": 4, "new": "x"}});
    let updated = tools.call("update_inbox", changes).await;
    assert_eq!(updated["displayName"], "Aid");
    assert_eq!(updated["metadata"], json!({"seats": 4, "my_key": true, "new": "x"}), "merged; null removes");
    world.observed("update_inbox", "inboxId displayName metadata");
    assert_eq!(tools.call("get_inbox", json!({"inboxId": inbox_id})).await["metadata"], updated["metadata"]);
    world.observed("get_inbox", "inboxId");
    let first = tools.call("list_inboxes", json!({"limit": 1})).await;
    assert_eq!((&first["count"], &first["inboxes"][0]["inboxId"]), (&json!(1), &json!(inbox_id)));
    let second = json!({"limit": 1, "pageToken": first["nextPageToken"]});
    assert_ne!(tools.call("list_inboxes", second).await["inboxes"][0]["inboxId"], json!(inbox_id));
    world.observed("list_inboxes", "limit pageToken");
    assert_eq!(tools.call("delete_inbox", json!({"inboxId": inbox_id})).await["deleted"], true);
    assert_eq!(tools.refused("get_inbox", json!({"inboxId": inbox_id})).await["code"], "not_found");
    world.observed("delete_inbox", "inboxId");
}

pub(crate) async fn entries(world: &mut World) {
    let tools = world.tools.clone();
    let inbox_id = world.agent.inbox_id.clone();
    let of = |more: serde_json::Value| {
        let mut arguments = json!({"direction": "receive", "type": "block", "inboxId": inbox_id});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    for entry in ["spam.example", "worse.example"] {
        let new = of(json!({"entry": entry, "reason": "noise", "clientId": format!("entry-{entry}")}));
        let created = tools.call("create_list_entry", new.clone()).await;
        assert_eq!((&created["reason"], &created["inboxId"]), (&json!("noise"), &json!(inbox_id)));
        assert_eq!((&created["direction"], &created["listType"]), (&json!("receive"), &json!("block")));
        assert_eq!(tools.call("create_list_entry", new).await["entry"], entry);
    }
    let repeated = of(json!({"entry": "third.example", "clientId": "entry-spam.example"}));
    assert_eq!(tools.call("create_list_entry", repeated).await["entry"], "spam.example");
    let allowed = json!({"direction": "receive", "type": "allow", "inboxId": inbox_id, "entry": "boss.example"});
    let mut proved = allowed.clone();
    proved["requireAuthentication"] = json!(true);
    assert_eq!(tools.call("create_list_entry", proved).await["requireAuthentication"], true);
    tools.call("delete_list_entry", allowed).await;
    let refused = tools.refused("create_list_entry", of(json!({"entry": "x.example", "requireAuthentication": true})));
    assert_eq!(super::client::bad_arguments(&refused.await), ["requireAuthentication"]);
    world.observed("create_list_entry", "direction type entry inboxId reason requireAuthentication clientId");
    let list = tools.texts("list_list_entries", of(json!({})), "entries", "entry").await;
    assert_eq!(list, ["spam.example", "worse.example"]);
    let first = tools.call("list_list_entries", of(json!({"limit": 1}))).await;
    let second = of(json!({"limit": 1, "pageToken": first["nextPageToken"]}));
    assert_eq!(tools.texts("list_list_entries", second, "entries", "entry").await, ["worse.example"]);
    let whole = json!({"direction": "receive", "type": "block"});
    assert_eq!(tools.call("list_list_entries", whole).await["count"], 0);
    world.observed("list_list_entries", "direction type inboxId limit pageToken");
    tools.call("delete_list_entry", of(json!({"entry": "spam.example"}))).await;
    assert_eq!(tools.texts("list_list_entries", of(json!({})), "entries", "entry").await, ["worse.example"]);
    world.observed("delete_list_entry", "direction type entry inboxId");
    let wrong = tools.refused("list_list_entries", json!({"direction": "up", "type": "grey"})).await;
    assert_eq!(super::client::bad_arguments(&wrong), ["direction", "type"]);
}

pub(crate) async fn domains(world: &mut World) {
    let tools = world.tools.clone();
    set_plan(&world.server, &world.agent, "startup").await;
    let pod = world.agent.post("/v0/pods", json!({"name": "a pod"})).await.ok();
    let new = json!({
        "domain": "tools.example", "clientId": "domain-1", "feedbackEnabled": false, "subdomainsEnabled": true,
        "inboundEnabled": false,
    });
    let created = tools.call("create_domain", new.clone()).await;
    assert_eq!(tools.call("create_domain", new).await["domainId"], created["domainId"]);
    assert_eq!((&created["feedbackEnabled"], &created["subdomainsEnabled"]), (&json!(false), &json!(true)));
    assert_eq!((&created["inboundEnabled"], &created["domain"]), (&json!(false), &json!("tools.example")));
    let caught = json!({"domain": "caught.example", "catchAllInboxId": world.agent.inbox_id});
    let caught = tools.call("create_domain", caught).await;
    assert_eq!(caught["catchAllInboxId"], json!(world.agent.inbox_id));
    let podded = json!({"domain": "podded.example", "podId": pod["pod_id"]});
    assert_eq!(tools.call("create_domain", podded).await["podId"], pod["pod_id"]);
    world.observed(
        "create_domain",
        "domain podId clientId feedbackEnabled subdomainsEnabled inboundEnabled catchAllInboxId",
    );
    let first = tools.call("list_domains", json!({"limit": 1})).await;
    let second = json!({"limit": 1, "pageToken": first["nextPageToken"]});
    assert_ne!(tools.call("list_domains", second).await["domains"][0]["domainId"], first["domains"][0]["domainId"]);
    world.observed("list_domains", "limit pageToken");
    let verified = tools.call("verify_domain", json!({"domainId": created["domainId"]})).await;
    assert_eq!(verified["domain"], "tools.example");
    assert_ne!(verified["status"], "VERIFIED");
    world.observed("verify_domain", "domainId");
}

#[tokio::test]
async fn connection_says_what_it_may_do() {
    let world = World::new().await;
    let info = world.tools.call("connection_info", json!({})).await;
    assert_eq!(
        (&info["organizationId"], &info["scopeType"]),
        (&json!(world.agent.organization_id), &json!("organization"))
    );
    assert_eq!(info["inboxes"], json!([world.agent.inbox_id]));
    assert_eq!(info["verified"], true);
    let granted = info["granted"].as_array().unwrap();
    assert!(granted.contains(&json!("message_send")) && granted.contains(&json!("inbox_delete")));
    let before = info["sending"]["leftToday"].as_u64().unwrap_or_else(|| panic!("{info:#}"));
    let mail = json!({"inboxId": world.agent.inbox_id, "to": ["bob@outside.example"], "subject": "x", "text": "x"});
    world.tools.call("send_message", mail).await;
    let info = world.tools.call("connection_info", json!({})).await;
    assert_eq!(info["sending"]["leftToday"], before - 1, "{info:#}");
    let key = json!({"name": "reader", "permissions": {"message_read": true, "inbox_read": true}});
    let reader = world.agent.create_key(&world.agent.inbox("/api-keys"), key).await;
    let info = ToolClient::new(&reader).call("connection_info", json!({})).await;
    assert_eq!((&info["scopeType"], &info["scopeId"]), (&json!("inbox"), &json!(world.agent.inbox_id)));
    assert_eq!(info["granted"], json!(["inbox_read", "message_read"]));
    assert!(info.get("organization").is_none() && info.get("sending").is_none(), "{info:#}");
}

#[tokio::test]
async fn owner_address_is_confirmed_with_the_code() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let tools = ToolClient::new(&agent);
    assert_eq!(tools.call("connection_info", json!({})).await["verified"], false);
    assert_eq!(tools.refused("agent_verify", json!({"otpCode": "000000"})).await["code"], "invalid_code");
    let code = server.log().code_for("owner@example.org").await;
    let verified = tools.call("agent_verify", json!({"otpCode": code, "keepExistingKeys": true})).await;
    assert_eq!((&verified["verified"], &verified["existingKeys"]), (&json!(true), &json!([])));
    assert_eq!(tools.call("connection_info", json!({})).await["verified"], true);
}
