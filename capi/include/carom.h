/*
 * carom: the set of velocities with which a robot can leave a simultaneous, frictional impact.
 *
 *   carom_impact *impact = carom_new();
 *   carom_set_options(impact, "{\"seed\": 1}");
 *   if (carom_prepare(impact, &problem) != CAROM_OK) puts(carom_last_error(impact));
 *   carom_set_velocity(impact, v);                   // in the loop: nothing is allocated,
 *   carom_sample(impact, 0, 5e-4, &outcomes);        // no lock is taken
 *   carom_support(impact, &outcomes, c, &value, NULL);
 *   carom_free(impact);
 *
 * Units: SI. The coordinates are the caller's; n of them, m contacts, d tangents of each contact.
 * Memory: arrays are the caller's, and are neither kept nor released. Every pointer has as many
 *   numbers as the text says; NULL is an error unless the text allows it.
 * Errors: every call returns a code, and carom_last_error the message of the last one that failed.
 *   What a failed call was to write is unspecified. No call throws; one on a handle that is NULL
 *   returns CAROM_USAGE. Where memory runs out, the program ends.
 * Threads: different handles may be used at the same time. One handle may be used by one thread at
 *   a time, whichever it is. Only carom_bound_within starts a thread, which ends with the call.
 *
 * This file is made from the sources in capi/src.
 */

#ifndef CAROM_H
#define CAROM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A sample ended: no contact approaches any more.
 */
#define CAROM_TERMINATED 0

/**
 * A contact still approaches after `max_steps` steps.
 */
#define CAROM_STEP_LIMIT 1

/**
 * A step was not solved; the velocity is the last valid one.
 */
#define CAROM_UNSOLVED 2

/**
 * A number overflowed; the velocity is the last valid one.
 */
#define CAROM_NOT_FINITE 3

/**
 * The sample took more work than one may; the velocity is the last valid one.
 */
#define CAROM_BUDGET 4

/**
 * A contact opens.
 */
#define CAROM_LIFT 0

/**
 * A contact stays closed and does not slip.
 */
#define CAROM_STICK 1

/**
 * A contact stays closed and slips along its tangent.
 */
#define CAROM_SLIDE 2

/**
 * A contact stays closed and slips against its tangent.
 */
#define CAROM_SLIDE_BACK 3

/**
 * Matrices are stored row by row, as arrays of C are.
 */
#define CAROM_ROW_MAJOR 0

/**
 * Matrices are stored column by column, as those of Eigen are by default.
 */
#define CAROM_COLUMN_MAJOR 1

/**
 * A bound by the exact set of a planar problem, inelastic or with Poisson's restitution, in exact
 * arithmetic; takes longest.
 */
#define CAROM_EXACT 0

/**
 * A bound for any order of impulses, in the plane and in space, inelastic or with Stronge's
 * restitution, of up to 8 contacts.
 */
#define CAROM_CERTIFIED 1

/**
 * A bound for every law that pushes within the friction cones and adds no energy, in space too.
 */
#define CAROM_CONIC 2

/**
 * How a call ended. `carom_last_error` has the message of the last call that failed.
 */
typedef enum carom_code {
  /**
   * The call did what it says.
   */
  CAROM_OK = 0,
  /**
   * No sample was accepted, so there is no answer.
   */
  CAROM_EMPTY = 1,
  /**
   * The call cannot be honoured: a pointer that is NULL, an option, an order of calls.
   */
  CAROM_USAGE = 2,
  /**
   * The problem says something impossible, or its exact set takes too long.
   */
  CAROM_INPUT = 3,
  /**
   * A defect of carom, which leaves the handle without a problem. Please report its message.
   */
  CAROM_DEFECT = 70,
} carom_code;

/**
 * An impact that is prepared once and sampled many times. Two threads may not use a handle at the
 * same time; different handles share nothing.
 */
typedef struct carom_impact carom_impact;

/**
 * A contact problem in SI units, at a fixed configuration. Set what is not used to zero. The
 * arrays are read by `carom_prepare` alone.
 */
typedef struct carom_problem {
  /**
   * Number n of coordinates.
   */
  size_t coordinates;
  /**
   * Number m of contacts, which all strike at once.
   */
  size_t contacts;
  /**
   * Tangent directions d of each contact: 0 frictionless, 1 planar, 2 spatial.
   */
  size_t tangents;
  /**
   * Number b of bilateral constraints, such as those that close a loop of links; often 0.
   */
  size_t constraints;
  /**
   * `CAROM_ROW_MAJOR` or `CAROM_COLUMN_MAJOR`, of all matrices.
   */
  uint32_t order;
  /**
   * Mass matrix M (n,n), symmetric and positive definite.
   */
  const double *mass;
  /**
   * Normal Jacobian Jn (m,n): Jn v are normal velocities in m/s, positive = separating.
   */
  const double *normal;
  /**
   * Tangent Jacobian Jt (d m, n), the d rows of a contact together: perpendicular to its normal,
   * and to each other.
   */
  const double *tangent;
  /**
   * Bilateral constraints Jb (b,n): Jb v = 0 before, during and after the impact.
   */
  const double *bilateral;
  /**
   * Coefficients of friction (m); NULL where d is 0.
   */
  const double *friction;
  /**
   * Coefficients of restitution (m) in [0, 1]; NULL: the default of the law.
   */
  const double *restitution;
  /**
   * Velocity v (n) before the impact.
   */
  const double *velocity;
} carom_problem;

