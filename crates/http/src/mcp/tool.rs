//! A tool, and the call that its function receives.

use std::ops::Deref;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use inboxd_core::model::{Caller, Permission};
use inboxd_core::rules::access;
use serde::{Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

use super::arguments::{Arguments, JsonObject};
use super::call::ToolContext;
use super::results::{NOTICE_FIELD, Output};
use super::schema;
use crate::body::BodyRequest;
use crate::error::ApiError;

/// Facts about the effect of a tool, as letters; an absent letter is false. Four are the tool annotations of MCP, which
/// clients are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ToolHints(pub(crate) &'static str);

impl ToolHints {
    /// `R`: changes nothing.
    pub(crate) fn is_read_only(self) -> bool {
        self.0.contains('R')
    }

    /// `D`: removes or sends something that no other call brings back.
    pub(crate) fn is_destructive(self) -> bool {
        self.0.contains('D')
    }

    /// `I`: the same call again changes nothing more.
    pub(crate) fn is_idempotent(self) -> bool {
        self.0.contains('I')
    }

    /// `O`: touches mail of strangers.
    pub(crate) fn is_open_world(self) -> bool {
        self.0.contains('O')
    }

    /// `G`: stores something, so it is refused at low disk space.
    pub(crate) fn is_growing(self) -> bool {
        self.0.contains('G')
    }
}

/// The facts about a tool that do not follow from its function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolFacts {
    /// Name, in `snake_case`.
    pub(crate) name: &'static str,
    /// Name for people.
    pub(crate) title: &'static str,
    /// Description for models.
    pub(crate) description: &'static str,
    pub(crate) hints: ToolHints,
    /// Permissions that a caller needs, all of them.
    pub(crate) permissions: &'static [Permission],
    /// Fields of the result, as [`schema::output`] reads them.
    pub(crate) outputs: &'static str,
}

type ToolRun = Box<dyn Fn(ToolContext, Arguments) -> BoxFuture<'static, Result<ToolAnswer, ApiError>> + Send + Sync>;

/// A tool of the table.
pub(crate) struct Tool {
    pub(crate) facts: ToolFacts,
    pub(crate) input_schema: Arc<JsonObject>,
    pub(crate) output_schema: Arc<JsonObject>,
    run: ToolRun,
}

impl Tool {
    /// Returns the tool that a function implements.
    pub(crate) fn new<I, F, Fut>(facts: ToolFacts, function: F) -> Self
    where
        I: BodyRequest + ToSchema + Send + 'static,
        F: Fn(ToolCall<I>) -> Fut + Copy + Send + Sync + 'static,
        Fut: Future<Output = ToolResult> + Send + 'static,
    {
        let run = move |context: ToolContext, arguments: Arguments| {
            async move {
                let input = arguments.read::<I>()?;
                let ToolReply { output, links } = function(ToolCall { input, context }).await?;
                Ok(ToolAnswer { content: output.into_value(), links })
            }
            .boxed()
        };
        Self {
            facts,
            input_schema: schema::input::<I>(),
            output_schema: schema::output(facts.outputs),
            run: Box::new(run),
        }
    }

    /// Returns whether the caller holds the permissions of the tool.
    pub(crate) fn is_offered_to(&self, caller: &Caller) -> bool {
        self.facts.permissions.iter().all(|permission| access::holds(caller, *permission))
    }

    /// Returns whether the tool sends mail.
    pub(crate) fn is_sending(&self) -> bool {
        let sends = |permission: &Permission| matches!(permission, Permission::MessageSend | Permission::DraftSend);
        self.facts.permissions.iter().any(sends)
    }

    /// Calls the tool. Permissions come before arguments.
    ///
    /// # Errors
    /// The refusal that the API gives, with the same fix.
    pub(crate) async fn call(&self, context: ToolContext, arguments: Arguments) -> Result<ToolAnswer, ApiError> {
        for permission in self.facts.permissions {
            context.with_fix(access::require(context.caller(), *permission))?;
        }
        if self.facts.hints.is_growing() && !context.app().capacity.has_space() {
            return Err(ApiError::no_space());
        }
        (self.run)(context, arguments).await
    }
}

/// A call of a tool with its arguments.
pub(crate) struct ToolCall<I> {
    pub(crate) input: I,
    pub(crate) context: ToolContext,
}

impl<I> Deref for ToolCall<I> {
    type Target = ToolContext;

    fn deref(&self) -> &ToolContext {
        &self.context
    }
}

/// Result of the function of a tool, from `output.into()`.
pub(crate) type ToolResult = Result<ToolReply, ApiError>;

/// Successful result of a tool.
pub(crate) struct ToolReply {
    output: Output,
    links: Vec<FileLink>,
}

impl From<Output> for ToolReply {
    fn from(output: Output) -> Self {
        Self { output, links: Vec::new() }
    }
}

impl ToolReply {
    /// Adds a file that the client may download.
    pub(crate) fn with_link(mut self, link: FileLink) -> Self {
        self.links.push(link);
        self
    }
}

/// A link to a file, shown as a `resource_link`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileLink {
    /// A signed URL, which works for 15 minutes without a key.
    pub(crate) url: String,
    /// File name.
    pub(crate) name: String,
    /// Media type.
    pub(crate) mime_type: Option<String>,
    /// Size in bytes.
    pub(crate) size: Option<u64>,
}

/// Result of a tool in the forms that clients read.
#[derive(Debug)]
pub(crate) struct ToolAnswer {
    /// The structured content, an object.
    pub(crate) content: Value,
    pub(crate) links: Vec<FileLink>,
}

impl ToolAnswer {
    /// Returns the structured content as text. A notice comes first, so that it is read before the mail.
    pub(crate) fn text(&self) -> String {
        // JSON objects have no order, and the map that holds this one sorts by name.
        let is_notice = |(name, _): &(&String, &Value)| name.as_str() == NOTICE_FIELD;
        let text = match &self.content {
            Value::Object(fields) => serde_json::to_string(&InOrder(
                fields.iter().filter(is_notice).chain(fields.iter().filter(|field| !is_notice(field))),
            )),
            other => serde_json::to_string(other),
        };
        text.unwrap_or_default()
    }
}

/// Fields of an object, which are written in this order.
struct InOrder<Fields>(Fields);

impl<'a, Fields: Iterator<Item = (&'a String, &'a Value)> + Clone> Serialize for InOrder<Fields> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.clone())
    }
}
