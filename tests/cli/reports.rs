//! Reports that do not mislead, as a user reads them.

use super::*;

/// What help says, on one line.
fn help(command: &str) -> String {
    let help = text(&run(Path::new("."), &format!("{command} --help")).stdout);
    help.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How far each number of the velocity ranges.
fn ranges(args: &str) -> Vec<f64> {
    let report = parsed(Path::new("."), &format!("{args} --device cpu --json"));
    let of = |key: &str| report["velocity"][key].as_array().unwrap().clone();
    let width = |(max, min): (Value, Value)| max.as_f64().unwrap() - min.as_f64().unwrap();
    of("max").into_iter().zip(of("min")).map(width).collect()
}

#[test]
fn modes_are_those_met_and_shares_those_of_the_sampler() {
    let report = text(&run(Path::new("."), "sample rocking-block -n 500 --device cpu").stdout);
    has(&report, "contact modes met: 2 combinations|the sampler's, no probabilities");
    let met = "contact modes that were met. Their shares are the sampler's, no probabilities";
    has(&help("sample"), met);
}

/// [HP23] Sec. 5: rates of many short steps come close to their mean.
#[test]
fn a_smaller_step_shrinks_what_is_met() {
    for command in ["sample", "reality"] {
        has(&help(command), "A smaller step averages the rates and shrinks what is met");
    }
    let coarse = ranges("sample rocking-block -n 2000");
    let fine = ranges("sample rocking-block -n 2000 --step 0.003 --max-steps 10000");
    let finer = fine.iter().zip(&coarse).all(|(fine, coarse)| *fine < 0.5 * coarse);
    assert!(finer, "{fine:?} {coarse:?}");
}

/// A block on two corners, as a problem or as an event.
const BLOCK: &str = r#"{
  "name": "block", "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]], "normal": [[0, 1, -0.5], [0, 1, 0.5]],
  "tangent": [[1, 0, 0.5], [1, 0, 0.5]], "friction": [0.5, 0.5], "velocity": [0.3, -1, 0.4], "measured": [0, 0, 0]
}"#;

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A block in space.
const BLOCK_IN_SPACE: &str = r#"{
  "name": "block", "mass": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0.2]],
  "normal": [[0, 0, 1, -0.5], [0, 0, 1, 0.5]], "tangent": [[1, 0, 0, 0.5], [0, 1, 0, 0], [1, 0, 0, 0.5], [0, 1, 0, 0]],
  "friction": [0.5, 0.5], "velocity": [0.3, 0, -1, 0.4]
}"#;

/// Whether a report warns of a bias.
fn warns(report: &Value) -> bool {
    let biased = |warning: &Value| warning.as_str().unwrap().contains("biased");
    report["warnings"].as_array().unwrap().iter().any(biased)
}

#[test]
fn what_is_left_of_samples_that_do_not_end_is_called_biased() {
    let args = "sample disk-stack --process steps -n 2000 --device cpu";
    let limited = run(Path::new("."), &format!("{args} --max-steps 2 --json"));
    let report = json(&limited);
    assert!(report["terminated"].as_u64().unwrap() < 1900);
    // The limit was asked for.
    assert_eq!(limited.status.code(), Some(0), "{}", text(&limited.stderr));
    assert!(warns(&report) && text(&limited.stderr).contains("warning: "), "{report}");
    let plain = text(&run(Path::new("."), &format!("{args} --max-steps 2")).stdout);
    assert!(plain.contains("\nbiased      ") && plain.contains("no fair draw"), "{plain}");
    let whole = run(Path::new("."), &format!("{args} --json"));
    assert!(!warns(&json(&whole)) && whole.status.code() == Some(0));
}

#[test]
fn samples_without_an_end_are_told_by_the_exit_code() {
    let dir = Folder::new();
    let write = |name: &str, text: &str| write(&dir, name, text);
    let block = |limit: &str| {
        BLOCK.replacen("\"measured\": [0, 0, 0]", &format!("\"step\": 0.05{limit}"), 1)
    };
    write("free.json", &block(""));
    write("limited.json", &block(", \"max_steps\": 20"));
    write("none.json", &block(", \"max_steps\": 1"));
    let events =
        |limit: &str| format!("{{ \"events\": [{}] }}", BLOCK.replacen("\"measured\"", limit, 1));
    write("events.json", &events("\"step\": 0.05, \"max_steps\": 20, \"measured\""));
    write("no-event.json", &events("\"step\": 0.05, \"max_steps\": 1, \"measured\""));
    let ended = |args: &str| {
        let common = "--process steps -n 400 --device cpu --json";
        let output = run(&dir, &format!("{args} {common}"));
        let terminated = json(&output)["terminated"].as_u64().unwrap();
        (output.status.code().unwrap(), terminated, text(&output.stderr))
    };
    // A file's limit and a flag's are results; all the same, one sample has to end.
    for args in ["sample limited.json", "sample free.json --max-steps 20", "reality events.json"] {
        let (code, terminated, message) = ended(args);
        let some = code == 0 && (1..390).contains(&terminated);
        assert!(some, "{args}: {code}, {terminated}\n{message}");
        assert!(message.contains("biased"), "{args:?}\n{message}");
    }
    for args in [
        "sample none.json",
        "sample free.json --max-steps 1",
        "sample free.json --max-steps 1 --max-rejected 1",
        "reality no-event.json",
    ] {
        let (code, terminated, message) = ended(args);
        assert!(code == 1 && terminated == 0, "{args:?}: {code}, {terminated}\n{message}");
        assert!(message.contains("no sample ended"), "{args:?}\n{message}");
    }
    // Nobody set the limit of 1000 steps, which most samples need about.
    let short = "sample free.json --step 0.00112";
    for (rejected, expected) in [("0.01", 1), ("0.9", 0)] {
        let (code, terminated, message) = ended(&format!("{short} --max-rejected {rejected}"));
        let some = code == expected && (1..390).contains(&terminated);
        assert!(some, "{code}, {terminated}\n{message}");
        let said = message.contains("did not end; --max-rejected allows 1.000 %");
        assert_eq!(said, code == 1, "{message}");
    }
}

