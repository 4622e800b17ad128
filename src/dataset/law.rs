//! The table `[law]` of a plan: the law by its name, and the options that `carom sample` has as
//! flags.

use crate::engine::{Device, Plan, Precision, StepSolver};
use crate::error::{Error, Result};
use crate::law::{
    Hypothesis, Law, Orders, Plus, ProcessKind, Routh, RouthProcess, Sampler, Solution,
};
use crate::problem::{ContactProblem, Uncertainty};
use crate::scene::fields::{Item, Table};
use crate::scene::uncertainty;

/// A law, and the numbers that it takes instead of the problem's.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choice {
    pub law: Law,
    pub solver: Option<StepSolver>,
    pub restitution: Option<f64>,
    pub uncertainty: Option<Uncertainty>,
}

const ROUTH: &[&str] = &[
    "name",
    "process",
    "solution",
    "solver",
    "sampler",
    "persist",
    "step",
    "accuracy",
    "max_steps",
    "facets",
    "hypothesis",
    "restitution",
    "uncertainty",
];
const ORDERS: &[&str] = &["name", "max_steps", "restitution"];
const PLUS: &[&str] =
    &["name", "theta_max", "v_transition", "v_plastic", "v_capture", "restitution", "uncertainty"];

/// Reads the table; without it the law is `routh`.
pub fn read(item: Option<&Item<'_>>) -> Result<Choice> {
    let Some(item) = item else { return Ok(Choice::default()) };
    let name =
        item.open_table()?.get("name").map_or(Ok(Routh::NAME), |name| name.word(&Law::NAMES))?;
    let named = Law::named(name).unwrap_or_default();
    let keys = match named {
        Law::Routh(_) => ROUTH,
        Law::Sequential(_) | Law::Propagative(_) => ORDERS,
        Law::Plus(_) => PLUS,
    };
    let table = item.table(keys)?;
    let max_steps = count(&table, "max_steps")?;
    let law = match named {
        Law::Routh(_) => Law::Routh(routh(&table, max_steps)?),
        Law::Sequential(_) => Law::Sequential(Orders { max_steps }),
        Law::Propagative(_) => Law::Propagative(Orders { max_steps }),
        Law::Plus(law) => Law::Plus(Plus {
            theta_max: number(&table, "theta_max")?.unwrap_or(law.theta_max),
            v_transition: number(&table, "v_transition")?.unwrap_or(law.v_transition),
            v_plastic: number(&table, "v_plastic")?.unwrap_or(law.v_plastic),
            v_capture: number(&table, "v_capture")?.unwrap_or(law.v_capture),
            restitution: None,
        }),
    };
    let restitution = number(&table, "restitution")?;
    if let (Some(e), Some(item)) = (restitution, table.get("restitution"))
        && !(0.0..=1.0).contains(&e)
    {
        return Err(item.error(format!("expected a number in [0, 1], found {e}")));
    }
    let uncertain = table.get("uncertainty").map(|item| uncertainty::read(&item)).transpose()?;
    if restitution.is_some()
        && uncertain.as_ref().is_some_and(|ranges| !ranges.restitution.is_empty())
    {
        table.refuse(
            &["restitution"],
            "this and a range of restitution in `uncertainty` exclude each other",
        )?;
    }
    Ok(Choice { law, solver: solver(&table)?, restitution, uncertainty: uncertain })
}