/**
 * Arrays of the caller for N outcomes of a problem with n coordinates and k = (1 + d) m impulses.
 * What is NULL is not written.
 */
typedef struct carom_outcomes {
  /**
   * Number N of outcomes that the arrays have room for.
   */
  size_t capacity;
  /**
   * Number of outcomes that they hold, the first ones; `carom_sample` sets it.
   */
  size_t count;
  /**
   * Velocities after the impact (N,n), one outcome after the other.
   */
  double *velocity;
  /**
   * Impulses (N,k) in N s, one outcome after the other: m normals, then the tangents.
   */
  double *impulse;
  /**
   * How each ended (N): `CAROM_TERMINATED` or another.
   */
  uint8_t *status;
  /**
   * By how much each violates the law (N), dimensionless, as a judge found it.
   */
  double *residual;
  /**
   * Whether each is accepted (N), 1 or 0: terminated, and with a residual that rounding, or the
   * accuracy of an integration, explains.
   */
  uint8_t *accepted;
} carom_outcomes;

/**
 * The set that was found of a planar inelastic impact: the velocities with which it can end,
 * whatever the order of impulses, in doubles and without a proof that none is missing. A union of
 * P polytopes, none of which lies in another one. The arrays belong to
 * the handle and live until the next call of `carom_exact_set`, `carom_set_velocity`,
 * `carom_prepare` or `carom_free`.
 */
typedef struct carom_set {
  /**
   * Number P of polytopes.
   */
  size_t polytopes;
  /**
   * Largest dimension of a polytope.
   */
  size_t dimension;
  /**
   * Whether every point is an outcome, or a limit of such, up to rounding; otherwise the set is
   * an enclosure of motions without end, which may be far too large.
   */
  bool tight;
  /**
   * Vertices (V,n) of all polytopes, in the coordinates of the velocity.
   */
  const double *vertices;
  /**
   * Polytope i has the vertices `first_vertex[i] .. first_vertex[i + 1]` (P + 1).
   */
  const size_t *first_vertex;
  /**
   * Polytope i has the facets `first_facet[i] .. first_facet[i + 1]` (P + 1); a point has none.
   */
  const size_t *first_facet;
  /**
   * Facet j has the entries `first_facet_vertex[j] .. first_facet_vertex[j + 1]` of
   * `facet_vertices` (F + 1).
   */
  const size_t *first_facet_vertex;
  /**
   * Rows of `vertices` that lie on the facets.
   */
  const size_t *facet_vertices;
  /**
   * What each contact does (P,m) in the interior of each polytope: `CAROM_LIFT` or another.
   */
  const uint8_t *modes;
} carom_set;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * A new handle, without a problem. Release it with `carom_free`.
 */
struct carom_impact *carom_new(void);

/**
 * Releases a handle; NULL does nothing.
 */
void carom_free(struct carom_impact *handle);

/**
 * What went wrong in the last call on the handle that failed: one line, which the handle owns and
 * which lives until the next call on it.
 */
const char *carom_last_error(const struct carom_impact *handle);

/**
 * The version of the library, such as "0.1.0".
 */
const char *carom_version(void);

/**
 * Sets the options of problems that are prepared from now on: the law, its options, the seed and
 * the precision, as JSON with the keys of plans. NULL or "{}": the defaults. For example
 * {"precision": "f32", "max_steps": 200} limits the work of each sample; {"law": "plus"} takes
 * another law. The page `docs/options.md` lists them. Samples are computed on the thread of the
 * caller, so there is no device, and their number is that of `carom_sample`.
 */
enum carom_code carom_set_options(struct carom_impact *handle, const char *options);

/**
 * Checks a problem and prepares it: everything that samples share is computed, and all memory is
 * taken that `carom_sample` needs. Call it again for other matrices, of whatever size; after an
 * error the last problem stays.
 */
enum carom_code carom_prepare(struct carom_impact *handle, const struct carom_problem *problem);

/**
 * Sets another velocity (n) before the impact; the matrices and coefficients stay. Allocates
 * nothing, unless the velocity breaks bilateral constraints. After an error the last velocity
 * stays. The exact set of the last velocity is gone.
 */
enum carom_code carom_set_velocity(struct carom_impact *handle, const double *velocity);

/**
 * Sets another seed: with the same seed a problem has the same samples.
 */
enum carom_code carom_set_seed(struct carom_impact *handle, uint64_t seed);

/**
 * Samples numbers `first ..` of the stream of the seed, as many as `outcomes` has room for, on the
 * thread of the caller. Sample i depends on the problem, the options, the seed and i alone.
 * Allocates nothing, unless the options have noise, and takes no lock.
 *
 * `seconds` above 0 ends the call early: before the samples that are likely to go beyond it. Then
 * `outcomes->count` is less than the capacity, but never less than 8 of it. The option `max_steps`
 * bounds the work of a single sample, and so that of the call. 0: no limit.
 *
 * Not every sample need be accepted: look at `accepted`.
 */
