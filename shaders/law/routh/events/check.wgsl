// Whether an impact obeys the planar law, from its impulses alone. Twin: EventsJudge in
// src/law/routh/events/check.rs. The velocity and the accounts of the check are in the course of
// the sample, the residual is in the sample.

// The residual if a number is not finite.
const REFUSED = 3e38f;

fn violate(gap: real, s: ptr<function, Sample>) {
    (*s).residual = select(REFUSED, max((*s).residual, f32(gap)), is_finite(gap));
}

// The positive part of a number. The twins are closures.
fn part(x: real) -> real { return larger(x, ZERO); }

// The mean of the positive part of a linear function. The twin is a closure.
fn mean(a: real, b: real) -> real {
    let sum = part(a) + part(b);
    if (a * b < ZERO) {
        return 0.5 * sum * (sum / abs(a - b));
    }
    return 0.5 * sum;
}

// Adds the impulse l of the next segment; the bound of contact i in it is `length` times its
// impulse bound. Twin: EventsJudge::segment.
fn judge_segment(
    length: real, l: ptr<function, array<real, K>>, s: ptr<function, Sample>,
    c: ptr<function, Course>,
) {
    judge(length, l, s, c);
    for (var i = 0u; i < rows(); i++) {
        var sum = (*c).judged[i];
        for (var j = 0u; j < rows(); j++) {
            sum += w_at(i * K + j) * (*l)[j];
        }
        if (i < M) {
            book(i, (*l)[i], sum, s, c);
            (*c).moved[i] = larger((*c).moved[i], abs(sum));
        }
        (*c).judged[i] = sum;
    }
    judge(length, l, s, c);
}

// Adds the work of impulse l at contact i to its account; its normal velocity becomes `after`.
fn book(i: u32, l: real, after: real, s: ptr<function, Sample>, c: ptr<function, Course>) {
    let before = (*c).judged[i];
    let e = restitution_at(i);
    let account = (*c).account[i] + e * e * l * mean(-before, -after) - l * mean(before, after);
    if (e * e > ZERO) {
        violate(-account, s);
        (*c).account[i] = part(account);
    }
}

// Clears the account of a contact that has not moved in this block. Twin: EventsJudge::forfeit.
fn judge_forfeit(i: u32, s: ptr<function, Sample>, c: ptr<function, Course>) {
    violate(smaller((*c).account[i], (*c).moved[i]), s);
    (*c).account[i] = ZERO;
}

// Ends the impact. Twin: EventsJudge::end.
fn judge_end(s: ptr<function, Sample>, c: ptr<function, Course>) {
    for (var i = 0u; i < contacts(); i++) {
        violate((*c).account[i], s);
    }
}

// Compares forces with the velocity at one end of a segment.
fn judge(
    length: real, l: ptr<function, array<real, K>>, s: ptr<function, Sample>,
    c: ptr<function, Course>,
) {
    for (var i = 0u; i < contacts(); i++) {
        let sn = sigma_at(i);
        let st = sigma_at(M + i);
        let un = (*c).judged[i] * sn;
        let ut = (*c).judged[M + i] * st;
        let ln = (*l)[i] / sn;
        let lt = (*l)[M + i] / st;
        let cap = (*s).x[K + i] * length / sn;
        let bound = mu_at(i) * (*l)[i] / st;
        var opening = smaller(part(un), ln);
        if (restitution_at(i) > ZERO) {
            opening = smaller((*c).account[i], smaller(part(un), cap - ln));
        }
        violate(-ln, s);
        violate(ln - cap, s);
        violate(abs(lt) - bound, s);
        violate(opening, s);
        violate(smaller(part(-un), cap - ln), s);
        violate(smaller(part(ut), lt + bound), s);
        violate(smaller(part(-ut), bound - lt), s);
    }
}
