//! Delivery attempt for one destination, host by host.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use inboxd_core::model::StsPolicy;
use inboxd_core::ports::{Lookup, OutgoingMail, RecipientOutcome};
use inboxd_core::rules::destinations::MailDestination;

use super::DirectTransport;
use super::hosts::{self, MailHost, loop_refusal};
use super::session::TlsRequirement;
use super::sts;
use crate::client::connection::ClientConnection;
use crate::client::recipient_outcomes::{RecipientOutcomes, refused_locally};
use crate::client::session_error::SessionError;
use crate::client::{ClientTimeouts, MAX_MESSAGES_PER_CONNECTION, transaction};

/// Number of addresses tried for one message, over all hosts.
const MAX_ADDRESSES: usize = 10;

/// Result of trying a host.
enum HostResult {
    /// The attempt ends. This reason defers the undecided recipients.
    Stop(String),
    /// Nothing was sent, for this reason. The next host may accept the message.
    TryNext(String),
}

impl DirectTransport {
    /// Delivers to the recipients at these positions, which share one destination.
    pub(super) async fn deliver_to(
        &self,
        destination: &MailDestination,
        mail: &OutgoingMail,
        positions: Vec<usize>,
    ) -> Vec<(usize, RecipientOutcome)> {
        let mut outcomes = RecipientOutcomes::new(positions, "");
        let (sent, current_address) = (outcomes.content_sent(), Mutex::default());
        let attempt = self.attempt(destination, mail, &mut outcomes, &current_address);
        let reason = if let Some(reason) = self.timeouts_of(mail).run_within_total(&sent, attempt).await {
            reason
        } else {
            let reason = format!("delivery to {destination} took too long");
            // Later messages skip the slow host.
            if let Some(address) = *current_address.lock().unwrap_or_else(PoisonError::into_inner) {
                self.host_status.mark_unreachable(address, &reason);
            }
            reason
        };
        outcomes.into_outcomes(&mail.recipients, &reason)
    }

    /// Returns the time limits of a message. A code that a slow host delays must not delay other codes for long.
    fn timeouts_of(&self, mail: &OutgoingMail) -> ClientTimeouts {
        if mail.is_code { self.options.timeouts.for_codes() } else { self.options.timeouts }
    }

    /// Tries one host after the other. Returns the reason for the undecided recipients. `current_address` holds the
    /// address in use.
    async fn attempt(
        &self,
        destination: &MailDestination,
        mail: &OutgoingMail,
        outcomes: &mut RecipientOutcomes,
        current_address: &Mutex<Option<SocketAddr>>,
    ) -> String {
        let found = match hosts::find_hosts(destination, &self.resolver, &self.options).await {
            Ok(found) => found,
            Err(outcome) => {
                outcomes.record_remaining(&outcome);
                return String::new();
            }
        };
        let policy = match destination {
            MailDestination::Domain(domain) => match self.sts.policy(domain).await {
                Ok(policy) => policy,
                Err(error) => {
                    tracing::warn!(domain, %error, "MTA-STS policy lookup failed");
                    return format!("the MTA-STS policy of {domain} is unknown, because storage failed");
                }
            },
            MailDestination::Host(_) => None,
        };
        let mut left = MAX_ADDRESSES;
        let mut reasons = Vec::new();
        let mut is_undeliverable = true;
        for host in &found {
            if let Some(why) = policy.as_ref().and_then(|policy| sts::policy_violation(policy, host)) {
                reasons.push(why);
                is_undeliverable = false;
                continue;
            }
            let addresses = match self.addresses(host).await {
                Ok(addresses) => addresses,
                Err(why) => {
                    reasons.push(why);
                    is_undeliverable = false;
                    continue;
                }
            };
            for address in addresses.into_iter().take(left) {
                left -= 1;
                if !(self.options.may_connect)(address) {
                    reasons.push(format!("{} has the address {address}, which is not public", host.name()));
                    continue;
                }
                let address = SocketAddr::new(address, self.options.port);
                match self.try_host(host, address, policy.as_deref(), mail, (outcomes, current_address)).await {
                    Ok(HostResult::Stop(reason)) => return reason,
                    Ok(HostResult::TryNext(reason)) => reasons.push(reason),
                    Err(MailLoop) if is_undeliverable => {
                        outcomes.record_remaining(&loop_refusal(&destination.to_string()));
                        return String::new();
                    }
                    // Hosts of lower preference than ours may be other routes to the same server, and may work later.
                    Err(MailLoop) => return reasons.join("; "),
                }
                is_undeliverable = false;
            }
        }
        if is_undeliverable {
            outcomes.record_remaining(&refused_locally("5.4.4", &reasons.join("; ")));
        }
        reasons.join("; ")
    }

