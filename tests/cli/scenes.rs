//! `carom scenes`.

use super::*;

#[test]
fn scenes_are_listed_printed_and_sampled() {
    let dir = directory();
    let list = parsed(&dir, "scenes --json");
    let plain = text(&run(&dir, "scenes").stdout);
    let scenes = list["scenes"].as_array().unwrap();
    assert!(scenes.len() >= 6);
    for scene in scenes {
        let name = scene["name"].as_str().unwrap();
        let about = scene["description"].as_str().unwrap();
        assert!(plain.contains(name) && plain.contains(about), "{name}");
        let printed = text(&run(&dir, &format!("scenes {name}")).stdout);
        write(&dir, "printed.toml", printed);
        // A sample of many contacts in space takes less time in steps.
        let many = ["humanoid", "hand-on-box", "box-pile"].contains(&name);
        let how = if many { "--samples 10 --facets 8" } else { "--samples 100" };
        let sample = |what: &str| {
            let args = format!("sample {what} --device cpu {how}");
            reported(&dir, &args)["velocity"].clone()
        };
        let sampled = sample(name);
        assert_eq!(sampled, sample("printed.toml"), "{name}");
        write(&dir, "problem.json", run(&dir, &format!("scenes {name} --json")).stdout);
        assert_eq!(sampled, sample("problem.json"), "{name}");
    }
}

#[test]
fn motions_are_listed_apart_and_printed() {
    let dir = directory();
    let list = parsed(&dir, "scenes --json");
    let plain = text(&run(&dir, "scenes").stdout);
    let motions = list["motions"].as_array().unwrap();
    assert_eq!(motions.len(), 13);
    for motion in motions {
        let name = motion["name"].as_str().unwrap();
        let apart = plain.split("Motions").nth(1).unwrap();
        let about = motion["description"].as_str().unwrap();
        assert!(apart.contains(name) && apart.contains(about), "{name}");
        let report = |what: &str| reported(&dir, &format!("simulate {what} --steps 300"));
        for (file, how) in
            [("m.toml", &format!("scenes {name}")), ("m.json", &format!("scenes {name} --json"))]
        {
            write(&dir, file, run(&dir, how).stdout);
            assert_eq!(report(name), report(file), "{name}");
        }
    }
}

#[test]
fn a_problem_is_printed_at_other_values_of_parameters() {
    let dir = directory();
    let scene = |more: &str| parsed(&dir, &format!("scenes billiard-break --json {more}"));
    let (given, other) = (scene(""), scene("--set theta=90"));
    assert_eq!((&given["mass"], &given["coordinates"]), (&other["mass"], &other["coordinates"]));
    assert_ne!(given["normal"], other["normal"]);
    assert_eq!(given["name"], "billiard break");
}
