//! `carom simulate`.

use std::path::Path;

use serde_json::{Value, json};

use super::{carom, directory, has_form, names_in, refused, run, text};

/// A ball that is dropped; tests bend it by replacing text.
const BALL: &str = r#"integrator = "lgvci"
mass = 1
time_step = 0.01
shapes = [{ ellipsoid = [1, 1, 1] }]
state = { position = [0, 0, 3] }
"#;

fn report(dir: &Path, args: &[&str]) -> Value {
    let output = run(dir, &[&["simulate"], args, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn written(dir: &Path, name: &str, content: &str) -> String {
    std::fs::write(dir.join(name), content).unwrap();
    name.to_string()
}

#[test]
fn the_report_has_its_form() {
    let dir = directory();
    let found = report(dir.path(), &["ellipsoid"]);
    let state = json!({
        "step": 264, "time": 2.649, "position": [0.5], "attitude": [[0.5]], "momentum": [0.5], "angular_momentum": [0.5],
        "impulse": 0.5
    });
    let form = json!({
        "schema_version": 1, "steps": 1000, "time": 10.0, "collisions": [state], "collision_count": 3,
        "energy": { "initial": 0.5, "max_error": 0.5 }, "status": "done"
    });
    has_form(&found, &form, "");
    assert_eq!(
        (&found["steps"], &found["time"], &found["status"]),
        (&json!(1000), &json!(10.0), &json!("done"))
    );
    assert_eq!(found["collision_count"], json!(found["collisions"].as_array().unwrap().len()));
    let first = &found["collisions"][0];
    assert_eq!(first["step"], 264);
    assert!((first["time"].as_f64().unwrap() - 2.6491289015212884).abs() < 1e-11);
    let few = report(dir.path(), &["ellipsoid", "--steps", "3e2"]);
    assert_eq!((&few["steps"], &few["collisions"][0]), (&json!(300), first));
}

/// Corner by corner: the last row of a file of states has the impulses of the report, and with time
/// they make up s.
#[test]
fn impulses_of_corners_and_time_make_up_s() {
    let dir = directory();
    let found = report(dir.path(), &["rocking-zeno", "--out", "states.csv", "-o", "zeno.svg"]);
    let file = std::fs::read_to_string(dir.path().join("states.csv")).unwrap();
    let names: Vec<&str> = file.lines().next().unwrap().split(',').collect();
    let last: Vec<f64> =
        file.lines().last().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
    let of = |name: &str| last[names.iter().position(|known| *known == name).unwrap()];
    let mut sum = of("time");
    for pushed in found["impulses"].as_array().unwrap() {
        let [normal, share] = ["normal", "share"].map(|key| pushed[key].as_f64().unwrap());
        assert_eq!(of(&format!("impulse.{}", pushed["contact"].as_str().unwrap())), normal);
        assert!((share * of("s") / normal - 1.0).abs() < 1e-12);
        sum += normal;
    }
    assert_eq!(found["impulses"].as_array().unwrap().len(), 2);
    assert_eq!(found["s"].as_f64().unwrap(), of("s"));
    // 32 impacts and some thousand substeps, summed in two orders.
    assert!((sum / of("s") - 1.0).abs() < 1e-9, "{sum}");
    assert!(
        std::fs::read_to_string(dir.path().join("zeno.svg")).unwrap().contains("Rates along s")
    );
}

#[test]
fn the_report_can_be_read() {
    let dir = directory();
    let output = run(dir.path(), &["simulate", "cube", "--steps", "10k"]);
    let shown = text(&output.stdout);
    assert!(output.status.success() && text(&output.stderr).is_empty());
    for word in ["cube: lgvci", "done: all steps", "collisions", "and", "more; --json", "2.608788"]
    {
        assert!(shown.contains(word), "{word}\n{shown}");
    }
}

/// A ball falls 2 m: it returns to its height after twice the time of the fall, for ever.
#[test]
fn a_ball_bounces_as_it_should() {
    let dir = directory();
    let file = written(dir.path(), "ball.toml", BALL);
    let found = report(dir.path(), &[&file, "--steps", "400"]);
    let fall = (4.0_f64 / 9.80665).sqrt();
    for (i, hit) in found["collisions"].as_array().unwrap().iter().enumerate() {
        let time = fall * (2.0 * i as f64 + 1.0);
        assert!((hit["time"].as_f64().unwrap() - time).abs() < 1e-12);
        assert!((hit["impulse"].as_f64().unwrap() - 2.0 * 9.80665 * fall).abs() < 1e-12);
        assert!((hit["position"][2].as_f64().unwrap() - 1.0).abs() < 1e-13);
    }
    assert_eq!(found["collision_count"], 3);
    let json = toml::from_str::<Value>(BALL).unwrap().to_string();
    let same = written(dir.path(), "ball.json", &json);
    assert_eq!(report(dir.path(), &[&same, "--steps", "400"]), found);
}

#[test]
fn what_never_ends_is_a_result_with_a_word_on_stderr() {
    let dir = directory();
    let lying = written(dir.path(), "lying.toml", &BALL.replace("[0, 0, 3]", "[0, 0, 1]"));
    let output = run(dir.path(), &["simulate", &lying, "--json", "--out", "s.csv"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output.stderr).contains("zeno, after 0 of 1000 steps"),
        "{}",
        text(&output.stderr)
    );
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&found["status"], &found["steps"], &found["collision_count"]),
        (&json!("zeno"), &json!(0), &json!(100))
    );
    assert_eq!(std::fs::read_to_string(dir.path().join("s.csv")).unwrap().lines().count(), 2);
    let few = written(
        dir.path(),
        "few.toml",
        &format!("max_collisions = 7\n{}", BALL.replace("[0, 0, 3]", "[0, 0, 1]")),
    );
    assert_eq!(report(dir.path(), &[&few])["collision_count"], 7);
    let fast = BALL.replace("[0, 0, 3]", "[0, 0, 3], angular_momentum = [0, 0, 1e3]");
    let fast = written(dir.path(), "fast.toml", &fast);
    let output = run(dir.path(), &["simulate", &fast]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stdout).contains("no-rotation")
            && text(&output.stderr).contains("smaller time step")
    );
}

