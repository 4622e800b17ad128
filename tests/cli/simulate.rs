//! `carom simulate`.

use super::*;

/// A ball that is dropped; tests bend it by replacing text.
const BALL: &str = r#"integrator = "lgvci"
mass = 1
time_step = 0.01
shapes = [{ ellipsoid = [1, 1, 1] }]
state = { position = [0, 0, 3] }
"#;

fn report(dir: &Path, args: &str) -> Value {
    reported(dir, &format!("simulate {args}"))
}

fn written(dir: &Path, name: &str, content: &str) -> String {
    write(dir, name, content);
    name.to_string()
}

#[test]
fn the_report_has_its_form() {
    let dir = directory();
    let found = report(&dir, "ellipsoid");
    let state = json!({
        "step": 264, "time": 2.649, "position": [0.5], "attitude": [[0.5]], "momentum": [0.5], "angular_momentum": [0.5],
        "impulse": 0.5
    });
    let form = json!({
        "schema_version": 1, "steps": 1000, "time": 10.0, "collisions": [state], "collision_count": 3,
        "energy": { "initial": 0.5, "max_error": 0.5 }, "status": "done"
    });
    has_form(&found, &form, "");
    says(&found, json!({ "steps": 1000, "time": 10.0, "status": "done" }));
    assert_eq!(found["collision_count"], json!(found["collisions"].as_array().unwrap().len()));
    let first = &found["collisions"][0];
    assert_eq!(first["step"], 264);
    assert!((first["time"].as_f64().unwrap() - 2.6491289015212884).abs() < 1e-11);
    let few = report(&dir, "ellipsoid --steps 3e2");
    assert_eq!((&few["steps"], &few["collisions"][0]), (&json!(300), first));
}

/// Corner by corner: the last row of a file of states has the impulses of the report, and with time
/// they make up s.
#[test]
fn impulses_of_corners_and_time_make_up_s() {
    let dir = directory();
    let found = report(&dir, "rocking-zeno --out states.csv -o zeno.svg");
    let file = read(&dir, "states.csv");
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
    assert!(read(&dir, "zeno.svg").contains("Rates along s"));
}

#[test]
fn the_report_can_be_read() {
    let dir = directory();
    let output = run(&dir, "simulate cube --steps 10k");
    let shown = text(&output.stdout);
    assert!(output.status.success() && text(&output.stderr).is_empty());
    has(&shown, "cube: lgvci|done: all steps|collisions|and|more; --json|2.608788");
}

/// A ball falls 2 m: it returns to its height after twice the time of the fall, for ever.
#[test]
fn a_ball_bounces_as_it_should() {
    let dir = directory();
    let file = written(&dir, "ball.toml", BALL);
    let found = report(&dir, &format!("{file} --steps 400"));
    let fall = (4.0_f64 / 9.80665).sqrt();
    for (i, hit) in found["collisions"].as_array().unwrap().iter().enumerate() {
        let time = fall * (2.0 * i as f64 + 1.0);
        assert!((hit["time"].as_f64().unwrap() - time).abs() < 1e-12);
        assert!((hit["impulse"].as_f64().unwrap() - 2.0 * 9.80665 * fall).abs() < 1e-12);
        assert!((hit["position"][2].as_f64().unwrap() - 1.0).abs() < 1e-13);
    }
    assert_eq!(found["collision_count"], 3);
    let json = toml::from_str::<Value>(BALL).unwrap().to_string();
    let same = written(&dir, "ball.json", &json);
    assert_eq!(report(&dir, &format!("{same} --steps 400")), found);
}

