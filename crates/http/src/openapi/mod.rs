//! OpenAPI 3.1 document, generated from the handlers and completed with the parts that all operations share.

mod bodies;
mod bounds;
mod offers;
mod refusals;

pub(crate) use offers::names_scope;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{InfoBuilder, OpenApi};
use utoipa::{OpenApi as _, PartialSchema, ToSchema};

use crate::error::ErrorEnvelope;
use crate::routes::{self, RouteTable};
use crate::standby;

const ABOUT: &str = "Real email inboxes for agents. Sign up with `POST /v0/agent/sign-up`; send the returned key \
    as `Authorization: Bearer am_…`. Every error response has an envelope whose `fix` names the next step; `/docs/errors` \
    explains its codes. Unknown fields and query parameters are ignored and named in the header `Inboxd-Ignored-Fields`. \
    Fields of compatible APIs that would change behaviour and are not supported are refused with `unsupported_field`.";
const BEARER: &str = "bearer";

/// Returns the document. It names no server, so that it is valid under every base URL.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut document = RouteTable::openapi();
    document.info = InfoBuilder::new().title("inboxd").version("0.1.0").description(Some(ABOUT)).build();
    document.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], _>(BEARER, [])]);

    let components = document.components.get_or_insert_default();
    let mut schemas = vec![(ErrorEnvelope::name().into_owned(), ErrorEnvelope::schema())];
    ErrorEnvelope::schemas(&mut schemas);
    components.schemas.extend(schemas);
    components.responses.extend(refusals::shared());
    let key = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API key: `am_…`")).build();
    components.add_security_scheme(BEARER, SecurityScheme::Http(key));

    let described = std::mem::take(&mut document.paths);
    for routes::RouteEntry { path, endpoints } in routes::entries() {
        for endpoint in endpoints {
            let Some(mut operation) = offers::describe(&described, path, &endpoint) else { continue };
            if let Some(offer) = endpoint.offer {
                bodies::narrow(offer.scope, &mut operation, components);
            }
            offers::add(&mut document.paths, path, &endpoint, operation);
        }
    }
    let components = components.clone();
    for (path, item) in &mut document.paths.paths {
        if let Some(operation) = item.get.as_mut().filter(|_| standby::may_serve(path)) {
            standby::describe(operation);
        }
        for operation in operations(item) {
            refusals::add(path, operation);
            bounds::add(operation);
            bodies::finish(operation, &components);
        }
    }
    document
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten()
}
