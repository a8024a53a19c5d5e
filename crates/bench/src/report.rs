//! Report of figures, peers and requirements.

use std::fmt;

/// Requirement of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Requirement {
    /// Our figure is at least so many times the peer's.
    Times(f64),
    /// Our figure is at most so many times the peer's.
    Within(f64),
    /// Our figure is below this.
    Under(f64),
    /// Our figure is below this, or so many times below the peer's.
    UnderOr(f64, f64),
    /// No requirement: the figure is informative.
    Nothing,
}

/// Figures of several rounds, with those of a peer in the same rounds.
#[derive(Debug)]
pub(crate) struct ReportRow {
    name: String,
    unit: &'static str,
    peer: String,
    rounds: Vec<(f64, Option<f64>)>,
    demand: Requirement,
}

impl ReportRow {
    /// Returns a row without figures.
    pub(crate) fn new(
        name: impl Into<String>,
        unit: &'static str,
        peer: impl Into<String>,
        demand: Requirement,
    ) -> Self {
        Self { name: name.into(), unit, peer: peer.into(), rounds: Vec::new(), demand }
    }

    /// Adds the figures of a round. `None` means that the peer could not be measured.
    pub(crate) fn add(&mut self, ours: f64, peer: impl Into<Option<f64>>) {
        self.rounds.push((ours, peer.into()));
    }

    /// Returns our median.
    pub(crate) fn median(&self) -> f64 {
        Spread::of(self.rounds.iter().map(|(ours, _)| *ours)).median
    }

    /// Returns whether the requirement is met. `None` without a requirement or a peer.
    fn is_met(&self) -> Option<bool> {
        let ours = self.median();
        let ratio = self.ratio().map(|ratio| ratio.median);
        match self.demand {
            Requirement::Times(least) => ratio.map(|ratio| ratio >= least),
            Requirement::Within(most) => ratio.map(|ratio| ratio <= most),
            Requirement::Under(most) => Some(ours < most),
            Requirement::UnderOr(most, times) if ours >= most => ratio.map(|ratio| ratio * times <= 1.0),
            Requirement::UnderOr(..) => Some(true),
            Requirement::Nothing => None,
        }
    }

    /// Returns the ratio to the peer for each round, because both drift with the machine.
    fn ratio(&self) -> Option<Spread> {
        let ratios: Option<Vec<f64>> = self.rounds.iter().map(|(ours, peer)| peer.map(|peer| ours / peer)).collect();
        ratios.filter(|ratios| !ratios.is_empty()).map(|ratios| Spread::of(ratios.into_iter()))
    }
}

impl fmt::Display for ReportRow {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, unit, peer, .. } = self;
        let ours = Spread::of(self.rounds.iter().map(|(ours, _)| *ours));
        write!(formatter, "  {name:<58} {:>9} {unit:<8}", figure(ours.median))?;
        if let Some(ratio) = self.ratio() {
            let theirs = Spread::of(self.rounds.iter().filter_map(|(_, peer)| *peer));
            write!(formatter, " {peer}: {}, ratio {ratio}", figure(theirs.median))?;
        } else if peer.is_empty() {
            write!(formatter, " ({} – {})", figure(ours.least), figure(ours.most))?;
        } else {
            write!(formatter, " ({} – {}), {peer}: not measured", figure(ours.least), figure(ours.most))?;
        }
        let demand = match self.demand {
            Requirement::Times(least) => format!("at least {least}"),
            Requirement::Within(most) => format!("within {most} ×"),
            Requirement::Under(most) => format!("under {most} {unit}"),
            Requirement::UnderOr(most, times) => format!("under {most} {unit}, or {times} ×"),
            Requirement::Nothing => return Ok(()),
        };
        let verdict = match self.is_met() {
            Some(true) => "met",
            Some(false) => "NOT MET",
            None => "not known",
        };
        write!(formatter, "; {demand}: {verdict}")
    }
}

/// Prints rows below a heading.
pub(crate) fn print(heading: &str, rows: &[ReportRow]) {
    let rounds = rows.iter().map(|row| row.rounds.len()).max().unwrap_or_default();
    println!("{heading}   median of {rounds} rounds, ours first (least – most)");
    for row in rows {
        println!("{row}");
    }
}

/// Median, minimum and maximum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
}

impl Spread {
    /// Returns the spread of figures, NaN without figures.
    pub(crate) fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = figures.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        Self { median: at(sorted.len() / 2), least: at(0), most: at(sorted.len().saturating_sub(1)) }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({} – {})", figure(self.median), figure(self.least), figure(self.most))
    }
}

/// Formats three significant digits, or all digits of a large number.
fn figure(value: f64) -> String {
    let digits = match value.abs() {
        large if large >= 100.0 => 0,
        medium if medium >= 10.0 => 1,
        small if small >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(demand: Requirement, rounds: &[(f64, Option<f64>)]) -> ReportRow {
        let mut row = ReportRow::new("row", "ms", "peer", demand);
        for (ours, peer) in rounds {
            row.add(*ours, *peer);
        }
        row
    }

    #[test]
    fn median_ratio_decides_requirement() {
        let rounds = [(10.0, Some(1.0)), (60.0, Some(10.0)), (1.0, Some(1.0))];
        assert_eq!(row(Requirement::Times(6.0), &rounds).is_met(), Some(true));
        assert_eq!(row(Requirement::Times(6.1), &rounds).is_met(), Some(false));
        assert_eq!(row(Requirement::Within(6.0), &rounds).is_met(), Some(true));
        assert_eq!(row(Requirement::Within(5.0), &rounds).is_met(), Some(false));
    }

    #[test]
    fn unmeasured_peer_has_no_ratio() {
        let rounds = [(1.0, Some(1.0)), (1.0, None)];
        assert_eq!(row(Requirement::Times(1.0), &rounds).is_met(), None);
        assert!(row(Requirement::Times(1.0), &rounds).to_string().contains("not measured"));
        assert_eq!(row(Requirement::Under(2.0), &rounds).is_met(), Some(true));
    }

    #[test]
    fn slow_figure_far_below_peer_meets_requirement() {
        let demand = Requirement::UnderOr(5.0, 80.0);
        assert_eq!(row(demand, &[(6.0, Some(500.0))]).is_met(), Some(true));
        assert_eq!(row(demand, &[(6.0, Some(300.0))]).is_met(), Some(false));
        assert_eq!(row(demand, &[(6.0, None)]).is_met(), None);
        assert_eq!(row(demand, &[(4.0, None)]).is_met(), Some(true));
    }
}
