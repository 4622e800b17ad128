// High word of a 32 x 32 bit product, on devices with integers of 64 bits. There is no twin: Rust
// has integers of 64 bits.
fn multiply_high(a: u32, b: u32) -> u32 {
    return u32((u64(a) * u64(b)) >> 32u);
}
