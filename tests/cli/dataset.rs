//! `carom dataset`: rows against those of `carom sample`, shards, and what users get wrong.

use std::fs::{self, File};

use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;

use super::*;

/// A block on two corners whose half width is a parameter.
pub const SCENE: &str = r#"
friction = 0.6
[parameters]
width = { value = 1.0, min = 0.1 }
mu = 0.5
[[walls]]
name = "floor"
normal = [0, 1]
[[bodies]]
name = "block"
mass = 1.0
shapes = [{ box = ["width", 1.0] }]
position = [0, 0.5]
velocity = [0.2, -0.5]
angular_velocity = 0.3
"#;

/// A plan with few rows in a file.
pub const PLAN: &str = r#"
problem = "block.toml"
samples = 20
states = 13
seed = 5
[parameters]
width = [0.5, 2.0]
[velocity]
block.y = [-1.0, -0.1]
block.theta = -0.25
[files]
rows = 80
"#;

/// A directory with a scene and a plan.
pub fn folder(plan: &str) -> Folder {
    let dir = directory();
    write(&dir, "block.toml", SCENE);
    write(&dir, "plan.toml", plan);
    dir
}

/// Makes the data set of `plan.toml`; what was reported.
pub fn make(dir: &Path, out: &str, more: &str) -> Value {
    reported(dir, &format!("dataset plan.toml -o {out} {more}"))
}

/// Every file below a directory, by name, with its bytes.
pub fn content(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = [dir.to_path_buf(), dir.join("data")].map(|dir| fs::read_dir(dir).unwrap());
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.strip_prefix(dir).unwrap().display().to_string();
    let files = paths.filter(|path| path.is_file());
    let mut all: Vec<_> = files.map(|path| (name(&path), fs::read(&path).unwrap())).collect();
    all.sort();
    all
}

pub type Row = Vec<(String, Field)>;

pub fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    let owned = |(name, x): (&String, &Field)| (name.clone(), x.clone());
    rows.map(|row| row.unwrap().get_column_iter().map(owned).collect()).collect()
}

pub fn field<'a>(row: &'a Row, name: &str) -> &'a Field {
    &row.iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("no column {name}")).1
}

pub fn whole(row: &Row, name: &str) -> u64 {
    match field(row, name) {
        Field::Long(x) => *x as u64,
        Field::ULong(x) => *x,
        other => panic!("{name}: {other}"),
    }
}

pub fn numbers(row: &Row, name: &str) -> Vec<f64> {
    let number = |field: &Field| match field {
        Field::Double(x) => *x,
        other => panic!("{name}: {other}"),
    };
    match field(row, name) {
        Field::ListInternal(list) => list.elements().iter().map(number).collect(),
        one => vec![number(one)],
    }
}

/// All rows of a data set, which are those of `states` with `samples` each, in order.
fn all_rows(dir: &Path, out: &str, states: u64, samples: u64) -> Vec<Row> {
    let files = names_in(&dir.join(out).join("data"));
    let data = dir.join(out).join("data");
    let rows: Vec<Row> = files.iter().flat_map(|file| rows(&data.join(file))).collect();
    let place = |row| (whole(row, "state"), whole(row, "sample"));
    let found: Vec<_> = rows.iter().map(place).collect();
    let samples_of = |state| (0..samples).map(move |sample| (state, sample));
    assert_eq!(found, (0..states).flat_map(samples_of).collect::<Vec<_>>());
    rows
}

/// Every row, to the last bit, against `carom sample` with the row's own parameters, velocity and
/// seed.
fn check(plan: &str, problem: &str, law: &str, states: u64, samples: u64) {
    let dir = folder(plan);
    make(&dir, "out", "");
    for rows in all_rows(&dir, "out", states, samples).chunks(samples as usize) {
        let before = numbers(&rows[0], "velocity_before");
        let velocity: Vec<String> = before.iter().map(f64::to_string).collect();
        let (velocity, seed) = (velocity.join(","), whole(&rows[0], "seed"));
        let set = rows[0].iter().filter_map(|(column, _)| {
            let name = column.strip_prefix("parameter_")?;
            Some(format!(" --set {name}={}", numbers(&rows[0], column)[0]))
        });
        let set: String = set.collect();
        let args = format!("{problem} --seed {seed} --samples {samples} --velocity {velocity}");
        let args = format!("sample {args} --device cpu --out one.parquet{set} {law}");
        done(&dir, &args);
        are_those_of(rows, &self::rows(&dir.join("one.parquet")), &args);
    }
}

