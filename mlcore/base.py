"""The estimator contract of mlcore: parameters, validation, errors, randomness.

Every model of the book is an :class:`Estimator`: ``__init__`` only stores its hyperparameters, ``fit``
returns ``self`` and leaves what it learned in attributes that end in an underscore.
"""

import inspect
import math
import numbers
import warnings

import numpy as np

LARGEST, SMALLEST = 2.0**505, 2.0**-505  # about 1e152 and 1e-152: sums of squares of what lies between keep their digits


class NotFittedError(ValueError, AttributeError):
    """A model was asked to predict before it was fitted."""


class ConvergenceWarning(UserWarning):
    """An iterative method stopped at its iteration limit before it converged."""


class Estimator:
    """Base of all models: hyperparameters by name, a readable repr, comparison by parameters.

    A subclass declares its hyperparameters as keyword arguments of ``__init__`` and stores each under its
    own name; nothing else happens there.

    >>> class Mean(Estimator):
    ...     def __init__(self, shrink=0.0):
    ...         self.shrink = shrink
    >>> Mean(shrink=0.5)
    Mean(shrink=0.5)
    >>> Mean().set_params(shrink=2).get_params()
    {'shrink': 2}
    """

    @classmethod
    def _parameter_names(cls):
        if cls.__init__ is object.__init__:
            return []
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep=True):
        """Return the hyperparameters as a dictionary; ``deep`` adds those of nested models as ``name__inner``."""
        params = {name: getattr(self, name) for name in self._parameter_names()}
        if deep:
            for name, value in list(params.items()):
                if isinstance(value, Estimator):
                    params.update({f"{name}__{k}": v for k, v in value.get_params().items()})
        return params

    def __setattr__(self, name, value):
        """Store a hyperparameter; a number of numpy's small types becomes Python's own."""
        super().__setattr__(name, value if name.endswith("_") else plain_number(value))

    def set_params(self, **params):
        """Set hyperparameters by name; an unknown name is refused."""
        names = self._parameter_names()
        for key, value in params.items():
            name, _, inner = key.partition("__")
            if name not in names:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(names) or 'none'}.")
            if inner:
                if not isinstance(getattr(self, name), Estimator):
                    raise ValueError(f"{key} cannot be set: {name} is {getattr(self, name)!r}, which is no model with parameters.")
                getattr(self, name).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self):
        """Show the class with the parameters that differ from their defaults."""
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        shown = [f"{n}={v!r}" for n, v in self.get_params(deep=False).items() if not _same(v, defaults[n])]
        return f"{type(self).__name__}({', '.join(shown)})"

    def score(self, X, y):
        """Accuracy of a classifier, coefficient of determination of a regressor (``kind`` says which)."""
        if not hasattr(self, "predict"):
            raise TypeError(f"{type(self).__name__} does not predict, so it has no score; use it before a model that does.")
        from_model = self.predict(X)
        if self.kind != "classifier":
            y = as_array(y, "y")
            check_same_length(from_model, y)
            return r2_score(y, from_model)
        y = label_array(y)
        check_same_length(from_model, y)
        if (from_model.dtype.kind in "US") != (y.dtype.kind in "US"):
            raise ValueError(f"y holds labels of type {y.dtype}, but the model was fitted with labels of type {from_model.dtype}; "
                             "text and numbers are never equal, so convert y.")
        return float(np.mean(from_model == y))

    kind = "regressor"


def _same(a, b):
    """Equality that also works for arrays, frames, and lists of them."""
    if a is b:
        return True
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return type(a) is type(b) and np.array_equal(a, b)
    return a == b


def clone(model):
    """Return an unfitted copy with the same hyperparameters (nested models are cloned too)."""
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise TypeError(f"an estimator is needed here, such as LinearRegression(), got {repr(model)[:60]}.")
    params = model.get_params(deep=False)
    return type(model)(**{k: clone(v) if isinstance(v, Estimator) else v for k, v in params.items()})


