//! Tools of the MCP server through `POST /mcp`: their parameters, results, refusals and scope.

mod attachments;
mod client;
mod connection;
mod drafts;
mod guard;
mod parameters;
mod reading;
mod results;
mod sending;
mod waiting;
