//! Administration of an organization: members, pods, domains, webhooks, lists, usage, settings.

mod audit;
mod billing;
mod domain;
mod domains;
mod label_history;
mod lists;
mod member;
mod members;
mod pods;
mod policy;
mod settings;
mod suppressions;
mod usage;
mod webhook;
mod webhook_acts;
mod webhooks;

use super::Routes;
use super::respond::{get, post};

/// Paths with their methods.
pub(super) fn routes() -> Routes {
    vec![
        ("/console/members", vec![get(members::show), post(members::invite)]),
        ("/console/members/{member_id}", vec![get(member::show), post(member::change)]),
        ("/console/members/{member_id}/remove", vec![post(member::remove)]),
        ("/console/pods", vec![get(pods::show), post(pods::create)]),
        ("/console/pods/{pod_id}/rename", vec![post(pods::rename)]),
        ("/console/pods/{pod_id}/quarantine", vec![post(pods::save_quarantine)]),
        ("/console/pods/{pod_id}/delete", vec![post(pods::delete)]),
        ("/console/domains", vec![get(domains::show), post(domains::create)]),
        ("/console/domains/{domain_id}", vec![get(domain::show), post(domain::change)]),
        ("/console/domains/{domain_id}/verify", vec![post(domain::verify)]),
        ("/console/domains/{domain_id}/zone-file", vec![get(domain::zone_file)]),
        ("/console/domains/{domain_id}/delete", vec![post(domain::delete)]),
        ("/console/webhooks", vec![get(webhooks::show), post(webhooks::create)]),
        ("/console/webhooks/{webhook_id}", vec![get(webhook::show), post(webhook_acts::change)]),
        ("/console/webhooks/{webhook_id}/headers", vec![post(webhook_acts::change_headers)]),
        ("/console/webhooks/{webhook_id}/rotate-secret", vec![post(webhook_acts::rotate_secret)]),
        ("/console/webhooks/{webhook_id}/replay", vec![post(webhook_acts::replay)]),
        ("/console/webhooks/{webhook_id}/delete", vec![post(webhook_acts::delete)]),
        ("/console/lists", vec![get(lists::show), post(lists::create)]),
        ("/console/lists/delete", vec![post(lists::delete)]),
        ("/console/policy", vec![get(policy::show), post(policy::save)]),
        ("/console/policy/delete", vec![post(policy::delete)]),
        ("/console/suppressions", vec![get(suppressions::show)]),
        ("/console/audit", vec![get(audit::show)]),
        ("/console/label-history", vec![get(label_history::show)]),
        ("/console/usage", vec![get(usage::show)]),
        ("/console/settings", vec![get(settings::show)]),
        ("/console/settings/sign-out-everywhere", vec![post(settings::sign_out_everywhere)]),
        ("/console/settings/quarantine", vec![post(settings::save_quarantine)]),
        ("/console/settings/legal-hold", vec![post(settings::hold)]),
        ("/console/settings/plan", vec![post(billing::checkout)]),
        ("/console/settings/billing", vec![post(billing::portal)]),
    ]
}
