//! Operations of the API.

use http::Method;
use serde_json::Value;

use super::field::{ApiField, FieldPlace, help};
use super::schema::SchemaReader;

/// Successful response of an operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ResponseForm {
    /// Name of the schema of its JSON.
    pub(crate) schema: Option<String>,
    /// Whether it may be JSON.
    pub(crate) is_json: bool,
    /// Media type to accept for its content, such as that of an attachment.
    pub(crate) content: Option<String>,
    /// Whether it switches the connection to a WebSocket.
    pub(crate) is_socket: bool,
    /// Description of the response.
    pub(crate) description: String,
}

/// Operation of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiOperation {
    pub(crate) id: String,
    pub(crate) tag: String,
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) fields: Vec<ApiField>,
    pub(crate) has_body: bool,
    /// Media type of a body of bytes.
    pub(crate) content_type: Option<String>,
    pub(crate) response: ResponseForm,
}

impl ApiOperation {
    /// Reads an operation.
    pub(super) fn read<'a>(reader: SchemaReader<'a>, path: &str, method: &str, value: &'a Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().unwrap_or_default();
        let parameters = value["parameters"].as_array().into_iter().flatten();
        let mut fields: Vec<ApiField> =
            parameters.filter_map(|field| ApiField::from_parameter(reader, field)).collect();
        // A key in the query would end in logs; the client sends it in a header.
        fields.retain(|field| field.name != "api_key" || field.place != FieldPlace::Query);
        let body = value.pointer("/requestBody/content/application~1json/schema");
        let contents = value.pointer("/requestBody/content").and_then(Value::as_object).filter(|_| body.is_none());
        fields.extend(body.into_iter().flat_map(|schema| ApiField::of_body(reader, schema)));
        let method = Method::from_bytes(method.to_ascii_uppercase().as_bytes()).ok()?;
        for field in &mut fields {
            // Only a change tells null from an absent field.
            field.form.is_nullable &= method == Method::PATCH;
        }
        Some(Self {
            id: value["operationId"].as_str()?.to_owned(),
            tag: value["tags"][0].as_str().unwrap_or("other").to_ascii_lowercase().replace(' ', "-"),
            method,
            path: path.to_owned(),
            summary: help(text("summary")),
            description: text("description").to_owned(),
            fields,
            has_body: body.is_some(),
            content_type: contents.and_then(|contents| contents.keys().next()).cloned(),
            response: response(value),
        })
    }

    /// Returns whether the operation returns a page of a list.
    pub(crate) fn is_list(&self) -> bool {
        let is_paged = self.fields.iter().any(|field| field.place == FieldPlace::Query && field.name == "page_token");
        is_paged && self.response.schema.as_ref().is_some_and(|name| name.ends_with("List"))
    }
}

fn response(operation: &Value) -> ResponseForm {
    let responses = operation["responses"].as_object();
    let success = responses.into_iter().flatten().find(|(status, _)| status.starts_with(['1', '2']));
    let Some((status, success)) = success else { return ResponseForm::default() };
    let contents = success["content"].as_object();
    let json = contents.and_then(|contents| contents.get("application/json"));
    let others = contents.into_iter().flat_map(serde_json::Map::keys);
    let mut others =
        others.filter(|kind| !matches!(kind.as_str(), "application/json" | "application/jsonl" | "text/event-stream"));
    let content = others.next().map(|kind| if kind == "*/*" { "application/octet-stream" } else { kind });
    ResponseForm {
        schema: json.and_then(|json| SchemaReader::name(&json["schema"])).map(str::to_owned),
        is_json: json.is_some(),
        content: content.map(str::to_owned),
        is_socket: status == "101",
        description: success["description"].as_str().unwrap_or_default().to_owned(),
    }
}
