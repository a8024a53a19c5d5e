//! The MCP server: `POST /mcp`, for the revision 2026-07-28 and for those that begin with `initialize`.
//!
//! ```text
//! tools/       table of the tools, one file a group; tool.rs: a tool and the call that it receives
//! results/     what tools return: sizes, trust facts and the notice beside mail
//! call.rs      context of a call; progress.rs: notifications about a long one
//! arguments.rs reads arguments; schema.rs: JSON schemas of arguments and results
//! ```

mod arguments;
mod call;
mod progress;
mod results;
mod schema;
mod tool;
mod tools;