enum carom_code carom_sample(struct carom_impact *handle,
                             uint64_t first,
                             double seconds,
                             struct carom_outcomes *outcomes);

/**
 * The largest `direction . v` after the impact, and a velocity (n) that attains it.
 *
 * Every question is about `of`: the accepted ones of these outcomes, or, where it is NULL, the set
 * that `carom_exact_set` found. Samples show what is possible, the exact set what all orders of
 * impulses can do, and `carom_bound` proves what is not possible. A set that is not `tight` is an
 * enclosure: its velocity need not be an outcome, and its value is no larger than the conic bound.
 */
enum carom_code carom_support(struct carom_impact *handle,
                              const struct carom_outcomes *of,
                              const double *direction,
                              double *value,
                              double *velocity);

/**
 * The largest cost `v' Q v / 2 + c . v` after the impact, and a velocity (n) that has it. `of` is
 * as for `carom_support`. `quadratic`, Q (n,n), is symmetric; NULL: 0. `linear`, c (n); NULL: 0.
 * About the exact set Q must be positive semidefinite, so that its vertices have the answer.
 */
enum carom_code carom_worst(struct carom_impact *handle,
                            const struct carom_outcomes *of,
                            const double *quadratic,
                            const double *linear,
                            double *value,
                            double *velocity);

/**
 * How far a velocity (n) is from the nearest outcome, in the kinetic metric `sqrt(d' M d)` over
 * that of the velocity before the impact: 1 is as far as that one is from rest. `of` is as for
 * `carom_support`. Entries that are NaN may be anything. Allocates memory.
 */
enum carom_code carom_distance(struct carom_impact *handle,
                               const struct carom_outcomes *of,
                               const double *velocity,
                               double *distance);

/**
 * Whether a velocity (n) is within `eps` of an outcome, as `carom_distance` measures it. Doubles
 * lie on thin sets to rounding only, so `eps` is to be above 0.
 */
enum carom_code carom_contains(struct carom_impact *handle,
                               const struct carom_outcomes *of,
                               const double *velocity,
                               double eps,
                               bool *contains);

/**
 * Directions c of velocities in which the order of impulses matters little, the least first: the
 * principal axes of the outcomes. Where `spread` is 0 up to rounding, `c . v` after the impact is
 * the same whatever the order, and a controller may rely on it. `of` is as for `carom_support`.
 * Allocates memory.
 *
 * `directions` (n,n) has a direction in each row, of which the largest entry is 1; `least` and
 * `most` (n) are the ends of `c . v`, `spread` (n) their distance in the unit of
 * `carom_distance`. Arrays that are NULL are not written.
 */
enum carom_code carom_invariants(struct carom_impact *handle,
                                 const struct carom_outcomes *of,
                                 double *directions,
                                 double *spread,
                                 double *least,
                                 double *most);

/**
 * Finds the exact set of outcomes of the present velocity, in doubles, and keeps it for questions.
 * For planar inelastic problems of up to six contacts; with one and two it takes a fraction of a
 * millisecond, with more it may not end within `seconds` (0: no limit), which is an error.
 * Allocates memory. The set is that of the law `routh` with all rates, whatever law the options
 * have. `set` may be NULL; after an error it has no polytopes, and no arrays.
 */
enum carom_code carom_exact_set(struct carom_impact *handle, double seconds, struct carom_set *set);

/**
 * A number that `direction . v` after the impact does not exceed. `kind`: `CAROM_EXACT`,
 * `CAROM_CERTIFIED` or `CAROM_CONIC`. `proved` tells whether it is proved, rounding included;
 * otherwise it is the solver's, or that of a set which may lack outcomes, and no larger than what
 * is proved.
 *
 * An error where no such bound holds for the law that was prepared: certified and conic ones do
 * not hold with Poisson's restitution, none with cones of facets, with the laws `plus` and
 * `propagative`, with uncertain numbers other than friction and restitution, and for forecasts;
 * with the published steps and the law `sequential` the conic one alone holds.
 *
 * The conic bound takes milliseconds; the others may take many seconds, without a limit
 * (`carom_bound_within` has one). Allocates memory.
 */
enum carom_code carom_bound(struct carom_impact *handle,
                            uint32_t kind,
                            const double *direction,
                            double *most,
                            bool *proved);

/**
 * `carom_bound` that takes about `seconds`; 0: no limit. A certified bound is the best one that is
 * found until then, never above the conic one, which is found first, in milliseconds. An exact set
 * that is not found in time is an error; it is not proved where its proof is not found. Starts a
 * thread for the certified bound, which ends with the call.
 */
enum carom_code carom_bound_within(struct carom_impact *handle,
                                   uint32_t kind,
                                   const double *direction,
                                   double seconds,
                                   double *most,
                                   bool *proved);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CAROM_H */
