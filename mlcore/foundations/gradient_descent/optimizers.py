"""Update rules from gradients alone: SGD with momentum, Adagrad, RMSProp, Adadelta, Adam, AdamW.

Every rule follows torch.optim up to rounding, hyperparameter for hyperparameter, and has the same defaults.
"""

import abc
import inspect

import numpy as np

from mlcore.base import check_number
from mlcore.takes import real_numbers


class Optimizer(abc.ABC):
    """Base of the update rules: each :meth:`step` subtracts a move from every parameter array, in place.

    In place, because the layers of a network hold the same arrays and must see them change. The state (velocities,
    averages) belongs to the position of an array in the list, so every call passes the same arrays in the same order.

    A rule is a subclass that names the arrays it remembers in ``slots`` and defines ``_move(g, state, lr)``.

    Parameters
    ----------
    lr : learning rate, a number > 0 or a schedule: a function of the number of steps already made (eq-gd-schedule)
    weight_decay : adds weight_decay * w to the gradient, the gradient of weight_decay/2 |w|^2

    Attributes
    ----------
    t : steps made since the last :meth:`reset`
    states : what is remembered of each parameter, a list of dicts of arrays; None before the first step
    """

    slots = ()

    def __init__(self, lr, weight_decay=0.0):
        if not callable(lr):
            lr = check_number(lr, "lr", low=0, open_low=True)
        self.lr = lr
        self.weight_decay = check_number(weight_decay, "weight_decay", low=0)
        self.reset()

    def reset(self):
        """Forget all steps made: the next one is the first."""
        self.t, self.states = 0, None
        return self

    def rate(self):
        """Learning rate of the next step."""
        return check_number(self.lr(self.t), "the schedule's learning rate", low=0) if callable(self.lr) else self.lr

    def step(self, params, grads):
        """Move every array of ``params`` against its gradient, in place; returns the optimizer.

        Parameters
        ----------
        params : list of writable float arrays
        grads : list of arrays of the same shapes; they are not changed
        """
        params, grads = list(params), list(grads)
        self._check(params, grads)
        lr = self.rate()
        self.t += 1
        for p, g, state in zip(params, grads, self.states):
            g = np.asarray(g)
            p -= self._move(self._decayed(p, g.astype(np.result_type(g, p), copy=False), lr), state, lr)  # squares of bytes overflow
        return self

    def _decayed(self, p, g, lr):
        """Gradient with the weight decay in it."""
        return g + self.weight_decay * p if self.weight_decay else g

    @abc.abstractmethod
    def _move(self, g, state, lr):
        """What to subtract from the parameter; updates ``state``, a dict of arrays shaped like ``g``."""

    def _check(self, params, grads):
        if len(params) != len(grads):
            raise ValueError(f"there are {len(params)} parameter arrays, but {len(grads)} gradients; they must correspond.")
        for i, (p, g) in enumerate(zip(params, grads)):
            if not (isinstance(p, np.ndarray) and p.dtype.kind == "f" and p.flags.writeable):
                raise ValueError(f"parameter {i} must be a writable array of floats, since step changes it in place; got {_describe(p)}.")
            if real_numbers(g, f"gradient {i}").shape != p.shape:
                raise ValueError(f"gradient {i} has shape {np.shape(g)}, but its parameter has shape {p.shape}; they must agree.")
        if self.states is None:
            self.states = [{name: np.zeros_like(p) for name in self.slots} for p in params]
            self._shapes = [p.shape for p in params]
        elif self._shapes != [p.shape for p in params]:
            raise ValueError(f"the parameters have shapes {[p.shape for p in params]}, but the optimizer's state is for "
                             f"{self._shapes}; pass the same arrays at every step, or call reset().")

    def __repr__(self):
        """Show the rule with the hyperparameters that differ from their defaults."""
        parameters = inspect.signature(type(self).__init__).parameters
        values = {n: getattr(self, n) for n in parameters if n != "self"}
        shown = [f"{n}={'schedule' if callable(v) else repr(v)}" for n, v in values.items() if v != parameters[n].default]
        return f"{type(self).__name__}({', '.join(shown)})"


def _describe(p):
    if not isinstance(p, np.ndarray):
        return f"a {type(p).__name__}"
    return f"an array of {p.dtype}" if p.dtype.kind != "f" else "a read-only array"


def _square(g, share=1.0):
    """share g^2, or an error: by a square that is infinite every later move would be divided, and the parameters would stand still."""
    try:
        with np.errstate(over="raise"):
            return share * g * g
    except FloatingPointError:
        raise ValueError(f"the gradient holds numbers up to {np.abs(g).max():.0e}, too large to be squared; standardize the features, or "
                         "divide the loss by a power of 10.") from None


class SGD(Optimizer):
    """Gradient descent w - lr g, stochastic when g is; with heavy-ball or Nesterov momentum.

    ``v <- momentum v + g`` and ``w <- w - lr v`` (eq-gd-momentum); with ``nesterov`` ``w <- w - lr (g + momentum v)``
    (eq-gd-nesterov-torch).

    >>> w = np.array([1.0, 2.0])
    >>> rule = SGD(lr=0.5, momentum=0.9)
    >>> for _ in range(2):
    ...     _ = rule.step([w], [w.copy()])
    >>> w
    array([-0.2, -0.4])
    """

    def __init__(self, lr=1e-3, momentum=0.0, nesterov=False, weight_decay=0.0):
        self.momentum = check_number(momentum, "momentum", low=0, high=1, open_high=True)
        self.nesterov = bool(nesterov)
        if self.nesterov and not self.momentum:
            raise ValueError("nesterov=True needs a momentum > 0; without one there is nothing to look ahead along.")
        super().__init__(lr, weight_decay)

    @property
    def slots(self):
        """The velocity, if there is momentum."""
        return ("v",) if self.momentum else ()

    def _move(self, g, state, lr):
        if not self.momentum:
            return lr * g
        v = state["v"]
        v *= self.momentum
        v += g
        return lr * (g + self.momentum * v) if self.nesterov else lr * v


