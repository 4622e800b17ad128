//! The step solvers: the table of contact modes, and Lemke's method.

use super::*;

in_both! {
    key_weights,
    solutions_of_random_steps,
    solutions_merge_in_order,
    too_many_solutions_are_flagged,
    lemke_on_random_steps,
}

/// Whether two results agree: to what a few hundred operations leave, relative where they are
/// large.
pub fn agree<R: Compiled>(a: &[R], b: &[R]) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        let (a, b) = (a.to_f64(), b.to_f64());
        a == b || (a - b).abs() <= 1024.0 * R::EPSILON * a.abs().max(b.abs()).max(1.0)
    })
}

/// `key_weight` comes from the problem's numbers, which Rust computes.
pub fn key_weights<R: Compiled>() {
    for m in 1..=MAX_CONTACTS {
        let mut rng = Draws::of(6, m);
        let problem = column(&mut rng, m);
        let law = Law::Routh(Routh { solution: Solution::Lemke, ..Routh::steps() });
        let bound = law.prepare::<R>(&problem).unwrap();
        let numbers = problem_buffer(&bound, 0);
        let at = Layout::new(m, 1);
        assert_eq!(numbers.len(), (at.tolerance + 1).next_multiple_of(4));
        assert_eq!(numbers[..at.mu], bound.space().step.w);
        assert_eq!(numbers[at.mu..at.sigma], bound.space().step.mu);
        assert_eq!(numbers[at.sigma..at.start], bound.space().step.sigma);
        assert_eq!(numbers[at.start..at.caps], bound.space().start);
        assert_eq!(numbers[at.caps..at.rest], bound.rates().unwrap().caps);
        assert_eq!(numbers[at.rest..at.keys], bound.space().rest);
        for i in 0..2 * m {
            assert_eq!(numbers[at.keys + i], key_weight::<R>(i));
        }
    }
}

/// What `modes_solve` needs. Words of a thread: combinations, and where its spans lie in `words`,
/// its conditions, maps (in vectors of four), problem and x in `numbers`. The weights of the order
/// and the tolerance follow sigma.
pub const MODES_NUMBERS: &str = "
fn word(i: u32) -> u32 { return words_in[6u * me + i]; }
fn four(i: u32) -> vec4<real> {
    return vec4<real>(numbers[4u * i], numbers[4u * i + 1u], numbers[4u * i + 2u], numbers[4u * i + 3u]);
}
fn w_at(i: u32) -> real { return numbers[word(4u) + i]; }
fn mu_at(i: u32) -> real { return numbers[word(4u) + K * K + i]; }
fn sigma_at(i: u32) -> real { return numbers[word(4u) + K * K + M + i]; }
fn key_weight(i: u32) -> real { return numbers[word(4u) + K * K + M + K + i]; }
fn tolerance() -> real { return numbers[word(4u) + K * K + M + 2u * K]; }
fn span_at(k: u32) -> vec2<u32> { return vec2<u32>(words_in[word(1u) + 2u * k], words_in[word(1u) + 2u * k + 1u]); }
fn condition_at(i: u32) -> vec4<real> { return four(word(2u) + i); }
fn map_at(i: u32) -> vec4<real> { return four(word(3u) + i); }
fn probe() {
    var x: array<real, X>;
    for (var i = 0u; i < K + M; i++) { x[i] = numbers[word(5u) + i]; }
    var found: Solutions;
    modes_solve(word(0u), tolerance(), &x, &found);
    words_out[2u * me] = found.count;
    words_out[2u * me + 1u] = select(0u, 1u, found.ambiguous);
    for (var rank = 0u; rank < found.count; rank++) {
        let k = solutions_pick(&found, rank);
        var l: array<real, K>;
        modes_impulse(found.combinations[k], &x, &l);
        let at = (me * MOST + rank) * (2u * K + 1u);
        for (var i = 0u; i < K; i++) {
            numbers_out[at + i] = found.velocities[k * K + i];
            numbers_out[at + K + i] = l[i];
        }
        numbers_out[at + 2u * K] = found.residuals[k];
    }
}
";

