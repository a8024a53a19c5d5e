//! Refusals before a use case runs, and their order.

mod bodies;
mod order;
mod queries;

use actix_web::dev::Service;
use actix_web::test::TestRequest;
use inboxd_core::model::{ApiKey, Page, Permissions, Reach};
use inboxd_core::ports::StoreError;
use inboxd_core::testing::{World, fixtures};
use serde_json::json;

use super::{Answered, KEY, answer, call, options, request, server, with_key, world, world_with};
use crate::state::HttpOptions;

const SEND: &str = "/v0/inboxes/scout@inboxd.example/messages/send";

async fn post(world: World, uri: &str, body: &'static str) -> Answered {
    answer(world, with_key("post", uri).set_payload(body)).await
}
