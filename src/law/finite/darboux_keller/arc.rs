use super::settle::StableDirection;
use super::state::place::E;
use super::taylor::Taylor;
use super::{
    ArcPiece, ContactMotion, ImpactState, Leave, Phase, Settling, Straight, StruckContact, TERMS,
};
use carom_core::Real;

/// A piece of an impact.
#[derive(Clone, Debug)]
pub struct Arc<'a, R> {
    piece: ArcPiece<'a, R>,
    shape: Shape<R>,
}

/// The curve that an arc follows.
#[derive(Clone, Debug)]
enum Shape<R> {
    /// Motion in a constant direction, over the normal impulse.
    Straight(Straight<R>),
    /// Slip over `tau`, `dI = |g| dtau`.
    Taylor(Taylor<R>),
    /// Slip over its angle to a stable direction.
    Settling(Settling<R>),
}

impl<'a, R: Real> Arc<'a, R> {
    /// The contact in a state, at rest there.
    pub fn still(contact: &'a StruckContact<R>, start: ImpactState<R>) -> Self {
        let piece = ArcPiece { contact, start, begin: R::ZERO, terms: [[R::ZERO; 4]; TERMS] };
        Arc { piece, shape: Shape::Straight(Straight::free([R::ZERO; 2])) }
    }

    /// Moves on from a state in a constant direction. Returns where that motion is left.
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

    /// Slips on from a state where `|g|` is `size`: all the way to a stable direction if one is
    /// near and the event that ends the arc can be located, else along a Taylor series. Returns
    /// where the slip is left.
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

    /// Goes on from the parameter `at`, where a phase of the impact ended, with `work` of
    /// compression done in it.
    pub fn next_phase(&mut self, at: R, work: R) {
        self.piece.begin = at;
        self.piece.start[E] += -work;
    }

    /// Where this arc, followed from `state` on, is left in a phase of the impact; `None`: not
    /// found. `rises`: the normal velocity surely rises.
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

    /// The parameter at a share of the way from the beginning to `t`.
    pub fn part(&self, share: R, t: R) -> R {
        let begin = self.piece.begin;
        match &self.shape {
            Shape::Settling(settling) => settling.between([begin, t], share),
            _ => begin + (t - begin) * share,
        }
    }

    /// What the contact does.
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