/// A problem, its table, and the x to solve it at.
pub type Tabled<R> = (StepProblem<R>, ModeTable<R>, Vec<Vec<R>>);

/// Runs `modes_solve` on each and compares with its twin; the number of solutions of each.
pub fn compare_modes<R: Compiled>(m: usize, cases: &[Tabled<R>], what: &str) -> Vec<usize> {
    let (k, most) = (2 * m, most_solutions(m));
    let threads: usize = cases.iter().map(|(_, _, xs)| xs.len()).sum();
    let mut words = vec![0; 6 * threads];
    let mut numbers: Vec<R> = Vec::new();
    let mut thread = 0;
    for (step, table, xs) in cases {
        let spans = words.len() as u32;
        words.extend(table.spans.as_flattened());
        let numbers_at = numbers.len();
        let mut put = |values: &[R]| {
            let at = numbers.len() as u32;
            numbers.extend_from_slice(values);
            at
        };
        put(&vec![R::ZERO; numbers_at.next_multiple_of(4) - numbers_at]);
        let conditions = put(&table_buffer(table, m)) / 4;
        let maps = conditions + (table.conditions.len() / (3 * m) * padded(3 * m) / 4) as u32;
        let problem = put(&step_numbers(step));
        put(&(0..k).map(key_weight).collect::<Vec<R>>());
        put(&[table.tolerance]);
        for x in xs {
            let place = [table.spans.len() as u32, spans, conditions, maps, problem, put(x)];
            words[6 * thread..6 * thread + 6].copy_from_slice(&place);
            thread += 1;
        }
    }
    let probe = Probe::of([m, 1], &words, &numbers, threads, [2, most * (2 * k + 1)]);
    let (words, numbers) = probe.run(&[STEP, MODES, MODES_NUMBERS]);
    let (mut counts, mut different) = (Vec::new(), 0);
    let all = cases.iter().flat_map(|(step, table, xs)| xs.iter().map(move |x| (step, table, x)));
    for (thread, (step, table, x)) in all.enumerate() {
        let mut expected = Solutions::new(m);
        table.solve(step, x, &mut expected);
        counts.push(expected.count);
        let (count, ambiguous) = (words[2 * thread] as usize, words[2 * thread + 1] == 1);
        if expected.count > most {
            assert!(ambiguous, "{what}: {} solutions do not fit and go unflagged", expected.count);
            continue;
        }
        let same = count == expected.count
            && ambiguous == expected.ambiguous
            && (0..count).all(|rank| {
                let i = expected.pick(rank);
                let mut l = vec![R::ZERO; k];
                table.impulse(step, expected.combinations[i], x, &mut l);
                let row = &numbers[(thread * most + rank) * (2 * k + 1)..][..2 * k + 1];
                agree(&row[..k], expected.velocity(i))
                    && agree(&row[k..2 * k], &l)
                    && agree(&row[2 * k..], &expected.residuals[i..=i])
            });
        different += usize::from(!same);
    }
    assert_few(different, threads, what);
    counts
}

/// `modes_solve` and what it calls, `solutions_pick`: count, order and solutions of steps of random
/// problems and of the built-in scenes, which have several more often.
pub fn solutions_of_random_steps<R: Compiled>() {
    for m in 1..=3 {
        let mut problems: Vec<_> = (0..[100, 60, 10][m - 1])
            .map(|case| random_step(&mut Draws::of(7, 1000 * m + case), m))
            .collect();
        let scenes = scene::BUILTIN.iter().map(|scene| load(scene.name));
        let planar = scenes.filter(|s| s.contact_count() == m && s.tangents_per_contact() < 2);
        problems.extend(planar.map(|scene| {
            let bound = Law::from(Routh::steps()).prepare::<f64>(&scene).unwrap();
            let space = bound.space();
            (space.step.clone(), space.start.clone(), bound.rates().unwrap().caps.clone())
        }));
        let cases = problems.iter().enumerate().map(|(case, (step, start, caps))| {
            let mut rng = Draws::of(7, 1000 * (m + 10) + case);
            let xs = (0..64).map(|_| cast(&random_x(&mut rng, start, caps))).collect();
            (step.cast(), ModeTable::<R>::new(&regular_maps(step), caps), xs)
        });
        let cases: Vec<_> = cases.collect();
        let counts = compare_modes(m, &cases, &format!("modes {} m = {m}", R::NAME));
        let most = counts.iter().max().unwrap();
        let several = counts.iter().filter(|&&count| count > 1).count();
        println!("  at most {most} solutions, several in {several} of {}", counts.len());
        assert!(several > 0, "the probe should meet steps with several solutions");
    }
}

