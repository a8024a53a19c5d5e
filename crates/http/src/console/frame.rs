//! What surrounds each page: navigation, form token, notice.

use inboxd_core::model::{Permission, Role};

use super::call::ConsoleCall;
use super::notice::Notice;
use crate::oauth::{organization_title, unconfirmed_warning};
use crate::pages::theme;

/// Part of the console that a page belongs to; the navigation marks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    None,
    Mail,
    Drafts,
    ApiKeys,
    Connections,
    Events,
    Members,
    Pods,
    Domains,
    Webhooks,
    Lists,
    Audit,
    Usage,
    Settings,
    Operator,
}

impl Section {
    /// Returns the group of the navigation.
    fn group(self) -> u8 {
        match self {
            Self::None | Self::Mail | Self::Drafts => 0,
            Self::Connections | Self::ApiKeys | Self::Events | Self::Webhooks => 1,
            Self::Operator => 3,
            _ => 2,
        }
    }
}

/// A link of the navigation.
pub(crate) struct NavigationLink {
    pub(crate) href: &'static str,
    pub(crate) label: &'static str,
    pub(crate) is_current: bool,
    /// Whether the link begins another group: mail, agents, the organization, the server.
    pub(crate) is_apart: bool,
}

/// What surrounds a page.
pub(crate) struct Frame {
    /// Title of the page, also its heading.
    pub(crate) title: String,
    /// Token for the forms of the page.
    pub(crate) csrf_token: String,
    /// Address of the person.
    pub(crate) email: String,
    /// Name of the organization.
    pub(crate) organization: String,
    /// Whether the person may have, or make, another organization.
    pub(crate) has_choice: bool,
    /// Words about an organization whose owner address is not confirmed.
    pub(crate) warning: Option<String>,
    pub(crate) links: Vec<NavigationLink>,
    /// Words about the form that led to the page.
    pub(crate) notice: Option<Notice>,
    /// Path of the page, to which a choice of colours returns.
    pub(crate) path: String,
    /// Chosen colours; `None` for those of the system.
    pub(crate) theme: Option<&'static str>,
    /// Paths of the stylesheet and the scripts.
    pub(crate) assets: &'static super::assets::AssetPaths,
}

/// The navigation: section, path, label, and the permission without which the link is absent.
const LINKS: [(Section, &str, &str, Option<Permission>); 13] = [
    (Section::Mail, "/console", "Mail", None),
    (Section::Drafts, "/console/drafts", "Drafts", Some(Permission::DraftRead)),
    (Section::Connections, "/console/connections", "Connections", None),
    (Section::ApiKeys, "/console/api-keys", "API keys", Some(Permission::ApiKeyRead)),
    (Section::Events, "/console/events", "Events", Some(Permission::EventRead)),
    (Section::Webhooks, "/console/webhooks", "Webhooks", Some(Permission::WebhookRead)),
    (Section::Domains, "/console/domains", "Domains", Some(Permission::DomainRead)),
    (Section::Lists, "/console/lists", "Lists", Some(Permission::ListEntryRead)),
    (Section::Members, "/console/members", "Members", Some(Permission::MemberRead)),
    (Section::Pods, "/console/pods", "Pods", Some(Permission::PodRead)),
    (Section::Audit, "/console/audit", "Audit", Some(Permission::AuditRead)),
    (Section::Usage, "/console/usage", "Usage", Some(Permission::MetricsRead)),
    (Section::Settings, "/console/settings", "Settings", None),
];

/// The link to the pages of the operator.
const OPERATOR: (Section, &str, &str, Option<Permission>) = (Section::Operator, "/console/operator", "Operator", None);

impl Frame {
    /// Returns what surrounds a page of a person.
    pub(super) fn new(call: &ConsoleCall, section: Section, title: String) -> Self {
        let is_offered = |permission: Option<Permission>| permission.is_none_or(|permission| call.may(permission));
        let links = LINKS.into_iter().filter(|(.., permission)| is_offered(*permission));
        let mut group = Section::Mail.group();
        let links = links.chain(call.is_operator().then_some(OPERATOR)).map(|(of, href, label, _)| {
            let before = std::mem::replace(&mut group, of.group());
            NavigationLink { href, label, is_current: of == section, is_apart: before != group }
        });
        let is_own = call.caller.organization.is_verified()
            && call.caller.member.as_ref().is_some_and(|member| member.role == Role::Owner);
        Self {
            title,
            csrf_token: call.browser().form_token(call.state()),
            email: call.browser().session.email.to_string(),
            organization: organization_title(&call.caller.organization),
            has_choice: call.memberships().len() > 1 || !is_own,
            warning: unconfirmed_warning(&call.caller.organization),
            links: links.collect(),
            notice: call.query.one("notice").and_then(Notice::named),
            path: path_of(call),
            theme: theme::chosen(call.request(), call.state().is_https()),
            assets: super::assets::paths(),
        }
    }
}

/// Returns the path of a page with its query string, unless that holds a notice, which is shown once.
fn path_of(call: &ConsoleCall) -> String {
    let uri = call.request().uri();
    let whole = uri.path_and_query().filter(|_| call.query.one("notice").is_none());
    whole.map_or_else(|| uri.path().to_owned(), ToString::to_string)
}
