/* The block of scenes/rocking-block.toml, dropped in MuJoCo from perturbed poses: simulated outcomes per second.
   It answers another question: one outcome per perturbed pose under a soft contact, not the set of the step law. */
#include <mujoco/mujoco.h>

#include "steps.h"

/* Corners as small balls, so that there are two contacts; timestep 1 ms, everything else as MuJoCo sets it. */
static const char *MODEL =
    "<mujoco><option timestep='0.001'/><worldbody>"
    "<geom type='plane' size='10 10 1' friction='1'/>"
    "<body><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/><joint type='hinge' axis='0 1 0'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='0.4166667 0.4166667 0.4166667'/>"
    "<geom type='sphere' size='0.001' pos='-0.5 0 -0.999' friction='1'/>"
    "<geom type='sphere' size='0.001' pos='0.5 0 -0.999' friction='1'/>"
    "</body></worldbody></mujoco>";

static const double SPEED = 0.442944691807002; /* m/s, a fall from 0.01 m */

/* The lower velocity of the two lower corners, for angle q[2] about y. */
static double approach(const mjData *data) {
    double turn = data->qvel[2], sine = sin(data->qpos[2]), cosine = cos(data->qpos[2]);
    double left = data->qvel[1] - turn * (-0.5 * cosine - sine), right = data->qvel[1] - turn * (0.5 * cosine - sine);
    return fmin(left, right);
}

/* Runs one drop until something has touched and no corner approaches faster than 1 % of the impact speed: the law's
   end of an impact, with room for gravity and soft contacts. Whether it ended within a second. */
static int drop(const mjModel *model, mjData *data, long *steps) {
    mj_resetData(model, data);
    double angle = 2e-3 * (drand48() - 0.5);
    data->qpos[2] = angle;
    data->qpos[1] = 1e-3 + 0.5 * fabs(sin(angle)) + cos(angle); /* the lower corner 1 mm above the floor */
    data->qvel[1] = -SPEED;
    int touched = 0;
    for (int i = 0; i < 1000; i++) {
        mj_step(model, data);
        ++*steps;
        touched |= data->ncon > 0;
        if (touched && approach(data) > -0.01 * SPEED) return 1;
    }
    return 0;
}

int main(void) {
    char error[1000] = "";
    mjSpec *spec = mj_parseXMLString(MODEL, NULL, error, sizeof error);
    mjModel *model = spec ? mj_compile(spec, NULL) : NULL;
    if (!model) {
        fprintf(stderr, "%s\n", error);
        return 2;
    }
    mjData *data = mj_makeData(model);
    double start = seconds(), best = INFINITY;
    long drops = 0, ended = 0, steps = 0;
    for (int pass = 0; pass < 5 || seconds() - start < 0.5; pass++) {
        double begin = seconds();
        for (int i = 0; i < 1000; i++, drops++) ended += drop(model, data, &steps);
        best = fmin(best, seconds() - begin);
    }
    printf("{\"scene\": \"rocking-block\", \"who\": \"MuJoCo, drops at dt 1e-3\", \"samples_per_s\": %.0f, "
           "\"failed\": %g, \"steps_per_drop\": %.1f}\n",
           1000 / best, 1 - (double)ended / drops, (double)steps / drops);
    return 0;
}
