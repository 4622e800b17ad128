//! Plans of data sets, tables of states, and the numbers that states draw.

use crate::prelude::*;
use carom::dataset::DatasetPlan;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A block on two corners with two parameters, one of which is called as a coordinate.
const SCENE: &str = r#"
friction = 0.6
coordinates = ["x", "y", "spin"]
[parameters]
width = { value = 1.0, min = 0.1, max = 3.0 }
spin = 0.0
[[walls]]
name = "floor"
normal = [0, 1]
[[bodies]]
name = "block"
mass = 1.0
shapes = [{ box = ["width", 1.0] }]
position = [0, 0.5]
velocity = [0.2, -0.5]
angular_velocity = "spin"
"#;

const PLAN: &str = "problem = \"block.toml\"\nsamples = 4\nstates = 10\nseed = 3\n";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("block.toml"), SCENE).unwrap();
    dir
}

fn open(dir: &Path, plan: &str) -> Result<DatasetPlan, Error> {
    let path = dir.join("plan.toml");
    fs::write(&path, plan).unwrap();
    DatasetPlan::open(&path)
}

/// An input error with these words in its message, its place or its hint.
fn refused(dir: &Path, plan: &str, words: &[&str]) {
    let error = open(dir, plan).expect_err(plan);
    assert_eq!(error.kind, ErrorKind::Input, "{plan}: {error}");
    let message = format!("{error} {}", error.hint.clone().unwrap_or_default());
    for word in words {
        assert!(message.contains(word), "{plan}: {word}\n{message}");
    }
}

