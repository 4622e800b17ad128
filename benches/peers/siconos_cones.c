/* Siconos' solvers of frictional contact problems on random impacts. Usage: siconos_cones cones KIND CONTACTS FILE */
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <string.h>

#include "impacts.h"

static FrictionContactProblem **problems;
static SolverOptions *options;
static double *velocity;
static void (*method)(FrictionContactProblem *, double *, double *, int *, SolverOptions *);

static int solve(const Impact *impact, long i, double *impulse) {
    int info = 1;
    memset(impulse, 0, 3 * impact->m * sizeof *impulse); /* a cold start */
    memset(velocity, 0, 3 * impact->m * sizeof *velocity);
    method(problems[i], impulse, velocity, &info, options);
    return info == 0;
}

static void run(const Impacts *list, char **about, const char *who, int id, int iterations, double tolerance) {
    options = solver_options_create(id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    if (iterations) options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    method = id == SICONOS_FRICTION_3D_NSGS ? fc3d_nsgs : fc3d_nonsmooth_Newton_AlartCurnier;
    measure(list, about, who, solve, residual);
    solver_options_delete(options);
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    Impacts list = load(arguments[4]);
    char **about = arguments + 1;
    if (!list.count) return 0;
    int m = list.impacts[0].m, n = 3 * m;
    problems = malloc(list.count * sizeof *problems);
    velocity = malloc(n * sizeof *velocity);
    for (long i = 0; i < list.count; i++) {
        Impact *p = list.impacts + i;
        NumericsMatrix *w = NM_create(NM_DENSE, n, n);
        memcpy(w->matrix0, p->w, n * n * sizeof *p->w);
        problems[i] = frictionContactProblem_new_with_data(3, m, w, p->u, p->mu);
    }
    run(&list, about, "Siconos NSN_AC, 1e-10", SICONOS_FRICTION_3D_NSN_AC, 0, 1e-10);
    run(&list, about, "Siconos NSGS, 1e-10", SICONOS_FRICTION_3D_NSGS, 0, 1e-10);
    return 0;
}
