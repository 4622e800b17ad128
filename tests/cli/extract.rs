//! `carom extract`: event files of recordings, good and bad.

use super::schema::schema;
use super::support::schema::faults;
use super::*;

/// A square that is thrown on the floor.
const SQUARE: &str = r#"
name = "square"
integrator = "midpoint"
gravity = 9.81
time_step = 0.002
steps = 400
law = "routh"
friction = 0.2
restitution = 0.5
walls = [{ name = "floor", normal = [0, 1] }]
bodies = [{ name = "square", mass = 0.1, shapes = [{ box = [0.06, 0.06] }], position = [0, 0.5],
            angle = 0.75, velocity = [0.6, 0], angular_velocity = 0.2 }]
"#;

/// A directory with the motion and its recording.
fn directory() -> Folder {
    let dir = Folder::new();
    write(&dir, "square.toml", SQUARE);
    done(&dir, "simulate square.toml --out square.csv");
    dir
}

fn events(dir: &Path, args: &str) -> Vec<Value> {
    let found: Value = serde_json::from_str(&done(dir, &format!("extract {args}"))).unwrap();
    found["events"].as_array().unwrap().clone()
}

#[test]
fn the_events_keep_their_schema_and_are_those_of_the_law() {
    let dir = directory();
    let args = "extract square.toml square.csv -o events.json";
    has(&ended(&dir, args, 0).concat(), "impacts of 1 toss");
    let file: Value = serde_json::from_str(&read(&dir, "events.json")).unwrap();
    assert_eq!(faults(&schema("event"), &file), [""; 0]);
    assert_eq!(file["events"], Value::from(events(&dir, "square.toml square.csv")));
    // The law with the numbers of the motion forecasts the clean ones: without an error of a
    // camera those of the fits alone are left.
    let args = "reality events.json --clean -n 16 --device cpu --json";
    let report = parsed(&dir, args);
    let one = &report["groups"][0];
    assert!(one["contacts"] == "1" && one["events"].as_u64() >= Some(2), "{one}");
    assert!(one["p90"].as_f64() < Some(0.01), "{one}");
}

/// The layout of other tables: a file for each toss, no heading, no time.
#[test]
fn tables_of_others_are_read() {
    let dir = directory();
    let recorded = read(&dir, "square.csv");
    let rows = recorded.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let bare: Vec<String> = rows.map(|row| [row[5], row[3], "?", row[4]].join(",")).collect();
    for name in ["a.csv", "b.csv"] {
        write(&dir, name, bare.join("\n"));
    }
    let names = "--columns square.theta,square.x,note,square.y --rate 500";
    let found = events(&dir, &format!("square.toml a.csv b.csv {names}"));
    let known = events(&dir, "square.toml square.csv");
    assert_eq!(found.len(), 2 * known.len());
    assert_eq!((&found[0]["toss"], &found.last().unwrap()["toss"]), (&0.0.into(), &1.0.into()));
    for (found, known) in found.iter().zip(&known) {
        let [a, b] = [found, known].map(|of| of["measured"].as_array().unwrap());
        for (a, b) in a.iter().zip(b) {
            assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-6, "{found} {known}");
        }
    }
}

