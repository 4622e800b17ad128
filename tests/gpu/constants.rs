//! What Rust generates for the shaders.

use super::*;

/// The constants of a generated header, by name.
pub fn constants(text: &str) -> HashMap<&str, f64> {
    fn parse(line: &str) -> Option<(&str, f64)> {
        let (name, value) = line.strip_prefix("const ")?.strip_suffix(';')?.split_once(" = ")?;
        let value = value.trim_end_matches("lf").trim_end_matches(['u', 'f']);
        Some((name.trim_end_matches(": real"), value.parse().ok()?))
    }
    text.lines().filter_map(parse).collect()
}

pub fn check_header<R: Real>() {
    for (m, axes) in (1..=MAX_CONTACTS).flat_map(|m| [1, 2, 5, 16].map(|axes| (m, axes))) {
        let text = header::<R>(m, axes);
        let constant = constants(&text);
        let (at, k) = (Layout::new(m, axes), (1 + axes) * m);
        for (name, value) in [
            ("M", m),
            ("AXES", axes),
            ("K", k),
            ("X", padded(k + m)),
            ("MOST", most_solutions(m)),
            ("MOST_K", most_solutions(m) * k),
            ("PROBLEM_MU", at.mu),
            ("PROBLEM_SIGMA", at.sigma),
            ("PROBLEM_START", at.start),
            ("PROBLEM_CAPS", at.caps),
            ("PROBLEM_REST", at.rest),
            ("PROBLEM_KEYS", at.keys),
            ("PROBLEM_TOLERANCE", at.tolerance),
            ("WORKGROUP", WORKGROUP as usize),
            ("ROW", ROW as usize),
            ("TERMINATED", Status::Terminated.code().into()),
            ("STEP_LIMIT", Status::StepLimit.code().into()),
            ("UNSOLVED", Status::Unsolved.code().into()),
            ("NOT_FINITE", Status::NotFinite.code().into()),
            ("PURPOSE_RATE", Purpose::Rate as usize),
            ("PURPOSE_SOLUTION", Purpose::Solution as usize),
            ("PURPOSE_COVERING", Purpose::Covering as usize),
            ("PURPOSE_ORDER", Purpose::Order as usize),
            ("PURPOSE_PARAMETER", Purpose::Parameter as usize),
            ("PURPOSE_SAMPLER", Purpose::Sampler as usize),
            ("PURPOSE_SCRAMBLING", Purpose::Scrambling as usize),
            ("DIMENSIONS", sobol::DIMENSIONS),
            ("SOBOL_BITS", 32),
            ("SOBOL_FOURS", sobol::DIMENSIONS * 8),
            ("SAMPLER_WHOLE", WHOLE as usize),
            ("SUBSETS", SUBSETS as usize),
        ] {
            assert_eq!(constant[name], value as f64, "{name}, m = {m}");
        }
        for (name, value) in [
            ("ZERO", R::ZERO),
            ("ONE", R::ONE),
            ("HUGE", R::HUGE),
            ("RESIDUAL", R::from_f64(R::RESIDUAL)),
            ("DISTINCT", R::from_f64(R::DISTINCT)),
            ("AMBIGUOUS", R::AMBIGUOUS),
            ("PIVOT", R::PIVOT),
            ("TIE", R::TIE),
            ("FLAT", R::from_f64(FLAT * R::EPSILON)),
            ("COVERING_LOW", R::from_f64(COVERING[0])),
            ("COVERING_RANGE", R::from_f64(COVERING[1])),
        ] {
            assert_eq!(constant[name], value.to_f64(), "{name}, {}", R::NAME);
        }
        assert!(text.contains(&format!("alias real = {};", R::NAME)));
        let mendable = R::EPSILON > f64::EPSILON;
        assert!(text.contains(&format!("const MENDABLE = {mendable};")));
        assert_eq!(text.lines().count(), 31 + 11 + 2, "a constant that this test does not know");
    }
}

/// What the header of the statistics has beside it.
pub fn check_statistics(m: usize) {
    let text = kernels::statistics::constants(m);
    let constant = constants(&text);
    for (name, value) in [
        ("SHARE", SHARE),
        ("BINS", BINS),
        ("COUNT_FLAGGED", COUNT_FLAGGED),
        ("COUNT_STEPS", COUNT_STEPS),
        ("STEP_DIGITS", STEP_DIGITS),
        ("STEP_BITS", STEP_BITS),
        ("COUNT_MOST_STEPS", COUNT_MOST_STEPS),
        ("COUNT_BINS", COUNT_BINS),
        ("COUNT_MODES", COUNT_MODES),
        ("MODE_TABLE", mode_table(m)),
        ("COUNTERS", COUNT_MODES + mode_table(m)),
        ("MODE_LIFT", 0),
        ("MODE_STICK", 1),
        ("MODE_SLIDE", 2),
        ("MODE_SLIDE_BACK", 3),
    ] {
        assert_eq!(constant[name], value as f64, "{name}, m = {m}");
    }
    assert_eq!(text.lines().count(), 15, "a constant that this test does not know");
}

