//! `--model`: what samples of a model say that they are, and what is refused beside it.

use std::path::Path;

use carom_engine::Plan;
use serde_json::{Value, json};

use super::support::events::{file, some_events};
use super::{directory, refused, run, text};

/// A model with noise after the impact.
pub const MODEL: &str = "\
schema_version = 1
friction = [0.2, 0.4]
restitution = [0.1, 0.3]
noise = 0.05
before = 0.01
block = 0.5

[law]
law = \"routh\"
process = \"events\"
";

/// A directory with a model.
pub fn folder() -> tempfile::TempDir {
    let dir = directory();
    std::fs::write(dir.path().join("model.toml"), MODEL).unwrap();
    dir
}

const SAMPLE: [&str; 7] =
    ["sample", "rocking-block", "-n", "300", "--device=cpu", "--model", "model.toml"];

fn done(dir: &Path, args: &[&str]) -> String {
    let output = run(dir, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    text(&output.stdout)
}

fn json_of(dir: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&done(dir, &[args, &["--json"]].concat())).unwrap()
}

#[test]
fn reports_say_whether_samples_are_forecasts() {
    let dir = folder();
    let said = done(dir.path(), &SAMPLE);
    assert!(said.contains("model.toml: forecasts, not outcomes of the law alone"), "{said}");
    assert!(said.contains("contact modes met by the outcomes of the law"), "{said}");
    let forecasts = json_of(dir.path(), &SAMPLE);
    assert_eq!(
        (&forecasts["model"], &forecasts["forecasts"]),
        (&json!("model.toml"), &json!(true))
    );
    assert_eq!(forecasts["law"], "routh");
    assert_eq!(forecasts["uncertainty"]["friction"], json!([[0.2, 0.4]]));
    assert_eq!(forecasts["uncertainty"]["noise"], 0.01);

    let lawful = json_of(dir.path(), &[&SAMPLE[..], &["--law-only"]].concat());
    assert_eq!(lawful["forecasts"], false);
    assert_ne!(lawful["velocity"], forecasts["velocity"]);
    for key in ["status", "steps", "residual_max", "accepted", "modes", "step"] {
        assert_eq!(lawful[key], forecasts[key], "{key}");
    }
    let said = done(dir.path(), &[&SAMPLE[..], &["--law-only"]].concat());
    assert!(said.contains("model.toml: outcomes of its law\n"), "{said}");
}

/// The law and the uncertain numbers of the model by hand give the outcomes of `--law-only`.
#[test]
fn law_only_is_the_law_under_the_ranges() {
    let dir = folder();
    let lawful = json_of(dir.path(), &[&SAMPLE[..], &["--law-only"]].concat());
    let mut by_hand = json_of(
        dir.path(),
        &[
            &SAMPLE[..5],
            &["--block=0.5", "--process=events"],
            &["--uncertainty=mu=0.2..0.4,e=0.1..0.3,noise=0.01"],
        ]
        .concat(),
    );
    for key in ["model", "forecasts", "seconds"] {
        by_hand[key] = lawful[key].clone();
    }
    assert_eq!(lawful, by_hand);
}

#[test]
fn what_the_model_has_is_refused_beside_it() {
    let dir = folder();
    let own: &[(&str, &str)] = &[
        ("--law=routh", "--law"),
        ("--restitution=0.5", "--restitution"),
        ("--uncertainty=mu=0.1..0.2", "--uncertainty"),
        ("--step=0.1", "--step"),
        ("--sampler=uniform", "--sampler"),
    ];
    for (option, name) in own {
        let args = [&SAMPLE[..], &[*option]].concat();
        refused(dir.path(), &args, 2, &[name, "the model has its own law"]);
        let judged = ["reality", "events.json", "--model", "model.toml", option];
        refused(dir.path(), &judged, 2, &[name, "the model has its own law"]);
    }
    // What is not the model's stays the user's.
    let args = [&SAMPLE[..], &["--seed=4", "--precision=f32", "--threads=2"]].concat();
    assert_eq!(json_of(dir.path(), &args)["precision"], "f32");
}

