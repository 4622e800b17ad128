//! Uniform points in a ball: a baseline prediction with the size of a set, but without its shape.

use nalgebra::DVector;

use super::{Cloud, Size};
use crate::{Purpose, Stream, stream};

/// `count` points, uniform in a ball of n dimensions, with mean 0 and rms radius 1; and their size.
///
/// A point is a direction of independent normal numbers and a radius `U^(1/n)`. It is a function of
/// (seed, i) alone, except for the common scale and shift that make mean and radius exact.
pub fn uniform(n: usize, count: u64, seed: u64) -> (Cloud, Size) {
    let rows: Vec<f64> = (0..count).flat_map(|i| point(n, &Stream::new(seed, i))).collect();
    let cloud = Cloud::new(n, &rows);
    let mean = cloud.mean();
    let size = cloud.size();
    let unit = if size.rms > 0.0 { 1.0 / size.rms } else { 0.0 };
    let cloud = cloud.moved(unit, &(-unit * mean));
    let size =
        Size { rms: unit * size.rms, diameter: unit * size.diameter, spread: unit * size.spread };
    (cloud, size)
}

fn point(n: usize, draws: &Stream) -> Vec<f64> {
    // Avoids the logarithm of zero.
    let number = |j: usize| {
        f64::from(stream::unit(draws.draw(0, Purpose::User, j as u32))) + 0.5 / 16_777_216.0
    };
    let normal = |d: usize| {
        let (radius, angle) =
            ((-2.0 * number(2 * d).ln()).sqrt(), std::f64::consts::TAU * number(2 * d + 1));
        radius * angle.cos()
    };
    let direction = DVector::from_fn(n, |d, _| normal(d));
    let length = direction.norm();
    let radius = number(2 * n).powf(1.0 / n as f64) / if length > 0.0 { length } else { 1.0 };
    direction.iter().map(|x| x * radius).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform in a ball: the share within a radius is its n-th power, and no direction is
    /// preferred.
    #[test]
    fn the_ball_is_uniform() {
        for n in [1, 2, 3, 6] {
            let (cloud, size) = uniform(n, 4096, 7);
            assert!((size.rms - 1.0).abs() < 1e-12 && cloud.mean().norm() < 1e-12);
            assert!((cloud.size().rms - 1.0).abs() < 1e-12);
            assert!((cloud.size().spread - size.spread).abs() < 1e-12);
            // E r^2 = n/(n + 2) R^2, so R is nearly:
            let radius = ((n as f64 + 2.0) / n as f64).sqrt();
            let over = size.diameter / radius;
            assert!(over <= 2.1 && over > 1.5, "{n}: {over}");
            let points: Vec<Vec<f64>> = (0..4096).map(|i| point(n, &Stream::new(7, i))).collect();
            for quantile in [0.2, 0.5, 0.8_f64] {
                let bound = quantile.powf(1.0 / n as f64);
                let inside =
                    points.iter().filter(|p| p.iter().map(|x| x * x).sum::<f64>().sqrt() <= bound);
                // Four standard deviations of a share of 4096.
                assert!((inside.count() as f64 / 4096.0 - quantile).abs() < 4.0 * 0.5 / 64.0);
            }
            for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
                let moment = points.iter().map(|p| p[a] * p[b]).sum::<f64>() / 4096.0;
                let expected = if a == b { 1.0 / (n as f64 + 2.0) } else { 0.0 };
                assert!((moment - expected).abs() < 0.025, "{n}: {a} {b} {moment}");
            }
        }
    }
}