/// What the header of the event process has beside it, after the numbers of [`Layout::new`].
pub fn check_exact<R: Real>() {
    use carom_law::routh::events::process::*;
    use carom_law::routh::events::solve::*;
    use carom_law::routh::events::walk::*;
    for m in 1..=MOST_TABULATED {
        let (text, at) =
            (kernels::events::constants::<R>(m, &Layout::events(m)), Layout::new(m, 1));
        let constant = constants(&text);
        let epsilon = R::EPSILON;
        for (name, value) in [
            ("PROBLEM_RESTITUTION", (at.tolerance + 1) as f64),
            ("MOST_TRIED", if m <= 3 { 343.0 } else { 49.0 }),
            ("MOST_TRIALS", [72.0, 120.0, 456.0, 298.0, 298.0][m - 1]),
            ("MOST_FOUND", kernels::events::MOST_FOUND as f64),
            ("OTHER", kernels::events::OTHER as f64),
            ("PATHS", if m <= 3 { 0.0 } else { PATHS.into() }),
            ("MOST_UNROLLED", kernels::events::MOST_UNROLLED as f64),
            ("CHANGES", CHANGES.into()),
            ("BLOCKS", BLOCKS.into()),
            ("SEGMENTS_OF_BLOCK", SEGMENTS_OF_BLOCK.into()),
            ("SPIRAL", SPIRAL.into()),
            ("LENGTHEN_FIRST", LENGTHEN[0].into()),
            ("LENGTHEN_EVERY", LENGTHEN[1].into()),
            ("DOUBLINGS", DOUBLINGS.into()),
            ("CONDITION", R::CONDITION.to_f64()),
            ("HELD", R::from_f64(HELD).to_f64()),
            ("STANDSTILL", R::from_f64(STANDSTILL.max(64.0 * epsilon)).to_f64()),
            ("STILL", R::from_f64(SPIRAL_VELOCITIES[0].max(8.0 * epsilon)).to_f64()),
            ("MOST_STILL", R::from_f64(SPIRAL_VELOCITIES[1].max(64.0 * epsilon)).to_f64()),
        ] {
            assert_eq!(constant[name], value, "{name}, {m} contacts");
        }
        assert_eq!(text.lines().count(), 19, "a constant that this test does not know");
        assert_eq!(Layout::events(m).count, at.tolerance + 1 + m);
    }
}

