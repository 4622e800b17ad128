//! `carom resolve`.

use super::support::golden::{golden, spatial_impact};
use super::*;

/// One ball on a floor, in space.
const BALL: &str = r#"{
  "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": [[0, 0, 1]], "tangent": [[1, 0, 0], [0, 1, 0]],
  "friction": [0.5], "velocity": [1, 0, -2]
}"#;

/// Three normals at 120 degrees: whatever is reflected, something approaches.
const TRIANGLE: &str = r#"{
  "mass": [[1, 0], [0, 1]], "velocity": [-0.3, 0.1],
  "normal": [[1, 0], [-0.5, 0.8660254037844386], [-0.5, -0.8660254037844386]]
}"#;

fn directory() -> Folder {
    let dir = Folder::new();
    let bounce =
        |e: &str| BLOCK.replacen("\"velocity\"", &format!("\"restitution\": {e}, \"velocity\""), 1);
    for (name, text) in [
        ("block.json", BLOCK.to_string()),
        ("same.json", bounce("[0.5, 0.5]")),
        (
            "vague.json",
            BALL.replacen("\"friction\"", "\"uncertainty\": {\"noise\": 0.1}, \"friction\"", 1),
        ),
        ("mixed.json", bounce("[0.5, 0.25]")),
        ("ball.json", BALL.to_string()),
        ("single.json", BALL.replacen("[1, 0, 0], [0, 1, 0]],\n", "[1, 0, 0]],\n", 1)),
        ("rough.json", BALL.replacen("[0.5]", "[0.8]", 1)),
        ("triangle.json", TRIANGLE.to_string()),
    ] {
        write(&dir, name, text);
    }
    dir
}

fn resolve(dir: &Path, args: &str) -> Output {
    run(dir, &format!("resolve {args}"))
}

/// The report of a run that succeeds.
fn report(dir: &Path, args: &str) -> Value {
    reported(dir, &format!("resolve {args}"))
}

fn solutions(report: &Value) -> &Vec<Value> {
    report["solutions"].as_array().unwrap()
}

#[test]
fn what_cannot_be_honoured_is_refused() {
    let dir = directory();
    let cases = "
        2 => WHAT
        2 block.json => --law
        2 block.json --law newton => --law | anitescu-potra | sequential | propagative
        2 block.json --law routh => carom sample
        2 block.json --law compliant --stiffness 1,2,3 => 3 numbers for 2 contacts
        2 block.json --law plus --gaps 0,1 => --gaps | belongs to compliant
        3 block.json --law darboux-keller => block.json | one contact | has 2 | one row
        3 single.json --law darboux-keller => single.json | planar | two tangent rows
        2 ball.json --law darboux-keller --hypothesis hooke => stronge | poisson | newton
        2 ball.json --law darboux-keller --restitution 2 => --restitution | [0, 1]
        2 ball.json --law darboux-keller --start 0 => --start | sequential
        2 block.json --law sequential --hypothesis newton => --hypothesis | darboux-keller
        2 block.json --law sequential --start 2 => start | no contact 2 | 0 to 1
        2 block.json --law sequential --start -1 => --start | -1
        2 block.json --law sequential --start left => --start | counted from 0
        2 block.json --law sequential --order 0 => order | leaves out contact 1
        2 block.json --law sequential --order 0,7 => order | no contact 7
        2 block.json --law sequential --order 0,x => --order
        2 block.json --law sequential --order 0,1 --start 0 => --order | --start
        2 block.json --law propagative --start 0 => --start | sequential
        2 block.json --law anitescu-potra --order 0,1 => --order | sequential
        2 block.json --law sequential --sequences minimal => --sequences | propagative
        2 block.json --law sequential --max-length 3 => --max-length | propagative
        2 block.json --law propagative --sequences all => minimal | admissible
        2 block.json --law propagative --max-length 0 => --max-length
        2 block.json --law propagative --restitution 1.5 => --restitution | [0, 1]
        2 block.json --law anitescu-potra --restitution 1 => anitescu-potra | 1
        3 same.json --law anitescu-potra => anitescu-potra | restitution[0]
        3 mixed.json --law propagative => restitution[1] | 0.5 | 0.25
        2 ball.json --law anitescu-potra --facets 5 => facets | even | found 5
        2 block.json --law anitescu-potra --facets 8 => facets | spatial
        2 ball.json --law darboux-keller --facets 8 => --facets | anitescu-potra
        2 block.json --law cone-complementarity --restitution 1 => cone-complementarity | 1
        3 same.json --law cone-complementarity => cone-complementarity | restitution[0]
        3 same.json --law convex-relaxation => convex-relaxation | restitution[0]
        2 ball.json --law anitescu-potra --starts 9 => --starts | cone-complementarity
        2 ball.json --law cone-complementarity --starts -1 => --starts
        3 rocking-blok --law sequential => rocking-blok | rocking-block
        3 absent.json --law sequential => absent.json
        3 - --law sequential => stdin";
    refusals(&dir, "resolve", cases);
}

