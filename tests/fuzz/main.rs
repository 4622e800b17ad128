//! Changed files and random problems, against panics, hangs, memory without bound, and judges of
//! every outcome. In CI a few cases of each target, the same every time; `scripts/fuzz.sh` runs new
//! ones for as long as is asked for.

mod bombs;
mod files;
mod formats;
mod found;
mod harness;
mod judges;
mod long;
mod mutate;
mod numbers;
mod problems;

#[path = "../support"]
mod support {
    #[allow(dead_code)]
    pub mod draws;
    #[allow(dead_code)]
    pub mod npz;
}

#[global_allocator]
static ALLOCATOR: harness::Counting = harness::Counting;

macro_rules! fixed {
    ($($test:ident: $name:literal $cases:literal,)*) => {
        $(#[test]
        fn $test() {
            harness::fixed(long::target($name).expect("a target of this name"), $cases);
        })*
    };
}

fixed! {
    problems_in_json: "problem-json" 100,
    problems_in_toml: "problem-toml" 60,
    scenes: "scene" 60,
    motions: "motion" 30,
    plans: "plan" 60,
    events: "events" 40,
    siconos: "siconos" 100,
    fclib: "fclib" 60,
    urdf: "urdf" 60,
    mjcf: "mjcf" 60,
    sets_in_npz: "set-npz" 40,
    sets_in_parquet: "set-parquet" 40,
    arguments: "arguments" 100,
    expressions: "expression" 2000,
    exact: "exact" 40,
    inclusion: "inclusion" 40,
    steps: "steps" 20,
    facets: "facets" 40,
    orders: "orders" 60,
    finite: "finite" 40,
    large: "large" 3,
}
