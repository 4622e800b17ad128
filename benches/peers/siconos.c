/* Siconos' Lemke solver on recorded steps. Usage: siconos SCENE FILE */
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <string.h>

#include "steps.h"

static LinearComplementarityProblem problem;
static SolverOptions *options;
static double *w;

/* The solver by itself: it does not check its answer. */
static int bare(const Steps *steps, double *q, double *z) {
    int info = 0;
    memset(z, 0, steps->n * sizeof *z); /* a cold start */
    problem.q = q;
    lcp_lexicolemke(&problem, z, w, &info, options);
    return info == 0;
}

/* The same solver through the driver, which does. */
static int driver(const Steps *steps, double *q, double *z) {
    memset(z, 0, steps->n * sizeof *z);
    problem.q = q;
    return linearComplementarity_driver(&problem, z, w, options) == 0;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    Steps steps = load(arguments[2]);
    int n = steps.n;
    double *columns = malloc(n * n * sizeof *columns); /* column by column */
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) columns[j * n + i] = steps.matrix[i * n + j];
    problem.size = n;
    problem.M = NM_create_from_data(NM_DENSE, n, n, columns);
    w = calloc(n, sizeof *w);
    options = solver_options_create(SICONOS_LCP_LEMKE);
    /* carom's own limit. Siconos' 10000 costs more on the few LCPs it cycles on than all others together. */
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 20 * n + 100;
    measure(&steps, arguments[1], "Siconos lcp_lexicolemke", bare);
    measure(&steps, arguments[1], "Siconos LEMKE, driver", driver);
    return 0;
}