def r2_score(y, prediction):
    """Coefficient of determination 1 - |y - prediction|^2 / |y - mean(y)|^2.

    A constant ``y`` has no variance to explain: the score is then 1 for a perfect prediction, else 0.

    >>> r2_score([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    0.5
    """
    y, prediction = check_array(y, name="y", ndim=None), check_array(prediction, name="prediction", ndim=None)
    if y.shape != prediction.shape:
        raise ValueError(f"y has shape {y.shape}, but the prediction has shape {prediction.shape}; they must agree.")
    size = max(np.abs(y).max(), np.abs(prediction).max())
    if size > 0:                            # in units of a power of two no digit changes, and no difference is too large
        y, prediction = np.ldexp(y, -np.frexp(size)[1] - 1), np.ldexp(prediction, -np.frexp(size)[1] - 1)
    residual, total = y - prediction, y - np.where((y == y[:1]).all(axis=0), y[:1], y.mean(axis=0)) if y.ndim else y - y
    largest = max(np.abs(residual).max(), np.abs(total).max())
    if not total.any():
        return 0.0 if residual.any() else 1.0
    return float(1 - ((residual / largest) ** 2).sum() / ((total / largest) ** 2).sum())


def check_fitted(model, attribute):
    """Raise :class:`NotFittedError` unless ``fit`` has set ``attribute``."""
    if not hasattr(model, attribute):
        raise NotFittedError(f"This {type(model).__name__} is not fitted yet; call fit(X, ...) before using it.")


def check_array(X, *, name="X", ndim=2, min_samples=1, n_features=None, dtype=float, squared=True):
    """Return ``X`` as a finite numeric array with ``ndim`` axes, or say what is wrong with it.

    ``n_features`` is the number of columns the model was fitted with; ``ndim=None`` takes any number of axes. The caller's array is
    never written to. A data set, a matrix named X, whose squares overflow, or all vanish, is refused, since its distances would be
    infinite or 0; ``squared=False`` lets it pass, for a file.
    """
    array = as_array(X, name, "a rectangular array of real numbers")
    try:
        # dates and records would become numbers in units that nobody chose; text that reads as a number is a column of the wrong type
        if array.dtype.kind in "cmMVUST" or array.dtype.kind == "O" and any(isinstance(item, (str, bytes)) for item in array.flat):
            raise ValueError("complex numbers, dates, records or text")
        with np.errstate(over="ignore"):   # a wider type's infinity is refused below
            array = array.astype(float, copy=False)
    except (ValueError, TypeError, OverflowError):
        raise ValueError(f"{name} must be a rectangular array of real numbers; got {_describe(X)}.") from None
    ndim = array.ndim if ndim is None else ndim
    if array.ndim != ndim:
        remedy = ""
        if ndim == 2 and array.ndim == 1:
            remedy = f" Use {name}.reshape(-1, 1) for a single feature, {name}.reshape(1, -1) for a single sample."
        wanted = {1: "1-D (n_samples,)", 2: "2-D (n_samples, n_features)"}.get(ndim, f"{ndim}-D")
        raise ValueError(f"{name} must be {wanted}, got shape {array.shape}.{remedy}")
    if ndim and array.shape[0] < min_samples:
        raise ValueError(f"{name} has {array.shape[0]} samples, but at least {min_samples} are needed.")
    if ndim == 2 and array.shape[1] == 0:
        raise ValueError(f"{name} has no features (shape {array.shape}); at least one column is needed.")
    if not np.isfinite(array).all():
        bad = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} contains NaN or infinity (first at index {bad}); remove or impute such values.")
    if ndim == 2 and name == "X" and squared:          # other matrices may hold squares
        check_range(array, name, fitted=n_features is not None)
    if n_features is not None and array.shape[1] != n_features:
        raise ValueError(f"{name} has {array.shape[1]} features, but this model was fitted with {n_features}.")
    if dtype is not float:
        if np.issubdtype(dtype, np.integer) and (wrong := (array != np.round(array)) | (np.abs(array) >= 2.0**63)).any():
            below = " below 2^63" if np.abs(array).max() >= 2.0**63 else ""
            raise ValueError(f"{name} must hold whole numbers{below}, got {array[wrong][0]}.")
        array = array.astype(dtype)
    return array


