//! Each declared parameter has an effect: a new parameter without a check fails here.

use std::collections::BTreeSet;

use inboxd_testkit::{Persona, RelayServer, TestServer};

use super::client::ToolClient;
use super::{connection, drafts, reading, sending, waiting};
use crate::sending::server_with_relay;

/// Server, agent and tools of one walk.
pub(crate) struct World {
    pub(crate) relay: RelayServer,
    pub(crate) server: TestServer,
    pub(crate) agent: Persona,
    pub(crate) tools: ToolClient,
    seen: BTreeSet<(String, String)>,
}

impl World {
    pub(crate) async fn new() -> Self {
        let (relay, server, agent) = server_with_relay().await;
        let tools = ToolClient::new(&agent);
        Self { relay, server, agent, tools, seen: BTreeSet::new() }
    }

    /// Records that parameters of a tool were observed to have their effect.
    pub(crate) fn observed(&mut self, tool: &str, parameters: &str) {
        self.seen.extend(parameters.split_whitespace().map(|name| (tool.to_owned(), name.to_owned())));
    }
}

#[tokio::test]
async fn each_parameter_has_its_effect() {
    let mut world = World::new().await;
    reading::lists(&mut world).await;
    reading::threads(&mut world).await;
    reading::messages(&mut world).await;
    waiting::events(&mut world).await;
    sending::sends(&mut world).await;
    sending::replies(&mut world).await;
    sending::forwards(&mut world).await;
    drafts::drafts(&mut world).await;
    connection::inboxes(&mut world).await;
    connection::entries(&mut world).await;
    connection::domains(&mut world).await;
    // Confirmed by the set-up of `world` through REST; its tool has a test of its own.
    world.observed("agent_verify", "otpCode keepExistingKeys");
    let mut declared = BTreeSet::new();
    for tool in world.tools.list().await {
        let name = tool["name"].as_str().unwrap().to_owned();
        let properties = tool["inputSchema"]["properties"].as_object().unwrap();
        declared.extend(properties.keys().map(|property| (name.clone(), property.clone())));
    }
    let unseen: Vec<_> = declared.difference(&world.seen).collect();
    assert!(unseen.is_empty(), "parameters without a check: {unseen:?}");
    let unknown: Vec<_> = world.seen.difference(&declared).collect();
    assert!(unknown.is_empty(), "parameters that no tool declares: {unknown:?}");
}
