//! The flags of laws that are sampled.

use crate::run::{LawName, Run};
use crate::{
    Device, Hypothesis, Precision, RouthProcess, Sampler, Solution, StepSolver, Uncertainty,
};

use super::plus::PlusArgs;
use super::values::{
    device, law, max_steps, sampler, seed, share, solver, step, threads, uncertainty,
};

/// The law that is sampled, its options, and where.
#[derive(Debug, clap::Args)]
pub struct LawArgs {
    /// The impact law: routh (the set); single impacts in random order: sequential (with friction;
    /// in space with restitution) or propagative (reflections, without); or plus (one outcome for
    /// each draw of --uncertainty).
    #[arg(long, default_value = "routh", value_parser = law)]
    pub law: String,
    /// Seed: the same seed gives the same samples.
    #[arg(long, value_name = "S", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub seed: u64,
    /// Where to compute: auto (a GPU if there is one, else the CPU), cpu, gpu, or part of an
    /// adapter's name.
    #[arg(long, default_value = "auto", value_parser = device)]
    pub device: Device,
    /// Precision: f32 or f64 [default: f32 on a GPU, f64 on the CPU].
    #[arg(long, value_enum)]
    pub precision: Option<Precision>,
    /// How routh is computed: events (planar, from event to event, without a step; `exact` is its
    /// old name), inclusion (integrated) or steps (the published algorithm) [default: steps with
    /// --facets, --persist or --solution lemke; else events for planar problems, and inclusion in
    /// space and with planar --hypothesis poisson].
    #[arg(long, value_enum)]
    pub process: Option<RouthProcess>,
    /// Which solution of a step to take where it has several: random, or lemke (the one that
    /// Lemke's method finds) [default: random].
    #[arg(long, value_enum)]
    pub solution: Option<Solution>,
    /// How steps or segments are solved: on the CPU by tree, table, cache, chart or scalar, on a
    /// GPU by cache [default: the fastest that applies].
    #[arg(long, value_name = "S", value_parser = solver)]
    pub solver: Option<StepSolver>,
    /// How impulse rates are drawn: coverage (few contacts at a time, blocks of all lengths: fewest
    /// samples cover the set; with steps a file's step limit counts fourfold), uniform (as
    /// published), sobol (uniform by scrambled Sobol points), or a mix by share, such as
    /// uniform:0.2,coverage:0.8 [default: uniform with --process steps, --facets, --persist or
    /// --solution lemke, else coverage].
    #[arg(long, value_name = "S", value_parser = sampler)]
    pub sampler: Option<Sampler>,
    /// Steps: draw impulse rates afresh for every N steps only [default: 1]. The other processes
    /// keep them for a block, see --step.
    #[arg(long, value_name = "N", value_parser = max_steps, allow_negative_numbers = true)]
    pub persist: Option<u32>,
    /// Impulse step in N s: the impulse over which one draw of the rates lasts. A smaller step
    /// averages the rates and shrinks what is met; it does not refine the set [default: the largest
    /// that stops one contact; with steps the file's].
    #[arg(long, value_name = "H", value_parser = step, allow_negative_numbers = true)]
    pub step: Option<f64>,
    /// How accurate the inclusion is, a part of max|u-|: 1e-8 .. 0.1 [default: 1e-4]. In f32 not
    /// below about 1e-5.
    #[arg(long, value_name = "A", allow_negative_numbers = true)]
    pub accuracy: Option<f64>,
    /// Limit on the steps of a sample [default: the file's, else 1000], on its segments with
    /// --process events and substeps with --process inclusion [default: 20000], or on its single
    /// impacts [default: 1000].
    #[arg(long, value_name = "K", value_parser = max_steps, allow_negative_numbers = true)]
    pub max_steps: Option<u32>,
    /// Spatial problems: facets K of the friction cones, an even number from 4 to 32.
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub facets: Option<u32>,
    /// The share of samples that may be lost before the exit code is 1: of the terminated ones
    /// those not accepted, of all those that did not end. Where --max-steps or the file sets the
    /// limit, samples that reach it are not counted as lost, unless all do.
    #[arg(long, value_name = "R", default_value = "0.01", value_parser = share, allow_negative_numbers = true)]
    pub max_rejected: f64,
    /// Coefficient of restitution of all contacts, instead of the file's.
    #[arg(long, value_name = "E", value_parser = share, allow_negative_numbers = true)]
    pub restitution: Option<f64>,
    /// routh with restitution: what its coefficient is a ratio of: stronge (energies) or poisson
    /// (impulses) [default: stronge].
    #[arg(long, value_enum, value_name = "H")]
    pub hypothesis: Option<Hypothesis>,
    /// routh, plus: ranges that every sample draws friction and restitution of each contact from,
    /// and (routh) factors of the masses and moments of inertia, and noise of the velocity relative
    /// to |v-|_M, such as mu=0.1..0.3,e=0.2..0.4,inertia=0.9..1.1,noise=0.01; instead of the
    /// file's.
    #[arg(long, value_name = "mu=A..B,e=A..B,inertia=A..B,noise=S", value_parser = uncertainty)]
    pub uncertainty: Option<Uncertainty>,
    #[command(flatten)]
    pub plus: PlusArgs,
    /// Threads of the CPU [default: one per core].
    #[arg(long, value_name = "N", value_parser = threads)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Option<u32>,
}

impl LawArgs {
    /// The run that the flags ask for; the number of samples is the command's.
    pub fn run(&self, samples: Option<u64>) -> Run {
        Run {
            law: LawName::named(&self.law).unwrap_or_default(),
            process: self.process,
            solution: self.solution,
            solver: self.solver,
            sampler: self.sampler,
            persist: self.persist,
            step: self.step,
            accuracy: self.accuracy,
            max_steps: self.max_steps,
            facets: self.facets,
            hypothesis: self.hypothesis,
            theta_max: self.plus.theta_max,
            v_transition: self.plus.v_transition,
            v_plastic: self.plus.v_plastic,
            v_capture: self.plus.v_capture,
            restitution: self.restitution,
            uncertainty: self.uncertainty.clone(),
            samples,
            seed: self.seed,
            device: self.device.clone(),
            precision: self.precision,
        }
    }
}
