//! The command line.

use clap::{Parser, Subcommand};
use inboxd_core::model::{OrganizationId, Plan};

use crate::config::{self, Config};
use crate::failure::Failure;
use crate::{admin, doctor, serve, services};

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
    Serve,
    /// Brings the database to the schema of this version.
    Migrate,
    /// Checks database, ports, DNS records and clock, and says how to mend what is wrong.
    Doctor,
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
    /// Takes the next step from the key that signs mail of a domain to a new one.
    RotateDkim {
        /// The domain: one of the service, or a custom one.
        domain: String,
    },
    /// Prints the mails that capture kept instead of sending, oldest first.
    Captured {
        /// How many of the newest.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
    },
}

/// Does what the command line says.
pub(crate) async fn run() -> Result<(), Failure> {
    let cli = Cli::parse();
    let config = config::load(cli.config.as_deref())?;
    match cli.command {
        Command::Serve => serve::serve(config).await,
        Command::Migrate => migrate(&config).await,
        Command::Doctor => doctor::examine(&config).await,
        Command::Admin(command) => administer(&config, command).await,
    }
}

async fn migrate(config: &Config) -> Result<(), Failure> {
    services::Database::open(config).await?.close().await
}

async fn administer(config: &Config, command: AdminCommand) -> Result<(), Failure> {
    let database = services::Database::open(config).await?;
    let app = services::app(config, &database)?;
    let done = match command {
        AdminCommand::Organizations => admin::organizations(&app).await,
        AdminCommand::Plan { organization_id, plan } => admin::plan(&app, organization_id, plan).await,
        AdminCommand::RotateDkim { domain } => admin::rotate_dkim(&app, &domain).await,
        AdminCommand::Captured { limit } => admin::captured(&app, limit).await,
    };
    database.close().await?;
    done
}
