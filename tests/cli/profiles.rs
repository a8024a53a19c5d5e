//! Profiles.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::program::CliUser;
use crate::support::server;

#[tokio::test]
async fn profile_is_readable_by_its_owner_only() {
    let server = server().await;
    let user = CliUser::at(&server);
    user.run(&["sign-up", "owner@example.org", "scout"]).await.ok();
    let mode = std::fs::metadata(user.profiles()).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    std::fs::set_permissions(user.profiles(), Permissions::from_mode(0o644)).unwrap();
    let refused = user.run(&["whoami"]).await.failed(1);
    assert!(refused.contains("other users") && refused.contains("chmod 600"), "{refused}");
}

#[tokio::test]
async fn profiles_are_separate_and_their_keys_go_to_their_servers_only() {
    let (server, other) = (server().await, server().await);
    let user = CliUser::without_server();
    let (first, second) = (server.base_url(), other.base_url());
    user.run(&["--url", &first, "sign-up", "owner@example.org", "scout"]).await.ok();
    user.run(&["--url", &second, "--profile", "other", "sign-up", "owner@example.org", "ranger"]).await.ok();
    let inbox = async |arguments: &[&str]| user.run(arguments).await.json()["inbox_id"].clone();
    let first_inbox = inbox(&["inboxes", "list", "--json"]).await;
    assert!(first_inbox.as_str().unwrap().starts_with("scout@"), "{first_inbox}");
    let second_inbox = inbox(&["inboxes", "list", "--json", "--profile", "other"]).await;
    assert!(second_inbox.as_str().unwrap().starts_with("ranger@"), "{second_inbox}");

    let refused = user.run(&["--url", &second, "inboxes"]).await.failed(3);
    assert!(refused.contains(&format!("is for {first}")), "{refused}");
    let second_sign_up = user.run(&["--url", &first, "sign-up", "another@example.org", "tracker"]).await.failed(2);
    assert!(second_sign_up.contains("already holds a key"), "{second_sign_up}");
}

#[tokio::test]
async fn mcp_uses_the_profile() {
    let server = server().await;
    let user = CliUser::without_server();
    user.run(&["--url", &server.base_url(), "sign-up", "owner@example.org", "scout"]).await.ok();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }});
    let begun = user.run_with_input(&["mcp"], &format!("{hello}\n")).await.json();
    assert_eq!(begun["result"]["protocolVersion"], "2025-11-25", "{begun:#}");

    user.run(&["--url", &server.base_url(), "--profile", "other", "sign-up", "another@example.org", "ranger"])
        .await
        .ok();
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "list_inboxes", "arguments": {},
    }});
    for (arguments, name) in [
        (&["mcp"][..], "scout"),
        (&["--profile", "other", "mcp"], "ranger"),
        (&["mcp", "--profile", "other"], "ranger"),
    ] {
        let output = user.run_with_input(arguments, &format!("{hello}\n{call}\n")).await.ok();
        let inboxes = output.lines().last().unwrap();
        assert!(inboxes.contains(&format!("{name}@")), "{arguments:?}: {output}");
    }

    let without = CliUser::at(&server).run(&["mcp"]).await.failed(1);
    assert!(without.contains("inboxd login"), "{without}");
}