def check_range(array, name, fitted=False):
    """Refuse numbers whose squares overflow, and, where a model learns, those whose squares are all 0."""
    size = max(array.max(initial=0.0), -array.min(initial=0.0))
    if size > LARGEST or 0 < size < SMALLEST and not fitted:
        raise ValueError(f"{name} holds numbers up to {size:.0e} in size, too {'large' if size > 1 else 'small'} to be squared; divide "
                         f"{name} by a power of 10 so that it lies between 1e-150 and 1e150.")


def as_array(value, name, wanted="a rectangular array"):
    """Return ``value`` as an array of whatever type; refused: a sparse matrix, None, masked entries, lists of unequal length."""
    if hasattr(value, "toarray"):
        raise ValueError(f"{name} is a sparse matrix; pass a dense array, {name}.toarray().")
    if value is None:
        raise ValueError(f"{name} is None; {wanted} is needed.")
    rows = value if isinstance(value, (list, tuple)) else [value]
    if any(isinstance(row, np.ma.MaskedArray) and np.any(row.mask) for row in rows):      # numpy would bring the hidden numbers back
        raise ValueError(f"{name} has masked entries; remove or impute them, for example with {name}.filled(...).")
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} must be {wanted}; its rows have unequal lengths.") from None


def _describe(X):
    """Say briefly what a rejected input is."""
    if isinstance(X, str):
        return f"the text {X[:30]!r}"
    array = np.asarray(as_array(X, "it"), dtype=object)
    if not array.size:
        return f"an empty {type(X).__name__}"
    odd = next((item for item in array.flat if not isinstance(item, numbers.Real)), array.flat[0])
    return f"{type(X).__name__} of shape {array.shape}, for example {repr(odd)[:40]}"


def check_X_y(X, y, *, min_samples=1, n_outputs=1):
    """Validate a regression data set; ``n_outputs=None`` also allows a matrix of targets."""
    X = check_array(X, min_samples=min_samples)
    y = as_array(y, "y")
    y = check_array(y, name="y", ndim=2 if n_outputs is None and y.ndim == 2 else 1)
    check_range(y, "y")
    check_same_length(X, y)
    return X, y


def check_same_length(X, y):
    """Raise unless X and y have the same number of rows."""
    if as_array(y, "y").ndim == 0:
        raise ValueError(f"y must be an array with one value for each of the {len(X)} rows of X, got the single value {y!r}.")
    if len(X) != len(y):
        raise ValueError(f"X has {len(X)} rows, but y has {len(y)} values; they must agree.")


def check_labels(y, X=None, *, min_classes=2):
    """Return the sorted classes and the index of each label; labels may be numbers or text."""
    y = label_array(y)
    if X is not None:
        check_same_length(X, y)
    if y.dtype.kind == "f" and (y != np.round(y)).any():
        raise ValueError("y holds fractional numbers; a classifier needs class labels (use a regressor for real targets).")
    classes, index = np.unique(y, return_inverse=True)
    if len(classes) < min_classes:
        raise ValueError(f"y has {len(classes)} class ({', '.join(map(str, classes))}), but at least {min_classes} are needed.")
    return classes, index