#[test]
fn circular_cones_and_their_relaxation() {
    let dir = directory();
    // The ball slides at 1 - 0.5 * 2 = 0 m/s: it just stops.
    let ball = report(&dir, "ball.json --law cone-complementarity --starts 3");
    let velocity = |report: &Value, i: usize| solutions(report)[0]["velocity"][i].as_f64().unwrap();
    assert!((0..3).all(|i| velocity(&ball, i).abs() < 1e-9), "{ball}");
    assert_eq!((&ball["complete"], &ball["distinct"]), (&false.into(), &1.into()));
    write(&dir, "smooth.json", BALL.replacen("[0.5]", "[0.25]", 1));
    // L minimises |L|^2 / 2 + t - 2 n over |t| <= n / 4: n = 36/17, and the contact leaves with a
    // quarter of its sliding.
    let loose = report(&dir, "smooth.json --law convex-relaxation");
    let n = 36.0 / 17.0;
    assert!((velocity(&loose, 2) - (n - 2.0)).abs() < 1e-9);
    assert!((velocity(&loose, 0) - (1.0 - n / 4.0)).abs() < 1e-9);
    let lift = solutions(&loose)[0]["details"]["lift"][0].as_f64().unwrap();
    assert!((lift - (n - 2.0)).abs() < 1e-9);
    assert!(loose["warnings"].to_string().contains("relaxation"), "{loose}");
    let plain = text(&resolve(&dir, "smooth.json --law convex-relaxation").stdout);
    assert!(plain.contains("pushed off by sliding") && plain.contains("contacts 0"), "{plain}");
    let plain = text(&resolve(&dir, "smooth.json --law cone-complementarity").stdout);
    assert!(plain.contains("found from") && plain.contains("starts lead here"), "{plain}");
}

#[test]
fn the_json_report_keeps_its_schema() {
    let dir = directory();
    for (law, keys) in [
        ("anitescu-potra", &["combinations", "isolated", "complete"][..]),
        ("cone-complementarity", &["start", "iterations", "several", "isolated", "complete"]),
        ("convex-relaxation", &["iterations", "lift"]),
        ("sequential", &["start", "order", "visits"]),
        ("propagative", &["kind", "tension"]),
    ] {
        let report = report(&dir, &format!("block.json --law {law}"));
        says(&report, json!({ "schema_version": 1, "law": law, "name": "block" }));
        assert!(report["complete"].is_boolean() && report["distinct"].is_u64());
        assert!(report["warnings"].is_array());
        assert_eq!(report.get("uniqueness").is_some(), law == "propagative");
        assert!(!solutions(&report).is_empty());
        for solution in solutions(&report) {
            for (key, length) in [("velocity", 3), ("impulse", 4)] {
                let numbers = solution[key].as_array().unwrap();
                let all = numbers.len() == length && numbers.iter().all(Value::is_f64);
                assert!(all, "{key}: {solution}");
            }
            assert!(solution["kinetic_energy"].is_f64(), "{solution}");
            assert!(solution["impacts"].is_u64(), "{solution}");
            let sequence = solution["sequence"].as_array().unwrap();
            assert!(sequence.iter().all(Value::is_u64), "{solution}");
            assert_eq!(solution["status"], "terminated");
            assert!(solution["residual"].as_f64().unwrap() <= 1e-10);
            let details = &solution["details"];
            assert!(details["outcome"].as_u64() < report["distinct"].as_u64(), "{solution}");
            assert_eq!(details["modes"].as_array().unwrap().len(), 2);
            for key in keys {
                assert!(!details[key].is_null(), "{key}: {solution}");
            }
        }
    }
}

