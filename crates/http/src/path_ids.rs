//! Ids in the path of an authenticated request.

use inboxd_core::model::{
    ApiKeyId, AttachmentId, ConnectionId, DomainId, DraftId, FileId, InboxId, MemberId, MessageId, NoteId, PodId,
    ThreadId, WebhookId,
};
use inboxd_core::rules::access;
use inboxd_core::{Error, Resource};

use crate::auth::AuthenticatedRequest;
use crate::error::ApiError;
use crate::path;

impl AuthenticatedRequest {
    /// Returns the pod id of the path.
    pub(crate) fn pod_id(&self) -> Result<PodId, ApiError> {
        self.id("pod_id", Resource::Pod)
    }

    /// Returns the message id of the path.
    ///
    /// Some clients leave `%` in the id unencoded. The literal text counts when only it names an existing message.
    pub(crate) async fn message_id(&self, inbox_id: &InboxId) -> Result<MessageId, ApiError> {
        let decoded = path::message_id(&self.path("message_id"));
        let Some(literal) = path::literal_message_id(self.request()) else { return Ok(decoded) };
        let organization_id = self.caller.organization.organization_id;
        let readable = access::readable(&self.caller);
        let exists = async |id: &MessageId| {
            self.app().store.message(organization_id, inbox_id, id, readable).await.map(|found| found.is_some())
        };
        let is_literal = !exists(&decoded).await? && exists(&literal).await?;
        Ok(if is_literal { literal } else { decoded })
    }

    /// Returns the thread id of the path.
    pub(crate) fn thread_id(&self) -> Result<ThreadId, ApiError> {
        self.id("thread_id", Resource::Thread)
    }

    /// Returns the attachment id of the path.
    pub(crate) fn attachment_id(&self) -> Result<AttachmentId, ApiError> {
        self.id("attachment_id", Resource::Attachment)
    }

    /// Returns the note id of the path.
    pub(crate) fn note_id(&self) -> Result<NoteId, ApiError> {
        self.id("note_id", Resource::Note)
    }

    /// Returns the draft id of the path.
    pub(crate) fn draft_id(&self) -> Result<DraftId, ApiError> {
        self.id("draft_id", Resource::Draft)
    }

    /// Returns the file id of the path.
    pub(crate) fn file_id(&self) -> Result<FileId, ApiError> {
        self.id("file_id", Resource::File)
    }

    /// Returns the API key id of the path.
    pub(crate) fn api_key_id(&self) -> Result<ApiKeyId, ApiError> {
        self.id("api_key_id", Resource::ApiKey)
    }

    /// Returns the domain id of the path.
    pub(crate) fn domain_id(&self) -> Result<DomainId, ApiError> {
        self.id("domain_id", Resource::Domain)
    }

    /// Returns the webhook id of the path.
    pub(crate) fn webhook_id(&self) -> Result<WebhookId, ApiError> {
        self.id("webhook_id", Resource::Webhook)
    }

    /// Returns the connection id of the path.
    pub(crate) fn connection_id(&self) -> Result<ConnectionId, ApiError> {
        self.id("connection_id", Resource::Connection)
    }

    /// Returns the member id of the path.
    pub(crate) fn member_id(&self) -> Result<MemberId, ApiError> {
        self.id("member_id", Resource::Member)
    }

    fn id<T: std::str::FromStr>(&self, name: &str, resource: Resource) -> Result<T, ApiError> {
        let text = self.path(name);
        text.parse().map_err(|_| Error::not_found(resource, path::harmless(&text)).into())
    }

    fn path(&self, name: &str) -> String {
        path::value(self.request(), name)
    }
}
