use super::settle::StableDirection;
use super::state::place::E;
use super::taylor::Taylor;
use super::{
    ArcPiece, ContactMotion, ImpactState, Leave, Phase, Settling, Straight, StruckContact, TERMS,
};
use carom_core::Real;

/// A part of an impact along one curve.
#[derive(Clone, Debug)]
pub struct Arc<'a, R> {
    piece: ArcPiece<'a, R>,
    shape: Shape<R>,
}

/// The curve of an arc.
#[derive(Clone, Debug)]
enum Shape<R> {
    /// Motion in a constant direction, over the normal impulse.
    Straight(Straight<R>),
    /// Slip over `tau`, `dI = |g| dtau`.
    Taylor(Taylor<R>),
    /// Slip towards a stable direction, over its angle to it.
    Settling(Settling<R>),
}

impl<'a, R: Real> Arc<'a, R> {
    /// The contact at rest in a state.
    pub fn still(contact: &'a StruckContact<R>, start: ImpactState<R>) -> Self {
        let piece = ArcPiece { contact, start, begin: R::ZERO, terms: [[R::ZERO; 4]; TERMS] };
        Arc { piece, shape: Shape::Straight(Straight::free([R::ZERO; 2])) }
    }

    /// Continues from a state in a constant direction. Returns the end of this motion.
    pub fn straight(
        &mut self,
        state: &ImpactState<R>,
        along: Straight<R>,
        phase: &Phase<R>,
    ) -> Option<Leave<R>> {
        self.begin(state);
        self.shape = Shape::Straight(along);
        Some(along.leave(self.piece.contact, state, phase))
    }

    /// Continues the slip from a state with `|g| = size`: the whole way to a nearby stable
    /// direction if the event that ends the arc can be located, else along a Taylor series. Returns
    /// the end of the slip.
    pub fn slip(
        &mut self,
        state: &ImpactState<R>,
        size: R,
        aim: &mut Option<StableDirection<R>>,
        phase: &Phase<R>,
        rises: bool,
    ) -> Option<Leave<R>> {
        self.begin(state);
        if let Some(settling) = Settling::new(&mut self.piece, size, aim) {
            self.shape = Shape::Settling(settling);
            let leave = self.leave(state, phase, rises);
            if leave.is_some() {
                return leave;
            }
        }
        self.shape = Shape::Taylor(Taylor::new(&mut self.piece, size));
        self.leave(state, phase, rises)
    }

    fn begin(&mut self, state: &ImpactState<R>) {
        (self.piece.start, self.piece.begin) = (*state, R::ZERO);
    }

    /// Continues the arc in a new phase of the impact, from the parameter `at`; the old phase had
    /// `work` of compression.
    pub fn next_phase(&mut self, at: R, work: R) {
        self.piece.begin = at;
        self.piece.start[E] += -work;
    }

    /// The end of this arc in a phase of the impact, searched from `state`; `None`: not found.
    /// `rises`: the normal velocity certainly rises.
    pub fn leave(&self, state: &ImpactState<R>, phase: &Phase<R>, rises: bool) -> Option<Leave<R>> {
        let piece = &self.piece;
        match &self.shape {
            Shape::Straight(straight) => Some(straight.leave(piece.contact, &piece.start, phase)),
            Shape::Taylor(taylor) => Some(taylor.leave(piece, state, phase, rises)),
            Shape::Settling(settling) => {
                settling.leave(piece, state, phase).filter(|leave| leave.defect <= R::CONDITION)
            }
        }
    }

    /// The parameter at which the arc begins.
    pub fn first(&self) -> R {
        self.piece.begin
    }

    /// The state at the parameter `t`.
    pub fn at(&self, t: R) -> ImpactState<R> {
        match &self.shape {
            Shape::Straight(straight) => straight.at(self.piece.contact, &self.piece.start, t),
            Shape::Taylor(taylor) => taylor.at(&self.piece, t),
            Shape::Settling(settling) => settling.at(&self.piece, t),
        }
    }

    /// The parameter at a fraction of the way from the beginning to `t`.
    pub fn part(&self, share: R, t: R) -> R {
        let begin = self.piece.begin;
        match &self.shape {
            Shape::Settling(settling) => settling.between([begin, t], share),
            _ => begin + (t - begin) * share,
        }
    }

    /// The motion of the contact.
    pub fn motion(&self) -> ContactMotion {
        match &self.shape {
            Shape::Straight(straight) => straight.motion,
            _ => ContactMotion::Slip,
        }
    }

    /// Whether the sliding velocity moves along a straight line.
    pub fn is_straight(&self) -> bool {
        matches!(self.shape, Shape::Straight(_))
    }
}
