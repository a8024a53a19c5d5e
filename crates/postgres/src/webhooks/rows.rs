//! Rows of `webhooks`.

use diesel::{AsChangeset, Insertable, Queryable, QueryableByName, Selectable};
use inboxd_core::model::{EncryptedSecrets, EventType, InboxId, PodId, PreviousSecret, Reach, Webhook, WebhookTargets};
use inboxd_core::ports::StoreError;
use inboxd_core::rules::trust::Verdict;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::schema::webhooks;
use crate::stored_row::stored_row;
use crate::text::stored;

stored_row! {
    /// A row of `webhooks`, without its encrypted parts.
    #[derive(Queryable, QueryableByName, Selectable, Insertable, AsChangeset)]
    #[diesel(table_name = webhooks, check_for_backend(diesel::pg::Pg))]
    #[diesel(primary_key(organization_id, webhook_id), treat_none_as_null = true)]
    pub(crate) struct WebhookRow;

    /// The columns of [`WebhookRow`], of the table `w`.
    pub(crate) const WEBHOOK = "w";

    organization_id: Uuid,
    webhook_id: Uuid,
    pod_id: Option<Uuid>,
    inbox_id: Option<String>,
    url: String,
    event_types: Vec<String>,
    trust: Vec<String>,
    narrowed: bool,
    pod_ids: Vec<Uuid>,
    inbox_ids: Vec<String>,
    enabled: bool,
    header_names: Vec<String>,
    client_id: Option<String>,
    failing_since: Option<OffsetDateTime>,
    last_failed_at: Option<OffsetDateTime>,
    created_at: OffsetDateTime,
    updated_at: OffsetDateTime,
}

impl WebhookRow {
    /// Creates the row of a webhook.
    pub(crate) fn of(webhook: &Webhook) -> Result<Self, StoreError> {
        let (pod_id, inbox_id) = match &webhook.place {
            Reach::Organization => (None, None),
            Reach::Pod(pod_id) => (Some(pod_id.0), None),
            Reach::Inbox { pod_id, inbox_id } => (Some(pod_id.0), Some(inbox_id.as_str().to_owned())),
            Reach::Inboxes(_) => {
                return Err(StoreError::Failed("a stored webhook cannot be limited to several inboxes".to_owned()));
            }
        };
        let selection = webhook.selection.clone().unwrap_or_default();
        Ok(Self {
            organization_id: webhook.organization_id.0,
            webhook_id: webhook.webhook_id.0,
            pod_id,
            inbox_id,
            url: stored(&webhook.url),
            event_types: webhook.event_types.iter().map(|kind| kind.as_str().to_owned()).collect(),
            trust: webhook.trust.iter().map(|verdict| verdict.as_str().to_owned()).collect(),
            narrowed: webhook.selection.is_some(),
            pod_ids: selection.pod_ids.iter().map(|pod_id| pod_id.0).collect(),
            inbox_ids: selection.inbox_ids.iter().map(|inbox_id| inbox_id.as_str().to_owned()).collect(),
            enabled: webhook.enabled,
            header_names: webhook.header_names.iter().map(|name| stored(name)).collect(),
            client_id: webhook.client_id.as_deref().map(stored),
            failing_since: webhook.failing_since,
            last_failed_at: webhook.last_failed_at,
            created_at: webhook.created_at,
            updated_at: webhook.updated_at,
        })
    }

    /// Returns the webhook of the row.
    pub(crate) fn entity(self) -> Result<Webhook, StoreError> {
        let place = match (self.pod_id, self.inbox_id) {
            (None, _) => Reach::Organization,
            (Some(pod_id), None) => Reach::Pod(pod_id.into()),
            (Some(pod_id), Some(inbox_id)) => {
                Reach::Inbox { pod_id: pod_id.into(), inbox_id: InboxId::stored(inbox_id) }
            }
        };
        let selection = self.narrowed.then(|| WebhookTargets {
            pod_ids: self.pod_ids.into_iter().map(PodId::from).collect(),
            inbox_ids: self.inbox_ids.into_iter().map(InboxId::stored).collect(),
        });
        let event_types = self.event_types.iter().map(|name| event_type(name)).collect::<Result<_, _>>()?;
        Ok(Webhook {
            organization_id: self.organization_id.into(),
            webhook_id: self.webhook_id.into(),
            place,
            url: self.url,
            event_types,
            trust: self.trust.iter().map(|name| verdict(name)).collect::<Result<_, _>>()?,
            selection,
            enabled: self.enabled,
            header_names: self.header_names,
            client_id: self.client_id,
            failing_since: self.failing_since,
            last_failed_at: self.last_failed_at,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

stored_row! {
    /// Encrypted parts of a row of `webhooks`.
    #[derive(Queryable, QueryableByName, Selectable, Insertable, AsChangeset)]
    #[diesel(table_name = webhooks, check_for_backend(diesel::pg::Pg))]
    #[diesel(primary_key(organization_id, webhook_id), treat_none_as_null = true)]
    pub(crate) struct SealedRow;

    /// The columns of [`SealedRow`], of the table `w`.
    pub(crate) const SEALED = "w";

    secret: Vec<u8>,
    previous_secrets: Vec<Vec<u8>>,
    previous_until: Vec<OffsetDateTime>,
    headers: Option<Vec<u8>>,
}

impl SealedRow {
    /// Creates the columns of encrypted parts.
    pub(crate) fn of(sealed: &EncryptedSecrets) -> Self {
        Self {
            secret: sealed.secret.clone(),
            previous_secrets: sealed.previous.iter().map(|previous| previous.secret.clone()).collect(),
            previous_until: sealed.previous.iter().map(|previous| previous.until).collect(),
            headers: sealed.headers.clone(),
        }
    }

    /// Returns the encrypted parts.
    pub(crate) fn entity(self) -> EncryptedSecrets {
        let previous = self.previous_secrets.into_iter().zip(self.previous_until);
        let previous = previous.map(|(secret, until)| PreviousSecret { secret, until }).collect();
        EncryptedSecrets { secret: self.secret, previous, headers: self.headers }
    }
}

/// A webhook with its encrypted parts.
#[derive(QueryableByName)]
pub(crate) struct WholeRow {
    /// The webhook.
    #[diesel(embed)]
    pub(crate) webhook: WebhookRow,
    /// The encrypted parts.
    #[diesel(embed)]
    pub(crate) sealed: SealedRow,
}

/// Parses a stored verdict. An unknown one must not widen the filter.
fn verdict(name: &str) -> Result<Verdict, StoreError> {
    Verdict::named(name).ok_or_else(|| StoreError::Failed(format!("unknown verdict {name:?}")))
}

/// Parses a stored event type.
pub(crate) fn event_type(name: &str) -> Result<EventType, StoreError> {
    EventType::named(name).ok_or_else(|| StoreError::Failed(format!("unknown event type {name:?}")))
}
