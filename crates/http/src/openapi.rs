//! The OpenAPI 3.1 document, made from the handlers.

use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Components, Content, InfoBuilder, OpenApi, Ref, RefOr, Required, ResponseBuilder};
use utoipa::{OpenApi as _, PartialSchema, ToSchema};

use crate::body::SendRequest;
use crate::error::Envelope;
use crate::routes::Table;

const ABOUT: &str = "Real email inboxes for agents. Sign up with `POST /v0/agent/sign-up`; send the key that it returns \
    as `Authorization: Bearer am_…`. Every answer that is not a success carries an error envelope whose `fix` names the \
    next step; its codes are explained at `/docs/errors`.";
const BEARER: &str = "bearer";

/// The document. It names no server, so that it is true under every base URL.
#[must_use]
pub fn openapi() -> OpenApi {
    let mut document = Table::openapi();
    document.info = InfoBuilder::new().title("inboxd").version("0.1.0").description(Some(ABOUT)).build();
    document.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], _>(BEARER, [])]);

    let components = document.components.get_or_insert_default();
    let mut schemas = vec![(Envelope::name().into_owned(), Envelope::schema())];
    Envelope::schemas(&mut schemas);
    components.schemas.extend(schemas);
    let key = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API key: `am_…`")).build();
    components.add_security_scheme(BEARER, SecurityScheme::Http(key));

    let components = components.clone();
    for operation in document.paths.paths.values_mut().flat_map(operations) {
        let refusal = ResponseBuilder::new()
            .description("Refused: `fix` names the next step")
            .content("application/json", Content::new(Some(Ref::from_schema_name(Envelope::name()))))
            .build();
        operation.responses.responses.insert("default".to_owned(), refusal.into());
        if let Some(RefOr::T(body)) = &mut operation.request_body {
            let required = if may_be_left_out(body, &components) { Required::False } else { Required::True };
            body.required = Some(required);
        }
    }
    document
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.patch, &mut item.delete].into_iter().flatten()
}

/// Whether a call may come without its body: where every field may be left out. Of a mail to send, each field may, but
/// not all of them.
fn may_be_left_out(body: &RequestBody, components: &Components) -> bool {
    let letter = Ref::from_schema_name(SendRequest::name()).ref_location;
    body.content.values().all(|content| match content {
        RefOr::T(Content { schema: Some(RefOr::Ref(schema)), .. }) if schema.ref_location != letter => {
            let name = schema.ref_location.rsplit('/').next().unwrap_or_default();
            matches!(components.schemas.get(name), Some(RefOr::T(Schema::Object(object))) if object.required.is_empty())
        }
        _ => false,
    })
}
