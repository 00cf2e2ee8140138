"""Which parts of an answer follow the scale of an argument, measured near 1 and then demanded far from it.

If a part of f(c x) is c^p times that of f(x) for c = 1/8, 1/2, 2, 4 and 8, then it has to be so for c = 2^498, too. An absolute
threshold inside the function, such as 1e-12, breaks this and gives a wrong answer in silence.
"""

import numpy as np

from fuzz.outcome import difference, run

NEAR = (2.0, 4.0, 0.5, 8.0, 0.125)
POWERS = (0, 1, -1, 2, -2, 0.5, -0.5, 3, -3, 4, -4)
NOISE = 1e-9  # a part that is no larger is rounding, or zero
RANGE = 960  # binary exponents that leave room to 2^1023
DIFFERENCES = "differences of function values: beside a value of 1e16, a step of size 1 is lost"
STOP = "an absolute tolerance of the gradient or the error is part of the definition"
UNITS = {  # object -> the arguments that set the units, and why the answer need not follow
    "control.lqr_and_lqg.ilqr": ("s0 actions", DIFFERENCES),
    "control.lqr_and_lqg.linearize": ("s a", DIFFERENCES),
    "control.lqr_and_lqg.quadratize": ("s a", DIFFERENCES),
    "control.policy_gradient.CartPoleTask": ("actions", "a large force ends the episode"),
    "foundations.gradient_descent.Adagrad": ("gradient", "the method adds a constant to the root"),
    "foundations.gradient_descent.Adam": ("gradient", "the method adds a constant to the root"),
    "foundations.gradient_descent.AdamW": ("gradient", "the method adds a constant to the root"),
    "foundations.gradient_descent.backtracking": ("gradient", "a multiple of the gradient is not the gradient of f"),
    "foundations.gradient_descent.minimize": ("x0", STOP),
    "foundations.gradient_descent.newton": ("x0", STOP),
    "foundations.mathematics.numerical_gradient": ("A", DIFFERENCES),
    "generalization.regularization_and_selection.diagonal_descent": ("y", STOP),
    "supervised.kernel_methods.gram_features": ("K", "eigenvectors of a repeated eigenvalue may turn"),
    "supervised.logistic_regression.gradient_ascent": ("X", STOP),
    "supervised.logistic_regression.newton_ascent": ("X", STOP),
    "supervised.support_vector_machines.choose_pair": ("errors", "ties are decided at a fixed distance, for all machines alike"),
    "unsupervised.em_and_mixtures.m_step": ("responsibilities", "a component without rows gets a fixed small share"),
}


def powers(function, arguments, name, answer):
    """Path -> p, for the parts of ``answer`` that are multiplied by c^p when the argument ``name`` is multiplied by c near 1."""
    others = {}
    for c in NEAR:
        got = run(function, arguments(**{name: arguments()[name] * c}))
        if got.error:
            return {}
        others[c] = got.answer
    return {path: p for path, part in answer.items() if _telling(part) and (p := _power(path, part, others)) is not None}


def _telling(part):
    """Numbers that are not all rounding; a single count or truth value (steps, converged) tells nothing about the scale."""
    if part.dtype.kind in "iub":
        return part.ndim > 0
    return part.dtype.kind == "f" and np.abs(part[np.isfinite(part)]).max(initial=0.0) > NOISE


def _power(path, part, others):
    for p in POWERS if part.dtype.kind == "f" else (0,):
        if all(path in other and not difference({"": part * c**p if p else part}, {"": other[path]}) for c, other in others.items()):
            return p
    return None


def out_of_scale(label, name, found, valid, got, c):
    """The first part that left its power of c, or an empty text; parts beyond the range of numbers are not asked."""
    if name in UNITS.get(label, ("", ""))[0].split():
        return ""
    for path, p in found.items():
        if abs(p * np.log2(c)) > RANGE:
            continue
        expected = valid[path] * c**p if p else valid[path]
        finite = expected[np.isfinite(valid[path]) & (valid[path] != 0)] if p else np.ones(1)
        if not np.isfinite(finite).all() or np.abs(finite).min(initial=1.0) < 1e-290:
            continue
        part = got.get(path)
        if part is None or part.shape != expected.shape:
            return f"{path or 'result'} has shape {None if part is None else part.shape}, near 1 it is {expected.shape}"
        if told := difference({"": valid[path]}, {"": part * c**-p if p else part}, 1e-6):
            return f"{path or 'result'} should follow the power {p} of the factor: {told}"
    return ""