#[test]
fn wrong_plans_are_refused_with_their_place() {
    let dir = folder();
    let plans: &[(&str, &[&str])] = &[
        ("", &["empty"]),
        ("samples = 1", &["problem", "missing"]),
        ("problem = \"block.toml\"", &["samples", "missing"]),
        ("problem = \"block.toml\"\nsamples = 1", &["states", "missing", "table"]),
        ("problem = 3\nsamples = 1\nstates = 1", &["problem", "a string"]),
        ("problem = \"blok\"\nsamples = 1\nstates = 1", &["blok"]),
        ("problem = \"rocking-blok\"\nsamples = 1\nstates = 1", &["rocking-block"]),
        ("problem = \"none.toml\"\nsamples = 1\nstates = 1", &["none.toml", "does not exist"]),
        ("problem = \"ellipsoid\"\nsamples = 1\nstates = 1", &["motion"]),
        ("sample = 1", &["unknown key `sample`", "did you mean `samples`?"]),
    ];
    for (plan, words) in plans {
        refused(dir.path(), plan, words);
    }
    let numbers: &[(&str, &[&str])] = &[
        ("samples = 0\nstates = 1", &["samples", "whole number"]),
        ("samples = 1.5\nstates = 1", &["samples", "whole number"]),
        ("samples = 1\nstates = -1", &["states", "whole number"]),
        ("samples = 9007199254740992\nstates = 9007199254740992", &["2^63"]),
        ("samples = 1\nstates = 1\nseed = 9007199254740993", &["seed", "below 2^53"]),
        ("samples = 1\nstates = 1\nseed = 1e300", &["seed", "whole number"]),
    ];
    for (numbers, words) in numbers {
        refused(dir.path(), &format!("problem = \"block.toml\"\n{numbers}"), words);
    }
    let additions: &[(&str, &[&str])] = &[
        ("precision = \"f16\"", &["precision", "f16"]),
        ("name = 3", &["name", "a string"]),
        ("parameters = 3", &["parameters", "a table"]),
        ("[parameters]\nwidht = 1", &["widht", "did you mean `width`?"]),
        ("[parameters]\nwidth = [2, 1]", &["parameters.width", "LOW <= HIGH"]),
        ("[parameters]\nwidth = [1, 2, 3]", &["parameters.width", "LOW <= HIGH"]),
        ("[parameters]\nwidth = [1, nan]", &["parameters.width", "finite"]),
        ("[parameters]\nwidth = \"1\"", &["parameters.width", "range"]),
        ("[parameters]\nwidth = 4.0", &["[0.1, 3]", "found 4"]),
        ("[parameters]\nwidth = [0.0, 1.0]", &["[0.1, 3]", "found 0"]),
        ("[velocity]\nz = 1", &["no coordinate is called `z`", "`x`"]),
        ("[velocity]\nspinn = 1", &["did you mean `spin`?"]),
        ("[velocity]\nx = true", &["velocity.x", "boolean"]),
        ("[velocity]\nx = [-1e308, 1e309]", &["range of a double"]),
        ("[law]\nname = \"rooth\"", &["law.name", "rooth", "routh"]),
        ("[law]\nproces = \"exact\"", &["did you mean `process`?"]),
        ("[law]\nname = \"sequential\"\nprocess = \"exact\"", &["unknown key `process`"]),
        ("[law]\nprocess = \"euler\"", &["law.process", "euler"]),
        ("[law]\nsampler = \"soboll\"", &["law.sampler", "sobol"]),
        ("[law]\nsolver = \"abacus\"", &["law.solver", "abacus"]),
        ("[law]\nstep = 0", &["law.step", "> 0"]),
        ("[law]\nmax_steps = 0", &["law.max_steps", "whole number"]),
        ("[law]\nrestitution = 2", &["law.restitution", "[0, 1]"]),
        (
            "[law]\nrestitution = 0.1\nuncertainty = { restitution = [0, 1] }",
            &["law.restitution", "exclude"],
        ),
        ("[law]\nuncertainty = { friction = [2, 1] }", &["law.uncertainty.friction"]),
        // What would do nothing is refused, as in `carom sample`.
        ("[law]\naccuracy = 1e-3", &["law.accuracy", "`events`"]),
        ("[law]\nprocess = \"exact\"\nsolution = \"lemke\"", &["law.solution", "`events`"]),
        ("[law]\nhypothesis = \"poisson\"", &["law.hypothesis", "no contact has restitution"]),
        // What the law itself refuses is found with the first state.
        ("[law]\nfacets = 5", &["none of the first 10 states", "law.facets"]),
        ("[law]\nprocess = \"steps\"\npersist = 0", &["persist"]),
        ("[files]\nrows = 0", &["files.rows", "whole number"]),
        ("[files]\nrow = 10", &["did you mean `rows`?"]),
        ("table = \"states.csv\"", &["states", "the table says"]),
    ];
    fs::write(dir.path().join("states.csv"), "width\n1\n").unwrap();
    for (addition, words) in additions {
        refused(dir.path(), &format!("{PLAN}{addition}\n"), words);
    }
}

#[test]
fn wrong_tables_are_refused_with_their_place() {
    let dir = folder();
    let tables: &[(&str, &[&str])] = &[
        ("", &["no line of names"]),
        ("width\n", &["no rows"]),
        ("width,width\n1,2\n", &["width", "two columns"]),
        ("width,y\n1\n", &["line 2", "1 cells for 2 columns"]),
        ("width\n1\n\ntwo\n", &["line 4", "`two`", "`width`"]),
        ("width\n1\nnan\n", &["width[1]", "finite"]),
        ("width\n1\n5\n", &["[0.1, 3]", "found 5 in row 1"]),
        ("wdith\n1\n", &["neither a parameter nor a coordinate", "did you mean `width`?"]),
        ("spin\n1\n", &["a parameter and a coordinate", "`parameters.spin` or `velocity.spin`"]),
        ("velocity.width\n1\n", &["no coordinate is called `width`"]),
        ("parameters.x\n1\n", &["has no parameter `x`"]),
        ("y,velocity.y\n1,2\n", &["`y` is given twice"]),
    ];
    for (table, words) in tables {
        fs::write(dir.path().join("states.csv"), table).unwrap();
        let plan = PLAN.replace("states = 10", "table = \"states.csv\"");
        refused(dir.path(), &plan, words);
    }
    fs::write(dir.path().join("states.csv"), "width\n1\n").unwrap();
    let plan = PLAN.replace("states = 10", "table = \"states.csv\"") + "[parameters]\nwidth = 1";
    refused(dir.path(), &plan, &["`width` is given twice"]);
    for (name, words) in [
        ("states.txt", "expected a table"),
        ("none.csv", "none.csv"),
        ("block.parquet", "block.parquet"),
    ] {
        refused(dir.path(), &PLAN.replace("states = 10", &format!("table = \"{name}\"")), &[words]);
    }
    fs::write(dir.path().join("no.parquet"), "text").unwrap();
    fs::write(dir.path().join("no.npz"), "text").unwrap();
    for (name, what) in [("no.parquet", "not a Parquet file"), ("no.npz", "npz")] {
        refused(
            dir.path(),
            &PLAN.replace("states = 10", &format!("table = \"{name}\"")),
            &[name, what],
        );
    }
}

