//! Adaptive quadrature of several functions at once.

/// Number of functions that are integrated at once.
pub const COUNT: usize = 10;

/// Most halvings of an interval.
const DEPTH: u32 = 48;

/// Abscissae and weights of Kronrod's rule of 15 points on [-1, 1], from the outside to the middle,
/// and the weights of Gauss's rule of 7.
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_5,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_2,
    0.063_092_092_629_978_6,
    0.104_790_010_322_250_2,
    0.140_653_259_715_525_9,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_8,
];
const GAUSS: [f64; 4] = [
    0.129_484_966_168_869_7,
    0.279_705_391_489_276_7,
    0.381_830_050_505_118_9,
    0.417_959_183_673_469_4,
];

/// The integrals of functions between the first and the last of `ends`, which are sorted, with at
/// least `panels` parts between two.
///
/// Kronrod's rule with 15 points, by recursive bisection until it differs from Gauss's rule on its
/// 7 common points by at most `tolerance` in every function. Bisection resolves kinks and
/// square-root ends; a part of width 2^-48 of the first is accepted as it is. A feature narrower
/// than the point spacing of a first part may be missed.
pub fn integrate(
    ends: &[f64],
    panels: u32,
    tolerance: &[f64; COUNT],
    function: &mut dyn FnMut(f64) -> [f64; COUNT],
) -> [f64; COUNT] {
    let mut sum = [0.0; COUNT];
    let mut open = Vec::new();
    for pair in ends.windows(2).filter(|pair| pair[0] < pair[1]) {
        let width = (pair[1] - pair[0]) / f64::from(panels);
        let at = |i: u32| if i == panels { pair[1] } else { pair[0] + f64::from(i) * width };
        open.extend((0..panels).map(|i| (at(i), at(i + 1), 0)));
    }
    while let Some((a, b, depth)) = open.pop() {
        let (middle, half) = (0.5 * (a + b), 0.5 * (b - a));
        let (mut kronrod, mut gauss) = ([0.0; COUNT], [0.0; COUNT]);
        for (i, node) in NODES.iter().enumerate() {
            for sign in [-1.0, 1.0] {
                if i == 7 && sign > 0.0 {
                    continue;
                }
                let values = function(middle + sign * half * node);
                for k in 0..COUNT {
                    kronrod[k] += half * KRONROD[i] * values[k];
                    if i % 2 == 1 {
                        gauss[k] += half * GAUSS[i / 2] * values[k];
                    }
                }
            }
        }
        let settled = (0..COUNT).all(|k| (kronrod[k] - gauss[k]).abs() <= tolerance[k]);
        if settled || depth >= DEPTH {
            for k in 0..COUNT {
                sum[k] += kronrod[k];
            }
        } else {
            open.push((middle, b, depth + 1));
            open.push((a, middle, depth + 1));
        }
    }
    sum
}
