"""Level curves as polylines."""
import numpy as np

from mlcore.widgets.packing import settle, settled_range


def choose_levels(stack, levels):
    """`levels` as a sorted list of numbers; an integer asks for that many between the extremes of `stack`."""
    if np.ndim(levels) == 0:
        levels = [float(f"{v:.4g}") for v in np.linspace(*settled_range(stack), int(levels) + 2)[1:-1]]
    levels = sorted({float(v) for v in levels})
    if not levels:
        raise ValueError("Contour: levels is empty")
    return levels


def simplify(points, tolerance):
    """Douglas and Peucker: drop points that lie within `tolerance` of the line through their neighbors."""
    keep = np.zeros(len(points), bool)
    keep[[0, -1]] = True
    stack = [(0, len(points) - 1)]
    while stack:
        i, j = stack.pop()
        if j - i < 2:
            continue
        chord, inner = points[j] - points[i], points[i + 1:j] - points[i]
        length = np.hypot(*chord)
        distance = np.abs(chord[0] * inner[:, 1] - chord[1] * inner[:, 0]) / length if length > 0 else np.hypot(*inner.T)
        far = int(distance.argmax())
        if distance[far] > tolerance:
            keep[i + 1 + far] = True
            stack += [(i, i + 1 + far), (i + 1 + far, j)]
    return points[keep]


def contour_paths(x, y, z, levels):
    """The level curves of z[i, j] at (x[j], y[i]): x and y of all vertices, NaN between curves, and the level's number."""
    from contourpy import contour_generator

    x, y, z = settle(x), settle(y), settle(z)
    nudge = 1e-7 * 0.618 * (np.ptp(z) or 1.0)     # a level equal to a grid value would hang on the last bit
    unit = np.array([np.ptp(x) or 1.0, np.ptp(y) or 1.0])
    generator = contour_generator(x / unit[0], y / unit[1], z)
    xs, ys, numbers = [], [], []
    for k, level in enumerate(levels):
        for line in generator.lines(level + nudge):
            points = simplify(line, 0.002) * unit
            xs += [*points[:, 0], np.nan]
            ys += [*points[:, 1], np.nan]
            numbers += [float(k)] * len(points) + [np.nan]
    return np.array(xs), np.array(ys), np.array(numbers)