#[test]
fn bad_recordings_get_one_clear_error() {
    let dir = directory();
    let heading = "time,square.x,square.y,square.theta\n";
    let flight: String = (0..20).map(|i| format!("{},0,1,0\n", f64::from(i) * 0.01)).collect();
    let cases = [
        (String::new(), "3 => bad.csv | empty"),
        ("\n \n".into(), "3 => bad.csv | empty"),
        (heading.into(), "3 => bad.csv | no frames"),
        ("time,square.x\n0,1\n".into(), "3 => bad.csv | line 1 | square.y | --columns"),
        ("square.x,square.y,square.theta\n0,1,0\n".into(), "3 => no column time | --rate"),
        (format!("{heading}0,0,1,0\n0.1,0,1\n"), "3 => bad.csv | line 3 | 3 fields"),
        (format!("{heading}0,0,1,0\n0.1,0,nan,0\n"), "3 => line 3 | square.y | nan"),
        (format!("{heading}0,0,1,0\n0.1,0,inf,0\n"), "3 => line 3 | square.y | inf"),
        (format!("{heading}0.1,0,1,0\n0,0,1,0\n"), "3 => line 3 | time does not rise"),
        (format!("{heading}{flight}"), "1 => bad.csv | no impact"),
        (format!("{heading}0,0,1,0\n"), "1 => no impact"),
        (format!("{heading}{flight}"), "2 --frames 2 => frames | 3"),
        (format!("{heading}{flight}"), "2 --gap -1 => --gap"),
        (format!("{heading}{flight}"), "2 --rate 0 => --rate"),
        (format!("{heading}{flight}"), "2 -o absent/events.json => absent"),
        (format!("toss,{heading}0,0,0,1,0\n"), "3 bad.csv => toss 0 | earlier file"),
    ];
    for (content, case) in cases {
        write(&dir, "bad.csv", content);
        refusals(&dir, "extract square.toml bad.csv", case);
    }
    let cases = "
        2 extract square.toml => RECORDING
        3 extract square.toml absent.csv => absent.csv
        3 extract rocking-block square.csv => rocking-block
        2 extract cube square.csv => cube | midpoint";
    refusals(&dir, "", cases);
}

/// Times in ms, a rate that is ten times too high, lengths in mm and angles in degrees are refused
/// by name, and no event file is written.
#[test]
fn wrong_units_are_refused_by_name() {
    let dir = directory();
    let recorded = read(&dir, "square.csv");
    let (heading, rows) = recorded.split_once('\n').unwrap();
    let names: Vec<&str> = heading.split(',').collect();
    let scaled = |of: &[&str], factor: f64| {
        let row = |line: &str| {
            let fields = line.split(',').zip(&names).map(|(field, name)| match of.contains(name) {
                true => (field.parse::<f64>().unwrap() * factor).to_string(),
                false => field.to_string(),
            });
            fields.collect::<Vec<_>>().join(",")
        };
        let rows: Vec<String> = rows.lines().map(row).collect();
        format!("{heading}\n{}\n", rows.join("\n"))
    };
    let lengths = ["square.x", "square.y"];
    let cases = [
        (scaled(&["time"], 1e3), "3 => wrong.csv | times seem to be in ms"),
        (scaled(&["time"], 1e6), "3 => wrong.csv | times seem to be in us"),
        (
            recorded.clone(),
            "3 --rate 5000 => wrong.csv | the rate seems to be 10 times too high | --rate 500",
        ),
        (scaled(&lengths, 1e3), "3 => wrong.csv | positions seem to be in mm"),
        (
            scaled(&["square.theta"], 57.29577951308232),
            "3 => wrong.csv | angles seem to be in degrees",
        ),
    ];
    for (content, case) in cases {
        write(&dir, "wrong.csv", content);
        refusals(&dir, "extract square.toml wrong.csv -o events.json", case);
        assert!(!dir.join("events.json").exists());
    }
    // A level table has no gravity to compare with.
    let level = SQUARE.replace("gravity = 9.81", "gravity = 0");
    write(&dir, "level.toml", level);
    done(&dir, "extract level.toml square.csv");
}

/// Poses that no camera sees are no reason to panic.
#[test]
fn odd_recordings_are_read_or_refused() {
    let dir = directory();
    let heading = "time,square.x,square.y,square.theta\n";
    let rows = |of: &dyn Fn(f64) -> String| -> String {
        let frames = (0..30).map(|i| of(f64::from(i)));
        [heading.to_string()].into_iter().chain(frames).collect()
    };
    let odd = [
        rows(&|i| format!("{},{},{},0\n", 0.01 * i, 1e200 * i, -1e200 * i)),
        rows(&|i| format!("{},0,-1,{}\n", 1e-300 * i, 1e10 * i)),
        rows(&|i| format!("{},0,{},0\n", 1e300 * (i + 1.0), (i - 15.0).abs())),
        rows(&|i| format!("{},0,{},0\n", 0.01 * i, 0.01 * (i - 15.0).abs())),
    ];
    for content in odd {
        write(&dir, "odd.csv", &content);
        let output = run(&dir, "extract square.toml odd.csv");
        let message = text(&output.stderr);
        assert!(!message.contains("panicked"), "{message}");
        assert!([Some(0), Some(1), Some(3)].contains(&output.status.code()), "{message}");
    }
}
