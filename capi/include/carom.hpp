// carom for C++17: `carom::Impact` on top of carom.h, which documents every call, with Eigen where
// it is installed (define CAROM_NO_EIGEN to leave it out).
//
//   carom::Impact impact("{\"seed\": 1}");
//   impact.prepare(problem);                      // a carom::Problem of Eigen, or a carom_problem
//   carom::Outcomes outcomes = impact.outcomes(1000);
//   impact.set_velocity(v);                       // in the loop
//   impact.sample(outcomes);
//   double fastest = impact.support(c, &outcomes);
//
// A failed call throws `carom::Error`. `sample`, `set_velocity`, and `support` and `worst` of
// outcomes allocate nothing. An Impact may be used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "carom.h"

#if !defined(CAROM_NO_EIGEN) && __has_include(<Eigen/Core>)
#include <Eigen/Core>
#define CAROM_EIGEN 1
#else
#define CAROM_EIGEN 0
#endif

namespace carom {

/// A call that failed: its code, and the message as text.
class Error : public std::runtime_error {
 public:
  Error(carom_code code, const std::string &message) : std::runtime_error(message), code(code) {}
  carom_code code;
};

/// Numbers that lie one after the other: of a std::vector, a std::array, or a vector of Eigen.
class Numbers {
 public:
  Numbers(const double *data, std::size_t size) : data_(data), size_(size) {}

  template <class Container, class = std::enable_if_t<std::is_convertible_v<
                                 decltype(std::declval<const Container &>().data()), const double *>>>
  Numbers(const Container &numbers)
      : data_(numbers.data()), size_(static_cast<std::size_t>(numbers.size())) {
#if CAROM_EIGEN
    if constexpr (std::is_base_of_v<Eigen::DenseBase<Container>, Container>)
      static_assert(Container::InnerStrideAtCompileTime == 1 &&
                        (Container::IsVectorAtCompileTime ||
                         std::is_base_of_v<Eigen::PlainObjectBase<Container>, Container>),
                    "the numbers do not lie one after the other: copy them first");
#endif
  }

  const double *data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const double *data_;
  std::size_t size_;
};

/// Memory for outcomes, taken once and used many times.
class Outcomes {
 public:
  /// For outcomes of n coordinates and k = (1 + d) m impulses.
  Outcomes(std::size_t capacity, std::size_t coordinates, std::size_t impulses)
      : n_(coordinates), k_(impulses), velocity_(capacity * n_), impulse_(capacity * k_),
        residual_(capacity), status_(capacity), accepted_(capacity) {}

  /// How many there are; fewer than the capacity where a limit in time ended the call.
  std::size_t size() const { return count_; }
  std::size_t capacity() const { return status_.size(); }
  std::size_t coordinates() const { return n_; }
  std::size_t impulses() const { return k_; }
  /// The velocity (n), and the impulse (k) in N s, of outcome i.
  const double *velocity(std::size_t i) const { return velocity_.data() + i * n_; }
  const double *impulse(std::size_t i) const { return impulse_.data() + i * k_; }
  std::uint8_t status(std::size_t i) const { return status_[i]; }
  double residual(std::size_t i) const { return residual_[i]; }
  bool accepted(std::size_t i) const { return accepted_[i] != 0; }

#if CAROM_EIGEN
  using Columns = Eigen::Map<const Eigen::MatrixXd>;
  /// The velocities (n, size): an outcome in each column. The memory is that of the outcomes.
  Columns velocities() const { return {velocity_.data(), index(n_), index(count_)}; }
  /// The impulses (k, size), likewise.
  Columns all_impulses() const { return {impulse_.data(), index(k_), index(count_)}; }
#endif

  /// The structure of C, which points into this memory.
  carom_outcomes c() {
    return {capacity(),     count_,           velocity_.data(), impulse_.data(),
            status_.data(), residual_.data(), accepted_.data()};
  }

