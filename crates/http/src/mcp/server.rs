//! The methods of MCP: initialization, tools, resources and subscriptions.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Instant;

use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, DiscoverResult, ErrorData,
    Implementation, InitializeRequestParams, InitializeResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    Resource, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use tracing::Instrument;

use super::arguments::Arguments;
use super::call::ToolContext;
use super::progress::ProgressReporter;
use super::request::McpRequest;
use super::tool::{FileLink, Tool, ToolAnswer};
use super::{resources, subscriptions, tools};
use crate::error::{ApiError, ErrorExtra};

/// Guidance for models, in every session: at most 2 KB, where clients cut it off.
const INSTRUCTIONS: &str = include_str!("instructions.txt");
/// Time for which clients may keep a list, in milliseconds.
const LIST_TTL_MS: u64 = 60_000;
/// Revisions of the protocol, oldest first.
pub(super) const REVISIONS: &[ProtocolVersion] = &[
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];

/// The tools as they are listed, in the order of the table.
static LISTED: LazyLock<Vec<(&'static Tool, ListedTool)>> =
    LazyLock::new(|| tools::TOOLS.iter().map(|tool| (tool, listed(tool))).collect());

/// Handler of one request.
#[derive(Debug, Clone, Copy)]
pub(super) struct McpHandler;

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_resources_subscribe();
        let about = Implementation::new("inboxd", env!("CARGO_PKG_VERSION")).with_title("inboxd");
        ServerConfig::new(capabilities.build()).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(REVISIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut result = self.negotiate_initialize(&request)?;
        // Without sessions, these revisions have no stream that a subscription could use.
        if let Some(resources) = &mut result.capabilities.resources {
            resources.subscribe = None;
        }
        Ok(result)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let discovered = DiscoverResult::from_server_info(REVISIONS.to_vec(), self.get_info());
        Ok(discovered.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        require_first_page(request)?;
        let passed = McpRequest::of(&context.extensions)?;
        let offered = LISTED.iter().filter(|(tool, _)| tool.is_offered_to(passed.caller()));
        let tools = offered.map(|(_, listed)| listed.clone()).collect();
        Ok(ListToolsResult::with_all_items(tools).with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let passed = McpRequest::of(&context.extensions)?;
        let unknown = || ErrorData::invalid_params(format!("there is no tool {:?}", shown(&request.name)), None);
        let tool = tools::find(&request.name).ok_or_else(unknown)?;
        let arguments = Arguments::new(request.arguments.unwrap_or_default());
        let progress =
            context.meta.get_progress_token().map(|token| ProgressReporter::new(context.peer.clone(), token));
        let started = Instant::now();
        let outcome = run(tool, &passed, arguments, progress).await;
        let elapsed = started.elapsed();
        passed.state().metrics.count_call(tool.facts.name, outcome.as_ref().err(), elapsed);
        let duration_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let code = outcome.as_ref().map_or_else(|error| error.code.as_str(), |_| "ok");
        passed.span().in_scope(|| {
            if let Err(ApiError { extra: ErrorExtra::Cause(cause), .. }) = &outcome {
                tracing::error!(code, cause, "failed");
            }
            tracing::info!(tool = tool.facts.name, code, duration_ms, "tool called");
        });
        Ok(result(tool, outcome, &passed.state().base_url).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let passed = McpRequest::of(&context.extensions)?;
        let cursor = request.and_then(|request| request.cursor).filter(|cursor| !cursor.is_empty());
        let listed = resources::list(&passed, cursor).await?;
        Ok(listed.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        require_first_page(request)?;
        let listed = ListResourceTemplatesResult::with_all_items(resources::templates());
        Ok(listed.with_ttl_ms(LIST_TTL_MS).with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let passed = McpRequest::of(&context.extensions)?;
        let read = resources::read(&passed, &request.uri).await?;
        // Labels change, links expire.
        Ok(read.with_ttl_ms(0).with_cache_scope(CacheScope::Private).into())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(subscriptions::accepted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        subscriptions::listen(&context).await
    }
}

/// Runs a tool. One that changes anything runs in a task of its own: a client that hangs up cancels nothing halfway.
async fn run(
    tool: &'static Tool,
    passed: &McpRequest,
    arguments: Arguments,
    progress: Option<ProgressReporter>,
) -> Result<ToolAnswer, ApiError> {
    let inbox_id = arguments.text("inbox_id").map(str::to_owned);
    let context = ToolContext::new(passed.clone(), arguments.digest(tool.facts.name), progress);
    let call = context.clone();
    let work = async move {
        context.enter(tool.is_sending()).await?;
        let outcome = tool.call(context.clone(), arguments).await;
        context.rest();
        outcome
    };
    let work = work.instrument(passed.span());
    let outcome = if tool.facts.hints.is_read_only() {
        work.await
    } else {
        let ended = passed.state().live.spawn(work).await;
        ended.map_err(|error| ApiError::internal(format!("the tool broke off: {error}")))?
    };
    // A client that hung up cancels this function, and the result of its send counts as lost.
    call.delivered();
    outcome.map_err(|error| match &inbox_id {
        Some(inbox_id) => error.within_inbox(inbox_id),
        None => error,
    })
}

/// Returns the result of a tool. A refusal is the envelope of the API as text: a model can read and mend it.
fn result(tool: &Tool, outcome: Result<ToolAnswer, ApiError>, base_url: &str) -> CallToolResult {
    match outcome {
        Ok(answer) => {
            let links = answer.links.iter().map(link).map(ContentBlock::resource_link);
            let content = std::iter::once(ContentBlock::text(answer.text())).chain(links).collect();
            let mut result = CallToolResult::success(content);
            result.structured_content = Some(answer.content);
            result
        }
        Err(error) => CallToolResult::error(vec![ContentBlock::text(tools::refusal(tool, &error, base_url))]),
    }
}

fn link(file: &FileLink) -> Resource {
    let mut resource = Resource::new(&file.url, &file.name);
    resource.mime_type.clone_from(&file.mime_type);
    resource.size = file.size;
    resource
}

fn listed(tool: &Tool) -> ListedTool {
    let facts = &tool.facts;
    let annotations = ToolAnnotations::with_title(facts.title)
        .read_only(facts.hints.is_read_only())
        .destructive(facts.hints.is_destructive())
        .idempotent(facts.hints.is_idempotent())
        .open_world(facts.hints.is_open_world());
    ListedTool::new(facts.name, facts.description, tool.input_schema.clone())
        .with_title(facts.title)
        .with_raw_output_schema(tool.output_schema.clone())
        .with_annotations(annotations)
}

/// Refuses a cursor of a list that has one page.
fn require_first_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor).filter(|cursor| !cursor.is_empty()) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("this list has one page; leave the cursor out", None)),
    }
}

/// Returns a name of a client as an error may repeat it.
fn shown(name: &str) -> String {
    name.chars().filter(|c| !c.is_control()).take(100).collect()
}
