"""Learning inside the prompt: regression prompts, a transformer trained on them, ridge and gradient descent to compare with."""

import copy

import numpy as np

from mlcore.base import check_array, check_number, check_rng
from mlcore.deep.backpropagation import Tensor, no_grad
from mlcore.deep.neural_networks import LayerNorm, Linear, Module, training_step
from mlcore.foundations.gradient_descent import Optimizer
from mlcore.takes import takes
from mlcore.unsupervised.self_supervised_learning.transformer import Block


def regression_prompts(n_prompts, length, d=2, noise=0.1, rng=None):
    """Prompts x (b, n, d), y (b, n) with y = w . x + noise, each with a w ~ N(0, I) of its own (eq-ssl-prompt).

    >>> x, y = regression_prompts(4, 7, d=2, rng=0)
    >>> x.shape, y.shape
    ((4, 7, 2), (4, 7))
    """
    for value, name in ((n_prompts, "n_prompts"), (length, "length"), (d, "d")):
        check_number(value, name, low=1, integer=True)
    check_number(noise, "noise", low=0)
    rng = check_rng(rng)
    w = rng.normal(size=(n_prompts, d, 1))
    x = rng.normal(size=(n_prompts, length, d))
    return x, (x @ w)[..., 0] + noise * rng.normal(size=(n_prompts, length))


class InContextLearner(Module):
    """A transformer that reads question, answered question, question, ... and predicts every answer from what came before.

    Example i becomes two tokens, (x_i, 0, 1) without and (x_i, y_i, 0) with its answer (eq-ssl-tokens); the prediction of
    y_i is read off at the first, which by the causal mask sees the examples 1..i-1 only.

    Parameters
    ----------
    d : number of inputs;  width, heads, blocks : as in TinyTransformer

    >>> x, y = regression_prompts(4, 7, d=2, rng=0)
    >>> InContextLearner(2, rng=0)(x, y).shape
    (4, 7)
    """

    def __init__(self, d=2, width=16, heads=2, blocks=2, rng=None):
        self.d = check_number(d, "d", low=1, integer=True)
        check_number(blocks, "blocks", low=1, integer=True)
        rng = check_rng(rng)
        self.embed = Linear(d + 2, width, scheme="glorot", rng=rng)
        self.blocks = [Block(width, heads, rng) for _ in range(blocks)]
        self.norm, self.head = LayerNorm(width), Linear(width, 1, scheme="glorot", rng=rng)

    def __call__(self, x, y):
        """As `forward`: the input is not one tensor but two arrays."""
        return self.forward(x, y)

    def forward(self, x, y):
        """Predictions (b, n) of all answers, as a tensor; entry i uses the answers y_1..y_(i-1)."""
        x, y = _check_prompts(x, y)
        b, n, d = x.shape
        if d != self.d:
            raise ValueError(f"the prompts have {d} inputs, but this model was made for {self.d}.")
        tokens = np.zeros((b, n, 2, d + 2))
        tokens[..., :d] = x[:, :, None]
        tokens[:, :, 1, d] = y
        tokens[:, :, 0, d + 1] = 1.0
        z = self.embed(Tensor(tokens.reshape(b, 2 * n, d + 2)))
        for block in self.blocks:
            z = block(z)
        return self.head(self.norm(z)[:, ::2])[..., 0]

    def predict(self, x, y):
        """The predictions as an array."""
        with no_grad():
            return self(x, y).data


@takes(model=Module, optimizer=Optimizer)
def train_in_context(model, optimizer, *, steps=500, batch_size=24, length=10, noise=0.1, rng=None, watch=None):
    """Train on fresh random prompts, in place, the rate falling linearly to a tenth; returns the squared error of each step."""
    check_number(steps, "steps", low=1, integer=True)
    rng, rule, params = check_rng(rng), copy.copy(optimizer).reset(), model.parameters()
    first_rate, history = rule.lr, np.empty(steps)
    for step in range(steps):
        if watch is not None:
            watch(step, model)
        rule.lr = first_rate * (1 - 0.9 * step / steps)
        x, y = regression_prompts(batch_size, length, model.d, noise, rng)
        error = model(x, y) - y
        history[step] = training_step(params, (error * error).mean(), rule)
    return history


def ridge_in_context(x, y, alpha):
    """Predictions (b, n) by ridge regression on the examples before each one; Bayes for alpha = noise^2 (eq-ssl-bayes).

    >>> x, y = regression_prompts(4, 7, d=2, noise=0.0, rng=0)
    >>> bool(np.allclose(ridge_in_context(x, y, 1e-9)[:, 3:], y[:, 3:], atol=1e-4))
    True
    """
    check_number(alpha, "alpha", low=0, open_low=True)
    x, y = _check_prompts(x, y)
    b, n, d = x.shape
    answers = np.zeros((b, n))
    for i in range(1, n):
        seen = x[:, :i].swapaxes(1, 2)  # (b, d, i)
        try:
            w = np.linalg.solve(seen @ x[:, :i] + alpha * np.eye(d), seen @ y[:, :i, None])
        except np.linalg.LinAlgError:
            raise ValueError(f"alpha={alpha} is lost beside the squares of x; raise alpha or scale the inputs.") from None
        answers[:, i] = (x[:, i:i + 1] @ w)[:, 0, 0]
    return answers


@takes(tokens="n m", P="m m", A="m m")
def linear_attention(tokens, P, A):
    """e_j + P (1/n) sum_i e_i (e_i' A e_j) for tokens (n + 1, m), the sum over all but the last (eq-ssl-linear-attention)."""
    tokens = check_array(tokens, name="tokens", min_samples=2)
    examples = tokens[:-1]
    scores = tokens @ A.T @ examples.T / len(examples)  # (n + 1, n), entry (j, i) = e_i' A e_j / n
    return tokens + scores @ examples @ P.T


@takes(d="integer >= 1", rate="number")
def descent_matrices(d, rate):
    """P and A that make :func:`linear_attention` one step of gradient descent on tokens (x, y) (thm-ssl-descent)."""
    P, A = np.zeros((d + 1, d + 1)), np.zeros((d + 1, d + 1))
    P[d, d] = -rate
    A[:d, :d] = np.eye(d)
    return P, A


def check_counts(value, name):
    """A whole number >= 0, or an array of them, as it was given."""
    counts = check_array(value, name=name, ndim=None, dtype=int)
    if (counts < 0).any():
        raise ValueError(f"{name} must not be negative, got {counts.min()}.")
    return value if isinstance(value, int) else counts


@takes(n_examples=check_counts, d="integer >= 1", noise="number >= 0")
def best_rate(n_examples, d, noise=0.1):
    """The rate n / (n + d + 1 + noise^2) of the best single step on prompts of n examples (thm-ssl-rate).

    >>> round(best_rate(10, 2, noise=0.0), 4)
    0.7692
    """
    return n_examples / (n_examples + d + 1 + noise**2)


def _check_prompts(x, y):
    x = check_array(x, name="x", ndim=3)
    y = check_array(y, name="y")
    if y.shape != x.shape[:2]:
        raise ValueError(f"y must hold one answer per example, shape {x.shape[:2]}, got {y.shape}.")
    return x, y