/// `solutions_insert` on made-up maps: a contact that may take any impulse, with `u+_t` distinct,
/// alike, or too close to tell, in any order, and with residuals of their own.
pub fn solutions_merge_in_order<R: Compiled>() {
    let (distinct, ambiguous) = (R::DISTINCT, R::AMBIGUOUS.to_f64());
    let middle = 0.5 * (ambiguous + distinct);
    let apart = [0.0, 0.3 * ambiguous, middle, 0.9 * distinct, 1.5 * distinct, 3.0 * distinct];
    let cases: Vec<_> = (0..400)
        .map(|case| {
            let mut rng = Draws::of(8, case);
            // u+_n = 1e-7 ln, u+_t = -1 + 0.5 ln: at lt = mu ln every ln solves the step, to 1e-7.
            let step = StepProblem::<f64> {
                contacts: 1,
                axes: 1,
                w: vec![1e-7, 0.0, 0.5, 0.0],
                mu: vec![0.5],
                sigma: vec![1.0; 2],
            };
            let clusters = 1 + case % 6;
            let mut below = |count: usize| rng.word() as usize % count;
            let maps = (0..7).flat_map(|_| {
                let (a, b) = (below(clusters), below(apart.len()));
                let ln = 0.1 * (1 + a) as f64 + 2.0 * apart[b];
                [0.0, 0.0, ln, 0.0, 0.0, 0.5 * ln]
            });
            let maps: Vec<f64> = maps.collect();
            let table = ModeTable::<R> {
                spans: vec![[0, 0]; 7],
                conditions: vec![R::ZERO; 3],
                impulses: cast(&maps),
                tolerance: R::ZERO,
            };
            (step.cast(), table, vec![cast(&[0.0, -1.0, 1.0])])
        })
        .collect();
    let counts = compare_modes(1, &cases, &format!("insertions {}", R::NAME));
    assert!((1..=6).all(|count| counts.contains(&count)), "every number of solutions should occur");
}

/// More solutions than the kernel holds are flagged, not dropped.
pub fn too_many_solutions_are_flagged<R: Compiled>() {
    let step = StepProblem::<f64> {
        contacts: 2,
        axes: 1,
        w: [vec![0.0; 8], vec![0.5, 0.0, 0.0, 0.0], vec![0.0; 4]].concat(),
        mu: vec![0.5; 2],
        sigma: vec![1.0; 4],
    };
    let many = 2 * most_solutions(2);
    let mut maps = vec![0.0; 24 * many];
    for (i, map) in maps.chunks_mut(24).enumerate() {
        let ln = (1 + i) as f64 / (2 + many) as f64;
        map[4] = ln;
        map[2 * 6 + 4] = 0.5 * ln;
    }
    let table = ModeTable::<R> {
        spans: vec![[0, 0]; many],
        conditions: vec![R::ZERO; 6],
        impulses: cast(&maps),
        tolerance: R::ZERO,
    };
    let x = cast(&[0.0, 0.0, -1.0, 0.0, 1.0, 0.0]);
    let counts = compare_modes(2, &[(step.cast(), table, vec![x])], "too many solutions");
    assert_eq!(counts, [many]);
}

