//! Ways to say the same in WGSL, of which one suits a device better than the other.

use serde::{Deserialize, Serialize};

/// Which of them a device takes. Samples are the same with all of them, but for the rounding of
/// repaired ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Samples of a dispatch that a thread computes one after the other, where there are enough for
    /// all threads.
    pub share: u32,
    /// Whether a thread that is done with a sample begins the next one while others go on with
    /// theirs, in kernels where a sample takes long to begin; else all that run in step begin
    /// together. In other kernels it always does.
    pub refills: bool,
    /// Whether the high word of a product of words is that of one product of 64 bits, which the
    /// device must have, instead of the sum of four of 16 bits.
    pub wide_products: bool,
    /// Whether the device repairs flagged samples, in f64, which it must have; else the host does.
    pub device_repair: bool,
}

impl Default for Variant {
    /// What every device has.
    fn default() -> Self {
        Variant { share: 1, refills: false, wide_products: false, device_repair: false }
    }
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let plural = if self.share == 1 { "" } else { "s" };
        let products = if self.wide_products { 64 } else { 32 };
        let repair = if self.device_repair { "device" } else { "host" };
        let refills = if self.refills { "alone" } else { "together" };
        write!(
            f,
            "{} sample{plural} a thread, begun {refills}, products of {products} bits, the {repair} repairs",
            self.share
        )
    }
}
