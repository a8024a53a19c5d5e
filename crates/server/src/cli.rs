//! Command line: the commands of the server, and those of the client, which `inboxd-cli` makes from the OpenAPI document.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use inboxd_cli::CommandLine;
use inboxd_core::model::{OrganizationId, Plan};
use tokio::runtime::Runtime;

use crate::activation::PassedSockets;
use crate::admin::reports::{self, ReportOptions};
use crate::admin::trace::{self, TraceOptions};
use crate::admin::{self, blobs, operators, postmaster, queue};
use crate::backup::{BackupOptions, RestoreOptions};
use crate::config::{self, Config};
use crate::configuration::{self, ConfigCommand};
use crate::failure::{ErrorContext, Failure};
use crate::listeners::Listeners;
use crate::serve::Start;
use crate::services::{Database, SchemaPolicy};
use crate::setup::SetupOptions;
use crate::version::VERSION;
use crate::{account, backup, doctor, mcp, ready, serve, services, setup};

/// Real email inboxes for AI agents.
#[derive(Debug, Parser)]
#[command(name = "inboxd", version = VERSION)]
struct Cli {
    /// TOML file with the same keys as the environment, which takes precedence.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API and receive mail until SIGTERM or Ctrl-C.
    Serve {
        /// Hold outgoing mail, scheduled drafts and webhook deliveries in all processes until `inboxd admin queue`
        /// releases or drops them. Use it after a restored backup.
        #[arg(long)]
        hold: bool,
    },
    /// Check, show and explain the settings.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Go live step by step: write the settings, then check DNS records, port 25, certificate and a first mail.
    ///
    /// It asks for all that is not configured, and can be repeated. The exit code is 1 if a check failed.
    Setup(Box<SetupOptions>),
    /// Migrate the database to the schema of this version.
    Migrate,
    /// Check database, ports, DNS records and clock, and print a remedy for each problem.
    Doctor,
    /// Ask the running server of this configuration whether it is ready; the exit status is 0 if it is, and 1 otherwise.
    Ready {
        /// Wait until it is ready, for this many seconds at most, 60 by default.
        #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "60")]
        wait: Option<u32>,
    },
    /// Serves the MCP tools of a running inboxd over standard input and output, for clients that start a program.
    Mcp {
        /// The base URL of the inboxd; by default `INBOXD_URL`, that of the profile of `inboxd login`, or
        /// `http://127.0.0.1:8080`.
        #[arg(id = "server-url", long = "url")]
        url: Option<String>,
        /// The profile of `inboxd login`; by default `INBOXD_PROFILE`, or `default`.
        #[arg(long, value_name = "NAME")]
        profile: Option<String>,
        /// An API key; without this, that of the environment variable `INBOXD_API_KEY`, which other users cannot see, or
        /// that of the profile of `inboxd login`.
        #[arg(long, value_name = "KEY")]
        api_key: Option<String>,
    },
    /// Commands for operators.
    #[command(subcommand)]
    Admin(AdminCommand),
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// List all organizations.
    Organizations,
    /// Set the plan of an organization.
    Plan {
        /// Id of the organization.
        organization_id: OrganizationId,
        /// New plan: free, startup, business or enterprise.
        plan: Plan,
    },
    /// Print an invitation, with which one organization signs up where `INBOXD_SIGNUP` is `invite`.
    Invite {
        /// Days until it expires.
        #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(i64).range(1..=365))]
        days: i64,
    },
    /// Suspend an organization: it can read but not send, and mail to it is deferred.
    Suspend {
        /// Id of the organization.
        organization_id: OrganizationId,
        /// Reason in one line. Every refusal shows it, to API callers and to senders of mail.
        #[arg(long)]
        reason: String,
    },
    /// Resume a suspended organization.
    Resume {
        /// Id of the organization.
        organization_id: OrganizationId,
    },
    /// Lift the brake on the sending of an organization, whose bounces and complaints count again from the next day.
    LiftBrake {
        /// Id of the organization.
        organization_id: OrganizationId,
    },
    /// Delete an organization with all its data.
    Delete {
        /// Id of the organization.
        organization_id: OrganizationId,
        /// Confirm. This cannot be undone.
        #[arg(long)]
        yes: bool,
    },
    /// Manage API keys.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Release the address of a deleted inbox for a new inbox.
    ReleaseUsername {
        /// Address; without an `@`, the username on the domains of the service.
        address: String,
        /// Confirm. The next inbox of this address receives mail meant for the previous one.
        #[arg(long)]
        yes: bool,
    },
    /// Manage a queue held by `inboxd serve --hold`.
    #[command(subcommand)]
    Queue(QueueCommand),
    /// Perform the next step of a DKIM key rotation.
    RotateDkim {
        /// Domain: `INBOXD_DOMAIN`, `INBOXD_SIGNUP_DOMAIN` if it is outside `INBOXD_DOMAIN`, or a custom domain.
        domain: String,
    },
    /// Bind the database to the configured secret key after the loss of the previous one.
    AcceptSecretKey {
        /// Confirm. Without this flag the command only lists the losses.
        #[arg(long)]
        yes: bool,
    },
    /// Write the database and the secret key to encrypted files, also while the server runs.
    Backup(BackupOptions),
    /// Restore a backup into an empty database, and hold its queue.
    Restore(RestoreOptions),
    /// Print what happened to the messages of an inbox, oldest first.
    Trace(TraceOptions),
    /// Print sums of the received DMARC and TLS reports about domains of the service and of its customers.
    Reports(ReportOptions),
    /// Read held mail to `postmaster@` and `abuse@`.
    #[command(subcommand)]
    Postmaster(PostmasterCommand),
    /// Show and move contents outside the database.
    #[command(subcommand)]
    Blobs(BlobsCommand),
    /// Print the captured messages, oldest first.
    Captured {
        /// Number of newest messages to print.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Revoke an API key at once in all processes.
    Revoke {
        /// Id of the key, its unique prefix, or the whole key.
        key: String,
    },
}

#[derive(Debug, Subcommand)]
enum BlobsCommand {
    /// Print the objects of each store, and those that wait for their removal.
    Status,
    /// Move contents to the place that the settings name, also while the server runs. An interrupted move continues with the
    /// next one.
    Move {
        /// Maximum number of contents to move.
        #[arg(long)]
        limit: Option<u64>,
        /// Move contents of the configured stores into the database.
        #[arg(long)]
        to_database: bool,
    },
}

#[derive(Debug, Subcommand)]
enum PostmasterCommand {
    /// List held messages, newest first.
    List,
    /// Print one message.
    Show {
        /// Id of the message.
        id: uuid::Uuid,
    },
}

#[derive(Debug, Subcommand)]
enum QueueCommand {
    /// Release the queue for delivery.
    Release,
    /// Drop the work queued before the hold, and release later work.
    Drop {
        /// Confirm. This cannot be undone.
        #[arg(long)]
        yes: bool,
    },
}

/// Runs the command of the command line. A command of the client has exit codes of its own.
pub(crate) fn run() -> Result<ExitCode, Failure> {
    let (cli, matches) = match parse()? {
        ControlFlow::Break(code) => return Ok(code),
        ControlFlow::Continue(command) => command,
    };
    match cli.command {
        Command::Serve { hold } => serve(cli.config, hold)?,
        Command::Config(command) => return configuration::run(&command, cli.config.as_deref()),
        _ => runtime()?.block_on(operate(cli, &matches))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a command of the client and returns its exit code, or returns the command of the server. Most starts of the program
/// are commands of the server, which need no commands of the client; help and mistakes need them all.
fn parse() -> Result<ControlFlow<ExitCode, (Cli, ArgMatches)>, Failure> {
    if let Ok(matches) = Cli::command().try_get_matches() {
        return Ok(ControlFlow::Continue(own_command(matches)));
    }
    let client = CommandLine::new(&document()?);
    let program = client.extend(Cli::command());
    let matches = program.clone().get_matches();
    // A command of the server starts its own runtime.
    if !Cli::command().get_subcommands().any(|own| Some(own.get_name()) == matches.subcommand_name())
        && let Some(code) = runtime()?.block_on(client.run(&program, &matches))
    {
        return Ok(ControlFlow::Break(code));
    }
    Ok(ControlFlow::Continue(own_command(matches)))
}

fn own_command(matches: ArgMatches) -> (Cli, ArgMatches) {
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    (cli, matches)
}

fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().context("cannot start the runtime")
}

/// Opens the ports, changes the account and serves. The runtime starts last, with the rights of the account.
fn serve(file: Option<PathBuf>, hold: bool) -> Result<(), Failure> {
    let (source, mut config) = config::load(file.as_deref())?;
    // Bind before the database starts, so that a port in use fails early.
    let listeners = Listeners::open(&mut config, PassedSockets::take()?)?;
    account::change(&config)?;
    runtime()?.block_on(serve::serve(Start { config, source, file, hold }, listeners))
}

/// Returns the OpenAPI document of the API, from which the commands of the client are made.
fn document() -> Result<serde_json::Value, Failure> {
    serde_json::to_value(inboxd_http::openapi()).context("the OpenAPI document")
}

/// Runs a command of the server.
async fn operate(cli: Cli, matches: &ArgMatches) -> Result<(), Failure> {
    if let Command::Mcp { api_key, .. } = cli.command {
        // It needs no configuration of a server.
        let login = inboxd_cli::resolve_login(matches, api_key).map_err(Failure::new)?;
        return mcp::serve(&login.url, login.api_key).await;
    }
    if let Command::Setup(options) = cli.command {
        // It writes the configuration.
        return setup::run(*options, cli.config.as_deref()).await;
    }
    let (_, config) = config::load(cli.config.as_deref())?;
    match cli.command {
        Command::Migrate => migrate(&config).await,
        Command::Doctor => doctor::examine(&config).await,
        Command::Serve { .. } | Command::Config(_) | Command::Mcp { .. } | Command::Setup(_) => Ok(()),
        Command::Ready { wait } => ready::require_ready(&config, wait).await,
        Command::Admin(AdminCommand::Backup(options)) => backup::backup(&config, options).await,
        Command::Admin(AdminCommand::Restore(options)) => backup::restore(&config, options).await,
        Command::Admin(command) => administer(&config, command).await,
    }
}

async fn migrate(config: &Config) -> Result<(), Failure> {
    Database::open(config, SchemaPolicy::Migrate).await?.close().await
}

async fn administer(config: &Config, command: AdminCommand) -> Result<(), Failure> {
    let mut database = Database::open(config, SchemaPolicy::Require).await?;
    let done = administer_on(config, &mut database, command).await;
    database.close().await?;
    done
}

async fn administer_on(config: &Config, database: &mut Database, command: AdminCommand) -> Result<(), Failure> {
    let keys = services::keys(config)?;
    if let AdminCommand::AcceptSecretKey { yes } = command {
        return admin::accept_secret_key(&database.store, &keys, yes).await;
    }
    database.require_secret_key(&keys, &config.data_dir).await?;
    database.use_blobs(crate::blobs::contents(config, &keys)?);
    let app = services::app(config, database, keys)?;
    let store = database.store.as_ref();
    match command {
        AdminCommand::AcceptSecretKey { .. } | AdminCommand::Backup(_) | AdminCommand::Restore(_) => Ok(()),
        AdminCommand::Blobs(BlobsCommand::Status) => blobs::status(&app, store).await,
        AdminCommand::Blobs(BlobsCommand::Move { limit, to_database }) => {
            blobs::move_contents(&app, store, limit, to_database).await
        }
        AdminCommand::Invite { days } => admin::invite(&app, days).await,
        AdminCommand::Suspend { organization_id, reason } => operators::suspend(&app, organization_id, &reason).await,
        AdminCommand::Resume { organization_id } => operators::resume(&app, organization_id).await,
        AdminCommand::LiftBrake { organization_id } => operators::lift_brake(&app, organization_id).await,
        AdminCommand::Delete { organization_id, yes } => operators::delete(&app, organization_id, yes).await,
        AdminCommand::Keys(KeysCommand::Revoke { key }) => operators::revoke_key(&app, store, &key).await,
        AdminCommand::ReleaseUsername { address, yes } => operators::release_username(&app, store, &address, yes).await,
        AdminCommand::Queue(QueueCommand::Release) => queue::release(store).await,
        AdminCommand::Queue(QueueCommand::Drop { yes }) => queue::drop_held(&app, store, yes).await,
        AdminCommand::Postmaster(PostmasterCommand::List) => postmaster::list(store).await,
        AdminCommand::Postmaster(PostmasterCommand::Show { id }) => postmaster::show(store, id).await,
        AdminCommand::Reports(options) => reports::show(&app, options).await,
        AdminCommand::Trace(options) => trace::show(&app, options).await,
        AdminCommand::Organizations => admin::organizations(&app).await,
        AdminCommand::Plan { organization_id, plan } => admin::plan(&app, organization_id, plan).await,
        AdminCommand::RotateDkim { domain } => admin::rotate_dkim(&app, &domain).await,
        AdminCommand::Captured { limit } => admin::captured(&app, limit).await,
    }
}
