//! Tests of the built binary through HTTP and SMTP, laid out like the URLs.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

mod abuse;
mod agent;
mod api_keys;
mod auth;
mod authentication;
mod billing;
mod client_ids;
mod conformance;
mod crash;
mod direct;
mod docs;
mod domains;
mod drafts;
mod errors;
mod events;
mod feed;
mod guard;
mod inboxes;
mod lists;
mod loops;
mod mcp;
mod mcp_clients;
mod mcp_tools;
mod members;
mod messages;
mod metrics;
mod oauth;
mod operations;
mod organizations;
mod pages;
mod people;
mod pods;
mod reading;
mod readme;
mod reports;
mod requirements;
mod sdk;
mod send_methods;
mod sending;
mod smtp;
mod spam;
mod support;
mod threads;
mod webhooks;
