// High word of a 32 x 32 bit product, by 16-bit halves. There is no twin: Rust has 64 bits.
fn multiply_high(a: u32, b: u32) -> u32 {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let low = al * bl;
    let middle = ah * bl + (low >> 16u);
    let carry = al * bh + (middle & 0xffffu);
    return ah * bh + (middle >> 16u) + (carry >> 16u);
}
