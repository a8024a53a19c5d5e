//! Writes of members.

use async_trait::async_trait;
use diesel::sql_types::{Bool, Uuid as SqlUuid};
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryableByName, SelectableHelper};
use diesel_async::RunQueryDsl;
use inboxd_core::model::{InboxId, Member, MemberId, Membership, OrganizationId};
use inboxd_core::ports::{MemberWrites, RevokedCredentials, Signal, StoreError};
use inboxd_mail::EmailAddress;
use time::OffsetDateTime;
use uuid::Uuid;

use super::rows::{MEMBER, MemberRow, inbox_ids, memberships};
use crate::connections::revoke_of_member;
use crate::error::{expect_rows, failure};
use crate::schema::{member_emails, members};
use crate::sql::Sql;
use crate::text::stored;
use crate::tx::PgTx;
use crate::usage::to_count;

/// An owner is a member from the sign-up on; only after verification is it proven that a code was read in the owner's
/// mailbox.
const READS: &str = "
    SELECT e.email COLLATE \"C\" AS email
    FROM member_emails e
    JOIN members m ON m.organization_id = e.organization_id AND m.member_id = e.member_id
    JOIN organizations o ON o.organization_id = e.organization_id
    WHERE (e.email = $1 OR (e.email >= $2 AND e.email < $3 AND right(e.email, length($4)) = $4))
        AND m.removed_at IS NULL AND m.joined_at IS NOT NULL AND (m.role <> 'owner' OR o.verified_at IS NOT NULL)
    LIMIT 1";

/// Access tokens are keys of their connection.
const REVOKE_KEYS: &str = "
    UPDATE api_keys SET revoked_at = $3, updated_at = $3
    WHERE organization_id = $1 AND member_id = $2 AND revoked_at IS NULL
    RETURNING api_key_id, connection_id IS NOT NULL AS is_access_token";

#[derive(QueryableByName)]
struct RevokedKeyRow {
    #[diesel(sql_type = SqlUuid)]
    api_key_id: Uuid,
    #[diesel(sql_type = Bool)]
    is_access_token: bool,
}

#[derive(QueryableByName)]
#[diesel(table_name = member_emails, check_for_backend(diesel::pg::Pg))]
struct ClientIdRow {
    #[expect(dead_code, reason = "that there is a row is the answer")]
    email: String,
}

#[async_trait]
impl MemberWrites for PgTx {
    async fn insert(&mut self, member: &Member) -> Result<(), StoreError> {
        let connection = self.connection().await?;
        diesel::insert_into(member_emails::table)
            .values((
                member_emails::email.eq(member.email.normalized()),
                member_emails::organization_id.eq(member.organization_id.0),
                member_emails::member_id.eq(member.member_id.0),
            ))
            .execute(connection)
            .await
            .map_err(failure)?;
        diesel::insert_into(members::table).values(MemberRow::of(member)).execute(connection).await.map_err(failure)?;
        Ok(())
    }

    async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError> {
        let count: i64 = members::table
            .filter(members::organization_id.eq(organization_id.0))
            .filter(members::removed_at.is_null())
            .count()
            .get_result(self.connection().await?)
            .await
            .map_err(failure)?;
        Ok(to_count(count))
    }

    async fn find_by_client_id(
        &mut self,
        organization_id: OrganizationId,
        client_id: &str,
    ) -> Result<Option<(Member, bool)>, StoreError> {
        let row: Option<(MemberRow, Option<OffsetDateTime>)> = members::table
            .filter(members::organization_id.eq(organization_id.0))
            .filter(members::client_id.eq(stored(client_id)))
            .select((MemberRow::as_select(), members::removed_at))
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(|(member, removed_at)| Ok((member.entity()?, removed_at.is_none()))).transpose()
    }

    async fn of_address(
        &mut self,
        email: &EmailAddress,
        asked: Option<OrganizationId>,
    ) -> Result<Vec<Membership>, StoreError> {
        memberships(self.connection().await?, email, asked).await
    }

    async fn reads(&mut self, inbox_id: &InboxId) -> Result<bool, StoreError> {
        let (name, domain) = (inbox_id.username(), inbox_id.domain());
        // `,` follows `+`: all tags of the name sort between the two.
        let (first, behind, end) = (format!("{name}+"), format!("{name},"), format!("@{domain}"));
        let found = Sql::new(READS)
            .text(inbox_id.as_str())
            .text(&first)
            .text(&behind)
            .text(&end)
            .row::<ClientIdRow>(self.connection().await?)
            .await?;
        Ok(found.is_some())
    }

