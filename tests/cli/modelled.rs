//! `--model`: what samples of a model say that they are, and what is refused beside it.

use carom_engine::Plan;

use super::dataset::{numbers, rows};
use super::support::events::{file, some_events};
use super::*;

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
pub fn folder() -> Folder {
    let dir = directory();
    write(&dir, "model.toml", MODEL);
    dir
}

const SAMPLE: &str = "sample rocking-block -n 300 --device=cpu --model model.toml";

#[test]
fn reports_say_whether_samples_are_forecasts() {
    let dir = folder();
    let said = done(&dir, SAMPLE);
    assert!(said.contains("model.toml: forecasts, not outcomes of the law alone"), "{said}");
    assert!(said.contains("contact modes met by the outcomes of the law"), "{said}");
    let forecasts = reported(&dir, SAMPLE);
    says(&forecasts, json!({ "model": "model.toml", "forecasts": true, "law": "routh" }));
    assert_eq!(forecasts["uncertainty"]["friction"], json!([[0.2, 0.4]]));
    assert_eq!(forecasts["uncertainty"]["noise"], 0.01);

    let lawful = reported(&dir, &format!("{SAMPLE} --law-only"));
    assert_eq!(lawful["forecasts"], false);
    assert_ne!(lawful["velocity"], forecasts["velocity"]);
    for key in ["status", "steps", "residual_max", "accepted", "modes", "step"] {
        assert_eq!(lawful[key], forecasts[key], "{key}");
    }
    let said = done(&dir, &format!("{SAMPLE} --law-only"));
    assert!(said.contains("model.toml: outcomes of its law\n"), "{said}");
}

/// The law and the uncertain numbers of the model by hand give the outcomes of `--law-only`.
#[test]
fn law_only_is_the_law_under_the_ranges() {
    let dir = folder();
    let lawful = reported(&dir, &format!("{SAMPLE} --law-only"));
    let ranges = "--uncertainty=mu=0.2..0.4,e=0.1..0.3,noise=0.01";
    let law = "sample rocking-block -n 300 --device=cpu --block=0.5 --process=events";
    let mut by_hand = reported(&dir, &format!("{law} {ranges}"));
    for key in ["model", "forecasts", "seconds"] {
        by_hand[key] = lawful[key].clone();
    }
    assert_eq!(lawful, by_hand);
}

#[test]
fn what_the_model_has_is_refused_beside_it() {
    let dir = folder();
    let own = "
        2 --law=routh => --law | the model has its own law
        2 --restitution=0.5 => --restitution | the model has its own law
        2 --uncertainty=mu=0.1..0.2 => --uncertainty | the model has its own law
        2 --step=0.1 => --step | the model has its own law
        2 --sampler=uniform => --sampler | the model has its own law";
    for command in [SAMPLE, "reality events.json --model model.toml"] {
        refusals(&dir, command, own);
    }
    // What is not the model's stays the user's.
    let args = format!("{SAMPLE} --seed=4 --precision=f32 --threads=2");
    assert_eq!(reported(&dir, &args)["precision"], "f32");
}

#[test]
fn wrong_models_are_refused_with_their_place() {
    let dir = folder();
    for (name, content) in [
        ("unknown.toml", "frction = [0.1, 0.2]\n"),
        ("wrong.toml", "friction = [0.4, 0.2]\n"),
        ("posed.toml", "gap = 0.01\n"),
        ("heavy.toml", "inertia = 1.2\n"),
        ("plain.toml", "friction = [0.1, 0.2]\n"),
    ] {
        write(&dir, name, content);
    }
    // Several bodies have no rotational inertia of one.
    let cases = "
        3 box-and-wall -n 10 --model none.toml => --model | none.toml | does not exist
        3 box-and-wall -n 10 --model unknown.toml => unknown.toml | frction
        3 box-and-wall -n 10 --model wrong.toml => wrong.toml | friction | 0 <= A <= B
        3 disk-stack -n 10 --model heavy.toml => inertia | free body
        2 block.json --model posed.toml => --model | gaps | `gap`
        2 box-and-wall --law-only => --law-only | model";
    refusals(&dir, "sample", cases);
    // A model that adds nothing has outcomes of its law.
    let plain = reported(&dir, "sample box-and-wall -n 10 --model plain.toml");
    assert_eq!(plain["forecasts"], false);
}

