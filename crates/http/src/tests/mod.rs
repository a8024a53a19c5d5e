//! The API in memory: an actix service over use cases with a prepared mock store.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that panics is a test that fails")]

mod answers;
mod billing;
mod binary;
mod documents;
mod errors;
mod etag;
mod events;
mod logging;
mod proxies;
mod requests;
mod routing;
mod schema;
mod serving;
mod stale_reads;
mod trace;
mod webhooks;

use actix_web::body::{BoxBody, to_bytes};
use actix_web::dev::{Service, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::HeaderMap;
use actix_web::test::{TestRequest, init_service};
use actix_web::{App as WebApp, Error, web};
use inboxd_core::app::App;
use inboxd_core::model::ApiKey;
use inboxd_core::model::api_key::hash_key;
use inboxd_core::ports::Credential;
use inboxd_core::testing::{World, fixtures};
use serde_json::Value;

use crate::limiter::RequestRates;
use crate::live::LiveFeed;
use crate::state::{HttpOptions, State};
use crate::{middleware, routes};

/// API key that every prepared store knows.
pub(crate) const KEY: &str = "am_test";

/// A response with its parts.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn pretty(&self) -> String {
        serde_json::to_string_pretty(&self.json()).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap().to_owned()
    }

    /// Returns the paths of all invalid fields.
    pub(crate) fn bad_fields(&self) -> Vec<String> {
        let json = self.json();
        let text = |field: &Value, name: &str| field[name].as_str().unwrap().to_owned();
        json["errors"].as_array().unwrap().iter().map(|field| text(field, "path")).collect()
    }
}

/// Test options: messages of at most 1000 bytes, which gives bodies of at most 1400.
pub(crate) fn options() -> HttpOptions {
    HttpOptions {
        base_url: "https://inboxd.example/".to_owned(),
        max_message_bytes: 1000,
        rates: RequestRates::new(0, 200),
        ..HttpOptions::default()
    }
}

/// An environment whose store knows [`KEY`] as this key of the fixture organization.
pub(crate) fn world_with(key: ApiKey) -> World {
    let mut world = World::default();
    world.store.expect_credential().returning(move |hash| {
        let api_key = ApiKey { used_at: Some(fixtures::NOW), ..key.clone() };
        let credential = Credential { api_key, organization: fixtures::organization(), member: None, connection: None };
        Ok((*hash == hash_key(KEY)).then_some(credential))
    });
    world
}

/// An environment whose store knows [`KEY`] as a key with organization scope.
pub(crate) fn world() -> World {
    world_with(fixtures::api_key())
}

/// A server over an app.
pub(crate) async fn server(
    app: App,
    options: HttpOptions,
) -> impl Service<actix_http::Request, Response = ServiceResponse<BoxBody>, Error = Error> {
    init_service(
        WebApp::new()
            .app_data(web::Data::new(State::new(
                app.clone(),
                LiveFeed::new(app, 100, crate::FeedMetrics::default()),
                &options,
            )))
            .wrap(actix_web::middleware::from_fn(middleware::around))
            .configure(routes::configure),
    )
    .await
}

/// Sends a request to a new server.
pub(crate) async fn answer(world: World, request: TestRequest) -> Answered {
    let server = server(world.app(), options()).await;
    call(&server, request).await
}

/// Sends a request.
pub(crate) async fn call(
    server: &impl Service<actix_http::Request, Response = ServiceResponse<BoxBody>, Error = Error>,
    request: TestRequest,
) -> Answered {
    let response = match server.call(request.to_request()).await {
        Ok(response) => response.into_parts().1,
        Err(error) => error.error_response(),
    };
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body = to_bytes(response.into_body()).await.unwrap().to_vec();
    Answered { status, headers, body }
}

/// Creates a request with [`KEY`].
pub(crate) fn with_key(method: &str, uri: &str) -> TestRequest {
    request(method, uri).insert_header(("Authorization", format!("Bearer {KEY}")))
}

/// Creates a request without an API key.
pub(crate) fn request(method: &str, uri: &str) -> TestRequest {
    TestRequest::default().method(Method::from_bytes(method.to_uppercase().as_bytes()).unwrap()).uri(uri)
}
