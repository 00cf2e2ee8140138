"""The bias-variance playground: draw a truth, choose a polynomial, watch fits vary and the exact error split."""
import math

import numpy as np
import traitlets

from mlcore.base import check_array, check_number, check_option
from mlcore.generalization import bias_variance as bv
from mlcore.widgets.assets import esm
from mlcore.widgets.figure import Figure

N_SETS = 40
SIZES = [16, 20, 30, 50, 100, 200]
SIGMAS = [round(0.05 * i, 2) for i in range(21)]
RIDGES = [0.0, *(float(f"{10**(k / 2):.3g}") for k in range(-8, 7))]       # 0, then half decades from 0.0001 to 1000
AXES = ("degree", "n", "ridge")
LIMITS = {"degree": (0, bv.MAX_DEGREE), "n": (bv.MAX_DEGREE + 1, 400), "sigma": (0, 2), "ridge": (0, 1e6), "seed": (0, 2**31 - 1)}
GRID = np.linspace(-1, 1, 101)
ALT = ("Left: a true curve with nine draggable points, one training set, the polynomial fits to forty training sets and their average. "
       "Right: noise, squared bias, variance and their sum against the complexity of the model, with a marker at the current one. "
       "Controls choose the truth, the degree, the sample size, the noise and the ridge penalty.")


def standard_normals(seed, count):
    """`count` standard normal numbers by mulberry32 and Box-Muller, bit for bit the stream of numerics.js."""
    state, out = seed & 0xFFFFFFFF, []

    def uniform():
        nonlocal state
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = (state ^ (state >> 15)) * (state | 1) & 0xFFFFFFFF
        t ^= t + ((t ^ (t >> 7)) * (t | 61) & 0xFFFFFFFF) & 0xFFFFFFFF
        return (t ^ (t >> 14)) / 4294967296

    while len(out) < count:
        radius, angle = math.sqrt(-2 * math.log(1 - uniform())), 2 * math.pi * uniform()
        out += [radius * math.cos(angle), radius * math.sin(angle)]
    return np.array(out[:count])


class BiasVariancePlayground(Figure):
    """Polynomial fits to many training sets of one truth, and the exact noise, bias^2 and variance.

    The inputs are n equally spaced points of [-1, 1]; the learner is the penalized polynomial of eq-bv-ridge. Every
    trait is synced: read it after moving a control, or set it and the figure follows.

    Parameters
    ----------
    truth : "sine", "step", "bump", "cubic" or "custom";  knots : 9 values of a custom curve at equally spaced inputs
    degree : 0 to 15;  n : 16 to 400;  sigma : noise, 0 to 2;  ridge : penalty >= 0
    seed : of the highlighted training set; the others have the 39 seeds before it
    against : what the error curves are drawn against, "degree", "n" or "ridge"

    >>> figure = BiasVariancePlayground(truth="cubic", degree=3, n=20, sigma=0.0)
    >>> round(figure.decomposition().mean().total, 12)
    0.0
    >>> figure.points.shape
    (20, 2)
    """

    kind = "bias_variance"
    page_state = ("spec", "truth", "knots", "degree", "n", "sigma", "ridge", "seed", "against")
    _esm = esm("handles", "numerics", "bias_variance")
    truth = traitlets.Unicode().tag(sync=True)
    knots = traitlets.List(traitlets.Float()).tag(sync=True)
    degree = traitlets.Int().tag(sync=True)
    n = traitlets.Int().tag(sync=True)
    sigma = traitlets.Float().tag(sync=True)
    ridge = traitlets.Float().tag(sync=True)
    seed = traitlets.Int().tag(sync=True)
    against = traitlets.Unicode().tag(sync=True)

    def __init__(self, truth="sine", *, degree=12, n=20, sigma=0.4, ridge=0.0, seed=N_SETS, against="degree", knots=None, **kwargs):
        check_option(truth, "truth", [*bv.TRUTHS, "custom"])
        if knots is None:
            knots = bv.TRUTHS["sine" if truth == "custom" else truth](np.linspace(-1, 1, bv.N_KNOTS))
        spec = {"v": 1, "title": "Bias-variance playground", "alt": ALT, "sets": N_SETS, "max_degree": bv.MAX_DEGREE,
                "sizes": SIZES, "sigmas": SIGMAS, "ridges": RIDGES, "truths": [*bv.TRUTHS, "custom"]}
        super().__init__(spec=spec, truth=truth, knots=np.asarray(knots, float).tolist(), degree=degree, n=n, sigma=sigma, ridge=ridge,
                         seed=seed, against=against, **kwargs)

    @traitlets.validate("truth", "against", "degree", "n", "sigma", "ridge", "seed", "knots")
    def _check(self, proposal):
        name, value = proposal["trait"].name, proposal["value"]
        if name in ("truth", "against"):
            return check_option(value, name, AXES if name == "against" else [*bv.TRUTHS, "custom"])
        if name == "knots":
            values = check_array(value, name="knots", ndim=1)
            if len(values) != bv.N_KNOTS:
                raise ValueError(f"knots must hold {bv.N_KNOTS} values, got {len(values)}.")
            return [round(float(v), 6) + 0.0 for v in values]            # + 0.0: no "-0.0" in the stored state
        return check_number(value, name, low=LIMITS[name][0], high=LIMITS[name][1], integer=name in ("degree", "n", "seed"))

    @property
    def curve(self):
        """The true function, as chosen or drawn."""
        return bv.true_curve(self.truth, self.knots)

    @property
    def points(self):
        """The highlighted training set, (n, 2)."""
        return self.training_set(self.seed)

    def training_set(self, seed):
        """Inputs and noisy targets for a seed, (n, 2)."""
        x = np.linspace(-1, 1, self.n)
        return np.column_stack([x, self.curve(x) + self.sigma * standard_normals(seed, self.n)])

    def fit(self, x, seed=None):
        """The polynomial fitted to the highlighted training set (or to that of ``seed``) at inputs ``x``."""
        inputs, targets = self.training_set(self.seed if seed is None else seed).T
        return bv.polynomial_smoother(inputs, x, self.degree, self.ridge) @ targets

    def decomposition(self):
        """Exact noise, bias^2, variance and total at 101 inputs for the current setting."""
        return bv.polynomial_decomposition(self.curve, self.n, self.degree, self.sigma, self.ridge, GRID)
