//! OAuth 2.1: discovery, clients, pages, tokens and connections.

mod authorize;
mod connections;
pub(crate) mod flow;
mod hostile;
mod metadata;
mod newcomers;
mod pages;
mod refresh;
mod register;
mod revoke;
mod step_up;
mod token;

pub(crate) use flow::insert_connection;
