//! Ways to say the same in WGSL, of which one suits a device better than the other.

/// Which of them a device takes. All give the same samples; repaired ones to rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Variant {
    /// Whether the high word of a product of words is that of one product of 64 bits, which the device must have, instead of the sum
    /// of four of 16 bits.
    pub wide_products: bool,
    /// Whether the device repairs flagged samples, in f64, which it must have; else the host does.
    pub device_repair: bool,
}
