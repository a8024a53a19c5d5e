//! One destination's part of a mail, handed from host to host until one answers.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};

use inboxd_core::model::StsPolicy;
use inboxd_core::ports::{Lookup, OutgoingMail, RecipientOutcome};
use inboxd_core::rules::destinations::Destination;

use super::Direct;
use super::hosts::{self, Host, ourselves};
use super::session::Protection;
use super::sts;
use crate::client::connection::Connection;
use crate::client::ledger::{Ledger, impossible};
use crate::client::trouble::Trouble;
use crate::client::{MAILS_PER_CONNECTION, Timeouts, transaction};

/// How many addresses are tried for one mail, of all hosts together.
const MOST_ADDRESSES: usize = 10;

/// What is known after a host was tried.
enum Then {
    /// The ledger says it all, or what it does not say is to be tried later, for this reason.
    Stop(String),
    /// Nothing was handed over, for this reason: the next one may do better.
    Next(String),
}

impl Direct {
    /// Delivers to the recipients at these places of a mail, who are all at one destination.
    pub(super) async fn deliver_to(
        &self,
        destination: &Destination,
        mail: &OutgoingMail,
        places: Vec<usize>,
    ) -> Vec<(usize, RecipientOutcome)> {
        let mut ledger = Ledger::of(places, "");
        let (sent, at) = (ledger.sent(), Mutex::default());
        let attempt = self.attempt(destination, mail, &mut ledger, &at);
        let reason = if let Some(reason) = self.timeouts_of(mail).in_all(&sent, attempt).await {
            reason
        } else {
            let reason = format!("handing the mail to {destination} took too long");
            // The mails behind need not find out that slowly as well.
            if let Some(address) = *at.lock().unwrap_or_else(PoisonError::into_inner) {
                self.memory.note_unreachable(address, &reason);
            }
            reason
        };
        ledger.outcomes(&mail.recipients, &reason)
    }

    /// Returns the time limits of a message: a code that a slow host holds up keeps no other code waiting for long.
    fn timeouts_of(&self, mail: &OutgoingMail) -> Timeouts {
        if mail.is_code { self.options.timeouts.for_codes() } else { self.options.timeouts }
    }

    /// Goes from host to host. Answers why those were not served of whom the ledger says nothing.
    /// It says at which address it is.
    async fn attempt(
        &self,
        destination: &Destination,
        mail: &OutgoingMail,
        ledger: &mut Ledger,
        at: &Mutex<Option<SocketAddr>>,
    ) -> String {
        let found = match hosts::of(destination, &self.resolver, &self.options).await {
            Ok(found) => found,
            Err(outcome) => {
                ledger.note_rest(&outcome);
                return String::new();
            }
        };
        let policy = match destination {
            Destination::Domain(domain) => match self.sts.policy(domain).await {
                Ok(policy) => policy,
                Err(error) => {
                    tracing::warn!(domain, %error, "MTA-STS policy lookup failed");
                    return format!("whether {domain} has an MTA-STS policy is unknown, because storage failed");
                }
            },
            Destination::Host(_) => None,
        };
        let mut left = MOST_ADDRESSES;
        let mut reasons = Vec::new();
        let mut is_barred = true;
        for host in &found {
            if let Some(why) = policy.as_ref().and_then(|policy| sts::objection(policy, host)) {
                reasons.push(why);
                is_barred = false;
                continue;
            }
            let addresses = match self.addresses(host).await {
                Ok(addresses) => addresses,
                Err(why) => {
                    reasons.push(why);
                    is_barred = false;
                    continue;
                }
            };
            for address in addresses.into_iter().take(left) {
                left -= 1;
                if !(self.options.reach)(address) {
                    reasons.push(format!("{} is at {address}, which is no public address", host.name()));
                    continue;
                }
                let address = SocketAddr::new(address, self.options.port);
                match self.try_host(host, address, policy.as_deref(), mail, (ledger, at)).await {
                    Ok(Then::Stop(reason)) => return reason,
                    Ok(Then::Next(reason)) => reasons.push(reason),
                    Err(Loop) if is_barred => {
                        ledger.note_rest(&ourselves(&destination.to_string()));
                        return String::new();
                    }
                    // Hosts before us may be other ways to the same place, and may do better another time.
                    Err(Loop) => return reasons.join("; "),
                }
                is_barred = false;
            }
        }
        if is_barred {
            ledger.note_rest(&impossible("5.4.4", &reasons.join("; ")));
        }
        reasons.join("; ")
    }

