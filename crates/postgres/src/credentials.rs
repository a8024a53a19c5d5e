//! Keys by their hashes, with the rows that decide their rights, in one query.

use std::collections::{BTreeSet, HashMap};

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl, SelectableHelper,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use inboxd_core::ports::{Credential, StoreError};

use crate::accounts::rows::OrganizationRow;
use crate::api_keys::rows::ApiKeyRow;
use crate::connections::rows::ConnectionRow;
use crate::error::failure;
use crate::members::rows::MemberRow;
use crate::query_batcher::BatchedQuery;
use crate::schema::{api_key_hashes, api_keys, members, oauth_grants, organizations};

/// Keys by their hashes, with organization, member and connection.
pub(crate) enum Keys {}

impl BatchedQuery for Keys {
    type Input = [u8; 32];
    type Output = Option<Credential>;

    async fn run(
        connection: &mut AsyncPgConnection,
        hashes: &[[u8; 32]],
    ) -> Result<Vec<Option<Credential>>, StoreError> {
        let found = credentials(connection, hashes).await?.into_iter();
        let found = found.map(|(hash, credential)| Ok((hash, credential?)));
        let found = found.collect::<Result<HashMap<_, _>, StoreError>>()?;
        Ok(hashes.iter().map(|hash| found.get(hash).cloned()).collect())
    }
}

/// Hash, key, organization, member and connection.
type CredentialRow = (Vec<u8>, ApiKeyRow, OrganizationRow, Option<MemberRow>, Option<ConnectionRow>);

/// Reads keys with their holders; each result may be unreadable.
pub(crate) async fn credentials(
    connection: &mut AsyncPgConnection,
    hashes: &[[u8; 32]],
) -> Result<Vec<([u8; 32], Result<Credential, StoreError>)>, StoreError> {
    let hashes: BTreeSet<&[u8]> = hashes.iter().map(<[u8; 32]>::as_slice).collect();
    let rows: Vec<CredentialRow> = api_key_hashes::table
        .inner_join(
            api_keys::table.on(api_keys::organization_id
                .eq(api_key_hashes::organization_id)
                .and(api_keys::api_key_id.eq(api_key_hashes::api_key_id))),
        )
        .inner_join(organizations::table.on(organizations::organization_id.eq(api_keys::organization_id)))
        .left_join(
            members::table.on(members::organization_id
                .eq(api_keys::organization_id)
                .and(api_keys::member_id.eq(members::member_id.nullable()))
                .and(members::removed_at.is_null())),
        )
        .left_join(
            oauth_grants::table.on(oauth_grants::organization_id
                .eq(api_keys::organization_id)
                .and(api_keys::connection_id.eq(oauth_grants::connection_id.nullable()))
                .and(oauth_grants::revoked_at.is_null())),
        )
        .filter(api_key_hashes::hash.eq_any(hashes))
        .filter(api_keys::revoked_at.is_null())
        .filter(api_keys::member_id.is_null().or(members::member_id.is_not_null()))
        .filter(api_keys::connection_id.is_null().or(oauth_grants::connection_id.is_not_null()))
        .select((
            api_key_hashes::hash,
            ApiKeyRow::as_select(),
            OrganizationRow::as_select(),
            Option::<MemberRow>::as_select(),
            Option::<ConnectionRow>::as_select(),
        ))
        .load(connection)
        .await
        .map_err(failure)?;
    rows.into_iter()
        .map(|(hash, api_key, organization, member, connection)| {
            let hash = hash.try_into().map_err(|_| StoreError::Failed("a hash of another length".to_owned()))?;
            Ok((hash, credential(api_key, organization, member, connection)))
        })
        .collect()
}

fn credential(
    api_key: ApiKeyRow,
    organization: OrganizationRow,
    member: Option<MemberRow>,
    connection: Option<ConnectionRow>,
) -> Result<Credential, StoreError> {
    let member = member.map(MemberRow::entity).transpose()?;
    let connection = connection.map(ConnectionRow::entity).transpose()?;
    Ok(Credential { api_key: api_key.entity()?, organization: organization.entity()?, member, connection })
}
