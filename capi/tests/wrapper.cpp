// Checks carom.hpp: what it passes on, what it refuses, and Eigen where it is installed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "carom.hpp"

namespace {

#define EXPECT(what) \
  ((what) ? void() : (std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what), std::exit(1)))

template <class Call>
std::string message(const Call &call) {
  try {
    call();
  } catch (const carom::Error &error) {
    return error.what();
  }
  return "no error";
}

// A square block of one kilogram that falls flat: x, y and the angle; its lower corners.
const std::array<double, 9> MASS = {1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 6};
const std::array<double, 6> NORMAL = {0, 1, -0.5, 0, 1, 0.5}, TANGENT = {1, 0, 0.5, 1, 0, 0.5};
const std::array<double, 2> FRICTION = {0.5, 0.5};
const std::array<double, 3> VELOCITY = {0.5, -1, 0};

carom_problem block() {
  carom_problem problem = {};
  problem.coordinates = 3;
  problem.contacts = 2;
  problem.tangents = 1;
  problem.order = CAROM_ROW_MAJOR;
  problem.mass = MASS.data();
  problem.normal = NORMAL.data();
  problem.tangent = TANGENT.data();
  problem.friction = FRICTION.data();
  problem.velocity = VELOCITY.data();
  return problem;
}

void asks() {
  carom::Impact impact("{\"seed\": 3}");
  impact.prepare(block());
  carom::Outcomes outcomes = impact.outcomes(500);
  impact.sample(outcomes);
  EXPECT(outcomes.size() == 500 && outcomes.coordinates() == 3 && outcomes.impulses() == 4);
  double fastest = -1e9;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    EXPECT(outcomes.accepted(i) && outcomes.status(i) == CAROM_TERMINATED);
    fastest = std::max(fastest, outcomes.velocity(i)[2]);
    // Momentum: what the contacts push changes the velocity, here in y.
    const double pushed = outcomes.impulse(i)[0] + outcomes.impulse(i)[1];
    EXPECT(std::abs(outcomes.velocity(i)[1] - VELOCITY[1] - pushed) < 1e-12);
  }
  const std::vector<double> turn = {0, 0, 1}, none(3, 0.0), squares = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 3> at;
  EXPECT(impact.support(turn, &outcomes, at.data()) == fastest && at[2] == fastest);
  const carom_set set = impact.exact_set();
  EXPECT(set.polytopes > 0 && set.dimension > 0);
  EXPECT(impact.support(turn) > fastest - 1e-9);
  EXPECT(impact.bound(CAROM_CERTIFIED, turn).value > impact.support(turn) - 1e-9);
  EXPECT(impact.worst(squares, none, &outcomes) <= impact.worst(squares, none) + 1e-9);
  EXPECT(impact.contains(at, 1e-6) && !impact.contains(VELOCITY, 1e-3));
  EXPECT(impact.distance(VELOCITY, &outcomes) > 0.1);
  EXPECT(impact.invariants().spread.size() == 3);
  // A handle that moves, and a limit in time.
  carom::Impact moved = std::move(impact);
  carom::Outcomes again = moved.outcomes(500);
  moved.sample(again, 0, 1e9);
  EXPECT(std::memcmp(again.velocity(0), outcomes.velocity(0), 500 * 3 * sizeof(double)) == 0);
  moved.set_seed(4);
  moved.sample(again);
  EXPECT(std::memcmp(again.velocity(0), outcomes.velocity(0), 500 * 3 * sizeof(double)) != 0);
}

void refuses() {
  EXPECT(message([] { carom::Impact("{\"sed\": 1}"); }).find("sed: ") == 0);
  carom::Impact impact;
  carom::Outcomes early(1, 3, 4);
  EXPECT(message([&] { impact.sample(early); }).find("outcomes: ") == 0);
  impact.prepare(block());
  EXPECT(message([&] { impact.set_velocity(std::vector<double>(2)); }) ==
         "velocity: expected 3 numbers, found 2");
  EXPECT(message([&] { impact.support(VELOCITY); }).find("carom_exact_set") != std::string::npos);
}

#if CAROM_EIGEN
void maps() {
  carom::Problem problem;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  problem.mass = Eigen::Map<const Rows>(MASS.data(), 3, 3);
  problem.normal = Eigen::Map<const Rows>(NORMAL.data(), 2, 3);
  problem.tangent = Eigen::Map<const Rows>(TANGENT.data(), 2, 3);
  problem.friction = Eigen::Vector2d(0.5, 0.5);
  problem.velocity = Eigen::Vector3d(0.5, -1, 0);
  carom::Impact impact("{\"seed\": 3}"), plain("{\"seed\": 3}");
  impact.prepare(problem);
  plain.prepare(block());
  carom::Outcomes outcomes = impact.outcomes(100), others = plain.outcomes(100);
  impact.sample(outcomes);
  plain.sample(others);
  EXPECT(outcomes.velocities().rows() == 3 && outcomes.velocities().cols() == 100);
  EXPECT(outcomes.velocities() == others.velocities());
  EXPECT(outcomes.all_impulses() == others.all_impulses());
  const Eigen::Vector3d turn = Eigen::Vector3d::UnitZ();
  EXPECT(impact.support(turn, &outcomes) == outcomes.velocities().row(2).maxCoeff());
  const carom_set set = impact.exact_set();
  EXPECT(impact.vertices(set).row(2).maxCoeff() == impact.support(turn));
  const Eigen::Matrix3d squares = Eigen::Matrix3d::Identity();
  EXPECT(std::abs(impact.worst(squares, Eigen::Vector3d(0, 0, 0)) -
                  0.5 * impact.vertices(set).colwise().squaredNorm().maxCoeff()) < 1e-12);
  problem.normal = Eigen::MatrixXd::Zero(2, 4);
  EXPECT(message([&] { impact.prepare(problem); }) ==
         "normal: expected (2, 3) numbers, found (2, 4)");
}
#endif

}  // namespace

int main() {
  asks();
  refuses();
#if CAROM_EIGEN
  maps();
  std::puts("carom.hpp holds, with Eigen");
#else
  std::puts("carom.hpp holds, without Eigen");
#endif
}