 private:
  friend class Impact;
#if CAROM_EIGEN
  static Eigen::Index index(std::size_t size) { return static_cast<Eigen::Index>(size); }
#endif
  std::size_t n_, k_, count_ = 0;
  std::vector<double> velocity_, impulse_, residual_;
  std::vector<std::uint8_t> status_, accepted_;
};

/// Directions in which the order of impulses matters little, the least first.
struct Invariants {
  std::vector<double> directions;  ///< (n,n), a direction in each row
  std::vector<double> spread;      ///< (n), 0 where the order does not matter
  std::vector<double> least, most; ///< (n), the ends of `direction . v`
};

/// A number that is not exceeded, and whether that is proved.
struct Bound {
  double value;
  bool proved;
};

#if CAROM_EIGEN
/// A contact problem in matrices of Eigen: see carom_problem. What is empty is not there.
struct Problem {
  Eigen::MatrixXd mass, normal, tangent, bilateral;
  Eigen::VectorXd friction, restitution, velocity;
};
#endif

/// An impact: a problem that is prepared once, sampled many times, and asked.
class Impact {
 public:
  /// Options as JSON: see carom_set_options.
  explicit Impact(const std::string &options = "{}") : impact_(carom_new()) {
    const carom_code code = carom_set_options(impact_, options.c_str());
    if (code == CAROM_OK) return;
    const Error error(code, carom_last_error(impact_));
    carom_free(impact_);
    throw error;
  }
  ~Impact() { carom_free(impact_); }
  Impact(const Impact &) = delete;
  Impact &operator=(const Impact &) = delete;
  Impact(Impact &&other) noexcept { *this = std::move(other); }
  Impact &operator=(Impact &&other) noexcept {
    std::swap(impact_, other.impact_);
    std::swap(n_, other.n_);
    std::swap(k_, other.k_);
    return *this;
  }

  void set_options(const std::string &options) { check(carom_set_options(impact_, options.c_str())); }

  void prepare(const carom_problem &problem) {
    check(carom_prepare(impact_, &problem));
    n_ = problem.coordinates;
    k_ = (1 + problem.tangents) * problem.contacts;
  }

#if CAROM_EIGEN
  void prepare(const Problem &problem) {
    const Eigen::Index n = problem.velocity.size(), m = problem.normal.rows();
    const Eigen::Index d = m > 0 ? problem.tangent.rows() / m : 0;
    sized("mass", problem.mass, n, n);
    sized("normal", problem.normal, m, n);
    if (problem.tangent.rows() > 0) sized("tangent", problem.tangent, d * m, n);
    if (problem.bilateral.rows() > 0) sized("bilateral", problem.bilateral, problem.bilateral.rows(), n);
    if (problem.friction.size() > 0) sized("friction", problem.friction, m, 1);
    if (problem.restitution.size() > 0) sized("restitution", problem.restitution, m, 1);
    carom_problem c = {};
    c.coordinates = static_cast<std::size_t>(n);
    c.contacts = static_cast<std::size_t>(m);
    c.tangents = static_cast<std::size_t>(d);
    c.constraints = static_cast<std::size_t>(problem.bilateral.rows());
    c.order = CAROM_COLUMN_MAJOR;
    c.mass = problem.mass.data();
    c.normal = problem.normal.data();
    c.tangent = problem.tangent.data();
    c.bilateral = problem.bilateral.data();
    c.friction = problem.friction.size() > 0 ? problem.friction.data() : nullptr;
    c.restitution = problem.restitution.size() > 0 ? problem.restitution.data() : nullptr;
    c.velocity = problem.velocity.data();
    prepare(c);
  }
#endif

  void set_velocity(const Numbers &velocity) {
    check(carom_set_velocity(impact_, sized("velocity", velocity, n_)));
  }
  void set_seed(std::uint64_t seed) { check(carom_set_seed(impact_, seed)); }

  /// Memory for outcomes of the prepared problem.
  Outcomes outcomes(std::size_t capacity) const { return Outcomes(capacity, n_, k_); }

  /// Samples number `first` and those that follow, as many as there is room for, or as are likely
  /// to take no longer than `seconds`; 0: no limit.
  void sample(Outcomes &outcomes, std::uint64_t first = 0, double seconds = 0) {
    if (outcomes.n_ != n_ || outcomes.k_ != k_)
      throw Error(CAROM_USAGE, "outcomes: made for a problem of another size");
    carom_outcomes c = outcomes.c();
    check(carom_sample(impact_, first, seconds, &c));
    outcomes.count_ = c.count;
  }

