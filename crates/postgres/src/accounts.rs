//! Organizations, with their default pods and sign-up codes.

use async_trait::async_trait;
use diesel::sql_types::{BigInt, Nullable, Text, Uuid as SqlUuid};
use diesel::{ExpressionMethods, JoinOnDsl, OptionalExtension, QueryDsl, QueryableByName, SelectableHelper};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::model::{
    AccountIds, CustomerId, MemberId, Organization, OrganizationId, OrganizationOverview, Pod, SignUpInvitation,
    SubscriptionId, VerificationCode,
};
use inboxd_core::ports::{AccountReads, AccountWrites, AddressClaims, Signal, StoreError};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) mod rows;

use self::rows::OrganizationRow;
pub(crate) use self::rows::stored_hash;
use crate::error::{expect_rows, failure};
use crate::removal;
use crate::schema::{organizations, owner_emails, pods, verification_codes};
use crate::sql::Sql;
use crate::store::PgStore;
use crate::text::stored;
use crate::tx::PgTx;
use crate::usage::{STORAGE_BYTES, to_count};

#[derive(QueryableByName)]
struct OverviewRow {
    #[diesel(embed)]
    organization: OrganizationRow,
    #[diesel(sql_type = BigInt)]
    inbox_count: i64,
    #[diesel(sql_type = BigInt)]
    domain_count: i64,
    #[diesel(sql_type = BigInt)]
    pod_count: i64,
    #[diesel(sql_type = BigInt)]
    webhook_count: i64,
    #[diesel(sql_type = BigInt)]
    storage_bytes: i64,
    #[diesel(sql_type = Nullable<Text>)]
    customer_id: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    subscription_id: Option<String>,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    owner_id: Option<Uuid>,
}

/// Releases an address from an organization that signed up with it and never confirmed it.
const RELEASE_UNPROVEN: &str = "DELETE FROM owner_emails e USING organizations o
    WHERE e.email = $1 AND o.organization_id = e.organization_id AND o.verified_at IS NULL";

#[async_trait]
impl AccountReads for PgStore {
    async fn organization_of_owner(&self, email: &EmailAddress) -> Result<Option<Organization>, StoreError> {
        let row: Option<OrganizationRow> = owner_emails::table
            .inner_join(organizations::table.on(organizations::organization_id.eq(owner_emails::organization_id)))
            .filter(owner_emails::email.eq(email.normalized()))
            .select(OrganizationRow::as_select())
            .first(&mut *self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(OrganizationRow::entity).transpose()
    }

    async fn overview(&self, organization_id: OrganizationId) -> Result<Option<OrganizationOverview>, StoreError> {
        let text = format!(
            "SELECT o.organization_id, o.owner_email, o.plan, o.verified_at, o.default_pod_id, o.created_at, o.updated_at,
                o.suspended_at, o.suspended_reason, o.quarantine, o.owner_changes,
                o.brake, o.brake_since, o.brake_reason, o.brake_counts_from,
                (SELECT count(*) FROM inboxes i
                    WHERE i.organization_id = o.organization_id AND i.deleted_at IS NULL) AS inbox_count,
                (SELECT count(*) FROM domains d
                    WHERE d.organization_id = o.organization_id AND d.deleted_at IS NULL) AS domain_count,
                (SELECT count(*) FROM pods p
                    WHERE p.organization_id = o.organization_id AND p.deleted_at IS NULL) AS pod_count,
                (SELECT count(*) FROM webhooks w WHERE w.organization_id = o.organization_id) AS webhook_count,
                ({STORAGE_BYTES}) AS storage_bytes,
                (SELECT c.customer_id FROM billing_customers c
                    WHERE c.organization_id = o.organization_id) AS customer_id,
                (SELECT s.subscription_id FROM subscriptions s
                    WHERE s.organization_id = o.organization_id AND s.state <> 'ended'
                    ORDER BY s.said_at DESC, s.subscription_id LIMIT 1) AS subscription_id,
                (SELECT m.member_id FROM members m
                    WHERE m.organization_id = o.organization_id AND m.role = 'owner' AND m.removed_at IS NULL
                    LIMIT 1) AS owner_id
            FROM organizations o WHERE o.organization_id = $1"
        );
        let row = Sql::new(text).uuid(organization_id.0).row::<OverviewRow>(&mut *self.connection().await?).await?;
        row.map(|row| {
            Ok(OrganizationOverview {
                organization: row.organization.entity()?,
                inbox_count: to_count(row.inbox_count),
                domain_count: to_count(row.domain_count),
                pod_count: to_count(row.pod_count),
                webhook_count: to_count(row.webhook_count),
                storage_bytes: to_count(row.storage_bytes),
                account: AccountIds {
                    customer_id: row.customer_id.map(CustomerId),
                    subscription_id: row.subscription_id.map(SubscriptionId),
                    owner_id: row.owner_id.map(MemberId::from),
                },
            })
        })
        .transpose()
    }

    async fn organizations(&self, after: Option<OrganizationId>, limit: u32) -> Result<Vec<Organization>, StoreError> {
        let mut query = organizations::table
            .filter(organizations::removed_at.is_null())
            .order(organizations::organization_id)
            .limit(i64::from(limit))
            .select(OrganizationRow::as_select())
            .into_boxed();
        if let Some(after) = after {
            query = query.filter(organizations::organization_id.gt(after.0));
        }
        let rows: Vec<OrganizationRow> = query.load(&mut *self.connection().await?).await.map_err(failure)?;
        rows.into_iter().map(OrganizationRow::entity).collect()
    }
}

#[async_trait]
impl AccountWrites for PgTx {
    async fn insert(&mut self, organization: &Organization) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        if let Some(owner) = &organization.owner_email {
            if organization.is_verified() {
                Sql::new(RELEASE_UNPROVEN).text(&owner.normalized()).run(connection).await?;
            }
            claim_owner(connection, organization.organization_id, owner).await?;
        }
        diesel::insert_into(organizations::table)
            .values(OrganizationRow::of(organization))
            .execute(connection)
            .await
            .map_err(failure)?;
        let head = "INSERT INTO feed_heads (organization_id, sequenced_at, position) VALUES ($1, $2, 0)";
        Sql::new(head).uuid(organization.organization_id.0).time(organization.created_at).run(connection).await?;
        Ok(())
    }

