/* The cube of scenes/motions/cube.toml on a plane in MuJoCo: steps per second on one core, a row of a Markdown table for each kind of
   contact. It answers another question: contacts are soft and lose energy, a solver finds their forces at each step, and no
   time of collision is sought. */
#include <mujoco/mujoco.h>

#include <stdio.h>
#include <time.h>

static const char *MODEL =
    "<mujoco><option timestep='0.01' gravity='0 0 -9.80665'/><worldbody>"
    "<geom type='plane' size='1000 1000 1' condim='%d'/>"
    "<body pos='0 0 10'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='2 2 2'/>"
    "<geom type='box' size='1.7320508 1.7320508 1.7320508' condim='%d'/></body></worldbody></mujoco>";

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(void) {
    for (int condim = 1; condim <= 3; condim += 2) {
        char text[1000], error[1000] = "";
        snprintf(text, sizeof text, MODEL, condim, condim);
        mjSpec *spec = mj_parseXMLString(text, NULL, error, sizeof error);
        mjModel *model = spec ? mj_compile(spec, NULL) : NULL;
        if (!model) {
            fprintf(stderr, "%s\n", error);
            return 2;
        }
        mjData *data = mj_makeData(model);
        const double start[6] = {2, 2, 10, 2, -2, 2};
        const int runs = 200, steps = 1000;
        long touching = 0;
        double began = seconds();
        for (int run = 0; run < runs; run++) {
            mj_resetData(model, data);
            for (int i = 0; i < 6; i++) data->qvel[i] = start[i];
            data->qvel[0] += 1e-3 * run;
            for (int k = 0; k < steps; k++) {
                mj_step(model, data);
                touching += data->ncon > 0;
            }
        }
        double taken = seconds() - began;
        printf("| MuJoCo %s, %s, soft contacts, touching in %.0f %% of steps | f64 | 1 core | 1 | %.2e |\n", mj_versionString(),
               condim == 1 ? "frictionless" : "with friction", 100.0 * touching / runs / steps, runs * steps / taken);
        mj_deleteData(data);
        mj_deleteModel(model);
        mj_deleteSpec(spec);
    }
    return 0;
}