#[test]
fn wrong_models_are_refused_with_their_place() {
    let dir = folder();
    let of = |name: &str, content: &str| {
        std::fs::write(dir.path().join(name), content).unwrap();
        name.to_string()
    };
    let unknown = of("unknown.toml", "frction = [0.1, 0.2]\n");
    let wrong = of("wrong.toml", "friction = [0.4, 0.2]\n");
    let posed = of("posed.toml", "gap = 0.01\n");
    let heavy = of("heavy.toml", "inertia = 1.2\n");
    let plain = of("plain.toml", "friction = [0.1, 0.2]\n");
    let sample = |model: &str| -> Vec<String> {
        ["sample", "box-and-wall", "-n", "10", "--model", model].map(String::from).to_vec()
    };
    let cases: &[(&str, i32, &[&str])] = &[
        ("none.toml", 3, &["--model", "none.toml", "does not exist"]),
        (&unknown, 3, &["unknown.toml", "frction"]),
        (&wrong, 3, &["wrong.toml", "friction", "0 <= A <= B"]),
    ];
    for (model, code, words) in cases {
        let args = sample(model);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        refused(dir.path(), &args, *code, words);
    }
    // Several bodies have no rotational inertia of one.
    refused(
        dir.path(),
        &["sample", "disk-stack", "-n", "10", "--model", &heavy],
        3,
        &["inertia", "free body"],
    );
    let without_gaps = ["sample", "block.json", "--model", &posed];
    refused(dir.path(), &without_gaps, 2, &["--model", "gaps", "`gap`"]);
    refused(dir.path(), &["sample", "box-and-wall", "--law-only"], 2, &["--law-only", "model"]);
    // A model that adds nothing has outcomes of its law.
    let args = sample(&plain);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    assert_eq!(json_of(dir.path(), &args)["forecasts"], false);
}

