//! Limits of all query strings in the OpenAPI document.

use utoipa::openapi::RefOr;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::schema::{Object, Schema, SchemaType, Type};

use crate::query::{MAX_LIST_VALUES, MAX_TEXT_CHARS, PAGE_TOKEN};

const NO_NUL: &str = r"^[^\u0000]*$";

/// Documents the pattern and length of strings and the length of lists in the query string.
pub(super) fn add(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(Parameter { name, parameter_in: ParameterIn::Query, schema: Some(schema), .. }) = parameter else {
            continue;
        };
        match schema {
            RefOr::T(Schema::Object(text)) if name != PAGE_TOKEN => bound(text),
            // The strings of a list have the same limit, but the URL has a limit of 65,534 bytes, which a schema cannot
            // express. Both limits together would promise more than fits.
            RefOr::T(Schema::Array(list)) => list.max_items = Some(MAX_LIST_VALUES),
            _ => {}
        }
    }
}

/// Limits a string, unless its values or format are known: those are short.
fn bound(schema: &mut Object) {
    let is_text = schema.schema_type == SchemaType::Type(Type::String);
    if is_text && schema.enum_values.is_none() && schema.format.is_none() {
        schema.max_length.get_or_insert(MAX_TEXT_CHARS);
        schema.pattern.get_or_insert_with(|| NO_NUL.to_owned());
    }
}
