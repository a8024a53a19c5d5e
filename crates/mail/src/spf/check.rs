//! Evaluation of the terms of SPF records (RFC 7208, sections 4 to 6).

use std::net::IpAddr;

use super::dns::{SpfAnswer, SpfAnswers, SpfQuery, SpfRecordType, queried_name};
use super::record::{Mechanism, PrefixLengths, Record, is_spf_record, shares_prefix};
use super::target::{TargetName, reverse_name};

/// Number of terms of a check that may query DNS (RFC 7208, section 4.6.4).
const MAX_LOOKUPS: u32 = 10;
/// Number of terms whose queries find no records, beyond which the check is a permanent error (RFC 7208, section 4.6.4).
const MAX_VOID_LOOKUPS: u32 = 2;
/// Number of hosts of one `mx` term, and of names of one address (RFC 7208, section 4.6.4).
const MAX_HOSTS: usize = 10;

/// Result of a check (RFC 7208, section 2.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpfResult {
    /// The domain has no record, or is no domain name.
    None,
    /// The domain asserts nothing about the client.
    Neutral,
    /// The client may send for the domain.
    Pass,
    /// The client may not send for the domain.
    Fail,
    /// The client probably may not send for the domain.
    SoftFail,
    /// DNS did not answer.
    TempError,
    /// The records of the domain are wrong.
    PermError,
}

/// Facts about a client and the identity that it uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpfCheck {
    pub(super) client: IpAddr,
    pub(super) helo: String,
    pub(super) local_part: String,
    pub(super) sender_domain: String,
}

/// Reason for which an evaluation stops before its end.
enum Stop {
    /// Answers to these queries are missing.
    Missing(Vec<SpfQuery>),
    /// This is the result of the whole check.
    Result(SpfResult),
}

impl SpfCheck {
    /// Returns a check of the identity MAIL FROM, or of HELO without a sender (RFC 7208, section 2.4).
    ///
    /// `sender` is local part and domain of the return path. Names are A-labels.
    #[must_use]
    pub fn new(client: IpAddr, helo: &str, sender: Option<(&str, &str)>) -> Self {
        let helo = helo.strip_suffix('.').unwrap_or(helo);
        let (local_part, domain) = sender.unwrap_or(("", helo));
        Self {
            client: client.to_canonical(),
            helo: helo.to_owned(),
            local_part: if local_part.is_empty() { "postmaster" } else { local_part }.to_owned(),
            sender_domain: domain.to_owned(),
        }
    }

    /// Evaluates the record of the sender's domain (`check_host` of RFC 7208, section 4).
    ///
    /// # Errors
    /// The queries whose answers are missing.
    pub fn evaluate(&self, answers: &SpfAnswers) -> Result<SpfResult, Vec<SpfQuery>> {
        if !is_host_name(&self.sender_domain) {
            return Ok(SpfResult::None);
        }
        let mut evaluation = Evaluation { check: self, answers, lookups: 0, void_lookups: 0 };
        match evaluation.check_host(&self.sender_domain) {
            Ok(result) | Err(Stop::Result(result)) => Ok(result),
            Err(Stop::Missing(queries)) => Err(queries),
        }
    }
}

struct Evaluation<'a> {
    check: &'a SpfCheck,
    answers: &'a SpfAnswers,
    lookups: u32,
    void_lookups: u32,
}

impl<'a> Evaluation<'a> {
    /// Evaluates the record of a domain. Each recursion counts as a lookup, so its depth is bounded.
    fn check_host(&mut self, domain: &str) -> Result<SpfResult, Stop> {
        let Some(record) = self.record_of(domain)? else { return Ok(SpfResult::None) };
        for directive in &record.directives {
            if self.matches(&directive.mechanism, domain)? {
                return Ok(directive.result);
            }
        }
        let Some(target) = &record.redirect else { return Ok(SpfResult::Neutral) };
        self.count_lookup()?;
        let target = self.target(target, domain)?;
        match self.check_host(&target)? {
            SpfResult::None => Err(Stop::Result(SpfResult::PermError)),
            result => Ok(result),
        }
    }