/// Compares rows of a data set with those of `carom sample`, to the last bit.
pub fn are_those_of(rows: &[Row], expected: &[Row], what: &str) {
    assert_eq!(expected.len(), rows.len());
    for (row, expected) in rows.iter().zip(expected) {
        for (name, value) in expected {
            // Data sets have signed keys.
            match name.as_str() {
                "sample" => assert_eq!(whole(row, name), whole(expected, name), "{what}"),
                _ => assert_eq!(field(row, name), value, "{what}: {name}"),
            }
        }
    }
}

#[test]
fn rows_are_those_of_sample_where_parameters_vary() {
    check(PLAN, "block.toml", "--precision f64", 13, 20);
}

/// States that differ in their velocities share what is prepared; still each is as if it were
/// alone.
#[test]
fn rows_are_those_of_sample_whatever_the_law() {
    let laws = [
        ("rocking-block", "", ""),
        ("box-and-wall", "", ""),
        ("disk-stack", "[law]\nname = \"routh\"", ""),
        (
            "rocking-block",
            "[law]\nprocess = \"steps\"\nmax_steps = 50",
            "--process steps --max-steps 50",
        ),
        ("cube-on-edge", "[law]\nrestitution = 0.5", "--restitution 0.5"),
        ("cube-on-face", "[law]\nfacets = 4", "--facets 4"),
        ("box-and-wall", "[law]\nname = \"sequential\"", "--law sequential"),
        ("rocking-block", "[law]\nname = \"propagative\"", "--law propagative"),
        (
            "rocking-block",
            "[law]\nname = \"plus\"\ntheta_max = 0.05\nuncertainty = { friction = [0.1, 0.3], noise = 0.01 }",
            "--law plus --theta-max 0.05 --uncertainty mu=0.1..0.3,noise=0.01",
        ),
    ];
    for (scene, law, options) in laws {
        let coordinate = carom::scene::load(scene).unwrap().coordinates()[1].clone();
        for precision in ["f64", "f32"] {
            let plan = format!(
                "problem = \"{scene}\"\nsamples = 9\nstates = 3\nprecision = \"{precision}\"\n\
                 [velocity]\n\"{coordinate}\" = [-1.0, -0.5]\n{law}"
            );
            let options = format!("{options} --precision {precision} --max-rejected 1");
            check(&plan, scene, &options, 3, 9);
        }
    }
}

#[test]
fn shards_and_threads_make_the_same_files() {
    let dir = folder(PLAN);
    let whole = make(&dir, "whole", "--threads 1");
    says(&whole, json!({ "files": 4, "rows": 260, "complete": true }));
    // A shard without files succeeds, also before there are any.
    let none = make(&dir, "shards", "--shard 7/8");
    assert_eq!((&none["written"], &none["missing"]), (&0.into(), &4.into()));
    let first = make(&dir, "shards", "--shard 1/3");
    says(&first, json!({ "written": 1, "missing": 3, "complete": false }));
    assert_eq!(names_in(&dir.join("shards")), ["data", "dataset.json"]);
    // Two at the same time, in one directory.
    let mut others = ["0/3", "2/3"].map(|shard| {
        let args = format!("dataset plan.toml -o shards --threads 3 --shard {shard}");
        carom(&dir, &args).stdout(Stdio::null()).spawn().unwrap()
    });
    assert!(others.iter_mut().all(|shard| shard.wait().unwrap().success()));
    assert_eq!(content(&dir.join("shards")), content(&dir.join("whole")));
    // Nothing is left to do.
    let again = make(&dir, "shards", "");
    says(&again, json!({ "written": 0, "found": 4, "complete": true }));
}

