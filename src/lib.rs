//! carom computes the *set* of velocities with which a robot or a pile of objects can leave a
//! simultaneous frictional impact.
//!
//! # The problem
//! At a fixed configuration: mass matrix `M` (n,n), normal Jacobian `Jn` (m,n; positive =
//! separating), tangent Jacobian `Jt` (d m, n), friction `mu` (m), velocity before the impact `v`
//! (n). Everything happens in contact space: contact velocity `u = J v` with `J = [Jn; Jt]`,
//! Delassus matrix `W = J M^-1 J'`, impulse `L`, and
//!
//! ```text
//! u+ = u + W L,    v+ = v + M^-1 J' L.
//! ```
//!
//! With simultaneous contacts, `v+` depends on the order of their impulses, which no sensor can
//! measure. The set-valued Routh law ([`Routh`]) allows every order. A sample draws random relative
//! impulse rates of the contacts, constant over an interval of impulse, and follows the law from
//! interval to interval until no contact approaches. Planar problems go from event to event,
//! spatial problems are integrated numerically; the published steps solve a complementarity problem
//! each. Every sample carries a status ([`Status`]) and a residual: the violation of the law,
//! computed from its impulses alone, or the residual of the complementarity problems of its steps.
//!
//! Laws with finitely many outcomes ([`FiniteLaw`]) list them all: every solution of the
//! simultaneous problem, the result of single impacts in a given order, the results of elastic
//! reflections in every order, one outcome of rounds of compression and expansion at all contacts
//! at once.
//!
//! # In ten lines
//! ```
//! use carom::Plan;
//!
//! let problem = carom::scene::load("rocking-block")?;
//! let plan = Plan { samples: 4096, seed: 1, ..Plan::default() };
//! let mut outcomes = Vec::new();
//! let run = carom::sample(&problem, &plan, |samples| {
//!     outcomes.extend_from_slice(&samples.velocity); // (N,n), row by row
//!     Ok(())
//! })?;
//! assert_eq!(run.summary.accepted, 4096);
//! # Ok::<(), carom::Error>(())
//! ```
//!
//! # The packages
//! This package is what users import; the work is done in packages of its own, each below the next:
//! `carom-core`, `carom-law`, `carom-shaders`, `carom-engine`, then `carom-analysis` and
//! `carom-mechanics`, `carom-scene`, `carom-forecast` and `carom-import`, `carom-report`,
//! `carom-data`, and `carom-cli`, the command line.
//!
//! # Bibliography
//! - \[HP23\] M. Halm, M. Posa: Set-valued rigid-body dynamics for simultaneous, inelastic,
//!   frictional impacts. arXiv 2103.15714.
//! - \[CPS92\] R. W. Cottle, J.-S. Pang, R. E. Stone: The linear complementarity problem. Academic
//!   Press 1992.
//! - \[LH74\] C. L. Lawson, R. J. Hanson: Solving least squares problems. Prentice-Hall 1974.
//! - \[SM14\] V. Seghete, T. Murphey: A propagative model of simultaneous impact: existence,
//!   uniqueness, and design consequences. IEEE Transactions on Automation Science and Engineering
//!   11(1) 2014.
//! - \[AP97\] M. Anitescu, F. A. Potra: Formulating dynamic multi-rigid-body contact problems with
//!   friction as solvable linear complementarity problems. Nonlinear Dynamics 14 (1997) 231-247.
//! - \[AC91\] P. Alart, A. Curnier: A mixed formulation for frictional contact problems prone to
//!   Newton like solution methods. Computer Methods in Applied Mechanics and Engineering 92 (1991)
//!   353-375.
//! - \[DF98\] G. De Saxce, Z.-Q. Feng: The bipotential method. Mathematical and Computer Modelling
//!   28 (1998) 225-245.
//! - \[J99\] M. Jean: The non-smooth contact dynamics method. Computer Methods in Applied Mechanics
//!   and Engineering 177 (1999) 235-257.
//! - \[C09\] F. Cadoux: An optimization-based algorithm for Coulomb's frictional contact. ESAIM:
//!   Proceedings 27 (2009) 54-69.
//! - \[ACLM11\] V. Acary, F. Cadoux, C. Lemarechal, J. Malick: A formulation of the linear discrete
//!   Coulomb friction problem via convex optimization. ZAMM 91 (2011) 155-175.
//! - \[A06\] M. Anitescu: Optimization-based simulation of nonsmooth rigid multibody dynamics.
//!   Mathematical Programming 105 (2006) 113-143.
//! - \[T11\] E. Todorov: A convex, smooth and invertible contact model for trajectory optimization.
//!   ICRA 2011.
//! - \[USD15\] T. K. Uchida, M. A. Sherman, S. L. Delp: Making a meaningful impact: modelling
//!   simultaneous frictional collisions in spatial multibody systems. Proceedings of the Royal
//!   Society A 471 (2015) 20140859.
//! - \[JW16\] Y.-B. Jia, F. Wang: Analysis and computation of two body impact in three dimensions.
//!   2016.
//! - \[PTT16\] M. Posa, M. Tobenkin, R. Tedrake: Stability analysis and control of rigid-body
//!   systems with impacts and friction. IEEE Transactions on Automatic Control 61 (2016) 1423-1437.
//! - \[AH17\] A. A. Ahmadi, G. Hall: Sum of squares basis pursuit with linear and second order cone
//!   programming. Contemporary Mathematics 685 (2017) 27-53.
//! - \[H02\] N. J. Higham: Accuracy and Stability of Numerical Algorithms. 2nd edition, SIAM 2002.
//! - \[PHP20\] S. Pfrommer, M. Halm, M. Posa: ContactNets: learning discontinuous contact dynamics
//!   with smooth, implicit representations. CoRL 2020.
//! - \[QS93\] L. Qi, J. Sun: A nonsmooth version of Newton's method. Math. Programming 58 (1993)
//!   353-367.
//! - \[ST96\] D. E. Stewart, J. C. Trinkle: An implicit time-stepping scheme for rigid body
//!   dynamics with inelastic collisions and Coulomb friction. Int. J. for Numerical Methods in
//!   Engineering 39 (1996) 2673-2691.
//! - \[GR07\] T. Gneiting, A. E. Raftery: Strictly proper scoring rules, prediction, and
//!   estimation. Journal of the American Statistical Association 102 (2007) 359-378.
//! - \[SH15\] M. Scheuerer, T. M. Hamill: Variogram-based proper scoring rules for probabilistic
//!   forecasts of multivariate quantities. Monthly Weather Review 143 (2015) 1321-1334.
//! - \[KN04\] S. Kotz, S. Nadarajah: Multivariate t distributions and their applications. Cambridge
//!   University Press 2004.
//! - \[ET93\] B. Efron, R. J. Tibshirani: An introduction to the bootstrap. Chapman and Hall 1993.
//! - \[SS02\] B. Schoelkopf, A. J. Smola: Learning with kernels. MIT Press 2002.
//! - \[RW06\] C. E. Rasmussen, C. K. I. Williams: Gaussian processes for machine learning. MIT
//!   Press 2006.
//! - \[BM58\] G. E. P. Box, M. E. Muller: A note on the generation of random normal deviates.
//!   Annals of Mathematical Statistics 29 (1958) 610-611.
//! - \[TL24\] K. Tran, M. Leok: Lie group variational collision integrators for a class of hybrid
//!   systems. arXiv 2310.15356.
//! - \[LLM07\] T. Lee, M. Leok, N. H. McClamroch: Lie group variational integrators for the full
//!   body problem in orbital mechanics. Celestial Mechanics and Dynamical Astronomy 98 (2007)
//!   121-144.
//! - \[W76\] P. Wolfe: Finding the nearest point in a polytope. Math. Programming 11 (1976)
//!   128-149.
//! - \[SMDS11\] J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random numbers: as
//!   easy as 1, 2, 3. SC 2011.
//! - \[JK08\] S. Joe, F. Y. Kuo: Constructing Sobol sequences with better two-dimensional
//!   projections. SIAM Journal on Scientific Computing 30 (2008) 2635-2654.
//! - \[B20\] B. Burley: Practical hash-based Owen scrambling. Journal of Computer Graphics
//!   Techniques 9(4) (2020) 1-20.

