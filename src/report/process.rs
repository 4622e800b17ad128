//! Notes of reports on the processes that compute samples.

use carom_law::ProcessKind;

/// The options of a law that do nothing in a process, by their names in JSON.
pub fn idle_options(process: ProcessKind) -> &'static [&'static str] {
    match process {
        ProcessKind::Steps | ProcessKind::Bouncing => &[],
        ProcessKind::Events | ProcessKind::Inclusion => &["solution", "persist"],
        ProcessKind::RandomOrder | ProcessKind::SpatialOrder | ProcessKind::Plain(_) => {
            &["solution", "sampler"]
        }
    }
}

/// Advice on how to choose another process for the problem, where there is one.
pub fn alternative(process: ProcessKind, spatial: bool, faceted: bool) -> Option<&'static str> {
    match process {
        ProcessKind::Inclusion => {
            spatial.then_some("--facets K takes steps by complementarity instead")
        }
        ProcessKind::Steps | ProcessKind::Bouncing if faceted => {
            Some("without --facets the inclusion is integrated instead")
        }
        ProcessKind::Events => {
            Some("--process steps takes the published steps by complementarity instead")
        }
        ProcessKind::Steps => Some("`carom sample --law sequential` takes single impacts instead"),
        ProcessKind::Bouncing => None,
        ProcessKind::RandomOrder | ProcessKind::SpatialOrder => {
            Some("--law routh lets contacts strike at once instead")
        }
        ProcessKind::Plain(kind) => Some(kind.alternative),
    }
}