/// A model that was fitted to impacts at one contact is used at two: every command says so, in the
/// report and on stderr.
#[test]
fn other_numbers_of_contacts_are_warned_of_everywhere() {
    let dir = folder();
    let write = |name: &str, line: &str| {
        std::fs::write(
            dir.path().join(name),
            MODEL.replace("friction", &format!("{line}\nfriction")),
        )
        .unwrap();
    };
    write("one.toml", "events = 5\ncontacts = [[1, 5]]");
    write("two.toml", "events = 5\ncontacts = [[2, 5]]");
    write("old.toml", "events = 5");
    let other = "fitted to events with 1 contact (5), and is used with 2 contacts";
    let warned = |args: &[&str], words: &str| {
        let output = run(dir.path(), &[args, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let warnings = report["warnings"].as_array().unwrap_or_else(|| panic!("{report}"));
        let shown = text(&output.stderr);
        if words.is_empty() {
            assert!(
                warnings.is_empty() && !shown.contains("warning: the model"),
                "{report} {shown}"
            );
            return;
        }
        let said = |warning: &Value| warning.as_str().unwrap().contains(words);
        assert!(warnings.iter().any(said), "{args:?} {warnings:?}");
        assert!(shown.contains("warning: the model") && shown.contains(words), "{args:?} {shown}");
    };
    let of = |model: &'static str| ["--model", model, "-n", "64", "--device=cpu"];
    for command in [&["sample", "rocking-block"][..], &["query", "rocking-block", "extents"]] {
        warned(&[command, &of("one.toml")].concat(), other);
        warned(&[command, &of("old.toml")].concat(), "does not say how many contacts");
        warned(&[command, &of("two.toml")].concat(), "");
    }
    warned(&["sample", "rocking-block", "--law-only", "--model=one.toml", "-n64"], other);
    warned(&["replay", "rocking-block", "--sample=3", "--model=one.toml"], other);
    // An event with one contact and two with two.
    let plan = Plan { samples: 64, seed: 2, ..Plan::default() };
    std::fs::write(dir.path().join("events.json"), file(&some_events(&plan))).unwrap();
    let reality = ["reality", "events.json"];
    warned(&[&reality[..], &of("one.toml")].concat(), "used with 2 contacts (2 of 3)");
    warned(&[&reality[..], &of("two.toml")].concat(), "used with 1 contact (1 of 3)");
    let motion = ["simulate", "falling-block", "--steps=400"];
    warned(&[&motion[..], &["--model=two.toml"]].concat(), "used with 1 contact");
    {
        let plan =
            "problem = \"rocking-block\"\nsamples = 10\nstates = 2\n[law]\nmodel = \"one.toml\"\n";
        std::fs::write(dir.path().join("plan.toml"), plan).unwrap();
        warned(&["dataset", "plan.toml", "--dry-run"], other);
        warned(&["dataset", "plan.toml", "-o", "made"], other);
        let about = std::fs::read_to_string(dir.path().join("made/dataset.json")).unwrap();
        let card = std::fs::read_to_string(dir.path().join("made/README.md")).unwrap();
        assert!(about.contains(other) && card.contains(other), "{about}\n{card}");
    }
}

#[test]
fn what_outcomes_alone_have_is_refused() {
    let dir = folder();
    let with = |more: &[&str]| -> Vec<String> {
        SAMPLE.iter().chain(more).map(|word| word.to_string()).collect()
    };
    for more in [&["--explore=0.5"][..], &["--jacobian", "--out=x.npz"]] {
        let args = with(more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        refused(dir.path(), &args, 2, &["forecasts"]);
    }
}

/// Questions to a scene are about the set of the model's law, and so is the path of a sample.
#[test]
fn questions_and_paths_are_about_the_law() {
    let dir = folder();
    let model = ["--model=model.toml", "-n", "300", "--device=cpu"];
    let asked = ["query", "rocking-block", "extents"];
    let set = json_of(dir.path(), &[&asked[..], &model].concat());
    assert_eq!((&set["model"], &set["forecasts"]), (&json!("model.toml"), &json!(false)));
    let lawful = json_of(dir.path(), &[&SAMPLE[..], &["--law-only"]].concat());
    assert_eq!(
        (&set["min"], &set["max"]),
        (&lawful["velocity"]["min"], &lawful["velocity"]["max"])
    );
    let path =
        json_of(dir.path(), &["replay", "rocking-block", "--sample=3", "--model=model.toml"]);
    assert_eq!(path["forecasts"], false);
}

/// A model whose ranges have no width moves a mechanism as its law does with these numbers; noise
/// and dress are left out, and reports say so.
#[test]
fn impacts_of_a_motion_are_outcomes_of_the_law() {
    let dir = folder();
    let certain = "friction = [1, 1]\nnoise = 0.1\n[law]\nlaw = \"routh\"\n";
    std::fs::write(dir.path().join("certain.toml"), certain).unwrap();
    let args = ["simulate", "falling-block"];
    let file = json_of(dir.path(), &args);
    let found = json_of(dir.path(), &[&args[..], &["--model=certain.toml"]].concat());
    assert!(file["collision_count"].as_u64().unwrap() > 0);
    assert_eq!(found["collision_count"], file["collision_count"]);
    let end = |report: &Value| -> Vec<f64> {
        serde_json::from_value(report["state"]["position"].clone()).unwrap()
    };
    for (a, b) in end(&found).iter().zip(end(&file)) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    assert_eq!((&found["model"], &found["forecasts"]), (&json!("certain.toml"), &json!(false)));
    let wide = json_of(dir.path(), &[&args[..], &["--model=model.toml"]].concat());
    assert_ne!(wide["state"], file["state"]);
    let said = done(dir.path(), &[&args[..], &["--model=model.toml"]].concat());
    assert!(said.contains("model.toml: outcomes of its law at each impact"), "{said}");
    let futures = ["--branch=2", "--branch-samples=64", "--model=model.toml"];
    done(dir.path(), &[&args[..], &futures].concat());
    refused(dir.path(), &["simulate", "ellipsoid", "--model=model.toml"], 2, &["--model"]);
    refused(dir.path(), &["simulate", "falling-block", "--model=none.toml"], 3, &["exist"]);
}

#[test]
fn files_say_that_samples_are_forecasts() {
    let dir = folder();
    done(dir.path(), &[&SAMPLE[..], &["--out", "samples.npz", "-o", "samples.svg"]].concat());
    let drawn = std::fs::read_to_string(dir.path().join("samples.svg")).unwrap();
    assert!(drawn.contains("forecasts, not outcomes of the law alone"));
    let extents = json_of(dir.path(), &["query", "samples.npz", "extents"]);
    assert_eq!((&extents["model"], &extents["forecasts"]), (&json!("model.toml"), &json!(true)));
    let forecasts = json_of(dir.path(), &SAMPLE);
    assert_eq!(extents["min"], forecasts["velocity"]["min"]);
    refused(dir.path(), &["query", "samples.npz", "modes"], 2, &["forecasts", "--law-only"]);
}

/// A plan names a model relative to its folder, and the rows are those of `carom sample`.
#[test]
fn a_data_set_has_the_samples_of_a_model() {
    let dir = folder();
    std::fs::create_dir(dir.path().join("plans")).unwrap();
    let plan = |law: &str| {
        let head = "problem = \"rocking-block\"\nsamples = 10\nstates = 1\n[velocity]\nx = 0.1\n";
        std::fs::write(dir.path().join("plans/plan.toml"), format!("{head}[law]\n{law}")).unwrap();
    };
    plan("model = \"../model.toml\"\n");
    done(dir.path(), &["dataset", "plans/plan.toml", "-o", "made"]);
    let about = std::fs::read_to_string(dir.path().join("made/dataset.json")).unwrap();
    let about: Value = serde_json::from_str(&about).unwrap();
    assert_eq!((&about["model"], &about["forecasts"]), (&json!("../model.toml"), &json!(true)));
    let card = std::fs::read_to_string(dir.path().join("made/README.md")).unwrap();
    assert!(card.contains("forecasts of a model, not outcomes of the law alone"), "{card}");
    let plan_said = carom::dataset::DatasetPlan::open(&dir.path().join("plans/plan.toml")).unwrap();
    let seed = format!("--seed={}", plan_said.state(0).seed);
    let velocity = ["--velocity=x=0.1", "--precision=f64", "--out=one.parquet", "-n10", &seed];
    done(dir.path(), &[&SAMPLE[..2], &SAMPLE[4..], &velocity].concat());
    let one = json_of(dir.path(), &["query", "one.parquet", "extents"]);
    let whole = rows(&dir.path().join("made").join(plan_said.file_name(0)));
    for i in 0..3 {
        let least = whole.iter().map(|velocity| velocity[i]).fold(f64::INFINITY, f64::min);
        assert_eq!(one["min"][i], least);
    }

    plan("model = \"../model.toml\"\nsampler = \"uniform\"\n");
    refused(dir.path(), &["dataset", "plans/plan.toml", "-o", "other"], 3, &["sampler", "model"]);
    plan("model = \"model.toml\"\n");
    refused(dir.path(), &["dataset", "plans/plan.toml", "-o", "other"], 3, &["model", "exist"]);
    // A changed model means another data set.
    plan("model = \"../model.toml\"\n");
    std::fs::write(dir.path().join("model.toml"), MODEL.replace("0.05", "0.06")).unwrap();
    refused(dir.path(), &["dataset", "plans/plan.toml", "-o", "made"], 2, &["another plan"]);
}

/// The velocities of a file of a data set.
fn rows(path: &Path) -> Vec<Vec<f64>> {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
    let velocity = |row: parquet::record::Row| {
        let column = row.get_column_iter().find(|(name, _)| *name == "velocity").unwrap().1.clone();
        let Field::ListInternal(list) = column else { panic!("{column:?}") };
        let number = |field: &Field| match field {
            Field::Double(x) => *x,
            other => panic!("{other:?}"),
        };
        list.elements().iter().map(number).collect()
    };
    reader.get_row_iter(None).unwrap().map(|row| velocity(row.unwrap())).collect()
}