#[test]
fn one_solution_per_start_and_per_sequence() {
    let dir = directory();
    let all = report(&dir, "rocking-block --law sequential");
    assert_eq!(solutions(&all).len(), 2);
    let second = report(&dir, "rocking-block --law sequential --start 1");
    assert_eq!(solutions(&second)[0], {
        let mut solution = solutions(&all)[1].clone();
        solution["details"]["outcome"] = 0.into();
        solution
    });
    let order = report(&dir, "rocking-block --law sequential --order 1,0");
    assert_eq!(solutions(&order)[0]["velocity"], solutions(&second)[0]["velocity"]);

    let kinds = |args: &str| -> Vec<String> {
        let report = report(&dir, &format!("billiard-break --law propagative {args}"));
        let kind = |s: &Value| s["details"]["kind"].as_str().unwrap().to_string();
        solutions(&report).iter().map(kind).collect()
    };
    let rest = ["argmin", "argmax", "plastic-projection", "plastic-unilateral"];
    let with = |first: &[&'static str]| [first, &rest].concat();
    assert_eq!(kinds(""), with(&["minimal", "minimal", "admissible", "admissible"]));
    assert_eq!(kinds("--sequences minimal"), with(&["minimal", "minimal"]));
    assert_eq!(kinds("--sequences admissible"), with(&["admissible", "admissible"]));
    assert_eq!(kinds("--max-length 1"), with(&[]));
}

#[test]
fn scenes_of_reflections_have_the_published_outcomes() {
    let dir = directory();
    let cradle = report(&dir, "newtons-cradle --law propagative");
    assert_eq!(cradle["uniqueness"]["theorem"], "three-stages");
    assert_eq!(cradle["uniqueness"]["indeterminacy"], 0.0);
    assert_eq!(cradle["uniqueness"]["length_bound"], 3.0);
    let velocity = solutions(&cradle)[0]["velocity"].as_array().unwrap();
    for (v, expected) in velocity.iter().zip([0.0, 0.0, 1.0]) {
        assert!((v.as_f64().unwrap() - expected).abs() < 1e-12);
    }
    let shot = &report(&dir, "billiard-break --law propagative")["uniqueness"];
    assert!((shot["indeterminacy"].as_f64().unwrap() - 0.6330832939656155).abs() < 1e-9);
    assert!((shot["gram"][0][1].as_f64().unwrap() - 0.21130913087034967).abs() < 1e-9);
    assert!(shot["theorem"].is_null());
}

#[test]
fn restitution_is_the_files_unless_the_command_line_has_one() {
    let dir = directory();
    let argmin = |args: &str| -> f64 {
        let report = report(&dir, &format!("{args} --law propagative"));
        let is = |s: &&Value| s["details"]["kind"] == "argmin";
        solutions(&report).iter().find(is).unwrap()["kinetic_energy"].as_f64().unwrap()
    };
    let (elastic, half) = (argmin("block.json"), argmin("same.json"));
    assert!(half < elastic - 0.01);
    assert_eq!(argmin("block.json --restitution 0.5"), half);
    assert_eq!(argmin("mixed.json --restitution 0.5"), half);
    assert_eq!(argmin("same.json --restitution 1"), elastic);
    for law in ["sequential", "anitescu-potra"] {
        report(&dir, &format!("same.json --law {law} --restitution 0"));
    }
}

#[test]
fn single_impacts_bounce_and_slide_in_space() {
    let dir = directory();
    let velocity = |args: &str| -> Vec<f64> {
        let report = report(&dir, &format!("{args} --law sequential"));
        assert_eq!(solutions(&report)[0]["status"], "terminated");
        let velocity = solutions(&report)[0]["velocity"].as_array().unwrap();
        velocity.iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let near = |found: Vec<f64>, expected: [f64; 3]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    };
    // A point mass: friction mu (1 + e) |v_n| at most, against a sliding of 1 m/s.
    near(velocity("ball.json --restitution 0"), [0.0, 0.0, 0.0]);
    near(velocity("ball.json --restitution 0.25"), [0.0, 0.0, 0.5]);
    let half = velocity("same.json");
    assert_eq!(velocity("block.json --restitution 0.5"), half);
    assert_ne!(velocity("same.json --restitution 0"), half);
}

#[test]
fn what_a_reader_must_know_is_said_on_stderr() {
    let dir = directory();
    let [shown, said] = ended(&dir, "resolve triangle.json --law propagative", 0);
    has(&said, "warning: an order had not ended after 20000 reflections");
    has(&shown, "(step-limit)");
    let output = resolve(&dir, "rocking-block --law propagative");
    has(&text(&output.stderr), "warning: friction is left out");
    let output = resolve(&dir, "vague.json --law sequential");
    has(&text(&output.stderr), "warning: what is uncertain is taken as it is given");
    let report = report(&dir, "ball.json --law propagative");
    assert_eq!(solutions(&report)[0]["velocity"], serde_json::json!([1.0, 0.0, 2.0]));
    assert_eq!(solutions(&report)[0]["impulse"], serde_json::json!([4.0, 0.0, 0.0]));
}

#[test]
fn every_scene_is_resolved_by_every_law_and_shown_plainly() {
    let dir = directory();
    for scene in carom::scene::BUILTIN {
        for law in ["anitescu-potra", "sequential", "propagative", "plus"] {
            let more = if law == "anitescu-potra" { "--restitution 0" } else { "" };
            let shown = done(&dir, &format!("resolve {} --law {law} {more}", scene.name));
            has(&shown, &format!("problem|{law}|distinct outcome|solutions|velocity, SI units"));
            let plain = shown.lines().all(|line| line.trim_end() == line);
            assert!(plain && !shown.contains('\u{1b}'), "{shown}");
        }
    }
}

#[test]
fn the_published_spatial_impacts_are_resolved_from_their_scenes() {
    let dir = directory();
    let golden = golden("jia_wang");
    let impacts = [("icosahedron-tetrahedron", "P1_Fig4a"), ("pin-ball", "P1_pinball_calibrated")];
    for (scene, case) in impacts {
        let expected = &spatial_impact(&golden, case)["expected"];
        let report = report(&dir, &format!("{scene} --law darboux-keller"));
        let [solution] = &solutions(&report)[..] else { panic!("{report}") };
        assert_eq!(solution["details"]["event_sequence"], expected["exact_sequence"], "{scene}");
        let impulse = solution["impulse"].as_array().unwrap();
        // The paper's order is t1, t2, n.
        for (i, known) in [2, 0, 1].into_iter().zip([0, 1, 2].map(|i| &impulse[i])) {
            let off = known.as_f64().unwrap() - expected["Ir"][i].as_f64().unwrap();
            assert!(off.abs() < 1e-9, "{scene}: impulse {i} off by {off:e}");
        }
    }
}

#[test]
fn problems_come_from_stdin_too() {
    let dir = directory();
    let report = given(&dir, "resolve - --law sequential --json", BLOCK);
    assert_eq!(report["name"], "block");
}

#[test]
fn one_spatial_contact_has_its_course_told() {
    let dir = directory();
    let report = report(&dir, "rough.json --law darboux-keller --restitution 0.5");
    assert_eq!(report["law"], "darboux-keller");
    let [solution] = &solutions(&report)[..] else { panic!("{report}") };
    // A point mass: v+ = -e v-, friction mu (1 + e) |v-| stops the sliding of 1 m/s.
    let expected = [0.0, 0.0, 1.0];
    for (found, expected) in solution["velocity"].as_array().unwrap().iter().zip(expected) {
        assert!((found.as_f64().unwrap() - expected).abs() < 1e-12, "{solution}");
    }
    says(solution, json!({ "status": "terminated", "sequence": [0] }));
    let details = &solution["details"];
    let course = json!({ "event_sequence": "scr", "hypothesis": "stronge", "every_direction_invariant": true });
    says(details, course);
    assert_eq!(details["condition_18"]["holds"], true);
    assert_eq!(details["phases"][1]["motion"], "stick");
    for key in ["events", "invariant_directions", "hodograph"] {
        assert!(details[key].is_array(), "{key}: {details}");
    }
    for key in ["compression", "restitution", "friction", "change"] {
        assert!(details["energy"][key].is_f64(), "{key}: {details}");
    }
    for key in ["friction_to_stick", "restitution", "arcs"] {
        assert!(details[key].is_number(), "{key}: {details}");
    }
    let poisson = "ball.json --law darboux-keller --restitution 0.5 --hypothesis poisson";
    let shown = done(&dir, &format!("resolve {poisson}"));
    has(&shown, "poisson|slip|compression-ends|every direction");
    has(&shown, "condition   (18)|velocity, SI units");
}

#[test]
fn its_hodograph_is_drawn() {
    let dir = directory();
    done(&dir, "plot ball.json --law darboux-keller -o ball.svg");
    let svg = read(&dir, "ball.svg");
    has(&svg, "hodograph|compression ends|plane of compression|line of sticking");
    ended(&dir, "plot ball.json --hypothesis newton -o other.svg", 2);
}

/// The sweep over friction that ends at the file's 0.5 has the file's hodograph as its last one.
#[test]
fn hodographs_are_drawn_over_a_parameter() {
    let dir = directory();
    let drawn = |args: &str| {
        done(&dir, &format!("plot ball.json --law darboux-keller -o a.svg {args}"));
        let svg = read(&dir, "a.svg");
        // Curves that are no areas, grids or ticks: three of the axes in space, if they are shown.
        svg.lines().filter(|line| line.contains("stroke-linejoin")).count()
    };
    let [three, five] =
        ["3", "5"].map(|curves| drawn(&format!("--sweep slip=0..240 --curves {curves}")));
    assert_eq!(five - three, 2);
    for sweep in ["friction=0.1..0.5", "restitution=0..0.9"] {
        assert_eq!(drawn(&format!("--sweep {sweep} --curves 3")), three, "{sweep}");
    }
    let cases = "
        2 --sweep height=0..1 => height
        2 --sweep restitution=0..2 => --sweep
        2 --curves 3 => --sweep
        2 --sweep slip=0..1 --paths 3 => --paths";
    refusals(&dir, "plot ball.json --law darboux-keller -o a.svg", cases);
}

#[test]
fn courses_are_drawn() {
    let dir = directory();
    let drawn = |args: &str, words: &str| {
        done(&dir, &format!("plot {args} -o a.svg"));
        let svg = read(&dir, "a.svg");
        assert!(words.split('|').all(|word| svg.contains(word)), "{args}: {words}");
    };
    let ends = "compression ends, plus|sliding ends|contacts roll";
    drawn("ball.json --law plus --friction 0.9", ends);
    let soft = "Penetration|c0, compliant|c0, plus";
    drawn("ball.json --law compliant --stribeck 0.01,1.2 --beside plus", soft);
    drawn("ball-row --law plus --restitution 1", "Impulse of each contact|4-5");
    drawn("block.json --law plus --panels normal", "Normal velocity");
    // What is uncertain has a set.
    drawn("vague.json --law plus --samples 50", "outcomes by what");
    let cases = "
        2 ball.json --law plus --samples 50 => --samples
        2 ball.json --law plus --stiffness 1e5 => --stiffness
        2 ball.json --law plus --beside routh => --beside
        2 ball.json --law plus --beside plus => --beside
        2 ball.json --law compliant --theta-max 0.1 => --theta-max
        2 ball.json --beside compliant => --beside
        2 ball.json --law plus --panels depth => depth
        2 ball.json --law compliant --stribeck 0 => --stribeck
        2 ball.json --law compliant --stribeck 0.1,0.5 => --stribeck";
    refusals(&dir, "plot -o a.svg", cases);
}

/// [JW16] Figs. 4(b) to (d), 7 and 10 by command: events and impulses of the same impacts that the
/// golden file has from integration in small steps.
#[test]
fn published_hodographs_need_no_other_scene() {
    let dir = directory();
    let file = golden("jia_wang");
    let cases = [
        (1, "0.4", "z=0.2"),
        (2, "0.25", "z=0.2"),
        (3, "3", "z=0.5"),
        (4, "0.25", "x=-0.7,icosahedron.y=-0.35,icosahedron.z=-0.5"),
        (5, "0.35", "z=0.2"),
        (6, "0.25", "z=-1"),
        (7, "0.55", "z=0.9"),
    ];
    for (case, friction, velocity) in cases {
        let law = "icosahedron-tetrahedron --law darboux-keller";
        let more = format!("--friction {friction} --velocity icosahedron.{velocity}");
        let report = report(&dir, &format!("{law} {more}"));
        let found = &solutions(&report)[0];
        let expected = &file["cases"][case]["expected"];
        assert_eq!(found["details"]["event_sequence"], expected["exact_sequence"], "{case}");
        // The golden file has the normal last.
        for (at, of) in [(2, 0), (0, 1), (1, 2)] {
            let [a, b] = [&found["impulse"][of], &expected["Ir"][at]].map(|x| x.as_f64().unwrap());
            // The scene's Delassus matrix has the 6 digits of the published one.
            assert!((a - b).abs() <= 1e-5 * expected["Ir"][2].as_f64().unwrap(), "{case}: {a} {b}");
        }
    }
}

#[test]
fn friction_is_replaced() {
    let dir = directory();
    write(&dir, "smooth.json", BALL.replacen("[0.5]", "[0.125]", 1));
    let of = |args: &str| solutions(&report(&dir, &format!("{args} --law plus")))[0].clone();
    let replaced = of("ball.json --friction 0.125");
    assert_eq!(replaced["velocity"], of("smooth.json")["velocity"]);
    assert_ne!(replaced["velocity"], of("ball.json")["velocity"]);
    for (friction, said) in [("0.1,0.2", "2 entries"), ("-1", ">= 0"), ("1e9", "at most")] {
        let line = format!("resolve ball.json --law plus --friction {friction}");
        refused(&dir, &line, 2, &["--friction", said]);
    }
}

#[test]
fn a_velocity_that_breaks_constraints_is_reported() {
    let dir = directory();
    let held = BALL.replacen("\"normal\"", "\"bilateral\": [[2, 0, 0]], \"normal\"", 1);
    write(&dir, "held.json", held);
    let report = report(&dir, "held.json --law plus");
    says(&report, json!({ "bilateral_impulse": [-0.5], "kinetic_energy_before": 2.0 }));
    assert!(report["warnings"][0].as_str().unwrap().contains("-0.5"), "{}", report["warnings"]);
}

#[test]
fn plus_tells_rounds_and_intervals() {
    let dir = directory();
    let report = report(&dir, "brick-on-vertex --law plus --theta-max 0.15");
    assert_eq!((&report["law"], report["theta_max"].as_f64()), (&Value::from("plus"), Some(0.15)));
    assert_eq!(report["v_transition"].as_f64(), Some(0.1));
    let details = &solutions(&report)[0]["details"];
    says(details, json!({ "round_count": 2, "interval_count": 11 }));
    let rounds = details["rounds"].as_array().unwrap();
    let [compression, expansion] = &rounds[..] else { panic!("{details}") };
    assert_eq!([&compression["phases"][0], &expansion["phases"][0]], ["C", "E"]);
    let normal = |round: &Value| round["impulse"][0].as_f64().unwrap();
    assert!((normal(expansion) - 0.373 * normal(compression)).abs() < 1e-12);
    assert_eq!(details["transitions"][0]["to"], "rolling");
    let intervals = expansion["intervals"].as_array().unwrap();
    let end = &intervals[intervals.len() - 1]["contact_velocity"];
    assert_eq!(end.as_array().unwrap().len(), 3, "{end}");
    let cases = "
        2 ball-row --law plus --v-plastic -1 => number >= 0
        2 ball-row --law plus --theta-max 4 => between 0 and pi
        2 ball-row --law sequential --v-capture 1 => belongs to plus";
    refusals(&dir, "resolve", cases);
}

/// An impact that the law does not end is no outcome, and there is no claim that there are no
/// others: three walls at 120 degrees reflect without end.
#[test]
fn an_impact_without_end_is_no_outcome() {
    let dir = directory();
    let corner = json!({
        "mass": [[1, 0], [0, 1]], "normal": [[0, 1], [0.8660254037844386, -0.5], [-0.8660254037844386, -0.5]],
        "velocity": [0.3, -1]
    });
    write(&dir, "corner.json", corner.to_string());
    let report = reported(&dir, "resolve corner.json --law propagative");
    assert_eq!(report["complete"], json!(false));
    assert_eq!(report["solutions"][0]["status"], json!("step-limit"));
    let plain = text(&run(&dir, "resolve corner.json --law propagative").stdout);
    assert!(plain.contains("(step-limit)") && !plain.contains("no others"), "{plain}");
}
