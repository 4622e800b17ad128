//! Every report and every file says in the same keys what was run.

use super::sample::SPATIAL;
use super::*;

fn report(dir: &Path, args: &str) -> Value {
    reported(dir, &format!("{args} --device cpu"))
}

/// A block that strikes with two corners, in the plane and in space.
fn blocks() -> [Value; 2] {
    let mut planar: Value = serde_json::from_str(BLOCK).unwrap();
    planar.as_object_mut().unwrap().remove("contacts");
    let mut spatial: Value = serde_json::from_str(SPATIAL).unwrap();
    spatial["name"] = json!("block");
    [planar, spatial]
}

/// The problems as problem files and as event files.
fn directory() -> Folder {
    let dir = Folder::new();
    for (name, problem) in ["planar", "spatial"].into_iter().zip(blocks()) {
        write(&dir, &format!("{name}.json"), problem.to_string());
        let mut event = problem;
        event["measured"] = vec![0; event["velocity"].as_array().unwrap().len()].into();
        let events = json!({ "events": [event.clone(), event] });
        write(&dir, &format!("{name}-events.json"), events.to_string());
    }
    dir
}

/// What is the same in all reports of one law on one problem.
const KEYS: &str = "schema_version version coordinates contacts restitution uncertainty \
    kinetic_energy_before law process solution sampler persist facets hypothesis step max_steps \
    device precision seed";

#[test]
fn all_reports_say_alike_what_was_run() {
    let dir = directory();
    let cases = [
        ("planar", "", "exact"),
        ("planar", "--restitution 0.3", "exact"),
        ("spatial", "", "inclusion"),
        ("spatial", "--facets 8", "steps"),
        ("spatial", "--facets 8 --restitution 0.3", "steps"),
    ];
    for (name, options, process) in cases {
        let (file, events) = (format!("{name}.json"), format!("{name}-events.json"));
        let commands = [("sample", &file), ("compare", &file), ("reality", &events)];
        let all = commands.map(|(command, what)| {
            report(&dir, &format!("{command} {what} -n 50 --seed 7 {options}"))
        });
        assert_eq!(all[0]["process"], process, "{name} {options:?}");
        assert_eq!(all[1]["set"]["process"], process, "{name} {options:?}");
        for key in words(KEYS) {
            for other in &all[1..] {
                assert_eq!(other.get(key), all[0].get(key), "{name} {options:?}: {key}");
                assert!(other.get(key).is_some(), "{name} {options:?}: {key}");
            }
        }
        assert!(all.iter().all(|report| report["samples"] == 50 && report["warnings"].is_array()));
        assert_eq!((&all[1]["name"], &all[2]["name"]), (&"block".into(), &events.into()));
    }
    for law in ["sequential", "propagative"] {
        for (command, what) in [("sample", "planar.json"), ("reality", "planar-events.json")] {
            let report = report(&dir, &format!("{command} {what} -n 50 --law {law}"));
            assert_eq!((&report["law"], &report["process"]), (&law.into(), &"random-order".into()));
        }
    }
}

/// With Poisson's hypothesis, events of which one bounces and one does not are sampled by two
/// processes.
#[test]
fn what_differs_from_event_to_event_is_null() {
    let dir = directory();
    let [mut still, _] = blocks();
    still["measured"] = json!([0, 0, 0]);
    let mut bounces = still.clone();
    bounces["restitution"] = json!([0.5, 0.5]);
    let events = json!({ "events": [still, bounces] });
    write(&dir, "mixed.json", events.to_string());
    let options = "-n 50 --hypothesis poisson --sampler uniform";
    let mixed = report(&dir, &format!("reality mixed.json {options}"));
    assert_eq!((&mixed["process"], &mixed["restitution"]), (&Value::Null, &Value::Null));
    assert_eq!((&mixed["hypothesis"], &mixed["sampler"]), (&"poisson".into(), &"uniform".into()));
}

#[test]
fn a_file_says_what_its_report_says() {
    let dir = directory();
    let args = "sample spatial.json -n 50 --seed 7 --out set.npz";
    let report = report(&dir, args);
    let mut archive = crate::support::npz::Npz::open(&dir.join("set.npz"));
    let bytes = archive.array("meta").into_vec::<u8>().unwrap();
    let meta: Value = serde_json::from_slice(&bytes).unwrap();
    assert_eq!(meta["process"], "inclusion");
    for key in words(KEYS) {
        assert_eq!(meta.get(key), report.get(key), "{key}");
    }
}

/// Laws with finitely many outcomes have no process, no samples and no seed, but options.
#[test]
fn a_resolved_law_states_its_options() {
    let dir = directory();
    let resolve = |args: &str| parsed(&dir, &format!("resolve planar.json --json --law {args}"));
    let report = resolve("sequential --order 1,0");
    assert_eq!((&report["law"], &report["order"]), (&"sequential".into(), &json!([1, 0])));
    for key in ["process", "samples", "seed", "device"] {
        assert!(report.get(key).is_none(), "{key}");
    }
    let report = resolve("propagative --sequences minimal --max-length 4");
    assert_eq!((&report["sequences"], &report["max_length"]), (&"minimal".into(), &4.into()));
}

/// Where no sampler is named, rates are those of `coverage`, and of the published algorithm where
/// that is asked for.
#[test]
fn the_sampler_is_stated_and_follows_what_is_asked_for() {
    let dir = directory();
    let cases = [
        ("sample planar.json", "coverage"),
        ("sample spatial.json", "coverage"),
        ("sample planar.json --process exact", "coverage"),
        ("sample planar.json --persist 1 --solution random", "coverage"),
        ("sample planar.json --process steps", "uniform"),
        ("sample planar.json --solution lemke", "uniform"),
        ("sample planar.json --persist 3", "uniform"),
        ("sample spatial.json --facets 8", "coverage"),
        ("sample spatial.json --facets 8 --process steps", "uniform"),
        ("sample planar.json --law sequential", "uniform"),
        ("sample planar.json --process steps --sampler coverage", "coverage"),
        ("sample planar.json --sampler uniform", "uniform"),
        ("sample planar.json --sampler sobol", "sobol"),
        ("sample spatial.json --sampler uniform:0.2,coverage:0.8", "uniform:0.2,coverage:0.8"),
        ("compare planar.json", "coverage"),
        ("compare spatial.json --facets 8", "coverage"),
        ("compare planar.json --sampler uniform:0.2,coverage:0.8", "uniform:0.2,coverage:0.8"),
        ("reality planar-events.json", "coverage"),
        ("reality planar-events.json --sampler uniform", "uniform"),
    ];
    for (args, sampler) in cases {
        let found = report(&dir, &format!("{args} -n 50"));
        assert_eq!(found["sampler"], sampler, "{args:?}");
    }
    let plot = "plot planar.json -o set.svg -n 50 --sampler sobol";
    assert_eq!(run(&dir, plot).status.code(), Some(0));
    let other = "plot planar.json -o x.svg --law propagative --sampler sobol";
    assert_eq!(run(&dir, other).status.code(), Some(2));
}
