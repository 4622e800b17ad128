// Drake's Lemke solvers on recorded steps, called without Python. Usage: drake SCENE FILE
#include <Eigen/Dense>

#include "steps.h"

// The wheel ships the library but no headers. The declaration follows the symbols that the library exports; the
// storage is larger than the class, which only its own constructor looks into.
namespace drake::solvers {
class MobyLcpSolver {
  public:
    MobyLcpSolver();
    bool SolveLcpLemke(const Eigen::MatrixXd &M, const Eigen::VectorXd &q, Eigen::VectorXd *z, double piv_tol,
                       double zero_tol) const;
    bool SolveLcpLemkeRegularized(const Eigen::MatrixXd &M, const Eigen::VectorXd &q, Eigen::VectorXd *z, int min_exp,
                                  unsigned step_exp, int max_exp, double piv_tol, double zero_tol) const;

  private:
    alignas(64) char storage[1 << 16];
};
}

static drake::solvers::MobyLcpSolver solver;
static Eigen::MatrixXd matrix;

// The tolerances and exponents are the defaults of Drake's documentation. An empty z is a cold start.
template <bool Regularized>
static int solve(const Steps *steps, double *q, double *z) {
    Eigen::VectorXd constant = Eigen::Map<Eigen::VectorXd>(q, steps->n), answer;
    bool done = Regularized ? solver.SolveLcpLemkeRegularized(matrix, constant, &answer, -20, 1, 1, -1, -1)
                            : solver.SolveLcpLemke(matrix, constant, &answer, -1, -1);
    if (answer.size() != steps->n) return 0;
    Eigen::Map<Eigen::VectorXd>(z, steps->n) = answer;
    return done;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    Steps steps = load(arguments[2]);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    matrix = Eigen::Map<Rows>(steps.matrix, steps.n, steps.n);
    measure(&steps, arguments[1], "Drake Lemke", solve<false>);
    measure(&steps, arguments[1], "Drake LemkeRegularized", solve<true>);
}
