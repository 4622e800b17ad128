//! Set difference of two cones.

use super::cone::Cone;
use super::vector::Vector;

/// Cones of the dimension of `p` that overlap in boundaries only and whose union is the closure of
/// `p` without `q`.
pub fn difference<V: Vector>(p: &Cone<V>, q: &Cone<V>) -> Vec<Cone<V>> {
    let flat = |e: &V| p.rays.iter().map(|ray| &ray.x).chain(&p.lines).all(|x| e.side(x) == 0);
    if !q.equalities.iter().all(flat) {
        return vec![p.clone()];
    }
    let (mut rest, mut left) = (p.clone(), Vec::new());
    for a in &q.inequalities {
        let within = rest.rays.iter().all(|ray| a.x.side(&ray.x) >= 0);
        if within && rest.lines.iter().all(|line| a.x.side(line) == 0) {
            continue;
        }
        let mut outside = rest.clone();
        outside.cut(&a.x.opposite());
        left.push(outside);
        rest.cut(&a.x);
        if rest.equalities.len() > p.equalities.len() {
            // Only a boundary remains.
            break;
        }
    }
    left
}