    async fn addresses(&self, host: &MailHost) -> Result<Vec<IpAddr>, String> {
        let name = match host {
            MailHost::At(address) => return Ok(vec![*address]),
            MailHost::Named(name) => name,
        };
        match self.resolver.addresses(name).await {
            Lookup::Found(addresses) => Ok(addresses),
            Lookup::Absent => Err(format!("{name} has no address")),
            Lookup::Failed(why) => Err(format!("the addresses of {name}: {why}")),
        }
    }

    /// Tries to deliver the message to one address of a host.
    async fn try_host(
        &self,
        host: &MailHost,
        address: SocketAddr,
        policy: Option<&StsPolicy>,
        mail: &OutgoingMail,
        (outcomes, current_address): (&mut RecipientOutcomes, &Mutex<Option<SocketAddr>>),
    ) -> Result<HostResult, MailLoop> {
        if self.options.is_own_address(address) {
            return Err(MailLoop);
        }
        let name = format!("{} at {}", host.name(), address.ip());
        if let Some(why) = self.host_status.unreachable_reason(address) {
            return Ok(HostResult::TryNext(why));
        }
        let Some(_permit) = self.pool.acquire(address).await else {
            // The limit is ours, and no reason to burden a backup host.
            return Ok(HostResult::Stop(format!("{name} has no free connection permit")));
        };
        // The previous holder of the permit may have found the host unreachable.
        if let Some(why) = self.host_status.unreachable_reason(address) {
            return Ok(HostResult::TryNext(why));
        }
        outcomes.restart(&name);
        // Waiting for a permit reveals nothing about the host.
        *current_address.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
        let requirement = if policy.is_some_and(StsPolicy::is_enforced) {
            TlsRequirement::Verified
        } else {
            TlsRequirement::Opportunistic
        };
        let error = match self.transmit(host, address, requirement, mail, outcomes).await {
            Ok(()) => {
                self.host_status.mark_reachable(address);
                return Ok(HostResult::Stop(format!("{name} sent no reply for this recipient")));
            }
            Err(error) => error,
        };
        *current_address.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let reason = error.describe(&name);
        let is_silent =
            matches!(error, SessionError::Connect(_) | SessionError::TimedOut { .. } | SessionError::Broken { .. });
        match error {
            SessionError::OwnServer => return Err(MailLoop),
            // A host that is silent during one message is likely to be silent during the next.
            SessionError::TimedOut { .. } => self.host_status.mark_unreachable(address, &reason),
            _ if is_silent && !outcomes.is_mail_answered() => self.host_status.mark_unreachable(address, &reason),
            _ => {}
        }
        // After its reply to MAIL, the host accepts sessions. Another host would reply the same, or cause a duplicate.
        Ok(if outcomes.is_mail_answered() { HostResult::Stop(reason) } else { HostResult::TryNext(reason) })
    }

    async fn transmit(
        &self,
        host: &MailHost,
        address: SocketAddr,
        requirement: TlsRequirement,
        mail: &OutgoingMail,
        outcomes: &mut RecipientOutcomes,
    ) -> Result<(), SessionError> {
        while let Some(connection) = self.pool.take((address, host, requirement)).await {
            match self.send(connection, (address, host, requirement), mail, outcomes).await {
                Err(error) if !outcomes.is_mail_answered() => {
                    tracing::debug!(%address, %error, "idle connection closed");
                    outcomes.restart(format!("{} at {}", host.name(), address.ip()));
                }
                done => return done,
            }
        }
        let connection = self.open(host, address, requirement).await?;
        self.send(connection, (address, host, requirement), mail, outcomes).await
    }

    async fn send(
        &self,
        mut connection: ClientConnection,
        key: (SocketAddr, &MailHost, TlsRequirement),
        mail: &OutgoingMail,
        outcomes: &mut RecipientOutcomes,
    ) -> Result<(), SessionError> {
        transaction::send(&mut connection, mail, outcomes, &self.timeouts_of(mail)).await?;
        if connection.count_message() < MAX_MESSAGES_PER_CONNECTION {
            self.pool.put(key, connection);
        } else {
            // The message is delivered, so its outcome must not wait for QUIT.
            tokio::spawn(connection.quit());
        }
        Ok(())
    }
}

/// The host is this service itself.
struct MailLoop;