/// A state that touches nothing has no rows, and the others have theirs.
#[test]
fn states_without_a_problem_are_counted() {
    let dir = folder(&PLAN.replace("width = [0.5, 2.0]", "lift = [0.0, 0.02]"));
    let scene = SCENE.replace("mu = 0.5", "lift = 0.0\n[contact]\ntolerance = 0.01");
    write(&dir, "block.toml", scene.replace("[0, 0.5]", "[0, \"0.5 + lift\"]"));
    let report = make(&dir, "out", "");
    let description: Value = serde_json::from_str(&read(&dir, "out/dataset.json")).unwrap();
    let (mut with_rows, mut without) = (Vec::new(), Vec::new());
    for part in description["parts"].as_array().unwrap() {
        let rows = rows(&dir.join("out").join(part["file"].as_str().unwrap()));
        assert_eq!(part["rows"], rows.len());
        for row in rows.chunks(20) {
            with_rows.push(whole(&row[0], "state"));
            assert!(numbers(&row[0], "parameter_lift")[0] <= 0.01);
        }
        assert_eq!(part["failed"], part["failures"].as_array().unwrap().len());
        for failure in part["failures"].as_array().unwrap() {
            without.push(failure["state"].as_u64().unwrap());
            let reason = failure["reason"].as_str().unwrap();
            assert!(reason.starts_with("bodies: there is no contact"), "{failure}");
        }
    }
    assert!(with_rows.len() > 1 && without.len() > 1, "{with_rows:?} {without:?}");
    assert_eq!(report["failed_states"], without.len());
    assert_eq!(report["rows"], 20 * with_rows.len());
    let mut all = [with_rows, without].concat();
    all.sort();
    assert_eq!(all, (0..13).collect::<Vec<_>>());
    // Two shards, or another place of the plan, make the same files.
    let plan = dir.join("plan.toml").display().to_string();
    assert!(run(&dir, &format!("dataset {plan} -o elsewhere")).status.success());
    assert_eq!(content(&dir.join("elsewhere")), content(&dir.join("out")));
    for shard in ["1/2", "0/2"] {
        make(&dir, "shards", &format!("--shard {shard}"));
    }
    assert_eq!(content(&dir.join("shards")), content(&dir.join("out")));
}

#[test]
fn another_plan_in_the_same_directory_is_refused() {
    let dir = folder(PLAN);
    make(&dir, "out", "");
    let before = content(&dir.join("out"));
    for (old, new) in
        [("seed = 5", "seed = 6"), ("samples = 20", "samples = 21"), ("[0.5, 2.0]", "[0.5, 2.1]")]
    {
        write(&dir, "plan.toml", PLAN.replace(old, new));
        let words = ["another plan", "dataset.json", "another directory"];
        refused(&dir, "dataset plan.toml -o out", 2, &words);
    }
    // A scene that changed makes another plan too; what changes no row does not.
    write(&dir, "plan.toml", format!("# a comment\n{PLAN}"));
    assert_eq!(make(&dir, "out", "")["found"], 4);
    write(&dir, "block.toml", SCENE.replace("friction = 0.6", "friction = 0.7"));
    refused(&dir, "dataset plan.toml -o out", 2, &["another plan"]);
    assert_eq!(content(&dir.join("out")), before);
}

#[test]
fn directories_that_cannot_be_written_to_are_refused() {
    let dir = folder(PLAN);
    write(&dir, "file", "");
    refused(&dir, "dataset plan.toml -o file", 2, &["file", "directory"]);
    refused(&dir, "dataset plan.toml -o /proc/carom", 2, &["/proc/carom", "directory"]);
    fs::create_dir_all(dir.join("mine")).unwrap();
    write(&dir, "mine/README.md", "mine");
    refused(&dir, "dataset plan.toml -o mine", 2, &["README.md", "replaced"]);
    assert_eq!(read(&dir, "mine/README.md"), "mine");
    make(&dir, "out", "");
    let part = dir.join("out/data/part-00002-of-00004.parquet");
    fs::write(&part, "no Parquet").unwrap();
    let words = ["part-00002", "no file of this data set", "remove it"];
    refused(&dir, "dataset plan.toml -o out", 3, &words);
}