#[test]
fn a_table_gives_states_and_the_plan_the_rest() {
    let dir = folder();
    fs::write(
        dir.path().join("states.csv"),
        "\"width\", velocity.spin ,y\n1.5,-0.25,-1\n\n0.5,1e-3,-2\n",
    )
    .unwrap();
    let plan = "problem = \"block.toml\"\nsamples = 4\ntable = \"states.csv\"\n[parameters]\nspin = 0.5\n[velocity]\nx = [1, 2]";
    let plan = open(dir.path(), plan).unwrap();
    assert_eq!((plan.states(), plan.samples(), plan.files()), (2, 4, 1));
    for (number, width, spin, y) in [(0, 1.5, -0.25, -1.0), (1, 0.5, 1e-3, -2.0)] {
        let state = plan.state(number);
        let named = |values: &[(&str, f64)]| -> Vec<(String, f64)> {
            values.iter().map(|(name, x)| (name.to_string(), *x)).collect()
        };
        assert_eq!(state.parameters, named(&[("width", width), ("spin", 0.5)]));
        assert_eq!(state.velocity[1..], named(&[("y", y), ("spin", spin)]));
        let x = state.velocity[0].1;
        assert!((1.0..=2.0).contains(&x));
        assert_eq!(plan.problem_of(&state).unwrap().velocity().as_slice(), [x, y, spin]);
    }
}