    /// Returns the only record of a domain (RFC 7208, sections 4.4 and 4.5).
    fn record_of(&mut self, domain: &str) -> Result<Option<Record>, Stop> {
        let Some(name) = queried_name(domain) else { return Ok(None) };
        let texts = match self.answer(name, SpfRecordType::Txt)? {
            SpfAnswer::Texts(texts) => texts,
            SpfAnswer::Failed => return Err(Stop::Result(SpfResult::TempError)),
            _ => return Ok(None),
        };
        let mut records = texts.iter().filter(|text| is_spf_record(text));
        match (records.next(), records.next()) {
            (None, _) => Ok(None),
            (Some(only), None) => Record::parse(only).map(Some).ok_or(Stop::Result(SpfResult::PermError)),
            (Some(_), Some(_)) => Err(Stop::Result(SpfResult::PermError)),
        }
    }

    fn matches(&mut self, mechanism: &Mechanism, domain: &str) -> Result<bool, Stop> {
        if !matches!(mechanism, Mechanism::All | Mechanism::Ip(..)) {
            self.count_lookup()?;
        }
        match mechanism {
            Mechanism::All => Ok(true),
            Mechanism::Ip(network, length) => Ok(shares_prefix(*network, self.check.client, *length)),
            Mechanism::Include(target) => {
                let target = self.target(target, domain)?;
                match self.check_host(&target)? {
                    SpfResult::Pass => Ok(true),
                    SpfResult::None => Err(Stop::Result(SpfResult::PermError)),
                    _ => Ok(false),
                }
            }
            Mechanism::A(target, lengths) => {
                let target = self.target(target, domain)?;
                self.has_address(&target, *lengths)
            }
            Mechanism::Mx(target, lengths) => {
                let target = self.target(target, domain)?;
                self.has_exchanger(&target, *lengths)
            }
            Mechanism::Exists(target) => {
                let target = self.target(target, domain)?;
                // The addresses do not matter, and the type is A for clients of both families (RFC 7208, section 5.7).
                let is_void = self.addresses(&target, SpfRecordType::A)?.is_empty();
                self.count_void(is_void)?;
                Ok(!is_void)
            }
            Mechanism::Ptr(target) => {
                let target = self.target(target, domain)?;
                Ok(self.validated_names()?.iter().any(|name| is_at_or_below(name, &target)))
            }
        }
    }

    fn has_address(&mut self, name: &str, lengths: PrefixLengths) -> Result<bool, Stop> {
        let addresses = self.addresses(name, self.address_type())?;
        self.count_void(addresses.is_empty())?;
        Ok(self.is_among(addresses, lengths))
    }

    fn is_among(&self, addresses: &[IpAddr], lengths: PrefixLengths) -> bool {
        addresses.iter().any(|address| lengths.match_addresses(*address, self.check.client))
    }

    fn has_exchanger(&mut self, name: &str, lengths: PrefixLengths) -> Result<bool, Stop> {
        let Some(name) = queried_name(name) else { return Ok(false) };
        let hosts = match self.answer(name, SpfRecordType::Mx)? {
            SpfAnswer::Hosts(hosts) => hosts,
            SpfAnswer::Failed => return Err(Stop::Result(SpfResult::TempError)),
            _ => &[][..],
        };
        if hosts.len() > MAX_HOSTS {
            return Err(Stop::Result(SpfResult::PermError));
        }
        self.require_addresses(hosts)?;
        let mut is_void = true;
        for host in hosts {
            let addresses = self.addresses(host, self.address_type())?;
            if self.is_among(addresses, lengths) {
                return Ok(true);
            }
            is_void &= addresses.is_empty();
        }
        // Hosts of one family are no errors of the term.
        self.count_void(is_void)?;
        Ok(false)
    }

