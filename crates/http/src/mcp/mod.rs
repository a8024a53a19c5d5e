//! The MCP server: `POST /mcp`, for the revision 2026-07-28 and for those that begin with `initialize`.
//!
//! ```text
//! bridge.rs        from actix to rmcp and back; envelope.rs: the method of a request, before rmcp reads it;
//!                  refusal.rs: requests that reach no method
//! server.rs        the methods of the protocol; request.rs: state and caller of a request
//! trust.rs         facts about senders, beside each message
//! resources.rs     inboxes and mail as resources; subscriptions.rs: notifications about them
//! tools/           table of the tools, one file a group; tool.rs: a tool and the call that it receives
//! results/         content of results: sizes, trust facts and the notice beside mail
//! call.rs          context of a call; progress.rs: notifications about a long one
//! arguments.rs     arguments of a tool; schema.rs: JSON schemas of arguments and results
//! ```
//!
//! Nothing is kept between requests: each carries its key, and the server has no sessions.

mod arguments;
mod bridge;
mod call;
mod envelope;
mod progress;
mod refusal;
mod request;
mod resources;
mod results;
mod schema;
mod server;
mod subscriptions;
mod tool;
mod tools;

pub(crate) use bridge::{McpServer, handle};
