// A loop that asks in each turn how an impact can end, with the velocity of the moment, and how
// long that takes: `loop FILE TURNS SAMPLES [SECONDS [OPTIONS]]`. SECONDS above 0 limit each turn.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "carom.hpp"
#include "problem.h"

namespace {

double quantile(const std::vector<double> &sorted, double share) {
  const auto last = static_cast<double>(sorted.size() - 1);
  return sorted[static_cast<std::size_t>(share * last + 0.5)];
}

double seconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

int main(int count, char **arguments) try {
  if (count < 4) return 2;
  const carom_problem problem = read_problem(arguments[1]);
  const auto turns = std::max(1UL, std::strtoul(arguments[2], nullptr, 10));
  const auto samples = std::strtoul(arguments[3], nullptr, 10);
  const double limit = count > 4 ? std::strtod(arguments[4], nullptr) : 0;
  const std::string options = count > 5 ? arguments[5] : "{}";

  auto begun = std::chrono::steady_clock::now();
  carom::Impact impact(options);
  impact.prepare(problem);
  std::printf("prepared in  %.3f ms, carom %s\n", 1e3 * seconds_since(begun), carom_version());

  // All memory is taken before the loop begins.
  carom::Outcomes outcomes = impact.outcomes(samples);
  std::vector<double> v(problem.velocity, problem.velocity + problem.coordinates), times(turns);
  std::vector<double> down(v.size(), 0.0);
  down.back() = 1;
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.01);
  std::size_t drawn = 0, accepted = 0;
  double most = -1e300;
  for (auto &time : times) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = problem.velocity[i] + noise(random);
    begun = std::chrono::steady_clock::now();
    impact.set_velocity(v);
    impact.sample(outcomes, 0, limit);
    most = std::max(most, impact.support(down, &outcomes));
    time = seconds_since(begun);
    drawn += outcomes.size();
    for (std::size_t i = 0; i < outcomes.size(); ++i) accepted += outcomes.accepted(i);
  }

  std::sort(times.begin(), times.end());
  std::printf("samples      %.1f in a turn, %.3f %% accepted\n",
              static_cast<double>(drawn) / static_cast<double>(turns),
              100 * static_cast<double>(accepted) / static_cast<double>(drawn));
  std::printf("last joint   at most %.4f rad/s after the impact\n", most);
  std::printf("turns        p50 %.3f ms, p99 %.3f ms, p99.9 %.3f ms, most %.3f ms\n",
              1e3 * quantile(times, 0.5), 1e3 * quantile(times, 0.99), 1e3 * quantile(times, 0.999),
              1e3 * times.back());
} catch (const carom::Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