#[test]
fn samples_that_did_not_end_show_no_outcome_to_be_outside() {
    let dir = Folder::new();
    let short = BLOCK_IN_SPACE.replacen("\"velocity\"", "\"max_steps\": 2, \"velocity\"", 1);
    write(&dir, "short.json", short);
    let args = "compare short.json --facets 4 -n 20000 --json";
    let report = parsed(&dir, &format!("{args} --sampler uniform"));
    let outcomes = report["outcomes"].as_array().unwrap();
    assert!(outcomes.iter().all(|outcome| outcome["verdict"] != "outside"), "{report}");
    // Few samples ended; some outcomes are far from them.
    let clear = |outcome: &Value| outcome["distance"].as_f64().unwrap() > 0.5;
    assert!(outcomes.iter().any(clear), "{report}");
}

#[test]
fn an_empty_set_is_not_drawn() {
    let dir = Folder::new();
    let limit = "\"step\": 0.05, \"max_steps\": 1, \"velocity\"";
    let none = BLOCK_IN_SPACE.replacen("\"velocity\"", limit, 1);
    let few = none.replacen("\"max_steps\": 1", "\"max_steps\": 20", 1);
    write(&dir, "none.json", none);
    write(&dir, "few.json", few);
    for args in
        ["compare none.json -o none.svg", "compare none.json --json", "plot none.json -o none.svg"]
    {
        let output = run(&dir, &format!("{args} --facets 4 --sampler uniform -n 50"));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}\n{message}");
        assert_eq!(message.matches("error:").count(), 1, "{args:?}\n{message}");
        let empty = "none.json|the set is empty: none of 50 samples|50 step-limit|max_steps";
        for words in empty.split('|') {
            assert!(message.contains(words), "{args}: {words}\n{message}");
        }
        assert!(!dir.join("none.svg").exists(), "{args:?}");
        match args.contains("--json") {
            true => assert!(json(&output)["error"].is_string()),
            false => assert!(output.stdout.is_empty(), "{args:?}"),
        }
    }
    for command in ["compare", "plot"] {
        let args = format!("{command} few.json -n 400 -o few.svg --facets 4 --sampler uniform");
        let [_, said] = ended(&dir, &args, 0);
        let svg = read(&dir, "few.svg");
        assert!(svg.contains(" left out"), "{command}");
        assert!(said.contains("biased"), "{command}");
    }
}

/// A block and a ball whose normals point the wrong way, so that nothing approaches.
#[test]
fn a_problem_in_which_nothing_approaches_is_pointed_at() {
    const STILL: &str = "no contact approaches; do the normals point away from the obstacle?";
    let dir = Folder::new();
    let write = |name: &str, text: &str| write(&dir, name, text);
    let away = BLOCK.replacen("[0, 1, -0.5], [0, 1, 0.5]", "[0, -1, 0.5], [0, -1, -0.5]", 1);
    let problem = |event: &str| event.replacen(", \"measured\": [0, 0, 0]", "", 1);
    let ball = r#"{ "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": [[0, 0, 1]],
        "tangent": [[1, 0, 0], [0, 1, 0]], "friction": [0.5], "velocity": [1, 0, 2] }"#;
    write("toward.json", &problem(BLOCK));
    write("away.json", &problem(&away));
    write("ball.json", ball);
    write("events.json", &format!("{{ \"events\": [{BLOCK}, {away}, {away}] }}"));
    let told = |args: &str| {
        let output = run(&dir, args);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}\n{message}");
        let told = message.matches(STILL).count();
        assert_eq!(message.matches("warning: ").count(), told, "{args:?}\n{message}");
        if args.contains("--json") {
            let all = json(&output)["warnings"].to_string();
            assert_eq!(all.matches(STILL).count(), told, "{args:?}\n{all}");
        }
        told
    };
    for name in ["away.json", "toward.json"] {
        let expected = usize::from(name == "away.json");
        for args in [
            "sample WHAT -n 16 --json",
            "sample WHAT -n 16",
            "sample WHAT -n 16 --restitution 0.5 --json",
            "sample WHAT -n 16 --law sequential --json",
            "compare WHAT -n 16 --json -o compared.svg",
            "resolve WHAT --law anitescu-potra --json",
            "resolve WHAT --law sequential",
            "plot WHAT -n 16 -o set.svg",
        ] {
            assert_eq!(told(&args.replace("WHAT", name)), expected, "{name}: {args}");
        }
    }
    assert_eq!(told("resolve ball.json --law darboux-keller --json"), 1);
    assert_eq!(told("plot ball.json --law darboux-keller -o ball.svg"), 1);
    assert!(dir.join("ball.svg").exists());
    // Noise may make a contact approach.
    assert_eq!(told("sample away.json -n 16 --uncertainty noise=0.1"), 0);
    let output = run(&dir, "reality events.json -n 16 --device cpu");
    let warning = format!("warning: events[1], the first of 2 with warnings: {STILL}");
    assert_eq!(text(&output.stderr).matches(&warning).count(), 1, "{}", text(&output.stderr));
}
