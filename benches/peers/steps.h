/* The recorded steps, and how a solver is judged and timed on them. Written by steps.rs. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    int n;
    long count;
    double *matrix;    /* (n,n), row by row */
    double *constants; /* (count,n) */
} Steps;

static inline Steps load(const char *path) {
    Steps steps;
    uint64_t sizes[2];
    FILE *file = fopen(path, "rb");
    if (!file || fread(sizes, 8, 2, file) != 2) exit(2);
    steps.n = (int)sizes[0];
    steps.count = (long)sizes[1];
    size_t entries = sizes[0] * sizes[0], all = sizes[0] * sizes[1];
    steps.matrix = (double *)malloc(8 * entries);
    steps.constants = (double *)malloc(8 * all);
    if (fread(steps.matrix, 8, entries, file) != entries || fread(steps.constants, 8, all, file) != all) exit(2);
    fclose(file);
    return steps;
}

static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

/* Whether every |min(z_i, (M z + q)_i)| is at most 1e-6; a number that is not finite is none. */
static inline int solved(const Steps *steps, const double *q, const double *z) {
    for (int i = 0; i < steps->n; i++) {
        double w = q[i];
        for (int j = 0; j < steps->n; j++) w += steps->matrix[i * steps->n + j] * z[j];
        double gap = z[i] < w ? z[i] : w;
        if (!(fabs(gap) <= 1e-6) || !isfinite(w)) return 0;
    }
    return 1;
}

/* A solver: writes z, returns whether it says that it has solved the LCP. */
typedef int (*Solver)(const Steps *steps, double *q, double *z);

/* Prints LCPs per second of the best of at least five passes and half a second, and the shares of answers that the
   solver calls failed, and that it calls solved but are not. Twin of `measure` in steps.rs. */
static inline void measure(const Steps *steps, const char *scene, const char *who, Solver solve) {
    double *z = (double *)calloc(steps->n, 8);
    long wrong = 0, failed = 0;
    for (long i = 0; i < steps->count; i++) {
        double *q = steps->constants + i * steps->n;
        if (!solve(steps, q, z)) failed++;
        else if (!solved(steps, q, z)) wrong++;
    }
    double start = seconds(), best = INFINITY;
    for (int pass = 0; pass < 5 || seconds() - start < 0.5; pass++) {
        double begin = seconds();
        for (long i = 0; i < steps->count; i++) solve(steps, steps->constants + i * steps->n, z);
        best = fmin(best, seconds() - begin);
    }
    printf("{\"scene\": \"%s\", \"who\": \"%s\", \"lcps_per_s\": %.0f, \"wrong\": %g, \"failed\": %g}\n", scene, who,
           steps->count / best, (double)wrong / steps->count, (double)failed / steps->count);
    free(z);
}