class Adagrad(Optimizer):
    """Divide each coordinate by the root of its summed squares: r <- r + g^2, w <- w - lr g / (sqrt r + eps) (eq-gd-adagrad).

    >>> w = np.array([1.0, 2.0])
    >>> _ = Adagrad(lr=0.5).step([w], [np.array([3.0, -100.0])])    # the first step has size lr in every coordinate
    >>> w.round(6)
    array([0.5, 2.5])
    """

    slots = ("r",)

    def __init__(self, lr=1e-2, eps=1e-10, weight_decay=0.0):
        self.eps = check_number(eps, "eps", low=0, open_low=True)
        super().__init__(lr, weight_decay)

    def _move(self, g, state, lr):
        r = state["r"]
        r += _square(g)
        return lr * g / (np.sqrt(r) + self.eps)


class RMSProp(Optimizer):
    """Adagrad that forgets: r <- rho r + (1 - rho) g^2, w <- w - lr g / (sqrt r + eps) (eq-gd-rmsprop).

    >>> w = np.array([1.0, 2.0])
    >>> _ = RMSProp(lr=0.1, rho=0.75).step([w], [np.array([3.0, -100.0])])
    >>> w.round(6)
    array([0.8, 2.2])
    """

    slots = ("r",)

    def __init__(self, lr=1e-2, rho=0.99, eps=1e-8, weight_decay=0.0):
        self.rho = check_number(rho, "rho", low=0, high=1, open_high=True)
        self.eps = check_number(eps, "eps", low=0, open_low=True)
        super().__init__(lr, weight_decay)

    def _move(self, g, state, lr):
        r = state["r"]
        r *= self.rho
        r += _square(g, 1 - self.rho)
        return lr * g / (np.sqrt(r) + self.eps)


class Adadelta(Optimizer):
    """RMSProp whose rate is the root mean square of its own recent moves (eq-gd-adadelta).

    >>> w = np.array([1.0])
    >>> _ = Adadelta(rho=0.75, eps=1e-4).step([w], [np.array([2.0])])
    >>> w.round(4)
    array([0.98])
    """

    slots = ("r", "u")

    def __init__(self, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0.0):
        self.rho = check_number(rho, "rho", low=0, high=1, open_high=True)
        self.eps = check_number(eps, "eps", low=0, open_low=True)
        super().__init__(lr, weight_decay)

    def _move(self, g, state, lr):
        r, u = state["r"], state["u"]
        r *= self.rho
        r += _square(g, 1 - self.rho)
        move = np.sqrt(u + self.eps) / np.sqrt(r + self.eps) * g
        u *= self.rho
        u += (1 - self.rho) * move * move
        return lr * move


class Adam(Optimizer):
    """Averages of the gradient and of its square, both corrected for their start at zero (eq-gd-adam).

    Parameters
    ----------
    betas : decay of the average of g, and of that of g^2
    eps : added to the root
    amsgrad : divide by the largest second moment seen so far, so that, bias correction aside, no coordinate's rate rises

    >>> w = np.array([1.0, 2.0])
    >>> _ = Adam(lr=0.1).step([w], [np.array([3.0, -100.0])])       # the first step has size lr in every coordinate
    >>> w.round(6)
    array([0.9, 2.1])
    """

    def __init__(self, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, amsgrad=False):
        if np.shape(betas) != (2,):
            raise ValueError(f"betas must be two numbers, for the average of g and for that of g^2, got {betas!r}.")
        self.betas = tuple(check_number(b, f"betas[{i}]", low=0, high=1, open_high=True) for i, b in enumerate(betas))
        self.eps = check_number(eps, "eps", low=0, open_low=True)
        self.amsgrad = bool(amsgrad)
        super().__init__(lr, weight_decay)

    @property
    def slots(self):
        """First and second moment, and with ``amsgrad`` the largest second moment."""
        return ("m", "v", "largest") if self.amsgrad else ("m", "v")

    def _move(self, g, state, lr):
        (b1, b2), m, v = self.betas, state["m"], state["v"]
        m *= b1
        m += (1 - b1) * g
        v *= b2
        v += _square(g, 1 - b2)
        if self.amsgrad:
            v = np.maximum(state["largest"], v, out=state["largest"])
        root = np.sqrt(v)
        root /= np.sqrt(1 - b2**self.t)
        root += self.eps
        return lr / (1 - b1**self.t) * m / root


class AdamW(Adam):
    """Adam whose weight decay shrinks the weights themselves, w <- (1 - lr weight_decay) w, instead of joining g (eq-gd-adamw).

    >>> w = np.array([1.0, 2.0])
    >>> _ = AdamW(lr=0.1, weight_decay=0.5).step([w], [np.zeros(2)])
    >>> w
    array([0.95, 1.9 ])
    """

    def __init__(self, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False):
        super().__init__(lr, betas, eps, weight_decay, amsgrad)

    def _decayed(self, p, g, lr):
        p *= 1 - lr * self.weight_decay
        return g