/// A model that was fitted to impacts at one contact is used at two: every command says so, in the
/// report and on stderr.
#[test]
fn other_numbers_of_contacts_are_warned_of_everywhere() {
    let dir = folder();
    for (name, line) in [
        ("one.toml", "events = 5\ncontacts = [[1, 5]]"),
        ("two.toml", "events = 5\ncontacts = [[2, 5]]"),
        ("old.toml", "events = 5"),
    ] {
        write(&dir, name, MODEL.replace("friction", &format!("{line}\nfriction")));
    }
    let other = "fitted to events with 1 contact (5), and is used with 2 contacts";
    let warned = |args: &str, words: &str| {
        let [printed, shown] = ended(&dir, &format!("{args} --json"), 0);
        let report: Value = serde_json::from_str(&printed).unwrap();
        let warnings = report["warnings"].as_array().unwrap_or_else(|| panic!("{report}"));
        if words.is_empty() {
            assert!(warnings.is_empty(), "{report}");
            assert!(!shown.contains("warning: the model"), "{shown}");
            return;
        }
        let said = |warning: &Value| warning.as_str().unwrap().contains(words);
        assert!(warnings.iter().any(said), "{args:?} {warnings:?}");
        assert!(shown.contains("warning: the model") && shown.contains(words), "{args:?} {shown}");
    };
    let of = |command: &str, model: &str, words: &str| {
        warned(&format!("{command} --model {model} -n 64 --device=cpu"), words);
    };
    for command in ["sample rocking-block", "query rocking-block extents"] {
        of(command, "one.toml", other);
        of(command, "old.toml", "does not say how many contacts");
        of(command, "two.toml", "");
    }
    warned("sample rocking-block --law-only --model=one.toml -n64", other);
    warned("replay rocking-block --sample=3 --model=one.toml", other);
    // An event with one contact and two with two.
    let plan = Plan { samples: 64, seed: 2, ..Plan::default() };
    write(&dir, "events.json", file(&some_events(&plan)));
    of("reality events.json", "one.toml", "used with 2 contacts (2 of 3)");
    of("reality events.json", "two.toml", "used with 1 contact (1 of 3)");
    warned("simulate falling-block --steps=400 --model=two.toml", "used with 1 contact");
    let plan =
        "problem = \"rocking-block\"\nsamples = 10\nstates = 2\n[law]\nmodel = \"one.toml\"\n";
    write(&dir, "plan.toml", plan);
    warned("dataset plan.toml --dry-run", other);
    warned("dataset plan.toml -o made", other);
    let [about, card] = ["made/dataset.json", "made/README.md"].map(|name| read(&dir, name));
    assert!(about.contains(other) && card.contains(other), "{about}\n{card}");
}

#[test]
fn what_outcomes_alone_have_is_refused() {
    let dir = folder();
    for more in ["--explore=0.5", "--jacobian --out=x.npz"] {
        refused(&dir, &format!("{SAMPLE} {more}"), 2, &["forecasts"]);
    }
}

/// Questions to a scene are about the set of the model's law, and so is the path of a sample.
#[test]
fn questions_and_paths_are_about_the_law() {
    let dir = folder();
    let asked = "query rocking-block extents --model=model.toml -n 300 --device=cpu";
    let set = reported(&dir, asked);
    assert_eq!((&set["model"], &set["forecasts"]), (&json!("model.toml"), &json!(false)));
    let lawful = reported(&dir, &format!("{SAMPLE} --law-only"));
    for end in ["min", "max"] {
        assert_eq!(set[end], lawful["velocity"][end]);
    }
    let path = reported(&dir, "replay rocking-block --sample=3 --model=model.toml");
    assert_eq!(path["forecasts"], false);
}