#[test]
fn what_never_ends_is_a_result_with_a_word_on_stderr() {
    let dir = directory();
    let lying = written(&dir, "lying.toml", &BALL.replace("[0, 0, 3]", "[0, 0, 1]"));
    let [printed, said] = ended(&dir, &format!("simulate {lying} --json --out s.csv"), 0);
    has(&said, "zeno, after 0 of 1000 steps");
    let found: Value = serde_json::from_str(&printed).unwrap();
    says(&found, json!({ "status": "zeno", "steps": 0, "collision_count": 100 }));
    assert_eq!(read(&dir, "s.csv").lines().count(), 2);
    let few = format!("max_collisions = 7\n{}", BALL.replace("[0, 0, 3]", "[0, 0, 1]"));
    let few = written(&dir, "few.toml", &few);
    assert_eq!(report(&dir, &few)["collision_count"], 7);
    let fast = BALL.replace("[0, 0, 3]", "[0, 0, 3], angular_momentum = [0, 0, 1e3]");
    let fast = written(&dir, "fast.toml", &fast);
    let [shown, said] = ended(&dir, &format!("simulate {fast}"), 1);
    has(&shown, "no-rotation");
    has(&said, "smaller time step");
}

#[test]
fn states_are_written_row_by_row() {
    let dir = directory();
    let found = report(&dir, "ellipsoid --steps 300 --out s.csv -o s.svg");
    let csv = read(&dir, "s.csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!((rows.len(), rows[0].len()), (302, 26));
    assert!(rows.iter().all(|row| row.len() == 26));
    let at = |name: &str| rows[0].iter().position(|column| *column == name).unwrap();
    let number = |row: &[&str], name: &str| row[at(name)].parse::<f64>().unwrap();
    let last = &rows[301];
    assert_eq!((last[at("step")], last[at("collisions")], number(last, "time")), ("300", "1", 3.0));
    assert_eq!(json!(number(last, "x")), found["state"]["position"][0]);
    assert_eq!(json!(number(last, "r23")), found["state"]["attitude"][1][2]);
    for row in &rows[1..] {
        let energy: f64 =
            ["translational", "rotational", "potential"].iter().map(|name| number(row, name)).sum();
        let error = energy - found["energy"]["initial"].as_f64().unwrap();
        assert!(error.abs() < 1e-11);
        // Energies are added in another order here: rounding of 160 J.
        assert!((number(row, "energy_error") - error).abs() < 1e-13);
        assert!(number(row, "gap") >= 0.0);
    }
    let drawn = read(&dir, "s.svg");
    has(&drawn, "rotational energy|mass centre|error of the total energy|times of collisions");
    // The report has the same errors, and the largest one after a step or a collision.
    let list = |key: &str| -> Vec<f64> {
        found["energy"][key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let column = |name: &str| rows[1..].iter().map(|row| number(row, name)).collect::<Vec<f64>>();
    assert_eq!((list("time"), list("error")), (column("time"), column("energy_error")));
    let most = list("error").iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    assert!(most > 0.0 && most <= found["energy"]["max_error"].as_f64().unwrap());
}

#[test]
fn states_are_written_to_parquet() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;
    let dir = directory();
    let found = report(&dir, "ellipsoid --steps 300 --out s.parquet");
    let file =
        SerializedFileReader::new(std::fs::File::open(dir.join("s.parquet")).unwrap()).unwrap();
    let metadata = file.metadata().file_metadata();
    assert_eq!((metadata.num_rows(), metadata.schema().get_fields().len()), (301, 26));
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
    let how = "ellipsoid --steps 400 --perturb 12 --spread 1e-6 --seed 5";
    let one = report(&dir, &format!("{how} --threads 1 --out a.csv"));
    let two = report(&dir, &format!("{how} --threads 2 --out b.csv -o b.svg"));
    let untimed = |report: &Value| {
        let mut report = report.clone();
        let perturbation = report["perturbation"].as_object_mut().unwrap();
        for key in ["seconds", "steps_per_second", "device"] {
            assert!(perturbation.remove(key).is_some(), "{key}");
        }
        report
    };
    assert_eq!(untimed(&one), untimed(&two));
    let [a, b] = ["a.csv", "b.csv"].map(|name| read(&dir, name));
    assert_eq!(a, b);
    // Every fourth step, the start included, of 12 copies.
    assert_eq!(a.lines().count(), 1 + 12 * 101);
    let found = &one["perturbation"];
    assert_eq!((&found["copies"], &found["status"]), (&json!(12), &json!({ "done": 12 })));
    let rows = found["distance"].as_array().unwrap();
    assert!((rows[0]["median"].as_f64().unwrap() - 1e-6).abs() < 1e-11);
    assert!(rows[100]["median"].as_f64().unwrap() > 2e-6);
    let plain = report(&dir, "ellipsoid --steps 400");
    assert_eq!(plain["collisions"], one["collisions"]);
    let shown = text(&run(&dir, &format!("simulate {how}")).stdout);
    assert!(shown.contains("12, each turned by 1e-6 rad") && shown.contains("median"), "{shown}");
}

#[test]
fn copies_are_computed_on_the_cpu_in_f64() {
    let dir = directory();
    let how = "cube --steps 100 --perturb 20";
    let plain = report(&dir, how);
    let asked = report(&dir, &format!("{how} --device cpu --precision f64"));
    for found in [&plain["perturbation"], &asked["perturbation"]] {
        assert_eq!((&found["precision"], &found["device"]["kind"]), (&json!("f64"), &json!("cpu")));
        assert_eq!((&found["steps"], &found["warnings"]), (&json!(2000), &json!([])));
        assert!(found["steps_per_second"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(plain["perturbation"]["distance"], asked["perturbation"]["distance"]);
    let shown = text(&run(&dir, &format!("simulate {how}")).stdout);
    assert!(shown.contains("steps/s"), "{shown}");
    refused(&dir, "simulate cube --device cpu", 2, &["--perturb"]);
    let cases = "
        4 --device gpu => on the CPU, in f64 | --device
        4 --device 'no such' => on the CPU, in f64 | --device
        4 --precision f32 => on the CPU, in f64 | --precision";
    refusals(&dir, "simulate cube --perturb 3", cases);
}

#[test]
fn what_is_wrong_is_said_once() {
    let dir = directory();
    write(&dir, "deep.toml", BALL.replace("[0, 0, 3]", "[0, 0, 0.5]"));
    write(&dir, "word.toml", BALL.replace("shapes", "shape"));
    let cases = "
        3 simulate deep.toml => deep.toml | state.position | 0.5 m deep | at least 0.5
        3 simulate word.toml => unknown key `shape` | did you mean `shapes`
        3 simulate rocking-block => describes no motion
        3 sample ellipsoid => describes a motion | carom simulate
        3 simulate elipsoid => did you mean `ellipsoid`
        2 simulate cube --steps 0 => --steps
        2 simulate cube --out s.txt => .csv or .parquet
        2 simulate cube --out missing/s.csv => missing
        2 simulate cube -o s.gif => .svg
        2 simulate cube --spread 1e-3 => --perturb
        2 simulate cube --perturb 3 --spread 4 => --spread";
    refusals(&dir, "", cases);
    given(&dir, "simulate - --steps 10 --json", BALL);
}

/// Ctrl-C leaves a report, the older file as it was, and 130.
#[cfg(unix)]
#[test]
fn an_interrupted_motion_leaves_older_files_alone() {
    for motion in ["ellipsoid", "rocking-zeno"] {
        let found = interrupted(&format!("simulate {motion} --steps 1G"));
        assert_eq!(found["status"], "interrupted");
    }
    interrupted("simulate falling-block --steps 1G --branch 3 --branch-samples 256");
}

/// The report of a run that is interrupted while it writes a file that is there already.
#[cfg(unix)]
fn interrupted(args: &str) -> Value {
    let dir = directory();
    write(&dir, "s.csv", "older");
    let child = piped(&mut carom(&dir, &format!("{args} --json --out s.csv")));
    // The handler is in place once the file of states grows.
    let grown = || {
        let sizes =
            std::fs::read_dir(&*dir).unwrap().filter_map(|e| Some(e.ok()?.metadata().ok()?.len()));
        sizes.max().is_some_and(|size| size > 100_000)
    };
    while !grown() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    let message = text(&output.stderr);
    assert!(message.contains("interrupted; s.csv is not written"), "{message}");
    assert_eq!(read(&dir, "s.csv"), "older");
    assert_eq!(names_in(&dir), ["block.json", "s.csv"]);
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
        written(&dir, "fast.toml", &text)
    };
    let found = report(&dir, &format!("{} --steps 2", fast(0.01)));
    assert_eq!(found["collision_count"], 0);
    assert_eq!(found["passed"][0]["bodies"], json!(["wall", "ball"]));
    let warning = found["warnings"][0].as_str().unwrap();
    has(warning, "`wall` and `ball` may have passed through each other|0.0001 s");
    let shown = text(&run(&dir, "simulate fast.toml --steps 2").stdout);
    assert!(shown.contains(warning), "{shown}");
    let seen = report(&dir, &format!("{} --steps 2", fast(1e-4)));
    says(&seen, json!({ "collision_count": 1, "passed": [], "warnings": [] }));
}

/// A heavy box falls onto two light ones, which no number of single impacts ends: the motion until
/// then is reported, and where it ended.
#[test]
fn an_impact_without_an_outcome_ends_the_motion() {
    let dir = directory();
    let mut boxes = String::new();
    for (k, (mass, height)) in [(1, 0.1), (1, 0.3), (50, 0.501)].into_iter().enumerate() {
        boxes += &format!(
            "[[bodies]]\nname = \"b{k}\"\nmass = {mass}\nshapes = [{{ box = [0.2, 0.2] }}]\nposition = [0, {height}]\n"
        );
    }
    let heavy = format!(
        "integrator = \"midpoint\"\ngravity = 9.81\ntime_step = 0.005\nfriction = 0.5\nrestitution = 0\n\
         [[walls]]\nname = \"floor\"\nnormal = [0, 1]\n{boxes}"
    );
    let file = written(&dir, "heavy.toml", &heavy);
    let [printed, said] = ended(&dir, &format!("simulate {file} --json"), 1);
    assert!(said.contains("unresolved, after 2 of 1000 steps, at 0.014278"), "{said}");
    let found: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!((&found["status"], &found["steps"]), (&json!("unresolved"), &json!(2)));
    let stopped = &found["stopped"];
    // The heavy box falls a millimetre.
    let time = (2e-3_f64 / 9.81).sqrt();
    assert!((stopped["time"].as_f64().unwrap() - time).abs() < 1e-6, "{stopped}");
    assert_eq!((&stopped["step"], &stopped["collision_count"]), (&json!(2), &json!(0)));
    assert_eq!(stopped["contacts"], json!(["floor-b0", "floor-b0", "b0-b1"]));
    let cones = read(&dir, &file);
    let cones = written(&dir, "cones.toml", &format!("law = \"routh\"\n{cones}"));
    let found = report(&dir, &format!("{cones} --steps 20"));
    assert_eq!((&found["status"], &found["stopped"]), (&json!("done"), &Value::Null));
}

/// The published perturbations of position and attitude, [TL24] Figs. 7 and 8, against numbers of
/// 200 bits.
#[test]
fn motions_part_as_in_the_reference() {
    let golden: Value = serde_json::from_str(include_str!("../golden/lgvci.json")).unwrap();
    let dir = directory();
    let moved = "state.position=[0, 0, 10.00000001]";
    let turned = "state.rotation=[0, 3.141592653589793e-8, 0]";
    for (name, case) in [("ellipsoid", "I"), ("cube", "IV")] {
        let args = format!("{name} --steps 2000 --beside '{moved}' --beside '{turned}'");
        let found = report(&dir, &format!("{args} -o part.svg"));
        let others = found["beside"].as_array().unwrap();
        for (other, key) in others.iter().zip(["dx_1e-8", "theta_1e-8_pi"]) {
            let reference = &golden["sensitivity"][format!("{case}:{key}")];
            let far = |step: u64| other["distance"][step as usize].as_f64().unwrap();
            assert!((far(0) / reference["err0"].as_f64().unwrap() - 1.0).abs() < 1e-6);
            let hits = found["collisions"].as_array().unwrap();
            for (hit, after) in hits.iter().zip(reference["after"].as_array().unwrap()).take(6) {
                let step = hit["step"].as_u64().unwrap() + 2;
                let expected = after["err_two_steps_after"].as_f64().unwrap();
                assert!((far(step) / expected - 1.0).abs() < 0.02, "{name} {key} {step}");
            }
            // The first time at which heights differ by 0.1 m.
            let plain = report(&dir, &format!("{name} --steps 2000 --beside steps=1"));
            let own = plain["beside"][0]["height"].as_array().unwrap();
            let far = |(a, b): (&Value, &Value)| a.as_f64().unwrap() - b.as_f64().unwrap();
            let mut gaps = other["height"].as_array().unwrap().iter().zip(own).map(far);
            let apart = gaps.position(|gap| gap.abs() > 0.1);
            let expected = reference["first_grid_time_height_dev_gt_0p1"].as_f64().unwrap();
            match apart {
                Some(step) => assert!((step as f64 * 0.01 - expected).abs() < 0.3, "{name} {key}"),
                None => assert!(expected > 20.0, "{name} {key}: {expected}"),
            }
        }
    }
    let drawn = read(&dir, "part.svg");
    assert!(drawn.contains(moved) && drawn.contains("How the motions part"));
}

#[test]
fn copies_may_be_moved() {
    let dir = directory();
    let how = "ellipsoid --steps 300 --perturb 9 --shift 1e-6";
    let found = report(&dir, &format!("{how} --out s.csv"));
    let perturbation = &found["perturbation"];
    assert_eq!((&perturbation["angle"], &perturbation["shift"]), (&json!(0.0), &json!(1e-6)));
    let first = &perturbation["distance"][0];
    for key in ["min", "max"] {
        // Distances are single numbers.
        assert!((first[key].as_f64().unwrap() - 1e-6).abs() < 1e-12, "{first}");
    }
    let csv = read(&dir, "s.csv");
    let starts = csv.lines().skip(1).filter(|line| line.split(',').nth(1) == Some("0"));
    let place = |line: &str| line.split(',').skip(3).take(3).map(|x| x.parse().unwrap()).collect();
    let places: Vec<Vec<f64>> = starts.map(place).collect();
    assert_eq!(places.len(), 9);
    let off = |place: &[f64]| [place[0], place[1], place[2] - 10.0];
    let up = places.iter().filter(|place| off(place)[2] > 0.0).count();
    assert!((1..9).contains(&up) && off(&places[0]) != off(&places[1]));
    let shown = text(&run(&dir, &format!("simulate {how}")).stdout);
    assert!(shown.contains("9, each moved by 1e-6 m"), "{shown}");
    refused(&dir, "simulate cube --shift 1", 2, &["--perturb"]);
    refused(&dir, "simulate cube --perturb 2 --shift -1", 2, &["--shift"]);
}

/// A rod that falls flat on both its ends, with the mass centre off its middle.
const ROD: &str = r#"integrator = "midpoint"
law = "propagative"
gravity = 10
time_step = 0.01
steps = 40
friction = 0

[[walls]]
name = "floor"
normal = [0, 1]

[[bodies]]
name = "rod"
mass = 1
inertia = 0.1
center_of_mass = [0.1, 0]
shapes = [{ rod = [[-0.5, 0], [0.5, 0]] }]
position = [0, 0.45]
"#;

/// The order of reflections decides; by hand, `p+ = p - 2 (J M^-1 p) / (J M^-1 J') J`.
#[test]
fn a_motion_chooses_its_order_of_reflections() {
    let dir = directory();
    let file = written(&dir, "rod.toml", ROD);
    let orders = [
        "order = argmin",
        "order = \"argmax\"",
        "order = [\"floor-rod-1\", \"floor-rod-2\"]",
        "order = [\"floor-rod-2\"]",
    ];
    let with: String = orders.iter().map(|order| format!(" --beside '{order}'")).collect();
    let found = report(&dir, &format!("{file}{with} -o rod.svg"));
    // The mass matrix at angle 0, about the origin of the frame: (m, m, I + m c^2; m c).
    let arms = [-0.5, 0.5];
    let reflect = |velocity: [f64; 2], arm: f64| {
        // The velocity is that of the mass centre, upwards, and the turning.
        let arm = arm - 0.1;
        let rate = velocity[0] + arm * velocity[1];
        let push = -2.0 * rate / (1.0 + arm * arm / 0.1);
        [velocity[0] + push, velocity[1] + push * arm / 0.1]
    };
    let by_hand = |first: usize, pick: fn(f64, f64) -> bool| {
        let mut v = reflect([-3.0, 0.0], arms[first]);
        loop {
            let rates = arms.map(|arm| v[0] + (arm - 0.1) * v[1]);
            let violated = rates.map(|rate| rate < -1e-9);
            match violated {
                [false, false] => return v,
                [true, true] => v = reflect(v, arms[usize::from(!pick(rates[0], rates[1]))]),
                [one, _] => v = reflect(v, arms[usize::from(!one)]),
            }
        }
    };
    let energy = |v: [f64; 2]| 0.5 * v[0] * v[0] + 0.05 * v[1] * v[1];
    let (left, right) = (by_hand(0, |_, _| true), by_hand(1, |_, _| false));
    assert!((left[1] - right[1]).abs() > 1.0 && (energy(left) - 4.5).abs() < 1e-12);
    let after = |order: &str| {
        let changed = ROD.replace("friction = 0", &format!("friction = 0\n{order}"));
        let name = written(&dir, "changed.toml", &changed);
        let momentum = report(&dir, &name)["collisions"][0]["momentum"].clone();
        let p = |i: usize| momentum[i].as_f64().unwrap();
        // p = (m v_x, m v_y, m c v_y + I w) about the origin of the frame, v at the mass centre.
        [p(1), (p(2) - 0.1 * p(1)) / 0.1]
    };
    for (order, expected) in orders[2..].iter().zip([left, right]) {
        let found = after(order);
        // The rod falls 0.45 m in steps; the time of the impact is found to about 1e-9.
        let far = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
        assert!(far < 1e-5, "{order}: {found:?} {expected:?}");
    }
    let others = found["beside"].as_array().unwrap();
    let most = |i: usize| {
        let xi = others[i]["xi"].as_array().unwrap();
        xi.iter().map(|x| x.as_f64().unwrap()).fold(0.0, f64::max)
    };
    // Without an order the shortest sequence goes first; one of both lists differs from it.
    assert!(most(2) == 0.0 || most(3) == 0.0, "{} {}", most(2), most(3));
    assert!(most(2).max(most(3)) > 0.1 && most(2).max(most(3)) <= 2.0);
    let drawn = read(&dir, "rod.svg");
    assert!(drawn.contains("order = argmin") && drawn.contains("How far the momenta are apart"));
    let random = |seed: &str| {
        let args = format!("{file} --beside order=random --beside {seed}");
        report(&dir, &args)["beside"][0].clone()
    };
    assert_eq!(random("seed=1"), random("seed=1"));
}

#[test]
fn what_cannot_be_shown_beside_is_refused() {
    let dir = directory();
    write(&dir, "rod.toml", ROD);
    let wrong = ROD.replace("\"propagative\"", "\"sequential\"\norder = \"argmin\"");
    write(&dir, "wrong.toml", wrong);
    let cases = "
        3 rod.toml --beside order=first => order | argmin
        3 rod.toml --beside law=sequential --beside x=1 => unknown key `x`
        2 rod.toml --beside time_step=0.02 => same time step | --beside
        2 rod.toml --beside ellipsoid => same coordinates
        2 cube --beside rod.toml => same coordinates
        3 cube --beside 'no such file' => no such file
        3 cube --beside 'state.position=[0, 0, \"a\"]' => state.position
        2 cube --beside mass=2 --perturb 3 => --perturb
        2 cube --beside mass=2 --out s.csv => --out
        2 cube --beside =3 => KEY=VALUE
        3 wrong.toml => law = \"propagative\"";
    refusals(&dir, "simulate", cases);
}

/// A rounded cube given by a function: its volume is `8 G(5/4)^3 / G(7/4)`, with gamma functions.
#[test]
fn a_function_may_give_the_shape() {
    let dir = directory();
    let given = BALL.replace("{ ellipsoid = [1, 1, 1] }", "{ implicit = \"x^4 + y^4 + z^4 - 1\" }");
    let file = written(&dir, "cube.toml", &given);
    let found = report(&dir, &format!("{file} --animate cube.svg --steps 80"));
    let volume = found["body"]["uniform"]["volume"].as_f64().unwrap();
    let expected = 8.0 * 0.906_402_477_055_f64.powi(3) / 0.919_062_526_849;
    assert!((volume - expected).abs() < 1e-6, "{volume}");
    assert_eq!(found["body"]["convex"], json!(["proved"]));
    // The body falls 2 m on a face.
    let time = (4.0_f64 / 9.80665).sqrt();
    assert!((found["collisions"][0]["time"].as_f64().unwrap() - time).abs() < 1e-12);
    let shown = text(&run(&dir, &format!("simulate {file} --steps 3")).stdout);
    assert!(shown.contains("prove to be convex"), "{shown}");
    for (shape, words) in [
        ("{ implicit = \"x^4 + w\" }", ["shapes[0].implicit", "unknown parameter `w`"]),
        ("{ implicit = \"x^2 - 1\" }", ["shapes[0].implicit", "no end"]),
        ("{ support = 3 }", ["shapes[0].support", "a string"]),
        ("{ implicit = \"x^2 + y^2 + z^2 - 1\", rounding = 1 }", ["rounding", "only a box"]),
    ] {
        let bad = written(&dir, "bad.toml", &BALL.replace("{ ellipsoid = [1, 1, 1] }", shape));
        refused(&dir, &format!("simulate {bad}"), 3, &words);
    }
}

/// [SM14] Fig. 8, on a robot of our own: where the normals are orthogonal the order of reflections
/// does not matter, but for rounding; in another stance it does.
#[test]
fn the_order_matters_in_one_stance_alone() {
    let dir = directory();
    let most = |set: &str| {
        let args = format!("runner-lands --beside order=argmax {set}");
        let found = report(&dir, &args);
        assert!(found["collision_count"].as_u64().unwrap() > 2, "{set:?}");
        let xi = found["beside"][0]["xi"].as_array().unwrap();
        xi.iter().map(|x| x.as_f64().unwrap()).fold(0.0, f64::max)
    };
    assert!(most("") < 1e-12 && most("--set stance=0") > 0.3);
    refused(&dir, "simulate runner-lands --set stanc=0", 2, &["stance"]);
    refused(&dir, "simulate cube --set stance=0", 2, &["no parameters"]);
}

/// [SM14] Fig. 2(b): `1 - E+/E- = (1 - R^2) 2/3` for three balls in a row, at any speed.
#[test]
fn a_cradle_loses_its_share_at_any_speed() {
    let dir = directory();
    let cradle = "plot newtons-cradle --sweep speed=0.5..4 -o loss.svg";
    done(&dir, &format!("{cradle} --loss 1,0.7,0"));
    let svg = read(&dir, "loss.svg");
    // The heights of the three curves, which have 121 points each.
    let curve = |path: &str| -> Vec<f64> {
        let numbers = path.split(['M', 'L', ' ', ',']).filter_map(|x| x.parse().ok());
        numbers.skip(1).step_by(2).collect()
    };
    let paths = svg.split(" d=\"").skip(1).map(|rest| curve(rest.split('"').next().unwrap()));
    let curves: Vec<Vec<f64>> = paths.filter(|heights| heights.len() == 121).collect();
    assert_eq!(curves.len(), 3);
    let [elastic, part, plastic] = [0, 1, 2].map(|i| curves[i][0]);
    // Coordinates are written to hundredths of a pixel, of about 200.
    assert!(curves.iter().flatten().all(|y| [elastic, part, plastic].contains(y)));
    assert!(((elastic - part) / (elastic - plastic) - 0.51).abs() < 1e-3);
    refused(&dir, "plot newtons-cradle -o x.svg --loss 1", 2, &["--sweep"]);
}
