//! Texts about the TLS that a session needs, for the reasons of deferrals.

use inboxd_core::model::SessionTls;
use inboxd_core::rules::outgoing_tls::{TlsDemand, TlsRequirement};

/// Returns the reason not to use a server that offers no TLS; `None` where plain text is permitted.
pub(super) fn missing_offer(requirement: &TlsRequirement) -> Option<&'static str> {
    match demand(requirement)? {
        TlsDemand::Operator => Some("offers no TLS, which INBOXD_DIRECT_TLS demands"),
        TlsDemand::StsPolicy => Some("offers no TLS, which its MTA-STS policy demands"),
        TlsDemand::TlsaRecords => Some("offers no TLS, which its TLSA records (DANE) demand"),
        TlsDemand::Code => Some("offers no TLS, as another host does, and the message holds a code"),
    }
}

/// Returns the reason not to send in plain text after TLS failed; `None` where plain text is permitted.
pub(super) fn plain_text_refusal(requirement: &TlsRequirement) -> Option<&'static str> {
    match (demand(requirement), requirement) {
        (Some(TlsDemand::Operator), _) => Some("INBOXD_DIRECT_TLS demands TLS"),
        (Some(TlsDemand::StsPolicy), _) => Some("its MTA-STS policy demands TLS"),
        (Some(TlsDemand::TlsaRecords), _) => Some("its TLSA records (DANE) demand TLS"),
        (Some(TlsDemand::Code), _) | (None, TlsRequirement::Offered) => Some("it holds a code"),
        (None, _) => None,
    }
}

/// Returns the TLS of a session after a handshake under a requirement.
pub(super) fn session_tls(requirement: &TlsRequirement) -> SessionTls {
    match requirement {
        TlsRequirement::Opportunistic | TlsRequirement::Offered | TlsRequirement::Encrypted(_) => SessionTls::Encrypted,
        TlsRequirement::Verified(_) => SessionTls::Verified,
        TlsRequirement::Dane(_) => SessionTls::Dane,
    }
}

fn demand(requirement: &TlsRequirement) -> Option<TlsDemand> {
    match requirement {
        TlsRequirement::Opportunistic | TlsRequirement::Offered => None,
        TlsRequirement::Encrypted(demand) | TlsRequirement::Verified(demand) => Some(*demand),
        TlsRequirement::Dane(_) => Some(TlsDemand::TlsaRecords),
    }
}
