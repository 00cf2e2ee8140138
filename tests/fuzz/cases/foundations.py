"""Valid input for the functions of the part "Foundations"."""

import io
import pathlib
import tempfile

import numpy as np

from fuzz.cases.base import case
from fuzz.strategies import SCALES
from fuzz.values import S3, Fresh, S, X, eighths, joint, labels, n, p, q, w, y
from mlcore.foundations.constrained_optimization import quadratic_problem
from mlcore.foundations.gradient_descent import SGD

G, h = np.array([[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]), np.array([1.0, 0.5, 2.0])
A, b = np.array([[1.0, -1.0]]), np.array([0.25])
problem = Fresh(lambda: quadratic_problem(S, w, G, h, A, b))
lam, nu = np.array([0.5, 0.0, 0.25]), np.array([-1.0])
point = np.array([0.5, 0.25])
sgd = Fresh(lambda: SGD(lr=0.1))
qp = {"P": S, "q": w, "G": G, "h": h, "A": A, "b": b}
graph = np.array([[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 2.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
B, C, D = np.array([[0.5], [0.25]]), np.array([[1.0, 0.5]]), np.array([[3.0]])
wrong = np.where(np.arange(n) % 5 == 0, 1 - labels, labels)
score = eighths(np.linspace(0, 1, n))
logits = np.array([[-3.0, 0.5, 1.0], [0.0, 2.0, -1.0]])


def square(x):
    return float((np.asarray(x) ** 2).sum())


def slope(x):
    return 2 * np.asarray(x)


def step(cls, gradient, **options):
    """One step of an optimizer from a copy of a fixed point."""
    weights = np.array([1.0, -2.0])
    cls(**options).step([weights], [gradient])
    return weights


def written(save, **arguments):
    """What a function writes to its path."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "file")
        save(path, **arguments)
        return path.read_text("utf8")


def optimizer(**options):
    return case(gradient=w, call=step, allow={"gradient": "NaN, infinity"}, **options)


BOTH_LABELS = {"y": "fraction", "prediction": "fraction"}  # any number can name a class

CASES = {
    "constrained_optimization": {
        "augmented_lagrangian": case(problem=problem, x=point),
        "augmented_lagrangian_value": case(problem=problem, x=point, lam=lam, nu=nu, rho=2.0),
        "dual_on_points": case(f_values=y, g_values=X, multipliers=np.abs(X[:5])),
        "kkt_residuals": case(problem=problem, x=point, lam=lam, nu=nu),
        "lagrangian": case(problem=problem, x=point, lam=lam, nu=nu),
        "lagrangian_gradient": case(problem=problem, x=point, lam=lam, nu=nu),
        "project_ball": case(y=y),
        "project_box": case(allow={"low": "infinity", "high": "infinity"}, y=y, low=-0.5, high=1.0),
        "project_halfspace": case(y=point, a=w, b=-1.0),
        "project_simplex": case(y=y),
        "projected_gradient": case(gradient=slope, project=lambda x: np.maximum(x, 1.0), x=np.array([2.0, 3.0]), step=0.25),
        "qp_dual_value": case(**qp, lam=lam, nu=nu),
        "quadratic_penalty": case(problem=problem, x=point, rhos=(1.0, 10.0)),
        "quadratic_problem": case(**qp, then=lambda problem: problem.f(point)),
        "solve_equality_qp": case(P=S, q=w, A=A, b=b),
        # moving the constraints apart can make the program infeasible; its value is then infinite
        "solve_qp": case(**qp, allow=dict.fromkeys("GhAb", ", ".join(SCALES))),
        "update_multipliers": case(problem=problem, x=point, lam=lam, nu=nu, rho=2.0),
    },
    "data_and_tasks": {
        "accuracy": case(allow=BOTH_LABELS, y=labels, prediction=wrong),
        "auc": case(allow={"y": "fraction"}, y=labels, score=score),
        "best_threshold": case(x=y, positive=labels == 1),
        "binary_counts": case(allow=BOTH_LABELS, y=labels, prediction=wrong),
        "confusion_matrix": case(allow=BOTH_LABELS, y=labels, prediction=wrong),
        "f1": case(allow=BOTH_LABELS, y=labels, prediction=wrong),
        "mean_absolute_error": case(y=y, prediction=y + 0.5),
        "mean_squared_error": case(y=y, prediction=y + 0.5),
        "precision": case(allow=BOTH_LABELS, y=labels, prediction=wrong),
        "precision_from_rates": case(true_positive_rate=0.9, false_positive_rate=0.1, prevalence=0.25),
        "r2_score": case(y=y, prediction=y + 0.5),
        "recall": case(allow=BOTH_LABELS, y=labels, prediction=wrong),
        "roc_curve": case(allow={"y": "fraction"}, y=labels, score=score),
        "split_rows": case(n=12),
        "threshold_costs": case(x=y, positive=labels == 1),
        "load_csv": case(source=Fresh(lambda: io.StringIO("a,b\n1,2\n3,4\n"))),
        "load_libsvm": case(source=Fresh(lambda: io.StringIO("1 1:2 2:3\n0 2:1\n"))),
        "save_csv": case(allow={"target_name": "unknown option, number", "y": "text"}, X=X, y=y, call=written),
        "save_libsvm": case(allow={"y": "fraction"}, X=X, y=labels, call=written),
        "train_test_split": case(
            allow={"*": "NaN, infinity, text, complex, object, no columns, missing, dates"},
            X=X,
            y=y,
            call=lambda f, X, y, **options: f(X, y, **options),
        ),
    },
    "gradient_descent": {
        "SGD": optimizer(momentum=0.5),
        "Adadelta": optimizer(),
        "Adagrad": optimizer(),
        "Adam": optimizer(),
        "AdamW": optimizer(),
        "RMSProp": optimizer(),
        "Quadratic": case(H=S, center=w, then=lambda f: (f(point), f.gradient(point))),
        "backtracking": case(f=square, x=point, direction=-2 * point, gradient=2 * point),
        "batch_covariance": case(gradients=X, batch_size=3),
        "best_momentum": case(mu=1.0, L=9.0),
        "best_step": case(mu=1.0, L=9.0),
        "contraction": case(allow={"eigenvalues": "axis too many, axis too few", "*": "array"}, eigenvalues=np.array([1.0, 4.0]), lr=0.25),
        "cosine_decay": case(lr=0.5, n_steps=10, then=lambda f: f(3)),
        "exponential_decay": case(allow={"half_life": "fraction"}, lr=0.5, half_life=10, then=lambda f: f(3)),
        "inverse_decay": case(allow={"half_life": "fraction"}, lr=0.5, half_life=10, then=lambda f: f(3)),
        "minibatches": case(n=12, batch_size=5),
        "minimize": case(allow={"x0": "axis too many, axis too few"}, f=square, grad=slope, x0=point),
        "newton": case(f=square, grad=slope, hess=lambda x: 2 * np.eye(len(x)), x0=point),
        "noise_floor": case(H=S, C=S, lr=0.25),
        "square_root_decay": case(lr=0.5, then=lambda f: f(3)),
        "stationary_covariance": case(H=S, C=S, lr=0.25),
        "step_decay": case(lr=0.5, every=2, then=lambda f: f(3)),
        "step_limit": case(H=S),
        "stochastic_minimize": case(
            allow={"x0": "axis too many, axis too few"},
            grad=lambda x, rows: x - y[rows].mean(),
            n=12,
            x0=point,
            optimizer=sgd,
            batch_size=4,
            epochs=2,
        ),
        "warmup": case(schedule=0.5, n_steps=4, then=lambda f: f(3)),
    },
    "mathematics": {
        "block_determinant": case(A=S, B=B, C=C, D=D),
        "block_inverse": case(A=S, B=B, C=C, D=D),
        "cholesky_factor": case(allow={"name": "unknown option, number"}, Sigma=S),
        "conditional_entropy": case(joint=joint),
        "connected_components": case(W=graph),
        "cross_entropy": case(allow={"axis": "None", "*": "axis too many"}, p=p, q=q),
        "dijkstra": case(lengths=graph),
        "entropy": case(allow={"axis": "None", "*": "axis too many"}, p=p),
        "gaussian_affine": case(mu=w, Sigma=S, A=A),
        "gaussian_conditional": case(
            allow={"values": "axis too many"}, mu=np.array([0.0, 1.0, 2.0]), Sigma=S3, given=[2], values=np.array([1.0])
        ),
        "gaussian_ellipse": case(mu=w, Sigma=S),
        "gaussian_entropy": case(Sigma=S),
        "gaussian_joint": case(allow={"b": "axis too few"}, mu=w, Sigma=S, A=A, b=b, noise=np.array([[0.5]])),
        "gaussian_kl": case(mu=w, Sigma=S, nu=2 * w, Omega=2 * S),
        "gaussian_marginal": case(mu=np.array([0.0, 1.0, 2.0]), Sigma=S3, keep=[0, 2]),
        "gaussian_product": case(mu=w, Sigma=S, nu=2 * w, Omega=2 * S),
        "gradient_error": case(allow={"A": "axis too many, axis too few"}, f=square, grad=slope, A=X),
        "kl_divergence": case(allow={"axis": "None", "*": "axis too many"}, p=p, q=q),
        "laplacian": case(W=graph),
        "log_gaussian": case(allow={"X": "empty"}, X=X, mu=w, Sigma=S),
        "log_sigmoid": case(z=y, elementwise="z"),
        "log_softmax": case(allow={"axis": "None", "a": "infinity, axis too many, axis too few"}, a=logits),
        "logsumexp": case(allow={"a": "infinity, axis too many, axis too few"}, a=logits),
        "maximal_cliques": case(W=graph),
        "maximum_entropy_density": case(
            grid=np.linspace(-2, 2, 9),
            features=np.array([np.linspace(-2, 2, 9), np.linspace(-2, 2, 9) ** 2]),
            moments=np.array([0.25, 1.0]),
        ),
        "mutual_information": case(joint=joint),
        "numerical_gradient": case(allow={"A": "axis too many, axis too few"}, f=square, A=X),
        "plane_distance": case(X=X, w=w, b=0.5),
        "sample_gaussian": case(mu=w, Sigma=S, n=4),
        "schur_complement": case(A=S, B=B, C=C, D=D),
        "shortest_path": case(predecessors=np.array([-1, 0, 1, -1]), target=2),
        "sigmoid": case(z=y, elementwise="z"),
        "softmax": case(allow={"axis": "None", "a": "infinity, axis too many, axis too few"}, a=logits),
        "sorted_eigh": case(S=S),
        "squared_mahalanobis": case(allow={"X": "empty"}, X=X, mu=w, Sigma=S),
        "stationary_distribution": case(P=np.array([[0.5, 0.5], [0.25, 0.75]])),
        "topological_order": case(graph=np.triu(np.ones((3, 3)), 1)),
        "whiten": case(allow={"X": "empty"}, X=X, mu=w, Sigma=S),
        "woodbury_logdet": case(A=S, U=B, C=D, V=C),
        "woodbury_solve": case(A=S, U=B, C=D, V=C, rhs=w),
    },
}