/// Whichever byte of a file changes, the next run says so.
#[test]
fn a_changed_byte_of_a_part_is_noticed() {
    let dir = folder(&PLAN.replace("states = 13", "states = 4"));
    make(&dir, "out", "");
    let part = dir.join("out/data/part-00000-of-00001.parquet");
    let sound = fs::read(&part).unwrap();
    for k in 0..24 {
        let (at, mut bytes) = (k * sound.len() / 24 + k % 7, sound.clone());
        bytes[at] ^= 1 << (k % 8);
        fs::write(&part, &bytes).unwrap();
        let output = run(&dir, "dataset plan.toml -o out");
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "byte {at}: {message}");
        let said = message.contains("part-00000") && message.contains("remove it");
        assert!(said, "byte {at}: {message}");
    }
    fs::remove_file(&part).unwrap();
    make(&dir, "out", "");
    assert_eq!(fs::read(&part).unwrap(), sound);
}

/// When two plans begin in one directory at once, one gets it and ends; the other leaves nothing
/// there.
#[test]
fn one_of_two_plans_gets_a_directory() {
    let dir = folder(PLAN);
    write(&dir, "other.toml", PLAN.replace("seed = 5", "seed = 6"));
    for round in 0..8 {
        let out = format!("out-{round}");
        let both = ["plan.toml", "other.toml"].map(|plan| {
            let args = format!("dataset {plan} -o {out} --threads 1");
            carom(&dir, &args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
        });
        let mut codes = both.map(|run| {
            let output = run.wait_with_output().unwrap();
            let code = output.status.code().unwrap();
            let message = text(&output.stderr);
            assert!(code == 0 || message.contains("another plan"), "{message}");
            code
        });
        codes.sort();
        assert_eq!(codes, [0, 2]);
    }
}

/// Memory does not grow with the number of files, here 2^30.
#[cfg(target_os = "linux")]
#[test]
fn plans_of_very_many_files_fit_into_memory() {
    let plan = PLAN.replace("states = 13", "states = 2147483648");
    let dir = folder(&plan.replace("rows = 80", "rows = 40"));
    let script = "ulimit -v 2097152; exec \"$0\" dataset plan.toml -o out --threads 1 \"$@\"";
    let limited = |more: &str| {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_carom")]).args(words(more));
        let output = command.current_dir(&*dir).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let forecast = limited("--dry-run --json");
    says(&forecast, json!({ "files": 1u64 << 30, "states": 1u64 << 31 }));
    let forecast = limited("--dry-run --json --shard 2/1000000000");
    assert_eq!((&forecast["files"], &forecast["states"]), (&2.into(), &4.into()));
}

/// Reaching a limit that the plan sets is a result, but not where all samples do.
#[test]
fn the_exit_code_says_whether_samples_end() {
    let dir = folder(&format!("{PLAN}[law]\nprocess = \"steps\"\nstep = 1e-3\nmax_steps = 1\n"));
    let [shown, _] = ended(&dir, "dataset plan.toml -o out", 1);
    has(&shown, "terminated 0.00 %");
}

#[test]
fn flags_are_checked() {
    let dir = folder(PLAN);
    for shard in ["3/3", "-1/3", "1", "a/b", "0/0"] {
        let shard = format!("--shard={shard}");
        refused(&dir, &format!("dataset plan.toml -o out {shard}"), 2, &["I/N"]);
    }
    let cases = "
        2 dataset plan.toml => --out
        3 dataset none.toml -o out => none.toml | does not exist";
    refusals(&dir, "", cases);
}

#[test]
fn a_dry_run_foretells_and_writes_nothing() {
    let dir = folder(PLAN);
    let before = names_in(&dir);
    let told = parsed(&dir, "dataset plan.toml --dry-run --json");
    assert_eq!(names_in(&dir), before);
    says(&told, json!({ "rows": 260, "files": 4, "states": 13 }));
    assert!(told["seconds"].as_f64().unwrap() > 0.0);
    let shard = parsed(&dir, "dataset plan.toml --dry-run --json --shard 3/4");
    // The last of four files has the last of thirteen states.
    assert_eq!((&shard["rows"], &shard["files"]), (&20.into(), &1.into()));
}
