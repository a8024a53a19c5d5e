//! The table of all attacks in `docs/safety.md`.

use std::fmt::Write as _;

use super::attack::Attack;

/// Returns the table.
pub(super) fn of(attacks: &[&Attack]) -> String {
    let mut table = "| Attack | Labels, verdict and reasons | Effect |\n|---|---|---|\n".to_owned();
    let mut group = "";
    for attack in attacks {
        if attack.group != group {
            group = attack.group;
            let _ = writeln!(table, "| **{group}** | | |");
        }
        let _ = writeln!(table, "| {} | {} | {} |", attack.what, attack.outcome, effect(attack));
    }
    table
}

/// Returns what the default settings do about an attack.
fn effect(attack: &Attack) -> &'static str {
    let facts: Vec<&str> = attack.outcome.split(' ').collect();
    let is_noted = facts.iter().any(|fact| !matches!(*fact, "first_contact" | "authenticated_domain" | "mass_mail"));
    match () {
        () if facts.contains(&"refused") => "refused at SMTP",
        () if facts.contains(&"label") => "hidden",
        () if facts.contains(&"suspicious") && attack.hidden.is_empty() => "marked",
        () if facts.contains(&"suspicious") => "marked; left out of text and preview",
        () if !attack.remark.is_empty() => attack.remark,
        () if is_noted => "noted; one doubt does not decide",
        () => "**not recognised**",
    }
}
