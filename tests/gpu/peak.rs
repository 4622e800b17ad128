//! The peak kernels do what they are timed for.

use super::*;
use carom_shaders::kernels::peak;
use carom_shaders::kernels::peak::{COPY, MULTIPLY_ADD, THREAD_FLOP};

in_both! {
    copies,
    multiply_adds,
}

/// What an entry point leaves in a target of the size of its source.
fn run<R: Real>(program: &carom_shaders::Program, source: &[R]) -> Vec<R> {
    let text = program.source(&peak::shape(R::EPSILON <= f64::EPSILON), &Variant::default());
    let found = execute(
        &text,
        program.entry_point,
        3,
        &[bytemuck::cast_slice(source)],
        &[size_of_val(source)],
    );
    bytemuck::pod_collect_to_vec(&found[0])
}

pub fn copies<R: Real>() {
    // More than the threads have a number each of, and no multiple of them.
    let source: Vec<R> = (0..4 * 1001).map(|i| R::from_f64(f64::from(i))).collect();
    assert_eq!(run(&COPY, &source), source);
}

/// With `a = 1` each of n rounds adds b to each of eight chains, which begin at
/// `1 + b, 1 + 2 b, ...`: exact numbers.
pub fn multiply_adds<R: Real>() {
    let b = 2.0_f64.powi(-10);
    let mut source = vec![R::ZERO; 4 * 8];
    source[..4].fill(R::ONE);
    source[4..8].fill(R::from_f64(b));
    let found = run(&MULTIPLY_ADD, &source);
    for x in found {
        let rounds = ((x.to_f64() - 8.0) / b - 36.0) / 8.0;
        assert_eq!(rounds * 8.0 * 4.0 * 2.0, THREAD_FLOP);
    }
}