    async fn lock(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
    ) -> Result<Option<Member>, StoreError> {
        let row: Option<MemberRow> = members::table
            .filter(members::organization_id.eq(organization_id.0))
            .filter(members::member_id.eq(member_id.0))
            .filter(members::removed_at.is_null())
            .select(MemberRow::as_select())
            .for_no_key_update()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(MemberRow::entity).transpose()
    }

    async fn hold(
        &mut self,
        organization_id: OrganizationId,
        member_id: MemberId,
    ) -> Result<Option<Member>, StoreError> {
        let row: Option<MemberRow> = members::table
            .filter(members::organization_id.eq(organization_id.0))
            .filter(members::member_id.eq(member_id.0))
            .filter(members::removed_at.is_null())
            .select(MemberRow::as_select())
            .for_share()
            .first(self.connection().await?)
            .await
            .optional()
            .map_err(failure)?;
        row.map(MemberRow::entity).transpose()
    }

    async fn update(&mut self, member: &Member) -> Result<(), StoreError> {
        let written = diesel::update(members::table)
            .filter(members::organization_id.eq(member.organization_id.0))
            .filter(members::member_id.eq(member.member_id.0))
            .filter(members::removed_at.is_null())
            .set((
                members::name.eq(stored(&member.name)),
                members::role.eq(member.role.as_str()),
                members::inbox_ids.eq(inbox_ids(member)),
                members::updated_at.eq(member.updated_at),
            ))
            .execute(self.connection().await?)
            .await
            .map_err(failure)?;
        self.add_signals([Signal::Access(member.organization_id)]);
        expect_rows(written, 1)
    }

    async fn leave_inbox(
        &mut self,
        organization_id: OrganizationId,
        inbox_id: &InboxId,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let text = "WITH limited AS MATERIALIZED (
                SELECT member_id FROM members
                WHERE organization_id = $1 AND removed_at IS NULL AND $2 = ANY(inbox_ids)
                ORDER BY member_id FOR NO KEY UPDATE
            )
            UPDATE members m SET inbox_ids = array_remove(m.inbox_ids, $2), updated_at = $3
            FROM limited
            WHERE m.organization_id = $1 AND m.member_id = limited.member_id AND cardinality(m.inbox_ids) > 1";
        Sql::new(text).uuid(organization_id.0).text(inbox_id.as_str()).time(at).run(self.connection().await?).await?;
        self.add_signals([Signal::Access(organization_id)]);
        Ok(())
    }

    async fn join(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<Vec<Member>, StoreError> {
        let text = format!(
            "WITH joined AS (
                UPDATE members m SET joined_at = $2, updated_at = $2
                FROM member_emails e
                WHERE e.email = $1 AND m.organization_id = e.organization_id AND m.member_id = e.member_id
                    AND m.joined_at IS NULL AND m.removed_at IS NULL
                RETURNING m.*
            )
            SELECT {MEMBER} FROM joined"
        );
        let email = email.normalized();
        let rows = Sql::new(text).text(&email).time(at).rows::<MemberRow>(self.connection().await?).await?;
        rows.into_iter().map(MemberRow::entity).collect()
    }

    async fn remove(&mut self, member: &Member, at: OffsetDateTime) -> Result<RevokedCredentials, StoreError> {
        let connection = self.connection().await?;
        let written = diesel::update(members::table)
            .filter(members::organization_id.eq(member.organization_id.0))
            .filter(members::member_id.eq(member.member_id.0))
            .filter(members::removed_at.is_null())
            .set((members::removed_at.eq(Some(at)), members::updated_at.eq(at)))
            .execute(connection)
            .await
            .map_err(failure)?;
        expect_rows(written, 1)?;
        diesel::delete(member_emails::table)
            .filter(member_emails::email.eq(member.email.normalized()))
            .filter(member_emails::organization_id.eq(member.organization_id.0))
            .execute(connection)
            .await
            .map_err(failure)?;
        // The member's row is locked: no new connection and no new key of the member can be added meanwhile.
        let connection_ids = revoke_of_member(connection, member, at).await?;
        let revoked = Sql::new(REVOKE_KEYS)
            .uuid(member.organization_id.0)
            .uuid(member.member_id.0)
            .time(at)
            .rows::<RevokedKeyRow>(connection)
            .await?;
        let own_keys = revoked.into_iter().filter(|row| !row.is_access_token);
        let api_key_ids = own_keys.map(|row| row.api_key_id.into()).collect();
        self.add_signals([Signal::Access(member.organization_id)]);
        Ok(RevokedCredentials { api_key_ids, connection_ids })
    }
}
