//! The card of a data set: a `README.md` with front matter for Hugging Face.

use super::description::PROBLEMS;
use super::part::Inventory;
use super::plan::DatasetPlan;
use super::source::Source;
use crate::columns::Column;
use carom_engine::run::Run;
use carom_scene::builtin;

/// Hugging Face's size categories for numbers of rows, one for each power of ten.
const SIZES: &str = "n<1K 1K<n<10K 10K<n<100K 100K<n<1M 1M<n<10M 10M<n<100M 100M<n<1B 1B<n<10B \
                     10B<n<100B 100B<n<1T n>1T";

/// The text of the card.
pub fn text(plan: &DatasetPlan, inventory: &Inventory) -> String {
    let rows = inventory.rows;
    let digits = rows.checked_ilog10().unwrap_or(0).saturating_sub(2).min(10);
    let size = SIZES.split(' ').nth(digits as usize).unwrap_or_default();
    // JSON text is also YAML text.
    let name = serde_json::Value::from(plan.name.as_str());
    let problem = plan.problem();
    let row =
        |column: &Column| format!("| `{}` | {} | {} |\n", column.name, column.kind(), column.about);
    let columns: String = plan.columns().iter().map(row).collect();
    let (states, samples, failed) = (plan.states(), plan.samples(), inventory.failed);
    let without = match failed {
        0 => String::new(),
        _ => format!(
            " {failed} states have no rows, as no contact problem follows from them; `dataset.json` says why."
        ),
    };
    let is_forecast = plan.states.how.forecaster.is_some();
    let stays = if is_forecast { "outcome is" } else { "velocity stays" };
    let still = match inventory.still {
        0 => String::new(),
        still => format!(
            " In {still} states no contact approaches: there the {stays} that before the impact."
        ),
    };
    let forecasts = match is_forecast {
        true => {
            " Velocities are forecasts of a model, not outcomes of the law alone; impulses and residuals are those of the outcomes."
        }
        false => "",
    };
    let warning = |warning: &String| format!(" Warning: {warning}.");
    let warnings: String = plan.warnings().iter().map(warning).collect();
    let (accepted, version) = (inventory.accepted, env!("CARGO_PKG_VERSION"));
    let law = plan.states.how.law.name();
    let coordinates = problem.coordinates().join("`, `");
    let arrays = plan.states.source.arrays().is_some();
    let (what, from) = match arrays {
        true => (
            "with which the bodies of a state".to_string(),
            format!("The rows of the arrays in `{PROBLEMS}` are the states: `numpy.load` reads them. `dataset.json` has the law with its options, and"),
        ),
        false => (
            format!("with which `{}`", problem.name()),
            "`dataset.json` has the law with its options, where the states come\nfrom, the scene, and".to_string(),
        ),
    };
    let again = again(plan);
    format!(
        "---
pretty_name: {name}
tags:
- physics
- robotics
- contact
size_categories:
- {size}
configs:
- config_name: default
  data_files:
  - split: train
    path: data/*.parquet
---

# {title}

Velocities {what} can leave a simultaneous frictional impact: {samples} samples of the impact law `{law}` for each of
{states} states, {rows} rows, of which {accepted} are accepted (the sample terminated, and its residual is small).{forecasts}{warnings}{without}{still}
Shares of samples are the sampler's, no probabilities.

| column | type | |
|---|---|---|
{columns}
The coordinates are `{coordinates}`. SI units, angles in rad. {from} what is in each file.

```python
import datasets, polars, pandas, duckdb

datasets.load_dataset(\"DIR\", split=\"train\")  # DIR: this directory; with_format(\"torch\") gives tensors
polars.scan_parquet(\"DIR/data/*.parquet\")
pandas.read_parquet(\"DIR/data\")
duckdb.sql(\"select * from 'DIR/data/*.parquet'\")
```

Made by carom {version}.{again}
",
        title = plan.name.lines().next().unwrap_or_default(),
    )
}

/// Instructions to reproduce the rows of a state, for a built-in scene and a law with default
/// options.
fn again(plan: &DatasetPlan) -> String {
    let Source::Document(document) = &plan.states.source else { return String::new() };
    let what = document.name();
    if builtin(what).is_none() || plan.states.run != Run::default() {
        return String::new();
    }
    let state = plan.state(0);
    let pairs = |values: &[(String, f64)], before: &str, between: &str| -> String {
        let pairs: Vec<String> = values.iter().map(|(name, x)| format!("{name}={x}")).collect();
        if pairs.is_empty() { String::new() } else { format!("{before}{}", pairs.join(between)) }
    };
    let set = pairs(&state.parameters, " --set ", " --set ");
    let velocity = pairs(&state.velocity, " --velocity ", ",");
    let (samples, seed, precision) = (plan.samples(), state.seed, plan.precision.name());
    format!(
        " The rows of state 0 again:

```sh
carom sample {what}{set}{velocity} --seed {seed} --samples {samples} --device cpu --precision {precision} --out state.parquet
```"
    )
}
