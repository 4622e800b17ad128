/* Random impacts, and how a solver is judged and timed on them. Written by impacts.rs. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* u+ = u + W l; rows contact by contact: normal, tangent, tangent. */
typedef struct {
    int m;
    double *mu;   /* (m) */
    double *w;    /* (3m,3m), symmetric */
    double *u;    /* (3m) */
    double *ours; /* (3m): u+ of carom */
    double *numbers;
} Impact;

typedef struct {
    long count;
    Impact *impacts;
} Impacts;

static inline Impacts load(const char *path) {
    uint64_t sizes[2];
    FILE *file = fopen(path, "rb");
    if (!file || fread(sizes, 8, 2, file) != 2) exit(2);
    size_t m = sizes[0], all = m + 9 * m * m + 6 * m;
    Impacts list = {(long)sizes[1], (Impact *)malloc((sizes[1] + 1) * sizeof(Impact))};
    for (long i = 0; i < list.count; i++) {
        double *x = (double *)malloc(8 * all);
        if (fread(x, 8, all, file) != all) exit(2);
        Impact impact = {(int)m, x, x + m, x + m + 9 * m * m, x + m + 9 * m * m + 3 * m, x};
        list.impacts[i] = impact;
    }
    fclose(file);
    return list;
}

static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

static inline double speed(const Impact *p) {
    double most = 0;
    for (int k = 0; k < 3 * p->m; k++) most = fmax(most, fabs(p->u[k]));
    return most;
}

/* Of one contact: its impulse in units of velocity and its velocity after the impact, over max|u-|. */
static inline void contact(const Impact *p, const double *impulse, int i, double *l, double *after) {
    int n = 3 * p->m;
    double mean = 0, most = speed(p);
    for (int a = 0; a < 3; a++) mean += p->w[(3 * i + a) * n + 3 * i + a] / 3;
    for (int a = 0; a < 3; a++) {
        double sum = p->u[3 * i + a];
        for (int k = 0; k < n; k++) sum += p->w[(3 * i + a) * n + k] * impulse[k];
        l[a] = impulse[3 * i + a] * mean / most;
        after[a] = sum / most;
    }
}

/* What every inelastic impact must obey: it ends, contacts push, and friction lies in its cone. */
static inline double violation(const Impact *p, const double *impulse) {
    double most = 0;
    for (int i = 0; i < p->m; i++) {
        double l[3], u[3];
        contact(p, impulse, i, l, u);
        double worst = fmax(fmax(-u[0], -l[0]), hypot(l[1], l[2]) - p->mu[i] * l[0]);
        most = isfinite(u[0] + u[1] + u[2]) ? fmax(most, worst) : INFINITY;
    }
    return most;
}

/* The largest of |min(ln, u_n)| and |lt - P(lt - u_t)|, P onto the disk of radius mu ln. */
static inline double residual(const Impact *p, const double *impulse) {
    double most = 0;
    for (int i = 0; i < p->m; i++) {
        double l[3], u[3];
        contact(p, impulse, i, l, u);
        double x = l[1] - u[1], y = l[2] - u[2], size = hypot(x, y);
        double shrink = size > 0 ? fmin(1, p->mu[i] * fmax(l[0], 0) / size) : 1;
        double worst = fmax(fabs(fmin(l[0], u[0])), hypot(l[1] - shrink * x, l[2] - shrink * y));
        most = isfinite(u[0] + u[1] + u[2]) ? fmax(most, worst) : INFINITY;
    }
    return most;
}

/* How far the velocity after the impact is from carom's, over max|u-|. */
static inline double apart(const Impact *p, const double *impulse) {
    double most = 0;
    int n = 3 * p->m;
    for (int i = 0; i < n; i++) {
        double sum = p->u[i] - p->ours[i];
        for (int k = 0; k < n; k++) sum += p->w[i * n + k] * impulse[k];
        most = fmax(most, fabs(sum));
    }
    return most / speed(p);
}

/* A solver: writes the impulse (3m) of impact i, returns whether it says that it has solved the problem. */
typedef int (*Solver)(const Impact *impact, long i, double *impulse);

/* Seconds of passes after which no other begins. */
#define LONGEST 20

static inline int longer(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints the median and the mean of microseconds per impact, each in its best of at least three passes and half a second, and the shares
   of answers that the solver calls failed, that it calls solved but are not (a violation or residual above 1e-8), and of the others that
   lead to another velocity than carom's (by more than 1e-6). Twin of `measure` in impacts.rs. */
static inline void measure(const Impacts *list, char **about, const char *who, Solver solve,
                           double (*judge)(const Impact *, const double *)) {
    long wrong = 0, failed = 0, other = 0, count = list->count;
    double *impulse = (double *)calloc(count ? 3 * list->impacts[0].m : 1, 8);
    for (long i = 0; i < count; i++) {
        const Impact *p = list->impacts + i;
        if (!solve(p, i, impulse)) failed++;
        else if (!(judge(p, impulse) <= 1e-8)) wrong++;
        else if (apart(p, impulse) > 1e-6) other++;
    }
    double start = seconds(), mean = 0;
    double *best = (double *)malloc((count + 1) * sizeof(double));
    for (int pass = 0; pass < 3 || seconds() - start < 0.5; pass++) {
        for (long i = 0; i < count; i++) {
            double begin = seconds();
            solve(list->impacts + i, i, impulse);
            double time = seconds() - begin;
            best[i] = pass ? fmin(best[i], time) : time;
        }
        if (seconds() - start > LONGEST) break;
    }
    qsort(best, count, sizeof *best, longer);
    double all = count ? (double)count : 1, median = count ? best[count / 2] : 0;
    for (long i = 0; i < count; i++) mean += best[i] / all;
    printf("{\"law\": \"%s\", \"kind\": \"%s\", \"contacts\": %s, \"who\": \"%s\", \"median\": %g, \"mean\": %g, "
           "\"wrong\": %g, \"failed\": %g, \"other\": %g}\n",
           about[0], about[1], about[2], who, 1e6 * median, 1e6 * mean, wrong / all, failed / all, other / all);
    free(best);
    free(impulse);
}
