//! Mocks of what a unit of work does to organizations and what they own.

use async_trait::async_trait;
use inboxd_mail::EmailAddress;
use mockall::mock;
use time::{Date, Duration, OffsetDateTime};

use crate::model::{
    ApiKey, ApiKeyId, BillingRecord, CustomerId, DkimKey, Domain, DomainId, DomainName, EntryName, InboxId, ListEntry,
    ListKey, ListLevel, MailCharge, Member, MemberId, Membership, Organization, OrganizationId, Pod, PodId, SendCounts,
    SignInCode, Subscription, UsageChange, VerificationCode,
};
use crate::ports::{
    AccountWrites, AddressClaims, ApiKeyWrites, AskedDomain, BillingWrites, ClientIdKind, ClientIdWrites, CountedRows,
    DomainWrites, ListWrites, MailQuotaWrites, MemberWrites, PodWrites, Sampling, SignInWrites, Standing, StoreError,
    UsageWrites,
};
use crate::rules::domains::minting::HeldDomain;

mock! {
    /// What a unit of work does to [`AccountWrites`].
    pub AccountWrites {}

    #[async_trait]
    impl AccountWrites for AccountWrites {
        async fn insert(&mut self, organization: &Organization) -> Result<(), StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId) -> Result<Option<Organization>, StoreError>;
        async fn update(&mut self, organization: &Organization) -> Result<(), StoreError>;
        async fn insert_pod(&mut self, pod: &Pod) -> Result<(), StoreError>;
        async fn put_code(&mut self, code: &VerificationCode) -> Result<(), StoreError>;
        async fn lock_code(&mut self, organization_id: OrganizationId) -> Result<Option<VerificationCode>, StoreError>;
        async fn delete_code(&mut self, organization_id: OrganizationId) -> Result<(), StoreError>;
        async fn lock_unconfirmed(
            &mut self,
            before: OffsetDateTime,
        ) -> Result<Option<OrganizationId>, StoreError>;
        async fn remove(
            &mut self,
            organization_id: OrganizationId,
            claims: AddressClaims,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn purge_removed(&mut self, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ApiKeyWrites`].
    pub ApiKeyWrites {}

    #[async_trait]
    impl ApiKeyWrites for ApiKeyWrites {
        async fn insert(&mut self, api_key: &ApiKey, hash: &[u8; 32]) -> Result<(), StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
        ) -> Result<Option<ApiKey>, StoreError>;
        async fn hold(
            &mut self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
        ) -> Result<Option<ApiKey>, StoreError>;
        async fn all(&mut self, organization_id: OrganizationId) -> Result<Vec<ApiKey>, StoreError>;
        async fn revoke(
            &mut self,
            organization_id: OrganizationId,
            api_key_id: ApiKeyId,
            at: OffsetDateTime,
        ) -> Result<bool, StoreError>;
        async fn update(&mut self, api_key: &ApiKey) -> Result<bool, StoreError>;
        async fn revoke_of_pod(
            &mut self,
            organization_id: OrganizationId,
            pod_id: PodId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn revoke_of_inbox(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ClientIdWrites`].
    pub ClientIdWrites {}

    #[async_trait]
    impl ClientIdWrites for ClientIdWrites {
        async fn spend(
            &mut self,
            organization_id: OrganizationId,
            kind: ClientIdKind,
            client_id: &str,
            made: &str,
        ) -> Result<Option<String>, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`DomainWrites`].
    pub DomainWrites {}

    #[async_trait]
    impl DomainWrites for DomainWrites {
        async fn standing(&mut self, asked: &AskedDomain) -> Result<Standing, StoreError>;
        async fn held(
            &mut self,
            organization_id: OrganizationId,
            names: &[DomainName],
        ) -> Result<Vec<HeldDomain>, StoreError>;
        async fn insert(&mut self, domain: &Domain, sealed_key: &[u8]) -> Result<(), StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            domain_id: DomainId,
        ) -> Result<Option<Domain>, StoreError>;
        async fn lock_with_holder(
            &mut self,
            organization_id: OrganizationId,
            domain_id: DomainId,
        ) -> Result<Option<(Domain, Option<Domain>)>, StoreError>;
        async fn update(&mut self, domain: &Domain) -> Result<(), StoreError>;
        async fn count_inboxes(&mut self, domain: &Domain) -> Result<u64, StoreError>;
        async fn delete(&mut self, domain: &Domain, at: OffsetDateTime) -> Result<(), StoreError>;
        async fn claim(&mut self, domain: &Domain) -> Result<bool, StoreError>;
        async fn release(&mut self, domain: &Domain) -> Result<(), StoreError>;
        async fn insert_dkim_key(&mut self, key: &DkimKey) -> Result<bool, StoreError>;
        async fn promote_dkim_key(&mut self, next: &DkimKey, at: OffsetDateTime) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`MailQuotaWrites`].
    pub MailQuotaWrites {}

    #[async_trait]
    impl MailQuotaWrites for MailQuotaWrites {
        async fn charge(
            &mut self,
            charge: &MailCharge,
            now: OffsetDateTime,
        ) -> Result<Option<OffsetDateTime>, StoreError>;
        async fn purge(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`MemberWrites`].
    pub MemberWrites {}

    #[async_trait]
    impl MemberWrites for MemberWrites {
        async fn insert(&mut self, member: &Member) -> Result<(), StoreError>;
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn find_by_client_id(
            &mut self,
            organization_id: OrganizationId,
            client_id: &str,
        ) -> Result<Option<(Member, bool)>, StoreError>;
        async fn of_address(
            &mut self,
            email: &EmailAddress,
            asked: Option<OrganizationId>,
        ) -> Result<Vec<Membership>, StoreError>;
        async fn reads(&mut self, inbox_id: &InboxId) -> Result<bool, StoreError>;
        async fn lock(
            &mut self,
            organization_id: OrganizationId,
            member_id: MemberId,
        ) -> Result<Option<Member>, StoreError>;
        async fn hold(
            &mut self,
            organization_id: OrganizationId,
            member_id: MemberId,
        ) -> Result<Option<Member>, StoreError>;
        async fn update(&mut self, member: &Member) -> Result<(), StoreError>;
        async fn leave_inbox(
            &mut self,
            organization_id: OrganizationId,
            inbox_id: &InboxId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
        async fn join(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError>;
        async fn remove(&mut self, member: &Member, at: OffsetDateTime) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`BillingWrites`].
    pub BillingWrites {}

    #[async_trait]
    impl BillingWrites for BillingWrites {
        async fn note_event(
            &mut self,
            organization_id: OrganizationId,
            event_id: &str,
            now: OffsetDateTime,
        ) -> Result<bool, StoreError>;
        async fn read(&mut self, organization_id: OrganizationId) -> Result<BillingRecord, StoreError>;
        async fn put_subscription(&mut self, subscription: &Subscription) -> Result<(), StoreError>;
        async fn put_customer(
            &mut self,
            organization_id: OrganizationId,
            customer_id: &CustomerId,
            now: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`PodWrites`].
    pub PodWrites {}

    #[async_trait]
    impl PodWrites for PodWrites {
        async fn count(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn find_by_client_id(
            &mut self,
            organization_id: OrganizationId,
            client_id: &str,
        ) -> Result<Option<(Pod, bool)>, StoreError>;
        async fn hold(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<bool, StoreError>;
        async fn lock(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<Option<Pod>, StoreError>;
        async fn count_inboxes(&mut self, organization_id: OrganizationId, pod_id: PodId) -> Result<u64, StoreError>;
        async fn update(&mut self, pod: &Pod) -> Result<(), StoreError>;
        async fn delete(
            &mut self,
            organization_id: OrganizationId,
            pod_id: PodId,
            at: OffsetDateTime,
        ) -> Result<(), StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`SignInWrites`].
    pub SignInWrites {}

    #[async_trait]
    impl SignInWrites for SignInWrites {
        async fn ask(&mut self, code: &SignInCode, now: OffsetDateTime) -> Result<(), StoreError>;
        async fn lock(&mut self, email: &EmailAddress) -> Result<Option<SignInCode>, StoreError>;
        async fn tried(&mut self, code: &SignInCode) -> Result<(), StoreError>;
        async fn end(&mut self, email: &EmailAddress, at: OffsetDateTime) -> Result<(), StoreError>;
        async fn claim(
            &mut self,
            now: OffsetDateTime,
            lease: Duration,
            limit: u32,
        ) -> Result<Vec<SignInCode>, StoreError>;
        async fn settle(&mut self, codes: &[SignInCode]) -> Result<(), StoreError>;
        async fn forget_expired(&mut self, now: OffsetDateTime, limit: u32) -> Result<u64, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`UsageWrites`].
    pub UsageWrites {}

    #[async_trait]
    impl UsageWrites for UsageWrites {
        async fn change(&mut self, changes: &[(OrganizationId, InboxId, UsageChange)]) -> Result<(), StoreError>;
        async fn storage_bytes(&mut self, organization_id: OrganizationId) -> Result<u64, StoreError>;
        async fn sends(&mut self, organization_id: OrganizationId, today: Date) -> Result<SendCounts, StoreError>;
        async fn count_rows(
            &mut self,
            organization_id: OrganizationId,
            rows: &CountedRows,
            limit: u64,
        ) -> Result<u64, StoreError>;
        async fn count_creation(&mut self, organization_id: OrganizationId, today: Date) -> Result<u64, StoreError>;
        async fn sample(&mut self, sampling: &Sampling) -> Result<Option<OrganizationId>, StoreError>;
    }
}

mock! {
    /// What a unit of work does to [`ListWrites`].
    pub ListWrites {}

    #[async_trait]
    impl ListWrites for ListWrites {
        async fn insert(&mut self, entry: &ListEntry) -> Result<(), StoreError>;
        async fn delete(&mut self, list: &ListKey, entry: &EntryName) -> Result<bool, StoreError>;
        async fn delete_all(&mut self, organization_id: OrganizationId, level: &ListLevel) -> Result<(), StoreError>;
    }
}
