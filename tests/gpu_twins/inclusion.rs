//! The inclusion on a GPU, against the CPU's: circular cones, restitution, uncertain numbers.

use super::*;

in_both! {
    integrated_kernels,
}

/// A pile of m contacts with restitution, uncertain numbers and noise.
fn bouncing(m: usize, spatial: bool) -> ContactProblem {
    let mut rng = generator(40, m);
    let problem = if spatial { pile(&mut rng, m) } else { column(&mut rng, m) };
    let restitution = Some((0..m).map(|i| 0.3 + 0.1 * i as f64).collect());
    let uncertainty = Uncertainty { noise: 0.05, ..Uncertainty::default() };
    ContactProblem::new(ProblemSpec { restitution, uncertainty, ..problem.spec().clone() }).unwrap()
}

/// The same impulses, status and number of blocks as on the CPU, in the same precision.
pub fn integrated_kernels<R: Real>() {
    for (m, spatial, count) in
        [(1, false, 128), (2, false, 128), (1, true, 128), (2, true, 128), (4, true, 64)]
    {
        let problem = bouncing(m, spatial);
        for (hypothesis, sampler) in
            [(Hypothesis::Stronge, Sampler::Uniform), (Hypothesis::Poisson, Sampler::Coverage)]
        {
            let law = Routh { hypothesis, sampler, ..Routh::default() };
            let bound = law.bind::<R>(&problem).unwrap();
            let mut work = bound.workspace();
            let start = Instant::now();
            let mut kernel = Kernel::new(gpu(), &bound, 3).unwrap();
            kernel.dispatch::<R>(0, 1, || false).unwrap();
            let built = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let raw = kernel.dispatch::<R>(0, count, || false).unwrap();
            let seconds = start.elapsed().as_secs_f64();
            let k = bound.step.width();
            let mut steps = 0;
            let different = (0..count as usize)
                .filter(|&i| {
                    let ending = bound.sample(&Stream::new(3, i as u64), &mut work);
                    steps += ending.steps;
                    let found = &raw.endings[i];
                    let same = (found.status, found.steps) == (ending.status, ending.steps);
                    if !same {
                        println!("{i}: {found:?} {ending:?}");
                    }
                    !same || !agree(&raw.impulses[i * k..(i + 1) * k], &work.total)
                })
                .count();
            let what = format!(
                "{} m = {m}, {}, {}",
                R::NAME,
                if spatial { "spatial" } else { "planar" },
                sampler.name()
            );
            println!("{what}: {built:.2} s and {seconds:.2} s, {steps} blocks");
            assert!(u64::from(steps) >= 2 * count, "{what}: {steps} blocks");
            assert_few(different, count as usize, &what);
        }
    }
}
