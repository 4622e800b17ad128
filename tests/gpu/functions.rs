//! Functions of a few numbers against their twins: the verdict on a sample, contact modes, single
//! impacts, roots.

use super::*;
use carom_core::draws::numbers::disturbance;
use carom_core::draws::rates::stretch;
use carom_core::outcome::Mode;
use carom_core::outcome::verdict::{FlagLimits, is_accepted, is_flagged};
use carom_law::finite::sequential::single_impact;
use carom_law::sampling::restitution::first_root;

in_both! {
    verdicts,
    contact_modes,
    single_impacts,
    lengths,
    roots,
    disturbances,
}

/// `is_flagged` and `is_accepted`, on all sides of every limit.
pub fn verdicts<R: Compiled>() {
    let limits = FlagLimits { residual: 1e-6, long_run: 128 };
    let mut cases = Vec::new();
    for status in Status::ALL {
        for steps in [0, 127, 128, u32::MAX] {
            for residual in [0.0, 1e-6, 1.1e-6, 1e-5, 1.1e-5, 1.0, f32::INFINITY, f32::NAN] {
                for flags in 0..4 {
                    cases.push((status, steps, residual, flags & 1 == 1, flags & 2 == 2));
                }
            }
        }
    }
    let word = |&(status, steps, residual, at_rest, finite): &(Status, u32, f32, bool, bool)| {
        [status.code().into(), steps, residual.to_bits(), at_rest.into(), finite.into()]
    };
    let words: Vec<[u32; 5]> = cases.iter().map(word).collect();
    let probe = Probe::<R>::of([1, 1], words.as_flattened(), &[], cases.len(), [1, 0]);
    let (found, _) = probe.run(&[
            include_str!("../../shaders/outcome/verdict.wgsl"),
            "fn word(i: u32) -> u32 { return words_in[5u * me + i]; }
        fn probe() {
            let residual = bitcast<f32>(word(2u));
            let limits = FlagLimits(1e-6f, 128u);
            let flagged = is_flagged(word(0u), word(1u), residual, word(3u) == 1u, word(4u) == 1u, limits);
            let accepted = is_accepted(word(0u), residual, word(4u) == 1u, RESIDUAL);
            words_out[me] = select(0u, 1u, flagged) + select(0u, 2u, accepted);
        }",
        ]);
    // The device has both limits in its own precision.
    let limits = FlagLimits { residual: f64::from(limits.residual as f32), ..limits };
    let most = R::from_f64(R::RESIDUAL).to_f64();
    let mut seen = [0; 4];
    for (&(status, steps, residual, at_rest, finite), found) in cases.iter().zip(found) {
        let residual = f64::from(residual);
        let flagged = is_flagged(status, steps, residual, at_rest, finite, limits);
        let accepted = is_accepted(status, residual, finite, most);
        let expected = u32::from(flagged) + 2 * u32::from(accepted);
        assert_eq!(found, expected, "{status:?} {steps} {residual} {at_rest} {finite}");
        seen[found as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// `mode_of`, planar, spatial and without tangents, with velocities at what counts as none and next
/// to it.
pub fn contact_modes<R: Compiled>() {
    let rests = [[1e-6, 1e-6], [1e-6, 4e-6]].map(|rest| rest.map(R::from_f64));
    let near = |rest: R| [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0].map(|x| rest * R::from_f64(x));
    let mut cases = Vec::new();
    for rest in rests {
        for normal in near(rest[0]) {
            for tangent in near(rest[1]) {
                let across = rest[1] * R::from_f64(0.75);
                let numbers = [normal, tangent, across, rest[0], rest[1]];
                cases.extend([0, 1, 2].map(|tangents| (numbers, tangents)));
            }
        }
    }
    let (numbers, words): (Vec<[R; 5]>, Vec<u32>) = cases.iter().copied().unzip();
    let probe = Probe::of([1, 1], &words, numbers.as_flattened(), cases.len(), [1, 0]);
    let (found, _) = probe.run(&[
        &kernels::statistics::constants(1),
        include_str!("../../shaders/outcome/modes.wgsl"),
        "fn probe() {
            let at = 5u * me;
            let tangent = vec2<real>(numbers[at + 1u], numbers[at + 2u]);
            let rest = vec2<real>(numbers[at + 3u], numbers[at + 4u]);
            words_out[me] = mode_of(numbers[at], tangent, words_in[me], rest);
        }",
    ]);
    let mut seen = [0; 4];
    for (([normal, tangent, across, rest_n, rest_t], tangents), found) in
        cases.into_iter().zip(found)
    {
        let expected = Mode::of(normal, &[tangent, across][..tangents as usize], [rest_n, rest_t]);
        let case = format!("{normal:?} {tangent:?}, {tangents}, {rest_n:?} {rest_t:?}");
        assert_eq!(found, expected as u32, "{case}");
        seen[found as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 0), "{seen:?}");
}

/// `single_impact`: sticking, sliding both ways, jamming, no friction, and Delassus blocks of rank
/// 1.
pub fn single_impacts<R: Compiled>() {
    let mut rng = Draws::of(50, 0);
    let cases: Vec<[R; 6]> = (0..4000)
        .map(|i| {
            let (nn, tt) = (rng.uniform(0.1, 2.0), rng.uniform(0.1, 2.0));
            let most: f64 = nn * tt;
            let nt = if i % 5 == 0 { most.sqrt() } else { most.sqrt() * rng.uniform(-0.99, 0.99) };
            let mu = if i % 7 == 0 { 0.0 } else { rng.uniform(0.0, 3.0) };
            [nn, nt, tt, mu, rng.uniform(-1.0, 0.1), rng.uniform(-1.0, 1.0)].map(R::from_f64)
        })
        .collect();
    let probe = Probe::of([1, 1], &[], cases.as_flattened(), cases.len(), [0, 2]);
    let (_, found) = probe.run(&[
        function(include_str!("../../shaders/law/sequential.wgsl"), "single_impact"),
        "fn n(i: u32) -> real { return numbers[6u * me + i]; }
        fn probe() {
            let l = single_impact(vec3<real>(n(0u), n(1u), n(2u)), n(3u), vec2<real>(n(4u), n(5u)));
            numbers_out[2u * me] = l.x;
            numbers_out[2u * me + 1u] = l.y;
        }",
    ]);
    let differs = |[nn, nt, tt, mu, un, ut]: [R; 6], found: &[R]| {
        !agree(found, &single_impact([nn, nt, tt], mu, [un, ut]))
    };
    let different = cases.iter().zip(found.chunks(2)).filter(|(x, l)| differs(**x, l)).count();
    assert_few(different, cases.len(), &format!("single impacts, {}", R::NAME));
    assert!(found.chunks(2).filter(|l| l[0] > R::ZERO).count() > cases.len() / 2);
}

/// `first_root`: one, none, and those of lines.
pub fn roots<R: Compiled>() {
    let mut rng = Draws::of(51, 0);
    let cases: Vec<[R; 3]> = (0..4000)
        .map(|i| {
            let a = if i % 5 == 0 { 0.0 } else { rng.uniform(-2.0, 2.0) };
            [a, rng.uniform(-1.0, 1.0), rng.uniform(0.01, 1.0)].map(R::from_f64)
        })
        .collect();
    let probe = Probe::of([1, 1], &[], cases.as_flattened(), cases.len(), [0, 1]);
    let (_, found) = probe.run(&[
            function(include_str!("../../shaders/law/restitution.wgsl"), "first_root"),
            "fn probe() {
            numbers_out[me] = first_root(numbers[3u * me], numbers[3u * me + 1u], numbers[3u * me + 2u]);
        }",
        ]);
    let differs = |[a, u, s]: [R; 3], found: R| {
        let expected = first_root(a, u, s);
        !close(found, expected, expected.to_f64())
    };
    let different = cases.iter().zip(&found).filter(|(x, t)| differs(**x, **t)).count();
    assert_few(different, cases.len(), &format!("roots, {}", R::NAME));
    let none = found.iter().filter(|&&t| t == R::HUGE).count();
    assert!(none > 100 && none < cases.len() - 100, "{none} without a root");
}

/// `stretch`: exact.
pub fn lengths<R: Compiled>() {
    let mut rng = Draws::of(52, 0);
    let mut cases: Vec<[u32; 2]> = (0..1000).map(|_| [rng.word(), rng.word()]).collect();
    cases.extend([[0, 0], [0, u32::MAX], [u32::MAX, 0], [u32::MAX, u32::MAX]]);
    let probe = Probe::<R>::of([1, 1], cases.as_flattened(), &[], cases.len(), [0, 1]);
    let (_, found) = probe.run(&[
        PHILOX,
        STREAM,
        function(RATES, "stretch"),
        "fn probe() { numbers_out[me] = stretch(words_in[2u * me], words_in[2u * me + 1u]); }",
    ]);
    for ([octave, place], found) in cases.into_iter().zip(found) {
        assert_eq!(found, stretch::<R>(octave, place), "{octave} {place}");
    }
}

/// `disturbance`, up to the order in which drivers add numbers up.
pub fn disturbances<R: Compiled>() {
    let (threads, entries) = (1000, 6);
    let text = include_str!("../../shaders/law/routh/inclusion/process.wgsl");
    let words = [entries as u32];
    let probe = Probe::<R>::of([1, 1], &words, &[], threads, [0, entries]);
    let (_, found) = probe.run(&[
        PHILOX,
        STREAM,
        function(text, "disturbance"),
        "fn probe() {
            let stream = Stream(vec2<u32>(3u, 0u), vec2<u32>(me, 0u));
            for (var a = 0u; a < words_in[0]; a++) {
                numbers_out[words_in[0] * me + a] = disturbance(stream, a);
            }
        }",
    ]);
    let expected = |i: usize| disturbance::<R>(&Stream::new(3, (i / entries) as u64), i % entries);
    let different = (0..found.len()).filter(|&i| !close(found[i], expected(i), 1.0)).count();
    assert_few(different, found.len(), &format!("disturbances, {}", R::NAME));
}