/// A table has the same content in three formats, also as whole numbers or single floats.
#[test]
fn tables_of_all_formats_are_the_same() {
    use crate::support::npz::{array, f8, write};
    use parquet::data_type::{DoubleType, Int32Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;

    let dir = folder();
    let (width, y) = ([1.0, 0.5, 2.0], [-1, -2, -3]);
    let lines: String = width.iter().zip(&y).map(|(width, y)| format!("{width},{y}\n")).collect();
    fs::write(dir.path().join("states.csv"), format!("width,y\n{lines}")).unwrap();
    let schema = "message m { required double width; optional int32 y; }";
    let schema = Arc::new(parquet::schema::parser::parse_message_type(schema).unwrap());
    let file = fs::File::create(dir.path().join("states.parquet")).unwrap();
    let properties =
        WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
    for rows in [0..2, 2..3] {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&width[rows.clone()], None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column
            .typed::<Int32Type>()
            .write_batch(&y[rows.clone()], Some(&vec![1; rows.len()]), None)
            .unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    let y = y.iter().flat_map(|y: &i32| y.to_be_bytes()).collect::<Vec<u8>>();
    let arrays = [
        ("width", array("<f8", false, "(3,)", &f8(&width))),
        ("y", array(">i4", false, "(3,)", &y)),
    ];
    write(&dir.path().join("states.npz"), &arrays);
    let of = |name: &str| {
        let plan = PLAN.replace("states = 10", &format!("table = \"{name}\""));
        let plan = open(dir.path(), &plan).unwrap();
        let states: Vec<_> = (0..plan.states()).map(|number| plan.state(number)).collect();
        (plan.fingerprint().to_string(), states)
    };
    let csv = of("states.csv");
    assert_eq!(csv.1.len(), 3);
    assert_eq!((csv.1[2].parameters[0].1, csv.1[2].velocity[0].1), (2.0, -3.0));
    assert_eq!(of("states.parquet"), csv);
    assert_eq!(of("states.npz"), csv);
}

/// The documented address of each draw, computed with another implementation of Philox.
#[test]
fn states_are_drawn_as_documented() {
    let dir = folder();
    let seed = 0x0012_3456_789a_bcde_u64;
    let plan = PLAN
        .replace("seed = 3", &format!("seed = {seed}"))
        .replace("states = 10", "states = 5000000000");
    let plan = open(
        dir.path(),
        &format!("{plan}[parameters]\nspin = [-1, 3]\n[velocity]\ny = [-2, -1]\nspin = [0, 0]"),
    )
    .unwrap();
    let unit = |low: u32, high: u32| {
        ((u64::from(high) << 32 | u64::from(low)) >> 11) as f64 / 2_f64.powi(53)
    };
    for number in [0, 1, 77, 4_294_967_296 + 5] {
        let words = |step: u32, block: u32| {
            let counter = [number as u32, (number >> 32) as u32, step, 8 << 24 | block];
            rand_philox::philox4x32_10(counter, [seed as u32, (seed >> 32) as u32])
        };
        let state = plan.state(number);
        // `spin` is parameter 1, `y` is coordinate 1: words 2 and 3 of their steps.
        let [_, _, low, high] = words(0, 0);
        approx::assert_relative_eq!(
            state.parameters[0].1,
            -1.0 + 4.0 * unit(low, high),
            max_relative = 1e-14
        );
        let [_, _, low, high] = words(1, 0);
        approx::assert_relative_eq!(
            state.velocity[0].1,
            -2.0 + unit(low, high),
            max_relative = 1e-14
        );
        assert_eq!(state.velocity[1], ("spin".to_string(), 0.0));
        let [low, high, ..] = words(2, 0);
        assert_eq!(state.seed, (u64::from(high) << 32 | u64::from(low)) & (u64::MAX >> 1));
    }
    // A draw does not change where others come or go.
    let fewer = open(dir.path(), &format!("{PLAN}[velocity]\ny = [-2, -1]")).unwrap();
    let more = open(
        dir.path(),
        &format!("{PLAN}[parameters]\nwidth = [1, 2]\n[velocity]\nx = [0, 1]\ny = [-2, -1]"),
    )
    .unwrap();
    for number in 0..10 {
        assert_eq!(fewer.state(number).velocity[0], more.state(number).velocity[1]);
        assert_eq!(fewer.state(number).seed, more.state(number).seed);
    }
}

/// A range is filled evenly: the mean of 10 000 draws is within five standard errors of the middle.
#[test]
fn ranges_are_filled_evenly() {
    let dir = folder();
    let plan = PLAN.replace("states = 10", "states = 10000");
    let plan = open(dir.path(), &format!("{plan}[velocity]\nx = [-1, 1]\ny = [-3, -1]")).unwrap();
    let mut sums = [0.0; 3];
    for number in 0..10_000 {
        let velocity = plan.state(number).velocity;
        let (x, y) = (velocity[0].1, velocity[1].1);
        assert!((-1.0..=1.0).contains(&x) && (-3.0..=-1.0).contains(&y));
        sums = [sums[0] + x, sums[1] + y + 2.0, sums[2] + x * (y + 2.0)];
    }
    let error = 5.0 * (1.0 / 3.0 / 10_000_f64).sqrt();
    assert!(sums.iter().all(|sum| (sum / 10_000.0).abs() < error), "{sums:?}");
}

#[test]
fn default_files_have_about_a_hundred_megabytes() {
    let dir = folder();
    let plan = PLAN.replace("states = 10", "states = 1e6").replace("samples = 4", "samples = 1000");
    let plan = open(dir.path(), &format!("{plan}[velocity]\nx = [-1, 1]")).unwrap();
    let trial = plan.trial(1e-3, &Arc::default()).unwrap();
    let states = plan.states_of(0);
    let bytes = trial.bytes as f64 / trial.states as f64 * (states.end - states.start) as f64;
    assert!((6e7..1.2e8).contains(&bytes), "{bytes}");
    assert_eq!(plan.states_of(plan.files() - 1).end, 1_000_000);
}

/// A state with more samples than a group of rows has is written in parts, with the same rows.
#[test]
fn a_state_may_have_more_samples_than_fit_into_a_group() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let dir = folder();
    let count = 140_000_u64;
    let plan = PLAN
        .replace("states = 10", "states = 2")
        .replace("samples = 4", &format!("samples = {count}"));
    let plan = open(
        dir.path(),
        &format!("{plan}precision = \"f32\"\n[velocity]\nx = [-1, 1]\n[files]\nrows = 1000000"),
    )
    .unwrap();
    let told = std::sync::atomic::AtomicU64::new(0);
    let tell = |samples| {
        told.fetch_add(samples, std::sync::atomic::Ordering::Relaxed);
    };
    let part = plan
        .run_file(&dir.path().join("out"), 0, &Arc::new(AtomicBool::new(false)), &tell)
        .unwrap();
    assert_eq!((part.rows, part.failed, told.into_inner()), (2 * count, 0, 2 * count));
    assert_eq!(part.terminated, part.accepted);
    let file = fs::File::open(dir.path().join("out").join(&part.file)).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let sizes: Vec<i64> =
        reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(sizes, [131_072, 131_072, 17_856]);
    let last = reader.get_row_iter(None).unwrap().last().unwrap().unwrap();
    let column =
        |name: &str| last.get_column_iter().find(|(other, _)| *other == name).unwrap().1.clone();
    assert_eq!(column("state"), parquet::record::Field::Long(1));
    assert_eq!(column("sample"), parquet::record::Field::Long(count as i64 - 1));
    let one = carom::Plan {
        samples: count,
        seed: plan.state(1).seed,
        device: carom::Device::Cpu,
        precision: Some(F32),
        ..carom::Plan::default()
    };
    let mut energy = 0.0;
    let problem = plan.problem_of(&plan.state(1)).unwrap();
    carom::sample(&problem, &one, |samples| {
        energy = *samples.kinetic_energy.last().unwrap();
        Ok(())
    })
    .unwrap();
    assert_eq!(column("kinetic_energy"), parquet::record::Field::Float(energy as f32));
}

#[test]
fn a_file_that_is_stopped_is_not_there() {
    let dir = folder();
    let plan = open(dir.path(), PLAN).unwrap();
    let out = dir.path().join("out");
    let stop = Arc::new(AtomicBool::new(true));
    let error = plan.run_file(&out, 0, &stop, &|_| {}).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
    assert_eq!(fs::read_dir(out.join("data")).unwrap().count(), 0);
    assert!(plan.part(&out, 0, &AtomicBool::new(false)).unwrap().is_none());
    let error = plan.run_file(&out, 7, &Arc::default(), &|_| {}).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Usage);
    let made = plan.run_file(&out, 0, &Arc::default(), &|_| {}).unwrap();
    assert_eq!(plan.part(&out, 0, &AtomicBool::new(false)).unwrap(), Some(made));
    assert_eq!(plan.part(&out, 0, &stop).unwrap_err().kind, ErrorKind::Interrupted);
    assert_eq!(plan.finish(&out, &AtomicBool::new(false)).unwrap().missing, 0);
}
