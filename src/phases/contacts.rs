//! The modes of contacts in a phase, and their forces.

use carom_core::Real;

/// The mode of a contact's normal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normal {
    /// No force.
    Off,
    /// The cap.
    Full,
    /// A force between 0 and the cap holds the contact at rest.
    Held,
}

/// The mode of a contact's friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// No friction.
    None,
    /// Friction at its bound, against the sliding.
    Slide,
    /// Friction at its bound along `way`, as the direction of the sliding hardly turns.
    Straight,
    /// Friction at its bound along `way`, at a contact that does not slide, or begins to.
    Bound,
    /// Friction that keeps the contact from sliding.
    Stick,
}

/// All contacts.
#[derive(Clone, Debug)]
pub struct Contacts<R> {
    pub normal: Vec<Normal>,
    pub friction: Vec<Friction>,
    /// Unit vectors along which friction acts (m).
    pub way: Vec<[R; 2]>,
    /// The most normal force (m); contacts with 0 take no part.
    pub caps: Vec<R>,
    /// The forces (K); where contacts rest, references from which forces change as little as
    /// possible.
    pub l: Vec<R>,
}

impl<R> Contacts<R> {
    /// Whether the contact is held while its friction is at the bound, so that the friction follows
    /// from its normal force.
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

    /// Writes the constant parts of the forces, times `h`, to `l` (K).
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
                Friction::Straight => self.way[i].map(|x| x * mu[i] * normal),
                _ => [R::ZERO; 2],
            };
            (l[i], l[t], l[t + 1]) = (h * normal, h * x, h * y);
        }
    }
}