/// `pivot_begin`, `lemke_advance` and what it calls, `lemke_impulse`: the same end, basis and
/// impulse.
pub fn lemke_on_random_steps<R: Compiled>() {
    for (m, axes) in SHAPES.into_iter().chain([(5, 1), (6, 1)]) {
        let (k, n, count) = ((1 + axes) * m, (3 + 2 * axes) * m, 128);
        let stride = k * k + m + k + k + m + n * n;
        // Loops of a thread end after 65 535 rounds in all on lavapipe.
        let most = 60_000 / (n * (n + 2) + 12 * n);
        let mut cases = Vec::new();
        let mut numbers: Vec<R> = Vec::new();
        let mut words = Vec::new();
        for case in 0..count {
            let mut rng = Draws::of(9, 1000 * m + case);
            let (step, start, caps) = random_step_of(&mut rng, m, axes);
            let (step, x) = (step.cast::<R>(), cast::<R>(&random_x(&mut rng, &start, &caps)));
            numbers.extend(step_numbers(&step).iter().chain(&x));
            numbers.extend((0..n * n).map(|entry| step.lcp_entry(entry / n, entry % n)));
            words.extend([(case % 2) as u32, case as u32]);
            cases.push((step, x));
        }
        let probe = Probe::of([m, axes], &words, &numbers, count, [4 * n + 4, n * (n + 2) + k]);
        let (words, numbers) = probe.run(&[
                &PIVOTS.concat(),
                &format!("const STRIDE = {stride}u; const LIMIT = {most}u;"),
                STEP_NUMBERS,
                PIVOT_NUMBERS,
                "fn probe() {
                var s: Sample;
                for (var i = 0u; i < X_USED; i++) { s.x[i] = number(AFTER + i); }
                var lemke: Lemke;
                let stream = Stream(vec2<u32>(9u, 0u), vec2<u32>(words_in[2u * me + 1u], 0u));
                var end = pivot_begin(stream, N, &s, &lemke);
                for (var round = 0u; round < LIMIT && end == LEMKE_RUNNING; round++) {
                    end = lemke_advance(N, &lemke);
                }
                var l: array<real, K>;
                lemke_impulse(N, &l);
                for (var i = 0u; i < K; i++) { numbers_out[me * (ENTRIES + K) + ENTRIES + i] = l[i]; }
                words_out[me * (PLACES + 2u) + PLACES] = end;
                words_out[me * (PLACES + 2u) + PLACES + 1u] = lemke.rounds;
            }",
            ]);
        let mut lemke = Lemke::<R>::new(n);
        let (mut different, mut unfinished, mut rays) = (0, 0, 0);
        for (case, (step, x)) in cases.iter().enumerate() {
            let words = &words[case * (4 * n + 4)..(case + 1) * (4 * n + 4)];
            let numbers = &numbers[case * (n * (n + 2) + k)..(case + 1) * (n * (n + 2) + k)];
            let end = match words[4 * n + 2] {
                0 => LemkeEnd::Solved,
                1 => LemkeEnd::Ray,
                2 => LemkeEnd::PivotLimit,
                _ => {
                    unfinished += 1;
                    continue;
                }
            };
            let stream = Stream::new(9, case as u64);
            let [low, range] = COVERING.map(R::from_f64);
            let covering = |j: usize| {
                let draw = stream::unit(stream.draw(0, Purpose::Covering, j as u32));
                let random = low + range * R::from_f64(f64::from(draw));
                if case % 2 == 1 { random } else { R::ONE }
            };
            let mut expected = vec![R::ZERO; n];
            let (u, c) = x.split_at(k);
            let constant = |i| step.lcp_constant(u, c, i);
            let expected_end =
                lemke.solve(|i, j| step.lcp_entry(i, j), constant, covering, &mut expected);
            let mut z = vec![R::ZERO; n];
            for i in 0..n {
                let variable = words[i] as usize;
                if (n..2 * n).contains(&variable) {
                    z[variable - n] = numbers[i * (n + 2) + n + 1];
                }
            }
            let mut l = vec![R::ZERO; k];
            step.impulse_of(&z, &mut l);
            assert!(agree(&l, &numbers[n * (n + 2)..]), "lemke_impulse, m = {m}, case {case}");
            different += usize::from(end != expected_end || !agree(&z, &expected));
            rays += usize::from(end == LemkeEnd::Ray);
        }
        assert_few(different, count, &format!("lemke {} m = {m}, {axes} axes", R::NAME));
        println!("  {rays} rays, {unfinished} not finished within {most} pivots");
        assert!(unfinished <= count / 10);
    }
}