#[cfg(feature = "cli")]
#[doc(hidden)]
pub use carom_cli as cli;
#[cfg(feature = "data")]
pub use carom_data::dataset;
pub use carom_engine::run;
pub use carom_mechanics::{model, motion};
pub use carom_report as output;
pub use carom_scene as scene;

pub use carom_analysis::bounds::{Aim, Cost, bound, bound_cost, check_direction};
pub use carom_analysis::guarantee::{guarantee, guarantee_until};
pub use carom_analysis::{
    Arithmetic, Bound, BoundKind, Certificate, Differentiator, ExactSet, Guarantee, Jacobians, Leg,
    OutcomePolytope, Phase, PossibleModes, Reach, State, Wrt, bound_within,
};
#[cfg(feature = "cli")]
pub use carom_cli::benchmark::Bench;
pub use carom_core::error::{Error, ErrorKind, Result};
pub use carom_core::outcome::{
    Cloud, Dressing, Mode, ModeCounts, PointSet, Polytope, Samples, Score, Size, Spread, Summary,
    Tolerance,
};
pub use carom_core::problem::{
    Array, ContactPoint, ContactProblem, MassPart, Place, Points, Posed, Poses, ProblemArrays,
    ProblemSpec, StateArrays, Uncertainty,
};
pub use carom_core::status::Status;
#[cfg(feature = "gpu")]
pub use carom_engine::gpu::{AdapterReport, adapters};
pub use carom_engine::run::Run;
pub use carom_engine::threads::thread_pool;
pub use carom_engine::{
    Batch, Device, DeviceInfo, Engine, Finished, Plan, Precision, Prepared, PreparedImpact, Replay,
    Search, SearchGoal, StepSolver, sample,
};
pub use carom_law::finite::propagative::Kind as SequenceKind;
pub use carom_law::lanes::Kernels;
pub use carom_law::{
    About, AnitescuPotra, Compliant, ConeComplementarity, ContactCourse, ContactModel,
    ConvexRelaxation, DarbouxKeller, Details, FiniteLaw, Hypothesis, Law, Limits, Outcome,
    OutcomeSet, Plus, ProcessKind, Propagative, Resolved, Routh, RouthProcess, SampledLaw, Sampler,
    Sequential, Shares, Solution, Uniqueness,
};

/// Questions to sets of outcomes, and the comparison of measured impacts with them.
pub mod study {
    pub use carom_analysis::{
        Bounds, Compared, Comparison, Cover, Covering, Farthest, Proofs, SampledSet, SetPlace,
        Verdict, bounds, compare, compare_with, cover, judged, place, proofs, require_samples,
        sampled_set,
    };
    pub use carom_forecast::*;
}

/// Doctests of the programs in `docs/`.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../docs/control.md")]
    mod control {}
    #[doc = include_str!("../docs/rust.md")]
    mod rust {}
}
