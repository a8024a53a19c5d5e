//! Command line.

use clap::{Parser, Subcommand};
use inboxd_core::model::{OrganizationId, Plan};

use crate::admin::{self, operators, postmaster, queue};
use crate::config::{self, Config};
use crate::failure::Failure;
use crate::services::{Database, SchemaPolicy};
use crate::{doctor, mcp, serve, services};

/// Real email inboxes for AI agents.
#[derive(Debug, Parser)]
#[command(name = "inboxd", version)]
struct Cli {
    /// A TOML file with the same keys as the environment; the environment wins.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<std::path::PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serves the API and receives mail, until SIGTERM or Ctrl-C.
    Serve {
        /// Holds outgoing mail, scheduled drafts and webhook deliveries, in this process and all others, until
        /// `inboxd admin queue` releases or drops them: for a backup that was restored.
        #[arg(long)]
        hold: bool,
    },
    /// Brings the database to the schema of this version.
    Migrate,
    /// Checks database, ports, DNS records and clock, and says how to mend what is wrong.
    Doctor,
    /// Serves the MCP tools of a running inboxd over standard input and output, for clients that start a program.
    Mcp {
        /// The base URL of the inboxd.
        #[arg(long, default_value = mcp::DEFAULT_URL)]
        url: String,
        /// An API key; without this, that of the environment variable INBOXD_API_KEY, which other users cannot see.
        #[arg(long, value_name = "KEY")]
        api_key: Option<String>,
    },
    /// For operators.
    #[command(subcommand)]
    Admin(AdminCommand),
}

#[derive(Debug, Subcommand)]
enum AdminCommand {
    /// Lists every organization.
    Organizations,
    /// Sets the plan of an organization: free, startup, business or enterprise.
    Plan {
        /// The organization.
        organization_id: OrganizationId,
        /// Its plan from now on.
        plan: Plan,
    },
    /// Suspends an organization: it reads, sends nothing, and mail to it is deferred.
    Suspend {
        /// The organization.
        organization_id: OrganizationId,
        /// Why, in one line: every refusal shows it, to its callers and to those who send it mail.
        #[arg(long)]
        reason: String,
    },
    /// Resumes a suspended organization.
    Resume {
        /// The organization.
        organization_id: OrganizationId,
    },
    /// Deletes an organization with everything it has.
    Delete {
        /// The organization.
        organization_id: OrganizationId,
        /// Do it; it cannot be undone.
        #[arg(long)]
        yes: bool,
    },
    /// Acts on API keys.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Releases the address of a deleted inbox, so that it can be minted again.
    ReleaseUsername {
        /// The address; without an `@`, the username on the domains of the service.
        address: String,
        /// Do it: whoever mints it next gets mail that is meant for the inbox before.
        #[arg(long)]
        yes: bool,
    },
    /// Acts on a queue that `inboxd serve --hold` holds.
    #[command(subcommand)]
    Queue(QueueCommand),
    /// Takes the next step from the key that signs mail of a domain to a new one.
    RotateDkim {
        /// The domain: that of `INBOXD_DOMAIN`, that of `INBOXD_SIGNUP_DOMAIN` where it lies elsewhere, or a custom one.
        domain: String,
    },
    /// Makes the secret key of this configuration the one that this database is used with, after the one before was lost.
    AcceptSecretKey {
        /// Do it; without this, it only says what is lost.
        #[arg(long)]
        yes: bool,
    },
    /// Reads the mail to `postmaster@` and `abuse@` that no inbox receives.
    #[command(subcommand)]
    Postmaster(PostmasterCommand),
    /// Prints the mails that capture kept instead of sending, oldest first.
    Captured {
        /// How many of the newest.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Revokes an API key, at once and everywhere.
    Revoke {
        /// Its id, or a prefix that no other key has.
        key: String,
    },
}

#[derive(Debug, Subcommand)]
enum PostmasterCommand {
    /// Lists what is held, newest first.
    List,
    /// Prints one message.
    Show {
        /// Its id.
        id: uuid::Uuid,
    },
}

#[derive(Debug, Subcommand)]
enum QueueCommand {
    /// Sends what waits.
    Release,
    /// Gives up what was queued before the hold, and sends what came since.
    Drop {
        /// Do it; it cannot be undone.
        #[arg(long)]
        yes: bool,
    },
}

/// Does what the command line says.
pub(crate) async fn run() -> Result<(), Failure> {
    let cli = Cli::parse();
    if let Command::Mcp { url, api_key } = cli.command {
        // It needs no configuration of a server.
        return mcp::serve(&url, api_key).await;
    }
    let config = config::load(cli.config.as_deref())?;
    match cli.command {
        Command::Serve { hold } => serve::serve(config, hold).await,
        Command::Migrate => migrate(&config).await,
        Command::Doctor => doctor::examine(&config).await,
        Command::Mcp { .. } => Ok(()),
        Command::Admin(command) => administer(&config, command).await,
    }
}

async fn migrate(config: &Config) -> Result<(), Failure> {
    Database::open(config, SchemaPolicy::Migrate).await?.close().await
}

async fn administer(config: &Config, command: AdminCommand) -> Result<(), Failure> {
    let database = Database::open(config, SchemaPolicy::Require).await?;
    let done = administer_on(config, &database, command).await;
    database.close().await?;
    done
}

async fn administer_on(config: &Config, database: &Database, command: AdminCommand) -> Result<(), Failure> {
    let keys = services::keys(config)?;
    if let AdminCommand::AcceptSecretKey { yes } = command {
        return admin::accept_secret_key(&database.store, &keys, yes).await;
    }
    database.require_secret_key(&keys, &config.data_dir).await?;
    let app = services::app(config, database, keys)?;
    let store = database.store.as_ref();
    match command {
        AdminCommand::AcceptSecretKey { .. } => Ok(()),
        AdminCommand::Suspend { organization_id, reason } => operators::suspend(&app, organization_id, &reason).await,
        AdminCommand::Resume { organization_id } => operators::resume(&app, organization_id).await,
        AdminCommand::Delete { organization_id, yes } => operators::delete(&app, organization_id, yes).await,
        AdminCommand::Keys(KeysCommand::Revoke { key }) => operators::revoke_key(&app, store, &key).await,
        AdminCommand::ReleaseUsername { address, yes } => operators::release_username(&app, store, &address, yes).await,
        AdminCommand::Queue(QueueCommand::Release) => queue::release(store).await,
        AdminCommand::Queue(QueueCommand::Drop { yes }) => queue::drop_held(&app, store, yes).await,
        AdminCommand::Postmaster(PostmasterCommand::List) => postmaster::list(store).await,
        AdminCommand::Postmaster(PostmasterCommand::Show { id }) => postmaster::show(store, id).await,
        AdminCommand::Organizations => admin::organizations(&app).await,
        AdminCommand::Plan { organization_id, plan } => admin::plan(&app, organization_id, plan).await,
        AdminCommand::RotateDkim { domain } => admin::rotate_dkim(&app, &domain).await,
        AdminCommand::Captured { limit } => admin::captured(&app, limit).await,
    }
}