    async fn lock(&mut self, organization_id: OrganizationId) -> Result<Option<Organization>, StoreError> {
        let locking = async |mut connection: &AsyncPgConnection| {
            organizations::table
                .filter(organizations::organization_id.eq(organization_id.0))
                .filter(organizations::removed_at.is_null())
                .select(OrganizationRow::as_select())
                .for_no_key_update()
                .first(&mut connection)
                .await
                .optional()
                .map_err(failure)
        };
        let row: Option<OrganizationRow> = self.beginning(locking).await?;
        row.map(OrganizationRow::entity).transpose()
    }

    async fn set_owner(&mut self, organization: &Organization) -> Result<(), StoreError> {
        let row = OrganizationRow::of(organization);
        let connection = self.connection().await?;
        let release = "DELETE FROM owner_emails WHERE organization_id = $1";
        Sql::new(release).uuid(row.organization_id).run(connection).await?;
        if let Some(owner) = &organization.owner_email {
            claim_owner(connection, organization.organization_id, owner).await?;
        }
        let written = diesel::update(organizations::table)
            .filter(organizations::organization_id.eq(row.organization_id))
            .set((
                organizations::owner_email.eq(row.owner_email),
                organizations::owner_changes.eq(row.owner_changes),
                organizations::updated_at.eq(row.updated_at),
            ))
            .execute(connection)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)
    }

    async fn add_invitation(&mut self, invitation: &SignUpInvitation) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        let expired = "DELETE FROM sign_up_invitations WHERE expires_at <= $1";
        Sql::new(expired).time(invitation.created_at).run(connection).await?;
        let text = "INSERT INTO sign_up_invitations (invitation_hash, created_at, expires_at) VALUES ($1, $2, $3)";
        Sql::new(text)
            .bytes(&invitation.invitation_hash)
            .time(invitation.created_at)
            .time(invitation.expires_at)
            .run(connection)
            .await?;
        Ok(())
    }

    async fn use_invitation(&mut self, invitation_hash: &[u8; 32], now: OffsetDateTime) -> Result<bool, StoreError> {
        let text = "DELETE FROM sign_up_invitations WHERE invitation_hash = $1 AND expires_at > $2";
        let used = Sql::new(text).bytes(invitation_hash).time(now).run(self.connection().await?).await?;
        Ok(used == 1)
    }

    async fn update(&mut self, organization: &Organization) -> Result<(), StoreError> {
        let row = OrganizationRow::of(organization);
        let written = diesel::update(organizations::table)
            .filter(organizations::organization_id.eq(row.organization_id))
            .set((
                organizations::plan.eq(row.plan),
                organizations::verified_at.eq(row.verified_at),
                organizations::suspended_at.eq(row.suspended_at),
                organizations::suspended_reason.eq(row.suspended_reason),
                organizations::quarantine.eq(row.quarantine),
                organizations::brake.eq(row.brake),
                organizations::brake_since.eq(row.brake_since),
                organizations::brake_reason.eq(row.brake_reason),
                organizations::brake_counts_from.eq(row.brake_counts_from),
                organizations::updated_at.eq(row.updated_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)
    }

    async fn insert_pod(&mut self, pod: &Pod) -> Result<(), StoreError> {
        diesel::insert_into(pods::table)
            .values((
                pods::organization_id.eq(pod.organization_id.0),
                pods::pod_id.eq(pod.pod_id.0),
                pods::name.eq(stored(&pod.name)),
                pods::client_id.eq(pod.client_id.as_deref().map(stored)),
                pods::created_at.eq(pod.created_at),
                pods::updated_at.eq(pod.updated_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn put_code(&mut self, code: &VerificationCode) -> Result<(), StoreError> {
        let text = "INSERT INTO verification_codes (organization_id, code_hash, expires_at, attempts, sign_up_network)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (organization_id) DO UPDATE SET
                code_hash = excluded.code_hash, expires_at = excluded.expires_at, attempts = excluded.attempts,
                sign_up_network = excluded.sign_up_network";
        Sql::new(text)
            .uuid(code.organization_id.0)
            .bytes(&code.code_hash)
            .time(code.expires_at)
            .integer(i32::try_from(code.attempts).unwrap_or(i32::MAX))
            .optional_text(code.sign_up_network.as_deref())
            .run(self.connection().await?)
            .await?;
        Ok(())
    }

    async fn lock_code(&mut self, organization_id: OrganizationId) -> Result<Option<VerificationCode>, StoreError> {
        let row: Option<(Vec<u8>, OffsetDateTime, i32, Option<String>)> = verification_codes::table
            .filter(verification_codes::organization_id.eq(organization_id.0))
            .select((
                verification_codes::code_hash,
                verification_codes::expires_at,
                verification_codes::attempts,
                verification_codes::sign_up_network,
            ))
            .for_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(|(code_hash, expires_at, attempts, sign_up_network)| {
            Ok(VerificationCode {
                organization_id,
                code_hash: stored_hash(code_hash)?,
                expires_at,
                attempts: u32::try_from(attempts).unwrap_or(0),
                sign_up_network,
            })
        })
        .transpose()
    }

    async fn delete_code(&mut self, organization_id: OrganizationId) -> Result<(), StoreError> {
        diesel::delete(verification_codes::table)
            .filter(verification_codes::organization_id.eq(organization_id.0))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(())
    }

    async fn lock_unconfirmed(&mut self, before: OffsetDateTime) -> Result<Option<OrganizationId>, StoreError> {
        removal::lock_unconfirmed(self.connection().await?, before).await
    }

    async fn remove(
        &mut self,
        organization_id: OrganizationId,
        claims: AddressClaims,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        removal::remove(self.connection().await?, organization_id, claims, at).await?;
        self.add_signals([Signal::Access(organization_id)]);
        Ok(())
    }

    async fn purge_removed(&mut self, limit: u32) -> Result<u64, StoreError> {
        removal::purge_removed(self.connection().await?, limit).await
    }
}

/// Claims an owner address for an organization.
async fn claim_owner(
    connection: &mut AsyncPgConnection,
    organization_id: OrganizationId,
    owner: &EmailAddress,
) -> Result<(), StoreError> {
    diesel::insert_into(owner_emails::table)
        .values((owner_emails::email.eq(owner.normalized()), owner_emails::organization_id.eq(organization_id.0)))
        .execute(connection)
        .await
        .map_err(failure)?;
    Ok(())
}