fn routh(table: &Table<'_>, max_steps: Option<u32>) -> Result<Routh> {
    let word =
        |key: &str, known: &[&'static str]| table.get(key).map(|item| item.word(known)).transpose();
    let process =
        word("process", &["steps", "events", "exact", "inclusion"])?.map(|name| match name {
            "steps" => RouthProcess::Steps,
            "events" | "exact" => RouthProcess::Exact,
            _ => RouthProcess::Inclusion,
        });
    let lemke = word("solution", &["random", "lemke"])? == Some("lemke");
    let poisson = word("hypothesis", &["stronge", "poisson"])? == Some("poisson");
    let (persist, facets) = (count(table, "persist")?, count(table, "facets")?);
    let sampler = match table.get("sampler") {
        Some(item) => item.text()?.parse().map_err(|e: Error| item.error(e.what))?,
        // The published algorithm has its own.
        None => match process {
            Some(RouthProcess::Steps) => Sampler::Uniform,
            _ if facets.is_some() => Sampler::Uniform,
            None if lemke || persist.is_some_and(|steps| steps > 1) => Sampler::Uniform,
            _ => Sampler::default(),
        },
    };
    let step = number(table, "step")?;
    if let (Some(h), Some(item)) = (step, table.get("step"))
        && h <= 0.0
    {
        return Err(item.error(format!("expected a number > 0, in N s, found {h}")));
    }
    Ok(Routh {
        process,
        solution: if lemke { Solution::Lemke } else { Solution::Random },
        sampler,
        persist,
        step,
        max_steps,
        facets,
        accuracy: number(table, "accuracy")?,
        hypothesis: if poisson { Hypothesis::Poisson } else { Hypothesis::Stronge },
    })
}

fn solver(table: &Table<'_>) -> Result<Option<StepSolver>> {
    let Some(item) = table.get("solver") else { return Ok(None) };
    let name = item.word(&StepSolver::ALL.map(StepSolver::name))?;
    Ok(StepSolver::ALL.into_iter().find(|solver| solver.name() == name))
}

fn number(table: &Table<'_>, key: &str) -> Result<Option<f64>> {
    table.get(key).map(|item| item.number()).transpose()
}

fn count(table: &Table<'_>, key: &str) -> Result<Option<u32>> {
    table.get(key).map(|item| item.count()).transpose()
}

impl Choice {
    /// Whether it is more than the law's name in a command.
    pub fn is_changed(&self) -> bool {
        *self != Choice::default()
    }

    /// How this law is sampled.
    pub fn plan(&self, precision: Precision) -> Plan {
        let (law, precision) = (self.law.clone(), Some(precision));
        Plan { law, device: Device::Cpu, precision, solver: self.solver, ..Plan::default() }
    }

    /// The option that does nothing on a problem, if there is one, and why.
    pub fn idle(&self, problem: &ContactProblem) -> Option<(&'static str, String)> {
        let Law::Routh(law) = &self.law else { return None };
        let process = self.law.process_on(problem);
        let why = |what: &str| format!("the process `{}` has no {what}", process.name());
        let blocks = matches!(process, ProcessKind::Exact | ProcessKind::Inclusion);
        if law.accuracy.is_some() && process != ProcessKind::Inclusion {
            return Some(("accuracy", why("accuracy that could be chosen")));
        }
        if law.solution == Solution::Lemke && blocks {
            return Some(("solution", why("steps whose solution Lemke's method could find")));
        }
        if law.hypothesis != Hypothesis::default() && self.law.hypothesis_on(problem).is_none() {
            return Some((
                "hypothesis",
                "no contact has restitution that there could be a hypothesis about".to_string(),
            ));
        }
        None
    }

    /// Whether the table or the problem sets the limit on steps; a problem's is one on published
    /// steps alone.
    pub fn sets_limit(&self, problem: &ContactProblem) -> bool {
        match &self.law {
            Law::Routh(law) => {
                let blocks = matches!(
                    self.law.process_on(problem),
                    ProcessKind::Exact | ProcessKind::Inclusion
                );
                law.max_steps.is_some() || problem.spec().max_steps.is_some() && !blocks
            }
            Law::Sequential(law) | Law::Propagative(law) => law.max_steps.is_some(),
            Law::Plus(_) => false,
        }
    }

    /// The problem with the numbers of this table.
    pub fn applied(&self, problem: ContactProblem) -> Result<ContactProblem> {
        let mut restitution = problem.spec().restitution.clone();
        let mut uncertain = problem.uncertainty().clone();
        if let Some(e) = self.restitution {
            restitution = Some(vec![e; problem.contact_count()]);
            uncertain.restitution.clear();
        }
        if let Some(uncertainty) = &self.uncertainty {
            uncertain = uncertainty.clone();
        }
        problem.with_numbers(restitution, uncertain)
    }
}
