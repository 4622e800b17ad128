// Simbody's PLUS solver on random inelastic impacts. Usage: simbody plus KIND CONTACTS FILE
#include "Simbody.h"

#include "impacts.h"

using namespace SimTK;

// As in impacts.rs.
static const Real transition = 0.01;
static const int rounds = 20000;

static PLUSImpulseSolver solver(transition);

// Rounds of compression in which the contacts that approach take part, until none does. Simbody's convention:
// A = W, pi = -l, and v - A pi is the velocity after a round.
static int plus(const Impact *p, long, double *impulse) {
    const int m = p->m, n = 3 * m;
    // Above what Simbody's equations are solved to, 1e-10, and within what the judge allows.
    const Real rest = 5e-9 * speed(p);
    Matrix a(n, n);
    Vector d(n, Real(0)), expand(n, Real(0)), v(n), none, pi, total(n, Real(0));
    for (int i = 0; i < n; ++i) {
        v[i] = p->u[i];
        for (int j = 0; j < n; ++j) a(i, j) = p->w[i * n + j];
    }
    Array_<ImpulseSolver::UniContactRT> contacts(m);
    for (int i = 0; i < m; ++i) {
        contacts[i].m_ucx = UnilateralContactIndex(i);
        contacts[i].m_Nk = MultiplierIndex(3 * i);
        contacts[i].m_Fk.push_back(MultiplierIndex(3 * i + 1));
        contacts[i].m_Fk.push_back(MultiplierIndex(3 * i + 2));
        contacts[i].m_effCOR = 0;
        contacts[i].m_effMu = p->mu[i];
    }
    Array_<MultiplierIndex> taking, expanding;
    Array_<ImpulseSolver::UncondRT> bilateral;
    Array_<ImpulseSolver::UniSpeedRT> speeds;
    Array_<ImpulseSolver::BoundedRT> bounded;
    Array_<ImpulseSolver::ConstraintLtdFrictionRT> joints;
    Array_<ImpulseSolver::StateLtdFrictionRT> compliant;
    bool over = false;
    try {
        for (int round = 0; round < rounds && !over; ++round) {
            taking.clear();
            for (int i = 0; i < m; ++i) {
                const bool approaches = v[3 * i] < -rest;
                contacts[i].m_type = approaches ? ImpulseSolver::Participating : ImpulseSolver::Observing;
                for (int k = 0; approaches && k < 3; ++k) taking.push_back(MultiplierIndex(3 * i + k));
            }
            over = taking.empty();
            if (over) break;
            // What it returns says nothing: it is false always.
            solver.solve(0, taking, a, d, expanding, expand, v, none, pi, bilateral, contacts, speeds, bounded,
                         joints, compliant);
            total += pi;
            if (!(pi.norm() > 0)) break;
        }
    } catch (const std::exception &) {
        over = false;
    }
    for (int i = 0; i < n; ++i) impulse[i] = -total[i];
    return over;
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    Impacts list = load(arguments[4]);
    measure(&list, arguments + 1, "Simbody PLUSImpulseSolver", plus, violation);
    return 0;
}
