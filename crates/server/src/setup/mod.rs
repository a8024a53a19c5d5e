//! `inboxd setup`: leads an operator from the first setting to the first mail. It can be repeated.
//!
//! The checks are those of `inboxd doctor`; `setup` also writes the settings, names all records, and sends a mail.

mod mail;
mod network;
mod prompt;
mod records;
mod settings;

use std::io::Write as _;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use inboxd_core::ports::Lookup;
use inboxd_mail::EmailAddress;
use inboxd_smtp::dns::DnsResolver;

use crate::config::{self, Config};
use crate::doctor::{
    Finding, Findings, Level, clock, database, dns, oauth, ports, postmaster, relay, reverse, tls, wanted,
};
use crate::failure::{ErrorContext, Failure};
use crate::services::resolver;
use prompt::{Prompt, say};
use records::RecordFormat;

/// Configuration file of the package.
const SYSTEM_FILE: &str = "/etc/inboxd/inboxd.toml";

/// Options of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct SetupOptions {
    /// Domain of the inboxes and name of the mail server, such as mail.example.org.
    #[arg(long)]
    domain: Option<String>,
    /// URL of the API for clients; by default https:// and the domain.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Address of the operator, for notices of the certificate authority.
    #[arg(long, value_name = "ADDRESS")]
    email: Option<EmailAddress>,
    /// Route of outgoing mail: direct, relay or capture.
    #[arg(long, value_name = "ROUTE")]
    delivery: Option<String>,
    /// Source of the certificate.
    #[arg(long, value_enum)]
    https: Option<settings::Https>,
    /// Value of another setting; repeatable.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    values: Vec<String>,
    /// Public address of this service; repeatable. By default those of this machine, or the published ones.
    #[arg(long = "address", value_name = "IP")]
    addresses: Vec<IpAddr>,
    /// Address at another provider that gets a first mail.
    #[arg(long, value_name = "ADDRESS")]
    mail_to: Option<EmailAddress>,
    /// Seconds to wait for the reply to the first mail.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(0..=86_400))]
    wait: u64,
    /// Print the DNS records in this format, and change and check nothing else.
    #[arg(long, value_enum)]
    format: Option<RecordFormat>,
    /// Ask nothing: take the options, the present settings and the proposals.
    #[arg(long)]
    yes: bool,
}

/// Step of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Service,
    Records,
    Reach,
    Certificate,
    Mail,
}

impl Step {
    const ALL: [Self; 5] = [Self::Service, Self::Records, Self::Reach, Self::Certificate, Self::Mail];

    fn title(self) -> &'static str {
        match self {
            Self::Service => "Database, ports and process",
            Self::Records => "DNS records",
            Self::Reach => "Reverse name and port 25",
            Self::Certificate => "Certificate and base URL",
            Self::Mail => "First mail out and in",
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Fails if a setting is refused, nothing may be written, or a check failed.
pub(crate) async fn run(options: SetupOptions, file: Option<&Path>) -> Result<(), Failure> {
    let path = file.map_or_else(default_file, Path::to_owned);
    let mut prompt = Prompt::new(!options.yes && options.format.is_none());
    let (source, problems) = config::read_source(path.exists().then_some(path.as_path()));
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    config::of(&source)?;
    let plan = settings::plan(source, &options, &mut prompt, &path)?;
    let config = plan.config()?;
    if let Some(format) = options.format {
        return print_records(&config, &options, format).await;
    }
    print(&heading(1, "Settings"));
    plan.write(&path, &mut prompt)?;
    Setup { config: &config, options: &options, prompt, examined: None, addresses: Vec::new() }.run().await
}

/// Returns the file of the package where it is installed, or one in the working directory.
fn default_file() -> PathBuf {
    let system = Path::new(SYSTEM_FILE);
    if system.parent().is_some_and(Path::exists) { system.to_owned() } else { "inboxd.toml".into() }
}

fn heading(number: usize, title: &str) -> String {
    let gap = if number > 1 { "\n" } else { "" };
    format!("{gap}{number} of {}  {title}\n", Step::ALL.len() + 1)
}

/// Prints the records alone.
async fn print_records(config: &Config, options: &SetupOptions, format: RecordFormat) -> Result<(), Failure> {
    let resolver = resolver(config).context("INBOXD_DNS_ADDR")?;
    let examined = database::examine(config).await;
    let addresses = addresses(config, options, &resolver).await;
    let records = wanted::check(config, &resolver, wanted::records(config, &examined.keys, &addresses)).await;
    print(&records::formatted(format, &config.domain, &records));
    // The output is the input of other programs, so problems go to standard error.
    let mut is_complete = true;
    for finding in examined.findings.iter().filter(|finding| finding.check == database::CHECK) {
        if finding.level == Level::Fail {
            is_complete = false;
            say(&finding.to_string());
        }
    }
    for name in records::failed_lookups(&records) {
        is_complete = false;
        say(&format!("fail  DNS       the lookup of {name} failed"));
    }
    if is_complete {
        return Ok(());
    }
    Err(Failure::new("the records are incomplete: mend this and repeat"))
}

/// Returns the public addresses of the service: the given ones, those of this machine, or the published ones.
async fn addresses(config: &Config, options: &SetupOptions, resolver: &DnsResolver) -> Vec<IpAddr> {
    if !options.addresses.is_empty() {
        return options.addresses.clone();
    }
    let own = network::own_addresses();
    if !own.is_empty() {
        return own;
    }
    match resolver.addresses(&config.domain).await {
        Lookup::Found(found) => found,
        Lookup::Absent | Lookup::Failed(_) => Vec::new(),
    }
}

/// State of the checks.
struct Setup<'a> {
    config: &'a Config,
    options: &'a SetupOptions,
    prompt: Prompt,
    /// Result of the last check of the database.
    examined: Option<database::Examined>,
    addresses: Vec<IpAddr>,
}

impl Setup<'_> {
    /// Runs all steps, each until nothing fails or the operator goes on.
    async fn run(mut self) -> Result<(), Failure> {
        let resolver = resolver(self.config).context("INBOXD_DNS_ADDR")?;
        self.addresses = addresses(self.config, self.options, &resolver).await;
        if self.addresses.is_empty() {
            self.addresses = self.ask_address()?;
        }
        let mut all = Findings::default();
        for (place, step) in Step::ALL.into_iter().enumerate() {
            print(&heading(place + 2, step.title()));
            all.add(self.step(step, &resolver).await?);
        }
        print("\n");
        let warnings = all.count(Level::Warn);
        all.outcome().map_err(|failure| Failure::new(format!("{failure}: mend them and repeat `inboxd setup`")))?;
        print(&match warnings {
            0 => "All checks are ok.\n".to_owned(),
            _ => format!("No check failed; {warnings} gave a warning.\n"),
        });
        Ok(())
    }

