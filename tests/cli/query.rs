//! `carom query`.

use super::*;

fn answer(dir: &Path, what: &str, ask: &str) -> Value {
    reported(dir, &format!("query {what} {ask}"))
}

const QUESTIONS: [&str; 9] = [
    "support --direction 0,0,1",
    "worst --cost 'block.theta^2 - block.x'",
    "distance --velocity 0,0,-0.1",
    "contains --velocity block.x=0,block.y=0,block.theta=0 --eps 0.02",
    "extents",
    "modes",
    "representatives --count 3",
    "clusters --gap 0.01",
    "invariants",
];

/// A file and the run that it came from give the same answers.
#[test]
fn a_file_answers_as_the_run_does() {
    let dir = directory();
    let how = "-n 2000 --seed 3 --device cpu";
    for file in ["set.npz", "set.parquet"] {
        done(&dir, &format!("sample rocking-block --out {file} {how}"));
        for ask in QUESTIONS {
            let of_file = answer(&dir, file, ask);
            let mut of_run = answer(&dir, "rocking-block", &format!("{ask} {how}"));
            assert_eq!(of_file["schema_version"], json!(1));
            for (key, value) in of_file.as_object().unwrap() {
                assert_eq!(of_run[key].take(), *value, "{file}: {ask:?}, {key}");
            }
        }
    }
}

#[test]
fn exact_sets_bound_what_samples_say() {
    let dir = directory();
    let ask = |ask: &str| answer(&dir, "rocking-block", &format!("{ask} -n 500"));
    for question in &QUESTIONS[..2] {
        let found = ask(question);
        let [sampled, exact] = [&found, &found["exact"]].map(|of| of["value"].as_f64().unwrap());
        assert!(sampled <= exact + 1e-6 && exact - sampled < 0.05, "{found}");
        assert_eq!(found["exact"]["complete"], json!(true));
    }
    assert_eq!(ask(QUESTIONS[3])["contains"], json!(true));
    let far = ask("contains --velocity 9,9,9");
    says(&far, json!({ "contains": false, "from": "exact", "answer": "no", "proved": true }));
    let near = ask(QUESTIONS[3]);
    assert_eq!((&near["answer"], &near["proved"]), (&json!("yes"), &json!(true)));
    let modes = ask(QUESTIONS[5]);
    assert_eq!(modes["complete"], json!(true));
    let witnessed = |mode: &Value| mode["witness"]["velocity"].is_array();
    assert!(modes["modes"].as_array().unwrap().iter().all(witnessed));
    let thin = ask(QUESTIONS[8]);
    let spread = |i: usize| thin["invariants"][i]["spread"].as_f64().unwrap();
    assert!(spread(0) <= spread(2));
}

#[test]
fn answers_can_be_read() {
    let dir = directory();
    let shown = "largest|exact|from the hull|possible    yes|least|stick|radius|clusters|thinnest";
    for (ask, words) in QUESTIONS.into_iter().zip(shown.split('|')) {
        let output = run(&dir, &format!("query rocking-block {ask} -n 300"));
        let report = text(&output.stdout);
        assert!(output.status.success() && report.contains(words), "{ask:?}\n{report}");
    }
    let spatial = run(&dir, "query cube-on-edge modes -n 100");
    assert!(text(&spatial.stdout).contains("those that were met"));
}

#[test]
fn wrong_questions_are_refused() {
    let dir = directory();
    write(&dir, "other.npz", "no archive");
    let cases = "
        2 rocking-block => support
        2 rocking-block support --direction 0,0,0 => no direction
        2 rocking-block support --direction z=1 => no coordinate is called `z`
        2 box-and-wall extents --set mu=3 => --uncertainty
        2 rocking-block worst --cost z => no coordinate is called `z`
        2 rocking-block distance --velocity 0,0 => 2 numbers for 3 coordinates
        2 rocking-block contains --velocity 0,0,0 --eps 0 => above 0
        2 rocking-block clusters --gap nan => above 0";
    refusals(&dir, "query", cases);
    let cases = "
        3 query other.npz extents => no file of samples | other.npz
        3 query none.parquet extents => none.parquet";
    refusals(&dir, "", cases);
}

/// A block that falls twice as fast leaves twice as fast.
#[test]
fn the_velocity_before_the_impact_can_be_replaced() {
    let dir = directory();
    let [once, twice] = ["", "--before block.y=-0.885889383614004"].map(|more| {
        let ask = format!("{} -n 500 {more}", QUESTIONS[0]);
        answer(&dir, "rocking-block", &ask)["value"].as_f64().unwrap()
    });
    assert!((twice - 2.0 * once).abs() < 1e-9 && once > 0.05, "{once} {twice}");
    refused(&dir, "query rocking-block extents --before 1,2", 2, &["--before", "block.theta"]);
}

