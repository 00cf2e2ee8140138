"""Block matrices, the Woodbury identity, eigenvectors in order, Cholesky factors with a clear refusal."""

import numpy as np
from scipy.linalg import cho_solve

from mlcore.base import as_array, check_array, check_number, check_option, check_range

BLOCK = 128  # rows of a matrix looked at together


def plane_distance(X, w, b):
    """Distance |w.x + b| / |w| of each row of X from the plane w.x + b = 0 (eq-ma-plane).

    >>> plane_distance([[3.0, 4.0]], [3.0, 4.0], 0.0)
    array([5.])
    """
    w = check_array(w, name="w", ndim=1)
    X = check_array(X)
    check_number(b, "b")
    if X.shape[1] != len(w):
        raise ValueError(f"X has {X.shape[1]} columns, but w has {len(w)} entries; they must agree.")
    check_range(w, "w")
    length = np.linalg.norm(w)
    if length == 0:
        raise ValueError("w is zero; a plane needs a normal vector that is not.")
    return np.abs(X @ w + b) / length


def schur_complement(A, B, C, D):
    """Schur complement D - C A^{-1} B of the block A in [[A, B], [C, D]] (eq-ma-schur).

    >>> schur_complement([[4.0]], [[1.0, 2.0]], [[1.0], [2.0]], [[3.0, 0.0], [0.0, 5.0]])
    array([[ 2.75, -0.5 ],
           [-0.5 ,  4.  ]])
    """
    A, B, C, D = _blocks(A, B, C, D)
    return D - C @ _solve(A, B, "A")


def block_determinant(A, B, C, D):
    """Determinant of [[A, B], [C, D]] as det(A) det(D - C A^{-1} B); A must be invertible (eq-ma-block-det).

    >>> round(block_determinant([[4.0]], [[1.0, 2.0]], [[1.0], [2.0]], [[3.0, 0.0], [0.0, 5.0]]), 10)
    43.0
    """
    return float(np.linalg.det(_square(A, "A")) * np.linalg.det(schur_complement(A, B, C, D)))


def block_inverse(A, B, C, D, pivot="A"):
    """Inverse of [[A, B], [C, D]] by the Schur complement of A (eq-ma-block-inverse) or of D (eq-ma-block-inverse-d).

    The pivot block and its Schur complement must be invertible.

    >>> (43 * block_inverse([[4.0]], [[1.0, 2.0]], [[1.0], [2.0]], [[3.0, 0.0], [0.0, 5.0]])).round(10)
    array([[15., -5., -6.],
           [-5., 16.,  2.],
           [-6.,  2., 11.]])
    """
    check_option(pivot, "pivot", ("A", "D"))
    A, B, C, D = _blocks(A, B, C, D)
    if pivot == "D":  # swap the two groups of rows and columns, invert, swap back
        swapped, m = _eliminate(D, C, B, A, "D"), len(D)
        return np.block([[swapped[m:, m:], swapped[m:, :m]], [swapped[:m, m:], swapped[:m, :m]]])
    return _eliminate(A, B, C, D, "A")


def woodbury_solve(A, U, C, V, rhs):
    """Solve (A + U C V) x = rhs by solves with A and with a k x k matrix only (eq-ma-woodbury).

    Parameters
    ----------
    A : (n, n) invertible matrix, or (n,) its diagonal, which makes the cost linear in n
    U, C, V : (n, k), (k, k), (k, n); C may be singular
    rhs : (n,) or (n, m)

    >>> woodbury_solve([1.0, 1.0], [[1.0], [1.0]], [[1.0]], [[1.0, 1.0]], [3.0, 0.0])
    array([ 2., -1.])
    """
    A, U, C, V = _low_rank(A, U, C, V)
    rhs = as_array(rhs, "rhs")
    rhs = check_array(rhs, name="rhs", ndim=2 if rhs.ndim == 2 else 1)
    if len(rhs) != len(A):
        raise ValueError(f"rhs has {len(rhs)} rows, but A has {len(A)}; they must agree.")
    solved = _solve(A, np.column_stack([U, rhs]), "A")  # one factorization of A serves both
    AU, Ab = solved[:, :len(C)], solved[:, len(C):]
    x = Ab - AU @ _solve(np.eye(len(C)) + C @ (V @ AU), C @ (V @ Ab), "I + C V A^{-1} U")
    return x[:, 0] if rhs.ndim == 1 else x


def woodbury_logdet(A, U, C, V):
    """Log of |det(A + U C V)| = |det A| |det(I + C V A^{-1} U)|, with arguments as in ``woodbury_solve`` (eq-ma-det-lemma).

    >>> float(np.exp(woodbury_logdet([1.0, 1.0], [[1.0], [1.0]], [[1.0]], [[1.0, 1.0]])).round(10))
    3.0
    """
    A, U, C, V = _low_rank(A, U, C, V)
    small = np.eye(len(C)) + C @ (V @ _solve(A, U, "A"))
    large = np.log(np.abs(A)).sum() if A.ndim == 1 else np.linalg.slogdet(A)[1]
    return float(large + np.linalg.slogdet(small)[1])