  /// The largest `direction . v` after the impact. Questions are about outcomes, or, without them,
  /// about the exact set that `exact_set` found.
  double support(const Numbers &direction, const Outcomes *of = nullptr, double *velocity = nullptr) {
    double value = 0;
    const double *c = sized("direction", direction, n_);
    ask(of, [&](const carom_outcomes *o) { return carom_support(impact_, o, c, &value, velocity); });
    return value;
  }

  /// The largest `v' Q v / 2 + c . v` after the impact.
  double worst(const Numbers &quadratic, const Numbers &linear, const Outcomes *of = nullptr,
               double *velocity = nullptr) {
    double value = 0;
    const double *q = sized("quadratic", quadratic, n_ * n_), *c = sized("linear", linear, n_);
    ask(of, [&](const carom_outcomes *o) { return carom_worst(impact_, o, q, c, &value, velocity); });
    return value;
  }

  double distance(const Numbers &velocity, const Outcomes *of = nullptr) {
    double distance = 0;
    const double *v = sized("velocity", velocity, n_);
    ask(of, [&](const carom_outcomes *o) { return carom_distance(impact_, o, v, &distance); });
    return distance;
  }

  bool contains(const Numbers &velocity, double eps, const Outcomes *of = nullptr) {
    bool contains = false;
    const double *v = sized("velocity", velocity, n_);
    ask(of, [&](const carom_outcomes *o) { return carom_contains(impact_, o, v, eps, &contains); });
    return contains;
  }

  Invariants invariants(const Outcomes *of = nullptr) {
    const std::vector<double> row(n_);
    Invariants found = {std::vector<double>(n_ * n_), row, row, row};
    ask(of, [&](const carom_outcomes *o) {
      return carom_invariants(impact_, o, found.directions.data(), found.spread.data(),
                              found.least.data(), found.most.data());
    });
    return found;
  }

  /// A number that `direction . v` does not exceed: CAROM_EXACT, CAROM_CERTIFIED or CAROM_CONIC,
  /// within so many seconds; 0: no limit.
  Bound bound(std::uint32_t kind, const Numbers &direction, double seconds = 0) {
    Bound found = {0, false};
    const double *c = sized("direction", direction, n_);
    check(carom_bound_within(impact_, kind, c, seconds, &found.value, &found.proved));
    return found;
  }

  /// Finds the exact set. Its arrays live until the velocity or the problem changes.
  carom_set exact_set(double seconds = 0) {
    carom_set set = {};
    check(carom_exact_set(impact_, seconds, &set));
    return set;
  }

#if CAROM_EIGEN
  /// The vertices (n, V) of a set: one in each column.
  Eigen::Map<const Eigen::MatrixXd> vertices(const carom_set &set) const {
    return {set.vertices, static_cast<Eigen::Index>(n_),
            static_cast<Eigen::Index>(set.first_vertex[set.polytopes])};
  }
#endif

  /// The handle, for calls of C.
  carom_impact *c() { return impact_; }

 private:
  void check(carom_code code) const {
    if (code != CAROM_OK) throw Error(code, carom_last_error(impact_));
  }

  template <class Question>
  void ask(const Outcomes *of, const Question &question) {
    if (of == nullptr) return check(question(nullptr));
    if (of->n_ != n_) throw Error(CAROM_USAGE, "of: outcomes of a problem of another size");
    const carom_outcomes c = const_cast<Outcomes *>(of)->c();  // questions only read
    check(question(&c));
  }

  static const double *sized(const char *name, const Numbers &numbers, std::size_t size) {
    if (numbers.size() == size) return numbers.data();
    throw Error(CAROM_USAGE, std::string(name) + ": expected " + std::to_string(size) +
                                 " numbers, found " + std::to_string(numbers.size()));
  }

#if CAROM_EIGEN
  template <class Matrix>
  static void sized(const char *name, const Matrix &matrix, Eigen::Index rows, Eigen::Index columns) {
    if (matrix.rows() == rows && matrix.cols() == columns) return;
    throw Error(CAROM_USAGE, std::string(name) + ": expected (" + std::to_string(rows) + ", " +
                                 std::to_string(columns) + ") numbers, found (" +
                                 std::to_string(matrix.rows()) + ", " +
                                 std::to_string(matrix.cols()) + ")");
  }
#endif

  carom_impact *impact_ = nullptr;
  std::size_t n_ = 0, k_ = 0;
};

}  // namespace carom
