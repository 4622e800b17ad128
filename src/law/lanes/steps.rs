use bytemuck::cast_slice;

use super::column::{Column, N};
use super::draws::{Draw, Drawing, Streams};
use super::{Map, VectorJob, locate};
use crate::routh::steps::{Steps, StepsWorkspace};
use crate::{Ending, Sampler};
use carom_core::vectors::{OnVectors, Vector};
use carom_core::{ContactSpace, Real, Status};

/// The steps of samples in lanes. [`Steps::solve_at`] solves the step of a lane where the explicit
/// solution fails: no solution found, several too close to be counted, or a residual too large. Its
/// budget is the remaining budget of the lane's sample.
type StepJob<'a, R> = VectorJob<'a, R, Map<R>, Steps<R>, StepsWorkspace<R>>;

impl<R: Real> OnVectors for StepJob<'_, R> {
    type R = R;

    #[inline(always)]
    fn run<S: Vector<R>>(self, simd: S) {
        let job = self;
        let ContactSpace { step, start, rest, .. } = &job.law.space;
        if start[..step.contacts].iter().zip(rest).all(|(u, rest)| u >= rest) {
            job.endings.fill(Ending { status: Status::Terminated, steps: 0, residual: R::ZERO });
            job.totals.fill(R::ZERO);
            return;
        }
        match step.contacts {
            1 => run::<S, R, 1, 2, 3>(simd, job),
            2 => run::<S, R, 2, 4, 6>(simd, job),
            3 => run::<S, R, 3, 6, 9>(simd, job),
            m => unreachable!("no map is built for {m} contacts"),
        }
    }
}