def label_array(y, name="y"):
    """Return labels as a 1-D array of numbers, truth values or text; missing and mixed labels are refused."""
    given, y = y, as_array(y, name)
    if y.ndim != 1:
        raise ValueError(f"{name} must be 1-D (n_samples,), got shape {y.shape}.")
    if y.dtype.kind == "O" and len(y) and all(isinstance(label, str) for label in y):
        y = y.astype(str)
    elif y.dtype.kind == "O" and len(y) and all(isinstance(label, (numbers.Integral, float)) for label in y):
        y = np.array(y.tolist())
    mixed = y.dtype.kind in "US" and isinstance(given, (list, tuple)) and not all(isinstance(label, (str, bytes)) for label in given)
    if y.dtype.kind not in "biufUS" or mixed:                # numpy would turn the numbers of a mixed list into text
        raise ValueError(f"{name} must hold labels that are all numbers or all text, got {_describe(y)}.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError(f"{name} contains NaN or infinity; every sample needs a class label.")
    return y


def check_signs(y, X=None, name="y"):
    """Labels as an array of -1.0 and +1.0, one per row of X; formulas for signs would take any other code and give nonsense.

    >>> check_signs([1, -1])
    array([ 1., -1.])
    """
    y = as_array(y, name)
    if y.ndim != 1 or y.dtype.kind not in "iuf" or not np.isin(y, (-1, 1)).all():
        shown = f"{np.unique(y)[:5]}" if y.ndim == 1 and y.dtype.kind in "biufUS" else f"shape {y.shape} of type {y.dtype}"
        raise ValueError(f"{name} must hold the labels -1 and +1 in one row, got {shown}; turn labels 0, 1 into 2 * y - 1.")
    if X is not None:
        check_same_length(X, y)
    return y.astype(float)


def check_number(value, name, *, low=None, high=None, open_low=False, open_high=False, integer=False):
    """Return ``value`` if it is a real number (an integer if asked) in the interval, else say what is wanted."""
    kind = numbers.Integral if integer else numbers.Real
    inside = isinstance(value, kind) and not isinstance(value, (bool, np.bool_))
    inside = inside and (-2**1023 < value < 2**1023 if isinstance(value, numbers.Integral) else math.isfinite(value))
    if inside and low is not None:
        inside = value > low if open_low else value >= low
    if inside and high is not None:
        inside = value < high if open_high else value <= high
    if not inside:
        lower = "" if low is None else f" {'>' if open_low else '>='} {low}"
        upper = "" if high is None else f"{' and' if lower else ''} {'<' if open_high else '<='} {high}"
        raise ValueError(f"{name} must be {'an integer' if integer else 'a number'}{lower}{upper}, got {repr(value)[:60]}.")
    return plain_number(value)


def plain_number(value):
    """A number of numpy's small types as Python's own: in theirs a count of 200 overflows, and a rate keeps 3 digits."""
    if isinstance(value, np.integer):
        return int(value)
    return float(value) if isinstance(value, np.floating) and not isinstance(value, float) else value


def check_option(value, name, options):
    """Return ``value`` if it is one of ``options``, else list them."""
    value = plain_number(value)
    if not isinstance(value, (str, int, float, tuple, type(None))) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, options))}; got {value!r}.")
    return value


def check_flag(value, name):
    """Return ``value`` if it is True or False; a text such as "no" would count as True."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {repr(value)[:60]}.")
    return value


def check_flags(model):
    """Check the hyperparameters of a model whose default is True or False."""
    for name, parameter in inspect.signature(type(model).__init__).parameters.items():
        if isinstance(parameter.default, bool):
            check_flag(getattr(model, name), name)


def check_items(value, name, count):
    """Return ``value`` if it is a list, tuple or array with ``count`` entries."""
    if not isinstance(value, (list, tuple)) and not (isinstance(value, np.ndarray) and value.ndim) or len(value) != count:
        raise ValueError(f"{name} must be a list or tuple of {count} entries, got {repr(value)[:60]}.")
    return value


def check_callable(value, name):
    """Return ``value`` if it can be called, else say that a function is wanted."""
    if not callable(value):
        raise TypeError(f"{name} must be a function, got {value!r}.")
    return value


def check_rng(random_state):
    """Turn None, an integer or a ``numpy.random.Generator`` into a generator; the global one is never used.

    >>> check_rng(0).integers(10) == check_rng(0).integers(10)
    np.True_
    """
    if random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool) and random_state >= 0:
        return np.random.default_rng(random_state)
    raise ValueError(f"random_state must be None, an integer >= 0 or a numpy.random.Generator, got {random_state!r}.")


def warn_not_converged(model, advice):
    """Warn that ``model`` used up ``max_iter``; ``advice`` says what to try."""
    warnings.warn(f"{type(model).__name__} did not converge in max_iter={model.max_iter} iterations; {advice}",
                  ConvergenceWarning, stacklevel=3)