    /// Returns the names of the client that lead back to its address (RFC 7208, section 5.5). Errors of DNS skip a name.
    fn validated_names(&self) -> Result<Vec<&'a str>, Stop> {
        let client = self.check.client;
        let SpfAnswer::Hosts(hosts) = self.answer(reverse_name(client), SpfRecordType::Ptr)? else {
            return Ok(Vec::new());
        };
        let hosts = &hosts[..hosts.len().min(MAX_HOSTS)];
        self.require_addresses(hosts)?;
        let mut names = Vec::new();
        for host in hosts {
            let Some(name) = queried_name(host) else { continue };
            if let SpfAnswer::Addresses(addresses) = self.answer(name, self.address_type())?
                && addresses.contains(&client)
            {
                names.push(host.as_str());
            }
        }
        Ok(names)
    }

    /// Returns the validated name for `%{p}`: the domain itself, one below it, any other, or `unknown` (RFC 7208,
    /// section 7.3).
    fn validated_name(&self, domain: &str) -> Result<String, Stop> {
        let names = self.validated_names()?;
        let own = |name: &&&str| name.trim_end_matches('.').eq_ignore_ascii_case(domain);
        let found = names.iter().find(own).or_else(|| names.iter().find(|name| is_at_or_below(name, domain)));
        Ok(found.or(names.first()).map_or("unknown", |name| name.trim_end_matches('.')).to_owned())
    }

    fn target(&self, target: &TargetName, domain: &str) -> Result<String, Stop> {
        let name = if target.needs_validated_name() { self.validated_name(domain)? } else { String::new() };
        Ok(target.expand(self.check, domain, &name))
    }

    /// Returns the addresses of a name. One that DNS cannot hold has none.
    fn addresses(&self, name: &str, record_type: SpfRecordType) -> Result<&'a [IpAddr], Stop> {
        let Some(name) = queried_name(name) else { return Ok(&[]) };
        match self.answer(name, record_type)? {
            SpfAnswer::Addresses(addresses) => Ok(addresses),
            SpfAnswer::Failed => Err(Stop::Result(SpfResult::TempError)),
            _ => Ok(&[]),
        }
    }

    /// Requires the answers for all hosts at once, so that they are queried concurrently.
    fn require_addresses(&self, hosts: &[String]) -> Result<(), Stop> {
        let record_type = self.address_type();
        let queries = hosts.iter().filter_map(|host| Some(SpfQuery { name: queried_name(host)?, record_type }));
        let missing: Vec<SpfQuery> = queries.filter(|query| !self.answers.contains_key(query)).collect();
        if missing.is_empty() { Ok(()) } else { Err(Stop::Missing(missing)) }
    }

    fn answer(&self, name: String, record_type: SpfRecordType) -> Result<&'a SpfAnswer, Stop> {
        let query = SpfQuery { name, record_type };
        self.answers.get(&query).ok_or_else(|| Stop::Missing(vec![query]))
    }

    fn address_type(&self) -> SpfRecordType {
        if self.check.client.is_ipv4() { SpfRecordType::A } else { SpfRecordType::Aaaa }
    }

    fn count_lookup(&mut self) -> Result<(), Stop> {
        self.lookups += 1;
        if self.lookups > MAX_LOOKUPS { Err(Stop::Result(SpfResult::PermError)) } else { Ok(()) }
    }

    fn count_void(&mut self, is_void: bool) -> Result<(), Stop> {
        self.void_lookups += u32::from(is_void);
        if self.void_lookups > MAX_VOID_LOOKUPS { Err(Stop::Result(SpfResult::PermError)) } else { Ok(()) }
    }
}

/// Returns whether a text is a complete host name. Others, such as domain literals, have no record (RFC 7208, section
/// 4.3), and clients send any text as HELO name.
fn is_host_name(domain: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-' || c == b'_');
    let top = domain.rsplit_once('.').map(|(_, top)| top);
    top.is_some_and(|top| !top.bytes().all(|c| c.is_ascii_digit())) && domain.split('.').all(is_label)
}

/// Returns whether a name is a domain or below it.
fn is_at_or_below(name: &str, domain: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    let domain = domain.trim_end_matches('.').to_ascii_lowercase();
    name == domain || name.strip_suffix(&domain).is_some_and(|rest| rest.ends_with('.'))
}
