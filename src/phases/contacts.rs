//! The modes of contacts in a phase, and their forces.

use carom_core::Real;

/// The mode of a contact's normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normal {
    /// No force.
    Off,
    /// Force at its upper bound.
    Full,
    /// Held at rest by a force between 0 and its bound.
    Held,
}

/// The mode of a contact's friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// No friction.
    None,
    /// Sliding friction at its bound, opposite to the slip.
    Slide,
    /// Sliding friction at its bound along a fixed `way`; the direction hardly turns.
    Straight,
    /// Friction at its bound along `way`, at a contact without slip or with sliding onset.
    Bound,
    /// Friction at its bound along `way`, at a contact that others keep at rest; the force across
    /// `way` prevents slip across it.
    Tied,
    /// Sticking.
    Stick,
}

/// Modes and forces of all contacts.
#[derive(Clone, Debug)]
pub struct Contacts<R> {
    pub normal: Vec<Normal>,
    pub friction: Vec<Friction>,
    /// Unit vectors of the friction directions (m).
    pub way: Vec<[R; 2]>,
    /// Bounds of the normal forces (m); contacts with bound 0 take no part.
    pub caps: Vec<R>,
    /// Forces (K); at rest, reference forces from which the change is minimal.
    pub l: Vec<R>,
}

impl<R> Contacts<R> {
    /// Whether the contact is held with friction at its bound: friction is then a function of the
    /// normal force.
    #[inline(always)]
    pub fn is_held_at_bound(&self, i: usize) -> bool {
        self.normal[i] == Normal::Held
            && !matches!(self.friction[i], Friction::None | Friction::Stick)
    }
}

impl<R: Real> Contacts<R> {
    /// Whether a contact has no force.
    #[inline(always)]
    pub fn is_off(&self, i: usize) -> bool {
        self.caps[i] <= R::ZERO || self.normal[i] == Normal::Off
    }

    /// Writes the constant part of each force, times `h`, to `l` (K).
    pub fn constant(&self, mu: &[R], h: R, l: &mut [R]) {
        let m = mu.len();
        for i in 0..m {
            let t = m + 2 * i;
            let normal = match self.normal[i] {
                _ if self.is_off(i) => R::ZERO,
                Normal::Full => self.caps[i],
                _ => self.l[i],
            };
            let [x, y] = match self.friction[i] {
                _ if self.is_off(i) => [R::ZERO; 2],
                Friction::Stick => [self.l[t], self.l[t + 1]],
                Friction::Straight | Friction::Tied => self.way[i].map(|x| x * mu[i] * normal),
                _ => [R::ZERO; 2],
            };
            (l[i], l[t], l[t + 1]) = (h * normal, h * x, h * y);
        }
    }
}
