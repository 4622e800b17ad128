//! Runs that take long, and samples that take more work than one may.

use super::*;

/// A robot on flat feet. With Poisson's hypothesis it takes substeps, and most samples end as
/// `budget`.
const HUMANOID: &str = include_str!("../golden/feet/dm-humanoid.json");

/// The warning names how many samples ended so, and what needs less work, which then does.
#[test]
fn budget_names_its_remedy() {
    let dir = directory();
    write(&dir, "humanoid.json", HUMANOID);
    let sample = |options: &str| -> (Value, String) {
        let args = "sample humanoid.json -n 128 --device cpu --max-rejected 1 --json";
        let law = "--restitution 0.5 --hypothesis poisson";
        let output = run(&dir, &format!("{args} {law} {options}"));
        let report = serde_json::from_slice(&output.stdout).unwrap();
        (report, text(&output.stderr).to_string())
    };
    let (report, said) = sample("");
    let over = report["status"]["budget"].as_u64().unwrap();
    assert!(over > 16, "{report}");
    let warning = format!("{over} samples ended as `budget`, with the most work");
    assert!(said.contains(&warning) && report["warnings"].to_string().contains(&warning), "{said}");
    for remedy in ["--accuracy 0.01", "--facets 8"] {
        has(&said, remedy.split(' ').next().unwrap());
        let (report, _) = sample(remedy);
        let left = report["status"]["budget"].as_u64().unwrap();
        assert!(2 * left < over, "{remedy:?}: {left} of {over}");
    }
}

/// Cones with facets reach as far as their sampler does, which is `coverage`; a sampler that
/// reaches less is said to.
#[test]
fn samplers_that_reach_less_say_so() {
    let dir = directory();
    let warnings = |options: &str| {
        let report =
            parsed(&dir, &format!("sample cube-on-face -n 300 --device cpu --json {options}"));
        (report["sampler"].as_str().unwrap().to_string(), report["warnings"].to_string())
    };
    for (options, sampler, said) in [
        ("--facets 4", "coverage", None),
        ("--facets 4 --sampler uniform", "uniform", Some("the sampler `uniform` moves all")),
        ("--facets 4 --process steps", "uniform", None),
        ("--sampler sobol", "sobol", Some("the sampler `sobol` moves all contacts at once")),
        ("--sampler uniform:0.5,coverage:0.5", "uniform:0.5,coverage:0.5", None),
        ("--block 0.01", "coverage", Some("blocks last at most 0.0229 N s")),
        ("", "coverage", None),
    ] {
        let (found, warnings) = warnings(options);
        assert!(found == sampler, "{options:?}: {found}");
        match said {
            Some(said) => assert!(warnings.contains(said), "{options:?}: {warnings}"),
            None => assert_eq!(warnings, "[]", "{options:?}"),
        }
    }
}
