//! Delivery attempt for one destination, host by host.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use inboxd_core::ports::{OutgoingMail, RecipientOutcome};
use inboxd_core::rules::destinations::MailDestination;
use inboxd_core::rules::outgoing_tls::{TlsDemand, TlsRequirement};

use super::DirectTransport;
use super::hosts::loop_refusal;
use super::pool::PoolKey;
use super::route::NoRoute;
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

/// Progress of an attempt.
#[derive(Default)]
struct AttemptProgress {
    /// Address in use.
    address: Mutex<Option<SocketAddr>>,
    /// Whether a host offered TLS.
    is_tls_offered: AtomicBool,
}

impl AttemptProgress {
    fn address(&self) -> Option<SocketAddr> {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_address(&self, address: Option<SocketAddr>) {
        *self.address.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }

    /// Returns the requirement of the next session. A host without TLS gets no code after another host offered TLS, because
    /// an attacker could break the TLS of the first to read the code at the second.
    fn tightened(&self, requirement: &TlsRequirement) -> TlsRequirement {
        match requirement {
            TlsRequirement::Offered if self.is_tls_offered.load(Ordering::Relaxed) => {
                TlsRequirement::Encrypted(TlsDemand::Code)
            }
            other => other.clone(),
        }
    }
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
        let (sent, progress) = (outcomes.content_sent(), AttemptProgress::default());
        let attempt = self.attempt(destination, mail, &mut outcomes, &progress);
        let reason = if let Some(reason) = self.timeouts_of(mail).run_within_total(&sent, attempt).await {
            reason
        } else {
            let reason = format!("delivery to {destination} took too long");
            // Later messages skip the slow host.
            if let Some(address) = progress.address() {
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

    /// Tries one host after the other. Returns the reason for the undecided recipients.
    async fn attempt(
        &self,
        destination: &MailDestination,
        mail: &OutgoingMail,
        outcomes: &mut RecipientOutcomes,
        progress: &AttemptProgress,
    ) -> String {
        let route = match self.route(destination, mail.is_code).await {
            Ok(route) => route,
            Err(NoRoute::Final(outcome)) => {
                outcomes.record_remaining(&outcome);
                return String::new();
            }
            Err(NoRoute::Deferred(reason)) => return reason,
        };
        let mut left = MAX_ADDRESSES;
        let mut reasons = Vec::new();
        let mut is_undeliverable = true;
        for host in &route.hosts {
            let (addresses, requirement) = match self.host_on_route(host, &route).await {
                Ok(found) => found,
                Err(why) => {
                    reasons.push(why);
                    is_undeliverable = false;
                    continue;
                }
            };
            let (permitted, refused): (Vec<_>, Vec<_>) =
                addresses.into_iter().partition(|address| (self.options.may_connect)(*address));
            let is_not_public = |address: &_| format!("{} has the address {address}, which is not public", host.name());
            reasons.extend(refused.iter().take(MAX_ADDRESSES).map(is_not_public));
            for address in permitted.into_iter().take(left) {
                left -= 1;
                let address = SocketAddr::new(address, self.options.port);
                let requirement = progress.tightened(&requirement);
                match self.try_host((address, host, &requirement), mail, (outcomes, progress)).await {
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

    /// Tries to deliver the message to one address of a host.
    async fn try_host(
        &self,
        key: PoolKey<'_>,
        mail: &OutgoingMail,
        (outcomes, progress): (&mut RecipientOutcomes, &AttemptProgress),
    ) -> Result<HostResult, MailLoop> {
        let (address, host, _) = key;
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
        progress.set_address(Some(address));
        let error = match self.transmit(key, mail, outcomes, &progress.is_tls_offered).await {
            Ok(()) => {
                self.host_status.mark_reachable(address);
                return Ok(HostResult::Stop(format!("{name} sent no reply for this recipient")));
            }
            Err(error) => error,
        };
        progress.set_address(None);
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
        key: PoolKey<'_>,
        mail: &OutgoingMail,
        outcomes: &mut RecipientOutcomes,
        is_tls_offered: &AtomicBool,
    ) -> Result<(), SessionError> {
        let (address, host, requirement) = key;
        while let Some(connection) = self.pool.take(key).await {
            match self.send(connection, key, mail, outcomes).await {
                Err(error) if !outcomes.is_mail_answered() => {
                    tracing::debug!(%address, %error, "idle connection closed");
                    outcomes.restart(format!("{} at {}", host.name(), address.ip()));
                }
                done => return done,
            }
        }
        let connection = self.open(host, address, requirement, is_tls_offered).await?;
        self.send(connection, key, mail, outcomes).await
    }

    async fn send(
        &self,
        mut connection: ClientConnection,
        key: PoolKey<'_>,
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