    async fn addresses(&self, host: &Host) -> Result<Vec<IpAddr>, String> {
        let name = match host {
            Host::At(address) => return Ok(vec![*address]),
            Host::Named(name) => name,
        };
        match self.resolver.addresses(name).await {
            Lookup::Found(addresses) => Ok(addresses),
            Lookup::Absent => Err(format!("{name} has no address")),
            Lookup::Failed(why) => Err(format!("the addresses of {name}: {why}")),
        }
    }

    /// Tries to hand the mail to a host at one of its addresses.
    async fn try_host(
        &self,
        host: &Host,
        address: SocketAddr,
        policy: Option<&StsPolicy>,
        mail: &OutgoingMail,
        (ledger, at): (&mut Ledger, &Mutex<Option<SocketAddr>>),
    ) -> Result<Then, Loop> {
        if self.options.is_own_address(address) {
            return Err(Loop);
        }
        let name = format!("{} at {}", host.name(), address.ip());
        if let Some(why) = self.memory.unreachable(address) {
            return Ok(Then::Next(why));
        }
        let Some(_turn) = self.pool.turn(address).await else {
            // That is our doing, and no reason to burden a host that stands in for this one.
            return Ok(Then::Stop(format!("{name} has as many connections of ours as it gets")));
        };
        // Whoever had the turn before may have found out.
        if let Some(why) = self.memory.unreachable(address) {
            return Ok(Then::Next(why));
        }
        ledger.begin_again(&name);
        // Who only waits for a turn knows nothing of the host.
        *at.lock().unwrap_or_else(PoisonError::into_inner) = Some(address);
        let protection = if policy.is_some_and(StsPolicy::is_enforced) { Protection::Valid } else { Protection::Any };
        let trouble = match self.hand_over(host, address, protection, mail, ledger).await {
            Ok(()) => {
                self.memory.note_reached(address);
                return Ok(Then::Stop(format!("{name} said nothing of this recipient")));
            }
            Err(trouble) => trouble,
        };
        *at.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let reason = trouble.with(&name);
        let is_silent = matches!(trouble, Trouble::Connect(_) | Trouble::TimedOut { .. } | Trouble::Broken { .. });
        match trouble {
            Trouble::Ourselves => return Err(Loop),
            // Silence in the middle of a mail may go on with the next mail as well.
            Trouble::TimedOut { .. } => self.memory.note_unreachable(address, &reason),
            _ if is_silent && !ledger.mail_was_answered() => self.memory.note_unreachable(address, &reason),
            _ => {}
        }
        // From the answer to MAIL on, the host is one that talks to us: another one would say the same, or have the mail
        // twice.
        Ok(if ledger.mail_was_answered() { Then::Stop(reason) } else { Then::Next(reason) })
    }

    async fn hand_over(
        &self,
        host: &Host,
        address: SocketAddr,
        protection: Protection,
        mail: &OutgoingMail,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        while let Some(connection) = self.pool.take((address, host, protection)).await {
            match self.send(connection, (address, host, protection), mail, ledger).await {
                Err(trouble) if !ledger.mail_was_answered() => {
                    tracing::debug!(%address, %trouble, "a waiting connection was dead; another is opened");
                    ledger.begin_again(format!("{} at {}", host.name(), address.ip()));
                }
                done => return done,
            }
        }
        let connection = self.open(host, address, protection).await?;
        self.send(connection, (address, host, protection), mail, ledger).await
    }

    async fn send(
        &self,
        mut connection: Connection,
        place: (SocketAddr, &Host, Protection),
        mail: &OutgoingMail,
        ledger: &mut Ledger,
    ) -> Result<(), Trouble> {
        transaction::send(&mut connection, mail, ledger, &self.timeouts_of(mail)).await?;
        if connection.count_mail() < MAILS_PER_CONNECTION {
            self.pool.put(place, connection);
        } else {
            // The mail is out, and whoever waits for the answer must know at once.
            tokio::spawn(connection.quit());
        }
        Ok(())
    }
}

/// The host is this service itself.
struct Loop;
