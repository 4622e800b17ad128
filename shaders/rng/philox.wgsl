// Philox4x32-10 [SMDS11]. Twin: src/rng/philox.rs.

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

fn philox4x32_10(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var x = counter;
    var k = key;
    for (var round = 0u; round < 10u; round++) {
        let a_high = multiply_high(0xD2511F53u, x.x);
        let a_low = 0xD2511F53u * x.x;
        let b_high = multiply_high(0xCD9E8D57u, x.z);
        let b_low = 0xCD9E8D57u * x.z;
        x = vec4<u32>(b_high ^ x.y ^ k.x, b_low, a_high ^ x.w ^ k.y, a_low);
        k = k + vec2<u32>(0x9E3779B9u, 0xBB67AE85u);
    }
    return x;
}