/// What the header of the inclusion has beside it, after the numbers of [`Layout::new`].
pub fn check_inclusion<R: Real>() {
    use carom_law::routh::inclusion::balance::*;
    use carom_law::routh::inclusion::block::*;
    use carom_law::routh::inclusion::check::*;
    use carom_law::routh::inclusion::curve::*;
    use carom_law::routh::inclusion::integrator::*;
    use carom_law::routh::inclusion::plain::*;
    use carom_law::routh::inclusion::substep::*;
    use carom_law::routh::inclusion::tolerances::*;
    for (m, axes, columns) in [(1, 1, 0), (3, 2, 0), (4, 2, 6), (8, 1, 3)] {
        let (text, at) = (
            kernels::inclusion::constants::<R>(&Layout::inclusion(m, axes, columns)),
            Layout::new(m, axes),
        );
        let constant = constants(&text);
        for (name, value) in [
            ("PROBLEM_FRICTION", at.tolerance + 1),
            ("PROBLEM_RESTITUTION", at.tolerance + 1 + 2 * m),
            ("PROBLEM_TOLERANCES", at.tolerance + 1 + 4 * m),
            ("PROBLEM_NOISE", at.tolerance + 1 + 4 * m + 5),
            ("NOISE", columns),
            ("OVER_BUDGET", Status::Budget as usize),
            ("MAX_TRIALS", MAX_TRIALS as usize),
            ("NEWTON_STEPS", NEWTON_STEPS),
            ("LENGTHEN_FIRST", LENGTHEN[0] as usize),
            ("LENGTHEN_EVERY", LENGTHEN[1] as usize),
            ("DOUBLINGS", DOUBLINGS as usize),
            ("CHECKS", CHECKS as usize),
            ("EVALUATIONS", EVALUATIONS),
        ] {
            assert_eq!(constant[name], value as f64, "{name}, {m} contacts");
        }
        for (name, value) in [
            ("BALANCE_TOLERANCE", Tolerances::<R>::new(1e-4, 12).balance.to_f64()),
            ("EMPTY_PART", carom_law::sampling::restitution::empty_part::<R>().to_f64()),
            ("TERMINATION", R::TERMINATION),
            ("CONDITION", R::CONDITION.to_f64()),
            ("NINTH", 1.0 / 9.0),
            ("HELD_PART", HELD),
            ("SLIDING", SLIDING),
            ("PART", PART),
            ("STOPS", STOPS),
            ("WEIGHT_END", WEIGHTS[0]),
            ("WEIGHT_MIDDLE", WEIGHTS[1]),
            ("MOMENT", MOMENT),
            ("EPSILON", R::EPSILON),
            ("AIM", AIM),
            ("CAUTION", CAUTION),
            ("LONGEST", LONGEST),
            ("FIRST_RATIO", FIRST_RATIO),
            ("UNTIL_FROZEN", UNTIL_STOP[0]),
            ("UNTIL_TURNING", UNTIL_STOP[1]),
            ("SIXTH", 1.0 / 6.0),
            ("THIRD_PART", 1.0 / 3.0),
            ("TWELFTH", 1.0 / 12.0),
        ] {
            assert_eq!(constant[name], R::from_f64(value).to_f64(), "{name}, {m} contacts");
        }
        assert_eq!(text.lines().count(), 13 + 22, "a constant that this test does not know");
        let count = Layout::inclusion(m, axes, columns).count;
        assert_eq!(count, at.tolerance + 1 + 4 * m + 5 + (1 + axes) * m * columns);
    }
}

#[test]
pub fn the_header_says_what_rust_says() {
    check_header::<f32>();
    check_header::<f64>();
    check_exact::<f32>();
    check_exact::<f64>();
    check_inclusion::<f32>();
    check_inclusion::<f64>();
    (1..=MAX_CONTACTS).for_each(check_statistics);
}

/// The names of fields with their offsets.
macro_rules! offsets {
    ($type:ident: $($field:ident)*) => { [$((stringify!($field), offset_of!($type, $field))),*] };
}

#[test]
pub fn the_run_uniform_is_laid_out_as_in_the_shader() {
    assert_eq!(size_of::<RunUniform>(), 96);
    assert_eq!(size_of::<RunUniform>() % 16, 0);
    let offsets = offsets!(RunUniform:
        seed first count max_steps combinations first_map lcp_size random_covering threads budget
        fresh samples persist poisson sampler contacts rows stride
    );
    let (_, body) = SAMPLE.split_once("struct Run {").unwrap();
    let (body, _) = body.split_once('}').unwrap();
    let mut at = 0;
    let mut fields = Vec::new();
    for line in body.lines() {
        let line = line.trim();
        let Some((name, kind)) = line.trim_end_matches(',').split_once(": ") else { continue };
        if line.starts_with("//") {
            continue;
        }
        let (size, align) = match kind {
            "u32" => (4, 4),
            "vec2<u32>" => (8, 8),
            other => panic!("a size for {other}"),
        };
        at = usize::next_multiple_of(at, align);
        fields.push((name, at));
        at += size;
    }
    assert_eq!(at, 96);
    assert_eq!(fields[..offsets.len()], offsets);
    assert!(fields[offsets.len()..].iter().all(|(name, _)| name.starts_with("padding")));
}

#[test]
pub fn the_chunk_uniform_is_laid_out_as_in_the_shader() {
    let offsets = offsets!(ChunkUniform:
        count forms tangents long_run histogram residual gain padding
    );
    let text = include_str!("../../shaders/kernel/statistics.wgsl");
    let (_, body) = text.split_once("struct Chunk {").unwrap();
    let (body, _) = body.split_once('}').unwrap();
    let lines = body.lines().filter(|line| !line.contains("//"));
    let fields: Vec<_> = lines.filter_map(|line| line.split_once(':')).collect();
    assert_eq!(4 * fields.len(), size_of::<ChunkUniform>());
    for ((place, (field, _)), (name, offset)) in fields.iter().enumerate().zip(offsets) {
        assert_eq!((field.trim(), 4 * place), (name, offset));
    }
}
