//! Limits of what one tool call may use.

use serde_json::{Value, json};

use super::client::bad_arguments;
use super::parameters::World;
use crate::support::{mail_to, receive};

/// Returns a send with a stored attachment, named several times.
fn repeated(world: &World, stored: &Value, count: usize) -> Value {
    let reference =
        json!({"messageId": stored["message_id"], "attachmentId": stored["attachments"][0]["attachment_id"]});
    json!({
        "inboxId": world.agent.inbox_id, "to": ["bob@outside.example"], "subject": "again", "text": "x",
        "attachments": vec![reference; count],
    })
}

#[tokio::test]
async fn stored_attachments_of_a_message_are_bounded() {
    let world = World::new().await;
    for (subject, bytes, accepted) in [("small", 3, 20), ("large", 13_000_000, 1)] {
        let mail = mail_to(&world.agent, subject).attach("a.bin", "application/octet-stream", &vec![0; bytes]);
        receive(&world.server, &world.agent, &mail).await;
        let stored = world.agent.message_about(subject).await;
        let refused = world.tools.refused("send_message", repeated(&world, &stored, accepted + 1)).await;
        assert_eq!(bad_arguments(&refused), ["attachments"], "{refused:#}");
        world.tools.call("send_message", repeated(&world, &stored, accepted)).await;
    }
}
