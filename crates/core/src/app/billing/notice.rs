//! Notices of the payment provider.

use crate::app::App;
use crate::app::audit::{self, AuditChange};
use crate::app::contention::{is_contention, retried};
use crate::model::{
    AuditAction, AuditActor, Organization, OrganizationId, PaymentNotice, ServiceActor, Subscription,
    SubscriptionState, SubscriptionUpdate,
};
use crate::ports::NoticeError;
use crate::rules::billing::{is_newer, paid_plan, plan_after};
use crate::{BillingError, Error, FieldError};

/// Effect of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noticed {
    /// The notice was applied.
    Applied,
    /// The notice was received before.
    Repeated,
    /// A later notice is already known.
    Outdated,
    /// The notice concerns no plan of an organization of this service.
    Ignored,
}

/// Applies a notice and changes the plan of its subscription.
///
/// The signature proves the notice, so the sender needs no key. A repeated or outdated notice changes nothing.
///
/// # Errors
/// [`BillingError::NotConfigured`], [`BillingError::UnprovenNotice`], [`Error::Invalid`].
pub async fn notice(app: &App, signature: Option<&str>, body: &[u8]) -> Result<Noticed, Error> {
    let payments = app.payments.as_deref().ok_or(BillingError::NotConfigured(None))?;
    let notice = payments.notice(signature, body, app.clock.now()).map_err(|error| match error {
        NoticeError::Unproven(reason) => Error::Billing(BillingError::UnprovenNotice(reason)),
        NoticeError::Unreadable { path, message } => FieldError::new(path, message).into(),
    })?;
    let Some(update) = &notice.update else { return Ok(Noticed::Ignored) };
    let named = match update.names {
        Some(organization_id) => Some(organization_id),
        None => app.store.organization_of_customer(&update.customer_id).await?,
    };
    let Some(organization_id) = named else { return Ok(Noticed::Ignored) };
    retried(is_contention, || take_over(app, organization_id, &notice, update)).await
}

async fn take_over(
    app: &App,
    organization_id: OrganizationId,
    notice: &PaymentNotice,
    update: &SubscriptionUpdate,
) -> Result<Noticed, Error> {
    let now = app.clock.now();
    let mut tx = app.store.begin().await?;
    // The account at the provider may also serve other programs. Their notices name unknown organizations.
    let Some(organization) = tx.accounts().lock(organization_id).await? else { return Ok(Noticed::Ignored) };
    if !tx.billing().note_event(organization_id, &notice.event_id, now).await? {
        return Ok(Noticed::Repeated);
    }
    let record = tx.billing().read(organization_id).await?;
    let known = record.subscriptions.iter().find(|known| known.subscription_id == update.subscription_id);
    if known.is_some_and(|known| !is_newer(update, notice.created_at, known)) {
        tx.commit().await?;
        return Ok(Noticed::Outdated);
    }
    let changed = Subscription {
        organization_id,
        subscription_id: update.subscription_id.clone(),
        state: update.state,
        // A price that was removed from the configuration leaves its subscribers their plan.
        plan: update.plan.or(known.and_then(|known| known.plan)),
        said_at: notice.created_at,
    };
    let others: Vec<_> =
        record.subscriptions.iter().filter(|other| other.subscription_id != update.subscription_id).cloned().collect();
    // The customer of a running subscription stays the customer of the organization.
    if others.iter().all(|other| other.state != SubscriptionState::Live)
        && record.customer_id.as_ref() != Some(&update.customer_id)
    {
        tx.billing().put_customer(organization_id, &update.customer_id, now).await?;
    }
    tx.billing().put_subscription(&changed).await?;
    let paid_before = paid_plan(&record.subscriptions);
    let paid_now = paid_plan(&[others, vec![changed]].concat());
    let plan = plan_after(organization.plan, paid_before, paid_now);
    if plan != organization.plan {
        let changed = Organization { plan, updated_at: now, ..organization.clone() };
        tx.accounts().update(&changed).await?;
        let author = (AuditActor::Service { kind: ServiceActor::PaymentProvider }, None);
        let change = AuditChange::updated(AuditAction::OrganizationUpdated, &organization, &changed);
        audit::record_by(app, tx.as_mut(), organization_id, author, change).await?;
    }
    tx.commit().await?;
    Ok(Noticed::Applied)
}
