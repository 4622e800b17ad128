// A block falls flat onto the floor: what can follow, and what cannot. `questions FILE`, where the
// file is rocking-block.txt.
#include <stdio.h>
#include <stdlib.h>

#include "carom.h"
#include "problem.h"

static carom_impact *impact;

static void check(carom_code code) {
  if (code == CAROM_OK) return;
  fprintf(stderr, "%s\n", carom_last_error(impact));
  exit(1);
}

int main(int count, char **arguments) {
  enum { SAMPLES = 1000, N = 3 };
  static double velocity[SAMPLES * N];
  static uint8_t accepted[SAMPLES];
  if (count != 2) return 2;
  const carom_problem problem = read_problem(arguments[1]);
  if (problem.coordinates != N) return 2;

  impact = carom_new();
  check(carom_set_options(impact, "{\"seed\": 1}"));
  check(carom_prepare(impact, &problem));

  carom_outcomes outcomes = {0};
  outcomes.capacity = SAMPLES;
  outcomes.velocity = velocity;
  outcomes.accepted = accepted;
  check(carom_sample(impact, 0, 0, &outcomes));

  const double turn[N] = {0, 0, 1};  // the third coordinate is the angle
  double value, at[N];
  check(carom_support(impact, &outcomes, turn, &value, at));
  printf("the fastest turn of %zu samples  %.6f rad/s\n", outcomes.count, value);

  carom_set set;
  check(carom_exact_set(impact, 1, &set));
  check(carom_support(impact, NULL, turn, &value, NULL));
  printf("of all orders of impulses         %.6f rad/s, %zu polytopes\n", value, set.polytopes);

  bool proved;
  check(carom_bound(impact, CAROM_CERTIFIED, turn, &value, &proved));
  printf("no order exceeds                  %.6f rad/s%s\n", value, proved ? ", proved" : "");

  const double asked[N] = {0, 0, 0.5};
  bool contains;
  check(carom_contains(impact, NULL, asked, 0.01, &contains));
  printf("0.5 rad/s at rest                 %s\n", contains ? "possible" : "not possible");

  double directions[N * N], spread[N];
  check(carom_invariants(impact, NULL, directions, spread, NULL, NULL));
  printf("the order does not matter for     ");
  for (int i = 0; i < N && spread[i] < 1e-9; ++i)
    printf("(%g, %g, %g) ", directions[N * i], directions[N * i + 1], directions[N * i + 2]);
  printf("\n");

  carom_free(impact);
  return 0;
}