def sorted_eigh(S):
    """Eigenvalues of a symmetric matrix, largest first, and its eigenvectors as columns (eq-ma-spectral).

    The sign of an eigenvector is free; here its entry of largest size is positive, so that results repeat.

    >>> values, vectors = sorted_eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> values.round(10)
    array([3., 1.])
    """
    values, vectors = np.linalg.eigh(check_symmetric(S, "S"))
    values, vectors = values[::-1], vectors[:, ::-1]
    largest = np.abs(vectors).round(10).argmax(axis=0)  # rounded: a tie must not be decided by the last bit
    return values, vectors * np.where(vectors[largest, np.arange(len(values))] < 0, -1.0, 1.0)


def cholesky_factor(Sigma, name="Sigma"):
    """Lower triangular L with L L^T = Sigma; a matrix that is not symmetric positive definite is refused.

    >>> cholesky_factor([[4.0, 2.0], [2.0, 5.0]])
    array([[2., 0.],
           [1., 2.]])
    """
    Sigma = check_symmetric(Sigma, name)
    try:
        return np.linalg.cholesky(Sigma)
    except np.linalg.LinAlgError:
        eigenvalues = np.linalg.eigvalsh(Sigma)
        smallest = eigenvalues[0] if abs(eigenvalues[0]) > 1e-12 * abs(eigenvalues).max() else 0.0  # rounding noise is 0
        raise ValueError(f"{name} must be positive definite, but its smallest eigenvalue is {smallest:.3g}; drop features that "
                         "are combinations of others, or add a small multiple of the identity.") from None


def check_symmetric(S, name):
    """``S`` as a square symmetric array (up to rounding), or an error that says where it is not."""
    S = _square(S, name)
    # In blocks: the whole of S.T would be read across the order of memory.
    gap = max(np.abs(S[i:i + BLOCK, i:] - S[i:, i:i + BLOCK].T).max() for i in range(0, len(S), BLOCK))
    if gap and gap > 1e-8 * max(S.max(), -S.min()):
        i, j = np.unravel_index(np.abs(S - S.T).argmax(), S.shape)
        raise ValueError(f"{name} must be symmetric, but its entries [{i}, {j}] and [{j}, {i}] are {S[i, j]:.6g} and {S[j, i]:.6g}.")
    return (S + S.T) / 2 if gap else S.copy()


def solve_positive(S, rhs, name="Sigma"):
    """Solve S x = rhs for a symmetric positive definite S by its Cholesky factor."""
    return cho_solve((cholesky_factor(S, name), True), rhs, check_finite=False)


def _eliminate(A, B, C, D, pivot):
    """Block inverse by elimination of the first block, which the caller knows as ``pivot``."""
    A_inv = _solve(A, np.eye(len(A)), pivot)
    Y_inv = _solve(D - C @ A_inv @ B, np.eye(len(D)), f"the Schur complement of {pivot}")
    right = -A_inv @ B @ Y_inv
    return np.block([[A_inv - right @ C @ A_inv, right], [-Y_inv @ C @ A_inv, Y_inv]])


def _square(A, name):
    A = check_array(A, name=name)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"{name} must be square, got shape {A.shape}.")
    return A


def _blocks(A, B, C, D):
    """The four blocks as arrays whose shapes fit together."""
    A, D = _square(A, "A"), _square(D, "D")
    B, C = check_array(B, name="B"), check_array(C, name="C")
    for block, name, wanted in ((B, "B", (len(A), len(D))), (C, "C", (len(D), len(A)))):
        if block.shape != wanted:
            raise ValueError(f"{name} must have shape {wanted} to fit A {A.shape} and D {D.shape}, got {block.shape}.")
    return A, B, C, D


def _low_rank(A, U, C, V):
    """A (n, n) or (n,), U (n, k), C (k, k), V (k, n) as arrays whose shapes fit together."""
    A = as_array(A, "A")
    A = check_array(A, name="A", ndim=1) if A.ndim == 1 else _square(A, "A")
    C = _square(C, "C")
    U, V = check_array(U, name="U"), check_array(V, name="V")
    for block, name, wanted in ((U, "U", (len(A), len(C))), (V, "V", (len(C), len(A)))):
        if block.shape != wanted:
            raise ValueError(f"{name} must have shape {wanted}, got {block.shape}.")
    return A, U, C, V


def _solve(A, rhs, name):
    """A^{-1} rhs for a matrix or a diagonal, or say which matrix is singular."""
    if A.ndim == 1:
        if (A == 0).any():
            raise ValueError(f"{name} must be invertible, but its diagonal holds a zero (entry {int(np.argmin(np.abs(A)))}).")
        return rhs / A[:, None]
    try:
        return np.linalg.solve(A, rhs)
    except np.linalg.LinAlgError:
        raise ValueError(f"{name} must be invertible, but it is singular.") from None