    fn ask_address(&mut self) -> Result<Vec<IpAddr>, Failure> {
        loop {
            let question = "Public address of this service, such as 192.0.2.25 (empty if unknown)";
            let Some(answer) = self.prompt.ask(question, None)? else { return Ok(Vec::new()) };
            let addresses: Result<Vec<IpAddr>, _> =
                answer.split([',', ' ']).filter(|item| !item.is_empty()).map(str::parse).collect();
            match addresses {
                Ok(addresses) => return Ok(addresses),
                Err(error) => say(&format!("{answer}: {error}")),
            }
        }
    }

    /// Runs a step and returns its results.
    async fn step(&mut self, step: Step, resolver: &DnsResolver) -> Result<Findings, Failure> {
        loop {
            let mut findings = Findings::default();
            for finding in self.examine(step, resolver).await? {
                findings.print(&finding);
            }
            if findings.count(Level::Fail) == 0 || !self.prompt.is_asking() {
                return Ok(findings);
            }
            let question = "Mend this and press Enter to check again, or enter s to go on";
            let is_repeated = self.prompt.ask(question, None)?.is_none() && self.prompt.is_asking();
            if !is_repeated {
                return Ok(findings);
            }
            self.examined = None;
        }
    }

    async fn examine(&mut self, step: Step, resolver: &DnsResolver) -> Result<Vec<Finding>, Failure> {
        let config = self.config;
        if self.examined.is_none() {
            self.examined = Some(database::examine(config).await);
        }
        let Some(examined) = &self.examined else { return Ok(Vec::new()) };
        Ok(match step {
            Step::Service => {
                let mut findings = examined.findings.clone();
                findings.push(clock::examine(examined.ahead));
                findings.extend(ports::examine(config).await);
                findings.push(serving(config).await);
                findings
            }
            Step::Records => {
                let answers = dns::answers(config, resolver).await;
                if answers.level == Level::Fail {
                    return Ok(vec![answers]);
                }
                let wanted = wanted::records(config, &examined.keys, &self.addresses);
                let checked = wanted::check(config, resolver, wanted).await;
                print(&records::table(&checked));
                let mut findings = vec![answers];
                findings.extend(checked.into_iter().map(|record| record.finding));
                findings
            }
            Step::Reach => {
                let mut findings = reverse::of_addresses(config, resolver, &self.addresses).await;
                findings.extend(network::outbound(config, resolver, self.other_domain().as_deref()).await);
                findings.extend(relay::examine(config).await);
                findings.push(dns::mail_host(config, resolver).await);
                findings.extend(postmaster::examine(config));
                findings
            }
            Step::Certificate => {
                let mut findings = tls::examine(config, examined.certificate.as_ref());
                findings.extend(oauth::examine(config).await);
                findings
            }
            Step::Mail => {
                let to = self.recipient()?;
                mail::examine(config, to.as_ref(), Duration::from_secs(self.options.wait)).await
            }
        })
    }

    /// Returns a domain of another provider, whose mail server can be asked.
    fn other_domain(&self) -> Option<String> {
        let acme = self.config.tls.acme.as_ref().and_then(|acme| acme.email.as_ref()?.parse::<EmailAddress>().ok());
        let known = [self.options.mail_to.clone(), self.options.email.clone(), acme];
        let own = self.config.mail_domains();
        let mut domains = known.into_iter().flatten().map(|address| address.domain());
        domains.find(|domain| !own.contains(&domain.as_str()))
    }

    /// Returns the recipient of the first mail.
    fn recipient(&mut self) -> Result<Option<EmailAddress>, Failure> {
        if self.options.mail_to.is_some() {
            return Ok(self.options.mail_to.clone());
        }
        loop {
            let question = "Address at another provider that gets a first mail (empty to send none)";
            let Some(answer) = self.prompt.ask(question, None)? else { return Ok(None) };
            match answer.parse() {
                Ok(address) => return Ok(Some(address)),
                Err(_) => say(&format!("{answer} is not an address")),
            }
        }
    }
}

/// Checks that the service runs: it creates keys, orders certificates and receives mail.
async fn serving(config: &Config) -> Finding {
    const CHECK: &str = "service";
    if ports::is_serving(config).await {
        return Finding::ok(CHECK, "inboxd serves");
    }
    let mend = "run `systemctl enable --now inboxd`, or `inboxd serve` with this file, and repeat";
    Finding::fail(CHECK, "inboxd does not serve yet", mend)
}

/// Prints a text; a closed output is no error, because the exit status reports the result as well.
fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