#[inline(always)]
fn run<S: Vector<R>, R: Real, const M: usize, const K: usize, const X: usize>(
    simd: S,
    job: StepJob<'_, R>,
) {
    let VectorJob { tables: map, law, seed, first, endings, totals, work } = job;
    let (space, rates) = (&law.space, &law.rates);
    let lanes = S::LANES;
    let count = endings.len();
    let totals = &mut totals.as_chunks_mut::<K>().0[..count];
    let mut odd: [Option<Status>; N] = [None; N];
    let column = Column([R::ZERO; N]);
    let mut x = [column; X];
    let mut total = [column; K];
    let mut residual = column;
    // 0 in the first step of a sample, 1 in later steps.
    let mut begun = column;
    let mut steps = [0u32; N];
    work.budget.begin();
    let mut budgets = [work.budget; N];
    let mut id: [u32; N] = std::array::from_fn(|l| l.min(count.saturating_sub(1)) as u32);
    let mut next = N.min(count);
    let mut alive: [u32; N] = std::array::from_fn(|g| {
        (0..lanes).fold(0, |bits, l| bits | (u32::from(g * lanes + l < next) << l))
    });
    for i in 0..K {
        x[i] = Column([space.start[i]; N]);
    }
    let mut caps = [R::ZERO; M];
    caps.copy_from_slice(&rates.caps);
    let streams = Streams { seed, first };
    let (zero, one) = (simd.splat(R::ZERO), simd.splat(R::ONE));
    let problem = &space.step;
    let w: [[R; K]; K] = std::array::from_fn(|i| std::array::from_fn(|j| problem.w[i * K + j]));
    let (mut mu, mut rest) = ([zero; M], [zero; M]);
    for i in 0..M {
        mu[i] = simd.splat(problem.mu[i]);
        rest[i] = simd.splat(space.rest[i]);
    }
    let (mut sigma, mut per_sigma, mut start) = ([zero; K], [zero; K], [zero; K]);
    for i in 0..K {
        sigma[i] = simd.splat(problem.sigma[i]);
        per_sigma[i] = simd.splat(R::ONE / problem.sigma[i]);
        start[i] = simd.splat(space.start[i]);
    }
    let huge = simd.splat(R::HUGE);
    let bound_of_residual = simd.splat(R::from_f64(R::RESIDUAL));

    while (0..N / lanes).any(|g| alive[g] != 0) {
        // The impulse bounds c = h p, as in Rates::draw_caps.
        if matches!(rates.sampler, Sampler::Uniform | Sampler::Coverage) {
            let turns =
                if rates.persist > 1 { steps.map(|step| step / rates.persist) } else { steps };
            let mut approach = [0; N];
            for i in 0..M {
                for l in 0..N {
                    approach[l] |= u32::from(x[i].0[l] < space.rest[i]) << i;
                }
            }
            let drawing = Drawing { id, steps: turns, approach, count: N };
            let drawn: [_; M] = drawing.caps(rates, streams);
            for i in 0..M {
                x[K + i].0 = drawn[i];
            }
        } else {
            let [mut u, mut c] = [[R::ZERO; M]; 2];
            for l in 0..N {
                for i in 0..M {
                    u[i] = x[i].0[l];
                }
                let stream = streams.of(id[l]);
                rates.draw_caps(&stream, steps[l], &u, &space.rest, &mut c);
                for i in 0..M {
                    x[K + i].0[l] = c[i];
                }
            }
        }
        for g in 0..N / lanes {
            if alive[g] == 0 {
                continue;
            }
            let mut old = [zero; X];
            for j in 0..X {
                old[j] = x[j].at::<S::V>(g);
            }
            let keep = begun.at(g);
            let here = g * lanes..(g + 1) * lanes;
            let draw = Draw { streams, id: &id[here.clone()], steps: &steps[here] };
            let (mut l, located) = locate::scan::<S, R, K, X>(simd, map, &old, alive[g], draw);
            // The impulse is clamped to its bounds, as in StepProblem::clamp_impulse.
            for i in 0..M {
                l[i] = simd.max(simd.min(l[i], old[K + i]), zero);
                let most = simd.mul(mu[i], l[i]);
                l[M + i] = simd.max(simd.min(l[M + i], most), simd.sub(zero, most));
            }
            let mut u = [zero; K];
            for i in 0..K {
                u[i] = old[i];
                for j in 0..K {
                    u[i] = simd.fma(simd.splat(w[i][j]), l[j], u[i]);
                }
            }
            // The residual, as in StepProblem::residual.
            let mut worst = zero;
            let mut size = zero;
            for i in 0..M {
                let (ln, lt) = (l[i], l[M + i]);
                let (un, ut) = (simd.mul(u[i], sigma[i]), simd.mul(u[M + i], sigma[M + i]));
                let s = simd.max(simd.sub(zero, un), zero);
                let speed = simd.abs(ut);
                let tangential = simd.abs(lt);
                let slack = simd.sub(simd.mul(mu[i], ln), tangential);
                let up = simd.max(un, zero);
                worst =
                    simd.max(worst, simd.min(s, simd.mul(simd.sub(old[K + i], ln), per_sigma[i])));
                worst = simd.max(worst, simd.min(simd.mul(ln, per_sigma[i]), up));
                // Friction must oppose slip: 2 |u_t| where it acts along the slip, else 0.
                let along = simd.max(simd.mul(lt, ut), zero);
                let wrong = simd.select(simd.le(along, zero), zero, simd.add(speed, speed));
                worst = simd.max(worst, simd.min(simd.mul(tangential, per_sigma[M + i]), wrong));
                worst =
                    simd.max(worst, simd.min(speed, simd.mul(simd.abs(slack), per_sigma[M + i])));
                size = simd.add(size, simd.add(simd.abs(un), speed));
                size = simd.add(size, simd.add(ln, tangential));
            }
            let sound = simd.both(simd.le(worst, bound_of_residual), simd.le(size, huge));
            let solved = simd.bits(sound) & located;
            let mut over = sound;
            for i in 0..M {
                over = simd.both(over, simd.le(rest[i], u[i]));
            }
            let done = simd.bits(over) & located & alive[g];
            let mut total_before = [zero; K];
            for i in 0..K {
                total_before[i] = simd.mul(total[i].at(g), keep);
                total[i].put(g, simd.add(total_before[i], l[i]));
                x[i].put(g, simd.select(over, start[i], u[i]));
            }
            let residual_before = simd.mul(residual.at(g), keep);
            residual.put(g, simd.max(residual_before, worst));
            begun.put(g, simd.select(over, zero, one));

            let mut ended = done;
            let mut failed = alive[g] & !solved;
            while failed != 0 {
                let bit = failed.trailing_zeros() as usize;
                failed &= failed - 1;
                let lane = g * lanes + bit;
                let here: [R; X] = std::array::from_fn(|j| cast_slice::<S::V, R>(&old[j..=j])[bit]);
                let stream = streams.of(id[lane]);
                work.budget = budgets[lane];
                let status = match law.solve_at(&stream, steps[lane], &here, work) {
                    Some((l, u, worst)) => {
                        for i in 0..K {
                            total[i].0[lane] =
                                cast_slice::<S::V, R>(&total_before[i..=i])[bit] + l[i];
                            x[i].0[lane] = u[i];
                        }
                        residual.0[lane] =
                            Real::max(cast_slice::<S::V, R>(&[residual_before])[bit], worst);
                        begun.0[lane] = R::ONE;
                        let over = (0..M).all(|i| u[i] >= space.rest[i]);
                        budgets[lane] = work.budget;
                        if !(0..K).all(|i| total[i].0[lane].is_finite()) {
                            Status::NotFinite
                        } else if over {
                            Status::Terminated
                        } else {
                            continue;
                        }
                    }
                    None => {
                        for i in 0..K {
                            total[i].0[lane] = cast_slice::<S::V, R>(&total_before[i..=i])[bit];
                        }
                        residual.0[lane] = cast_slice::<S::V, R>(&[residual_before])[bit];
                        work.failure()
                    }
                };
                odd[lane] = Some(status);
                ended |= 1 << bit;
            }
            for l in 0..lanes {
                steps[g * lanes + l] += 1;
            }
            if steps[g * lanes..(g + 1) * lanes].iter().any(|&s| s >= space.max_steps) {
                for bit in 0..lanes {
                    let lane = g * lanes + bit;
                    if steps[lane] >= space.max_steps && alive[g] & !ended & (1 << bit) != 0 {
                        odd[lane] = Some(Status::StepLimit);
                        ended |= 1 << bit;
                    }
                }
            }
            while ended != 0 {
                let bit = ended.trailing_zeros() as usize;
                ended &= ended - 1;
                let lane = (g * lanes + bit) % N;
                let status = odd[lane].take().unwrap_or(Status::Terminated);
                let sample = id[lane] as usize;
                endings[sample] = Ending {
                    status,
                    steps: steps[lane]
                        - u32::from(matches!(status, Status::Unsolved | Status::Budget)),
                    residual: residual.0[lane],
                };
                for i in 0..K {
                    totals[sample][i] = total[i].0[lane];
                }
                steps[lane] = 0;
                budgets[lane].begin();
                if status != Status::Terminated || done & (1 << bit) == 0 {
                    // The vector code resets a lane only after a sample that terminated in it.
                    for i in 0..K {
                        x[i].0[lane] = space.start[i];
                    }
                    begun.0[lane] = R::ZERO;
                }
                if next < endings.len() {
                    id[lane] = next as u32;
                    next += 1;
                } else {
                    alive[g] &= !(1 << bit);
                }
            }
        }
    }
}
