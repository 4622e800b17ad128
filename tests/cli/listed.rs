//! Reports that list a part say how much they leave out.

use super::*;

/// What a command prints for people, and its report.
fn both(args: &str) -> (String, Value) {
    (done(Path::new("."), args), reported(Path::new("."), args))
}

fn length(report: &Value, at: &str) -> usize {
    report.pointer(at).unwrap_or_else(|| panic!("{at}")).as_array().unwrap().len()
}

/// Lines that begin so, and what stands below them with the same indent.
fn below<'a>(shown: &'a str, head: &str) -> Vec<&'a str> {
    let mut lines = shown.lines().skip_while(|line| !line.starts_with(head));
    let first = lines.next().unwrap_or_else(|| panic!("{head}\n{shown}"));
    let rest = lines.take_while(|line| line.starts_with("        "));
    [first].into_iter().chain(rest).collect()
}

#[test]
fn rounds_and_changes_of_friction_of_plus() {
    // [USD15] Table 2 and Fig. 11: five rounds, four points.
    let (shown, report) = both("resolve ball-row --law plus --restitution 1");
    let rounds = below(&shown, "rounds");
    assert_eq!((rounds.len(), length(&report, "/solutions/0/details/rounds")), (5, 5), "{shown}");
    assert!(rounds[4].contains("OOOE: 1 interval, normal impulses 0, 0, 0, 1 N s"), "{shown}");
    let (shown, report) = both("resolve brick-flat --law plus");
    let changes = below(&shown, "friction");
    let all = length(&report, "/solutions/0/details/transitions");
    assert_eq!((changes.len(), all), (4, 4), "{shown}");
    // More than are listed.
    let (shown, report) = both("resolve ball-row --law plus --restitution 0.9");
    let more = length(&report, "/solutions/0/details/rounds") - 20;
    let rounds = below(&shown, "rounds");
    assert_eq!(rounds.len(), 21, "{shown}");
    assert!(rounds[20].ends_with(&format!("and {more} more; --json has them all")), "{shown}");
}

#[test]
fn contacts_of_sequences_and_columns_of_outcomes() {
    let (shown, report) = both("resolve box-pile --law sequential");
    let sequence = length(&report, "/solutions/0/sequence");
    let row = shown.lines().skip_while(|line| !line.starts_with("solutions;")).nth(2).unwrap();
    assert!(row.ends_with(&format!(" and {} more", sequence - 12)), "{row}");
    let distinct = report["distinct"].as_u64().unwrap();
    let head = shown.lines().find(|line| line.starts_with("velocity, SI units")).unwrap();
    assert!(head.ends_with(&format!("outcome 5  and {} more", distinct - 6)), "{head}");
}

#[test]
fn times_of_copies() {
    let (shown, report) = both("simulate ellipsoid --perturb 3 --device cpu --steps 500");
    let times = length(&report, "/perturbation/distance");
    let said = format!("one of {} times is shown; --json has all {times}", times.div_ceil(10));
    assert!(shown.contains(&said), "{said}\n{shown}");
}