/// What belongs to sampling does nothing on a file, and is refused.
#[test]
fn options_of_sampling_are_refused_on_files() {
    let dir = directory();
    done(&dir, "sample rocking-block -n 100 --out set.npz");
    for option in ["--seed 1", "--law sequential", "-n 5", "--before 0,0,1"] {
        let ask = format!("query set.npz extents {option}");
        refused(&dir, &ask, 2, &["a file has its samples already"]);
    }
    refused(&dir, "query set.npz contains --velocity 1e300,0,0", 2, &["--velocity", "too large"]);
    refused(&dir, "query set.npz representatives --count 1e12", 2, &["--count", "4096"]);
}

/// Answers of a set that is not tight claim nothing of what encloses motions without end.
#[test]
fn answers_say_whether_all_of_the_set_are_outcomes() {
    let dir = directory();
    let ask = |ask: &str| answer(&dir, "box-and-wall", &format!("{ask} -n 300"));
    for question in [QUESTIONS[4], QUESTIONS[5], QUESTIONS[8]] {
        let found = ask(question);
        let of_exact = if found["exact"].is_object() { &found["exact"] } else { &found };
        assert_eq!([&of_exact["complete"], &of_exact["tight"]], [&json!(true); 2], "{found}");
        assert!(found["missing"].is_null());
    }
    let modes = ask(QUESTIONS[5]);
    let occurs = |mode: &Value| mode["occurs"] == json!(true);
    assert!(modes["modes"].as_array().unwrap().iter().all(occurs), "{modes}");
}

/// Where there is no exact set a proof answers, if it covers the law, and says what it covers.
#[test]
fn proofs_answer_where_there_is_no_exact_set() {
    let dir = directory();
    let of = |what, law: &str, ask: &str| answer(&dir, what, &format!("{ask} -n 300 --law {law}"));
    let (support, cost) = (QUESTIONS[0], "worst --cost 'block.theta * block.x - block.y'");
    let [low, high] = [support, cost].map(|ask| {
        let found = of("rocking-block", "sequential", ask);
        let bound = &found["bound"];
        says(bound, json!({ "kind": "conic", "certified": true }));
        assert!(found["exact"].is_null() && bound["excludes"].as_str().is_some(), "{found}");
        let [least, most] = [&found, bound].map(|of| of["value"].as_f64().unwrap());
        assert!(least <= most, "{found}");
        most
    });
    assert!(low > 0.0 && high > 0.0);
    // The exact set answers where the largest value is that of a vertex, else a proof about it.
    let exact = of("rocking-block", "routh", support);
    assert!(exact["exact"].is_object() && exact["bound"].is_null(), "{exact}");
    let found = of("rocking-block", "routh", cost);
    says(&found["bound"], json!({ "kind": "exact", "tight": true }));
    let cube = of("cube-on-edge", "routh", "support --direction cube.wz=1");
    assert_eq!(cube["bound"]["kind"], json!("certified"), "{cube}");
    // No proof covers a law that may gain energy.
    let plus = of("rocking-block", "plus", support);
    assert!(plus["bound"].is_null() && plus["exact"].is_null(), "{plus}");

    let contains = |v: &str| of("rocking-block", "sequential", &format!("contains --velocity {v}"));
    let far = contains("block.theta=0.9");
    let distance = far["apart"]["distance"].as_f64().unwrap();
    assert!(far["contains"] == json!(false) && distance > 0.01, "{far}");
    assert!(distance <= far["distance"].as_f64().unwrap(), "{far}");
    assert_eq!(far["apart"]["direction"][0], json!(0.0), "{far}");
    assert_eq!((&far["answer"], &far["proved"]), (&json!("no"), &json!(true)), "{far}");
    // What a sample reaches is excluded by nothing.
    let reached = of("rocking-block", "sequential", support)["velocity"].clone();
    let reached: Vec<String> = reached.as_array().unwrap().iter().map(Value::to_string).collect();
    let near = contains(&reached.join(","));
    assert!(near["contains"] == json!(true) && near["apart"].is_null(), "{near}");
    assert_eq!((&near["answer"], &near["proved"]), (&json!("yes"), &json!(false)), "{near}");
    // No proof covers the law plus: what no sample is near was merely not drawn.
    let ask = "contains --velocity block.theta=0.9";
    let open = of("rocking-block", "plus", ask);
    says(&open, json!({ "contains": false, "answer": "unknown", "proved": false }));

    let told = |ask: &str| {
        text(&run(&dir, &format!("query rocking-block {ask} -n 300 --law sequential")).stdout)
    };
    let proved = told(support);
    has(&proved, "at most|(conic): no law exceeds it");
    let excluded = told("contains --velocity 0,0,0.9");
    assert!(excluded.contains("no: a proof excludes it"), "{excluded}");
}

/// Without accepted samples the answer to a script is JSON too.
#[test]
fn a_set_without_samples_answers_in_json() {
    let dir = directory();
    let args =
        "query block.json extents -n 16 --device cpu --process steps --step 1e-9 --max-steps 1";
    let [shown, said] = ended(&dir, &format!("{args} --json"), 1);
    let answer: Value = serde_json::from_str(&shown).unwrap();
    has(answer["error"].as_str().unwrap(), "the set is empty");
    has(&said, "the set is empty");
    assert_eq!(text(&run(&dir, args).stdout), "");
}