/// A model whose ranges have no width moves a mechanism as its law does with these numbers; noise
/// and dress are left out, and reports say so.
#[test]
fn impacts_of_a_motion_are_outcomes_of_the_law() {
    let dir = folder();
    let certain = "friction = [1, 1]\nnoise = 0.1\n[law]\nlaw = \"routh\"\n";
    write(&dir, "certain.toml", certain);
    let args = "simulate falling-block";
    let file = reported(&dir, args);
    let found = reported(&dir, &format!("{args} --model=certain.toml"));
    assert!(file["collision_count"].as_u64().unwrap() > 0);
    assert_eq!(found["collision_count"], file["collision_count"]);
    let end = |report: &Value| -> Vec<f64> {
        serde_json::from_value(report["state"]["position"].clone()).unwrap()
    };
    for (a, b) in end(&found).iter().zip(end(&file)) {
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    assert_eq!((&found["model"], &found["forecasts"]), (&json!("certain.toml"), &json!(false)));
    let wide = reported(&dir, &format!("{args} --model=model.toml"));
    assert_ne!(wide["state"], file["state"]);
    let said = done(&dir, &format!("{args} --model=model.toml"));
    assert!(said.contains("model.toml: outcomes of its law at each impact"), "{said}");
    done(&dir, &format!("{args} --branch=2 --branch-samples=64 --model=model.toml"));
    refused(&dir, "simulate ellipsoid --model=model.toml", 2, &["--model"]);
    refused(&dir, "simulate falling-block --model=none.toml", 3, &["exist"]);
}

#[test]
fn files_say_that_samples_are_forecasts() {
    let dir = folder();
    done(&dir, &format!("{SAMPLE} --out samples.npz -o samples.svg"));
    let drawn = read(&dir, "samples.svg");
    assert!(drawn.contains("forecasts, not outcomes of the law alone"));
    let extents = reported(&dir, "query samples.npz extents");
    assert_eq!((&extents["model"], &extents["forecasts"]), (&json!("model.toml"), &json!(true)));
    let forecasts = reported(&dir, SAMPLE);
    assert_eq!(extents["min"], forecasts["velocity"]["min"]);
    refused(&dir, "query samples.npz modes", 2, &["forecasts", "--law-only"]);
}

/// A plan names a model relative to its folder, and the rows are those of `carom sample`.
#[test]
fn a_data_set_has_the_samples_of_a_model() {
    let dir = folder();
    std::fs::create_dir(dir.join("plans")).unwrap();
    let plan = |law: &str| {
        let head = "problem = \"rocking-block\"\nsamples = 10\nstates = 1\n[velocity]\nx = 0.1\n";
        write(&dir, "plans/plan.toml", format!("{head}[law]\n{law}"));
    };
    plan("model = \"../model.toml\"\n");
    done(&dir, "dataset plans/plan.toml -o made");
    let about: Value = serde_json::from_str(&read(&dir, "made/dataset.json")).unwrap();
    assert_eq!((&about["model"], &about["forecasts"]), (&json!("../model.toml"), &json!(true)));
    let card = read(&dir, "made/README.md");
    assert!(card.contains("forecasts of a model, not outcomes of the law alone"), "{card}");
    let plan_said = carom::dataset::DatasetPlan::open(&dir.join("plans/plan.toml")).unwrap();
    let seed = format!("--seed={}", plan_said.state(0).seed);
    let sample = "sample rocking-block --device=cpu --model model.toml --velocity=x=0.1";
    done(&dir, &format!("{sample} --precision=f64 --out=one.parquet -n10 {seed}"));
    let one = reported(&dir, "query one.parquet extents");
    let whole = rows(&dir.join("made").join(plan_said.file_name(0)));
    for i in 0..3 {
        let each = whole.iter().map(|row| numbers(row, "velocity")[i]);
        assert_eq!(one["min"][i], each.fold(f64::INFINITY, f64::min));
    }

    plan("model = \"../model.toml\"\nsampler = \"uniform\"\n");
    refused(&dir, "dataset plans/plan.toml -o other", 3, &["sampler", "model"]);
    plan("model = \"model.toml\"\n");
    refused(&dir, "dataset plans/plan.toml -o other", 3, &["model", "exist"]);
    // A changed model means another data set.
    plan("model = \"../model.toml\"\n");
    write(&dir, "model.toml", MODEL.replace("0.05", "0.06"));
    refused(&dir, "dataset plans/plan.toml -o made", 2, &["another plan"]);
}