#[test]
fn states_are_written_row_by_row() {
    let dir = directory();
    let found =
        report(dir.path(), &["ellipsoid", "--steps", "300", "--out", "s.csv", "-o", "s.svg"]);
    let csv = std::fs::read_to_string(dir.path().join("s.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].len()), (302, 25));
    assert!(rows.iter().all(|row| row.len() == 25));
    let at = |name: &str| rows[0].iter().position(|column| *column == name).unwrap();
    let number = |row: &[&str], name: &str| row[at(name)].parse::<f64>().unwrap();
    let last = &rows[301];
    assert_eq!((last[at("step")], last[at("collisions")], number(last, "time")), ("300", "1", 3.0));
    assert_eq!(json!(number(last, "x")), found["state"]["position"][0]);
    assert_eq!(json!(number(last, "r23")), found["state"]["attitude"][1][2]);
    for row in &rows[1..] {
        let energy: f64 =
            ["translational", "rotational", "potential"].iter().map(|name| number(row, name)).sum();
        assert!((energy - found["energy"]["initial"].as_f64().unwrap()).abs() < 1e-11);
        assert!(number(row, "gap") >= 0.0);
    }
    let drawn = std::fs::read_to_string(dir.path().join("s.svg")).unwrap();
    assert!(drawn.contains("rotational energy") && drawn.contains("mass centre"));
}

#[cfg(feature = "parquet")]
#[test]
fn states_are_written_to_parquet() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let dir = directory();
    let found = report(dir.path(), &["ellipsoid", "--steps", "300", "--out", "s.parquet"]);
    let file =
        SerializedFileReader::new(std::fs::File::open(dir.path().join("s.parquet")).unwrap())
            .unwrap();
    let metadata = file.metadata().file_metadata();
    assert_eq!((metadata.num_rows(), metadata.schema().get_fields().len()), (301, 25));
    let about =
        metadata.key_value_metadata().unwrap().iter().find(|entry| entry.key == "carom").unwrap();
    let about: Value = serde_json::from_str(about.value.as_ref().unwrap()).unwrap();
    assert_eq!((&about["name"], &about["time_step"]), (&json!("ellipsoid"), &json!(0.01)));
    let last = file.get_row_iter(None).unwrap().last().unwrap().unwrap();
    assert_eq!((last.get_ulong(0).unwrap(), last.get_ulong(1).unwrap()), (300, 1));
    assert_eq!(json!(last.get_double(3).unwrap()), found["state"]["position"][0]);
}

#[test]
fn copies_part_the_same_on_any_number_of_threads() {
    let dir = directory();
    let how = ["ellipsoid", "--steps", "400", "--perturb", "12", "--spread", "1e-6", "--seed", "5"];
    let one = report(dir.path(), &[&how[..], &["--threads", "1", "--out", "a.csv"]].concat());
    let two = report(
        dir.path(),
        &[&how[..], &["--threads", "2", "--out", "b.csv", "-o", "b.svg"]].concat(),
    );
    let untimed = |report: &Value| {
        let mut report = report.clone();
        let perturbation = report["perturbation"].as_object_mut().unwrap();
        for key in ["seconds", "steps_per_second", "device"] {
            assert!(perturbation.remove(key).is_some(), "{key}");
        }
        report
    };
    assert_eq!(untimed(&one), untimed(&two));
    let [a, b] =
        ["a.csv", "b.csv"].map(|name| std::fs::read_to_string(dir.path().join(name)).unwrap());
    assert_eq!(a, b);
    // Every fourth step, the start included, of 12 copies.
    assert_eq!(a.lines().count(), 1 + 12 * 101);
    let found = &one["perturbation"];
    assert_eq!((&found["copies"], &found["status"]), (&json!(12), &json!({ "done": 12 })));
    let rows = found["distance"].as_array().unwrap();
    assert!((rows[0]["median"].as_f64().unwrap() - 1e-6).abs() < 1e-11);
    assert!(rows[100]["median"].as_f64().unwrap() > 2e-6);
    let plain = report(dir.path(), &["ellipsoid", "--steps", "400"]);
    assert_eq!(plain["collisions"], one["collisions"]);
    let shown = text(&run(dir.path(), &[&["simulate"], &how[..]].concat()).stdout);
    assert!(shown.contains("12, each turned by 1e-6 rad") && shown.contains("median"), "{shown}");
}

#[test]
fn copies_have_a_device_and_a_precision() {
    let dir = directory();
    let how = ["cube", "--steps", "100", "--perturb", "20", "--device", "cpu"];
    let found = report(dir.path(), &[&how[..], &["--precision", "f32"]].concat());
    let found = &found["perturbation"];
    assert_eq!((&found["precision"], &found["device"]["kind"]), (&json!("f32"), &json!("cpu")));
    assert_eq!((&found["steps"], found["warnings"].as_array().unwrap().len()), (&json!(2000), 1));
    assert!(found["steps_per_second"].as_f64().unwrap() > 0.0);
    let shown =
        text(&run(dir.path(), &[&["simulate"], &how[..], &["--precision", "f32"]].concat()).stdout);
    assert!(shown.contains("steps/s") && shown.contains("take --precision f64"), "{shown}");
    let double = report(dir.path(), &how);
    assert_eq!(
        (&double["perturbation"]["precision"], &double["perturbation"]["warnings"]),
        (&json!("f64"), &json!([]))
    );
    refused(dir.path(), &["simulate", "cube", "--device", "cpu"], 2, &["--perturb"]);
    refused(
        dir.path(),
        &["simulate", "cube", "--perturb", "3", "--device", "no such"],
        4,
        &["no such"],
    );
}

#[test]
fn what_is_wrong_is_said_once() {
    let dir = directory();
    let path = dir.path();
    let deep = written(path, "deep.toml", &BALL.replace("[0, 0, 3]", "[0, 0, 0.5]"));
    refused(
        path,
        &["simulate", &deep],
        3,
        &["deep.toml", "state.position", "0.5 m deep", "at least 0.5"],
    );
    let word = written(path, "word.toml", &BALL.replace("shapes", "shape"));
    refused(path, &["simulate", &word], 3, &["unknown key `shape`", "did you mean `shapes`"]);
    refused(path, &["simulate", "rocking-block"], 3, &["describes no motion"]);
    refused(path, &["sample", "ellipsoid"], 3, &["describes a motion", "carom simulate"]);
    refused(path, &["simulate", "elipsoid"], 3, &["did you mean `ellipsoid`"]);
    refused(path, &["simulate", "cube", "--steps", "0"], 2, &["--steps"]);
    refused(path, &["simulate", "cube", "--out", "s.txt"], 2, &[".csv or .parquet"]);
    refused(path, &["simulate", "cube", "--out", "missing/s.csv"], 2, &["missing"]);
    refused(path, &["simulate", "cube", "-o", "s.gif"], 2, &[".svg"]);
    refused(path, &["simulate", "cube", "--spread", "1e-3"], 2, &["--perturb"]);
    refused(path, &["simulate", "cube", "--perturb", "3", "--spread", "4"], 2, &["--spread"]);
    let mut piped = carom(path, &["simulate", "-", "--steps", "10", "--json"]);
    piped.stdin(std::fs::File::open(path.join(written(path, "ball.toml", BALL))).unwrap());
    assert_eq!(piped.output().unwrap().status.code(), Some(0));
}

/// Ctrl-C leaves a report, the older file as it was, and 130.
#[cfg(unix)]
#[test]
fn an_interrupted_motion_leaves_older_files_alone() {
    let motion = ["simulate", "ellipsoid", "--steps", "1G"];
    let mechanism = ["simulate", "rocking-zeno", "--steps", "1G"];
    for (args, status) in [(&motion[..], "interrupted"), (&mechanism, "interrupted")] {
        let found = interrupted(args);
        assert_eq!(found["status"], status);
    }
    let tree =
        ["simulate", "falling-block", "--steps", "1G", "--branch", "3", "--branch-samples", "256"];
    interrupted(&tree);
}

/// The report of a run that is interrupted while it writes a file that is there already.
#[cfg(unix)]
fn interrupted(args: &[&str]) -> Value {
    let dir = directory();
    std::fs::write(dir.path().join("s.csv"), "older").unwrap();
    let args = [args, &["--json", "--out", "s.csv"]].concat();
    let mut command = carom(dir.path(), &args);
    let child = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The handler is in place once the file of states grows.
    let grown = || {
        let sizes = std::fs::read_dir(dir.path())
            .unwrap()
            .filter_map(|e| Some(e.ok()?.metadata().ok()?.len()));
        sizes.max().is_some_and(|size| size > 100_000)
    };
    while !grown() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let message = text(&output.stderr);
    assert!(message.contains("interrupted; s.csv is not written"), "{message}");
    assert_eq!(std::fs::read_to_string(dir.path().join("s.csv")).unwrap(), "older");
    assert_eq!(names_in(dir.path()), ["block.json", "s.csv"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A ball too fast for its time step: the report says who may have passed whom, when, and which
/// step sees it.
#[test]
fn what_may_pass_unseen_is_told() {
    let dir = directory();
    let fast = |step: f64| {
        let text = format!(
            "integrator = \"midpoint\"\ngravity = 0\ntime_step = {step}\nfriction = 0\nrestitution = 1\n\
             [[bodies]]\nname = \"wall\"\nmass = 1000\nshapes = [{{ box = [0.1, 4] }}]\nposition = [1, 2.5]\n\
             [[bodies]]\nname = \"ball\"\nmass = 1\nshapes = [{{ disk = 0.05 }}]\nposition = [0, 2.5]\nvelocity = [1e6, 0]\n"
        );
        written(dir.path(), "fast.toml", &text)
    };
    let found = report(dir.path(), &[&fast(0.01), "--steps", "2"]);
    assert_eq!(
        (&found["collision_count"], &found["passed"][0]["bodies"]),
        (&json!(0), &json!(["wall", "ball"]))
    );
    let warning = found["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("`wall` and `ball` may have passed through each other")
            && warning.contains("0.0001 s"),
        "{warning}"
    );
    let shown =
        text(&run(dir.path(), &["simulate", "fast.toml", "--steps", "2"]).stdout).to_string();
    assert!(shown.contains(warning), "{shown}");
    let seen = report(dir.path(), &[&fast(1e-4), "--steps", "2"]);
    assert_eq!(
        (&seen["collision_count"], &seen["passed"], &seen["warnings"]),
        (&json!(1), &json!([]), &json!([]))
    );
}
