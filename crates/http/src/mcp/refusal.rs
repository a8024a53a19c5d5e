//! Refusals of requests that reach no method: JSON-RPC errors with the next step in `data.fix`.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Value, json};

use super::envelope::MAX_VALUES;
use super::server::REVISIONS;

/// Returns the refusal of a revision, with those that the server speaks. rmcp has one for revisions in the body alone.
pub(super) fn unknown_revision(version: &str, id: &Value) -> HttpResponse {
    let requested = serde_json::from_value(version.into()).unwrap_or_default();
    let error = ErrorData::unsupported_protocol_version(requested, REVISIONS);
    HttpResponse::BadRequest().json(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

/// Returns the refusal of a method with an overlong name, which it does not repeat.
pub(super) fn long_method(is_stateless: bool, id: &Value) -> HttpResponse {
    let status = if is_stateless { StatusCode::NOT_FOUND } else { StatusCode::OK };
    let fix = "call a method of the MCP specification, such as tools/list";
    refusal(status, id, ErrorCode::METHOD_NOT_FOUND, "no method has a name of more than 100 characters", fix)
}

/// Returns the refusal of a body that is no JSON.
pub(super) fn no_json() -> HttpResponse {
    let fix = "send one JSON-RPC message in UTF-8 as the body";
    refusal(StatusCode::BAD_REQUEST, &Value::Null, ErrorCode::PARSE_ERROR, "the body is no JSON", fix)
}

/// Returns the refusal of a body that is JSON, but no message of the protocol.
pub(super) fn no_message(id: &Value) -> HttpResponse {
    let fix = "send one object with `jsonrpc`, `id`, `method` and `params`; batches are not accepted";
    let message = "the body is no JSON-RPC request of the Model Context Protocol";
    refusal(StatusCode::BAD_REQUEST, id, ErrorCode::INVALID_REQUEST, message, fix)
}

/// Returns the refusal of a body with too many values.
pub(super) fn too_complex() -> HttpResponse {
    let message = format!("the body has more than {MAX_VALUES} JSON values");
    let fix = "send shorter lists in several calls, and long content as one string";
    refusal(StatusCode::PAYLOAD_TOO_LARGE, &Value::Null, ErrorCode::INVALID_REQUEST, &message, fix)
}

/// Returns a refusal of rmcp, which is a line of text, with the next step.
pub(super) fn of_text(status: StatusCode, text: &str, id: &Value) -> HttpResponse {
    let fix = match status {
        StatusCode::NOT_ACCEPTABLE => "send `Accept: application/json, text/event-stream`",
        StatusCode::UNSUPPORTED_MEDIA_TYPE => "send a JSON-RPC message with `Content-Type: application/json`",
        StatusCode::FORBIDDEN => "call the base URL of this server by its own name, and without a foreign `Origin`",
        StatusCode::PAYLOAD_TOO_LARGE => {
            "send a shorter message; give attachments as url, fileId, or messageId and attachmentId"
        }
        _ => "send the request as the MCP specification of the named revision demands",
    };
    refusal(status, id, ErrorCode::INVALID_REQUEST, text.trim(), fix)
}

fn refusal(status: StatusCode, id: &Value, code: ErrorCode, message: &str, fix: &str) -> HttpResponse {
    let error = ErrorData::new(code, message.to_owned(), Some(json!({ "fix": fix })));
    HttpResponse::build(status).json(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}
