"""A picture of what builds on what: a layered drawing of a graph without cycles, computed here and written as SVG.

The layout is that of Sugiyama: a node stands right of everything it needs; edges that cross columns get way-points; the order in
a column is improved until no swap removes a crossing; and the heights solve a least-squares problem that keeps the order.
"""

import random
from html import escape

WIDTH, LINE, GAP, COLUMN_GAP, LANE = 138, 15, 14, 28, 6      # box width, line height, between boxes, between columns, height of a way-point
LINE_CHARACTERS = 18                                         # of a title inside a box
ROUNDS, STARTS = 12, 24


def closure(needs):
    """Everything that each node needs, directly or not; a cycle is refused and named."""
    done = {}

    def visit(node, above):
        if node in above:
            raise ValueError("a cycle of prerequisites: " + " needs ".join([*above[above.index(node):], node]) + ".")
        if node not in done:
            done[node] = set().union(*({other} | visit(other, [*above, node]) for other in needs[node]))
        return done[node]

    for node in needs:
        visit(node, [])
    return done


def reduction(needs):
    """The direct needs that no other need already implies: the edges worth drawing."""
    everything = closure(needs)
    return {node: [other for other in mine if not any(other in everything[third] for third in mine)] for node, mine in needs.items()}


def columns(needs):
    """The column of each node: one more than the last of its needs; a node without needs stands just before its first user."""
    found, everything = {}, closure(needs)
    for node in sorted(needs, key=lambda name: len(everything[name])):
        found[node] = 1 + max((found[other] for other in needs[node]), default=-1)
    for node in [node for node, mine in needs.items() if not mine]:
        found[node] = min((found[other] for other, mine in needs.items() if node in mine), default=1) - 1
    return found


def add_waypoints(needs, column):
    """Rows of columns and, for neighboring columns, the links: a long edge passes way-points (edge, column) on its way."""
    layers = [[node for node in needs if column[node] == i] for i in range(1 + max(column.values()))]
    links = []
    for node, mine in needs.items():
        for other in mine:
            chain = [other, *((other, node, i) for i in range(column[other] + 1, column[node])), node]
            for way in chain[1:-1]:
                layers[way[2]].append(way)
            links += zip(chain, chain[1:])
    return layers, links


def crossings(left, right, links):
    """Pairs of links between two columns that cross."""
    at, to = {n: i for i, n in enumerate(left)}, {n: i for i, n in enumerate(right)}
    ends = [(at[a], to[b]) for a, b in links if a in at and b in to]
    return sum((a - c) * (b - d) < 0 for i, (a, b) in enumerate(ends) for c, d in ends[:i])


def total_crossings(layers, links):
    """Crossings of the whole drawing."""
    return sum(crossings(a, b, links) for a, b in zip(layers, layers[1:]))


def neighbors_of(links):
    """The nodes that each node is linked to."""
    found = {}
    for a, b in links:
        found.setdefault(a, []).append(b)
        found.setdefault(b, []).append(a)
    return found


def untangle(layers, links):
    """Order the columns so that few links cross: the best of several shuffled starts, the same every time."""
    chance, neighbors, best = random.Random(0), neighbors_of(links), layers
    for start in range(STARTS):
        current = [chance.sample(layer, len(layer)) if start else list(layer) for layer in layers]
        for turn in range(ROUNDS):
            sweep(current, neighbors, forward=turn % 2 == 0)
            swap(current, neighbors)
        if total_crossings(current, links) < total_crossings(best, links):
            best = current
    return best


def sweep(layers, neighbors, forward):
    """Order each column by the mean place of the neighbors in the column before (or after) it."""
    for i in range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1):
        other = layers[i - 1 if forward else i + 1]
        place = {node: j / len(other) for j, node in enumerate(other)}
        own = {node: j / len(layers[i]) for j, node in enumerate(layers[i])}
        mean = {}
        for node in layers[i]:
            seen = [place[near] for near in neighbors.get(node, []) if near in place]
            mean[node] = sum(seen) / len(seen) if seen else own[node]
        layers[i].sort(key=mean.get)


def swap(layers, neighbors):
    """Exchange neighbors in a column as long as that removes a crossing."""
    better = True
    while better:
        better = False
        for i, layer in enumerate(layers):
            sides = [{node: j for j, node in enumerate(layers[k])} for k in (i - 1, i + 1) if 0 <= k < len(layers)]
            for j in range(len(layer) - 1):
                upper, lower = ([[side[m] for m in neighbors.get(n, []) if m in side] for side in sides] for n in layer[j:j + 2])
                gain = sum((a > b) - (a < b) for up, low in zip(upper, lower) for a in up for b in low)
                if gain > 0:
                    layer[j], layer[j + 1] = layer[j + 1], layer[j]
                    better = True


def increasing(wanted):
    """The non-decreasing numbers nearest to the wanted ones in squares (pool adjacent violators)."""
    blocks = []
    for value in wanted:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, n), (b, m) = blocks[-2:]
            blocks[-2:] = [[(a * n + b * m) / (n + m), n + m]]
    return [value for value, count in blocks for _ in range(count)]


def heights(layers, links, size):
    """The middle of each node: near the mean of its neighbors, in order, never closer than boxes and gaps allow."""
    neighbors, y, offsets = neighbors_of(links), {}, []
    for layer in layers:
        offset = [0.0]
        for a, b in zip(layer, layer[1:]):
            offset.append(offset[-1] + (size(a) + size(b)) / 2 + GAP)
        offsets.append(offset)
        y.update((node, o - offset[-1] / 2) for node, o in zip(layer, offset))
    for turn in range(2 * ROUNDS):
        for i in range(len(layers)) if turn % 2 else reversed(range(len(layers))):
            wanted = [sum(y[m] for m in neighbors[n]) / len(neighbors[n]) if n in neighbors else y[n] for n in layers[i]]
            y.update(zip(layers[i], map(sum, zip(increasing([w - o for w, o in zip(wanted, offsets[i])]), offsets[i]))))
    top = min(y[n] - size(n) / 2 for layer in layers for n in layer)
    return {node: middle - top for node, middle in y.items()}


def fill_lines(title, most):
    """The words of a title on lines of at most ``most`` characters; a longer word has a line of its own."""
    lines = []
    for word in title.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def wrap(title):
    """A title on as few lines as a box allows, the longest of them as short as possible."""
    fewest = len(fill_lines(title, LINE_CHARACTERS))
    return next(lines for most in range(1, LINE_CHARACTERS + 1) if len(lines := fill_lines(title, most)) == fewest)


def curve(points):
    """A path through the points that leaves and enters each column horizontally."""
    path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for (x, y), (u, v) in zip(points, points[1:]):
        bend = (u - x) / 2
        path += f"H{u:.0f}" if y == v else f"C{x + bend:.0f} {y:.0f} {u - bend:.0f} {v:.0f} {u:.0f} {v:.0f}"
    return path


def draw(needs, boxes, description):
    """The graph as SVG.

    ``boxes`` maps a node to its ``href``, ``title``, ``label`` (the small line above the title), ``kind`` (a class) and ``said``
    (what a screen reader says); other entries become ``data-`` attributes. Nodes come in the order of ``needs``.
    """
    drawn, everything = reduction(needs), closure(needs)
    column = columns(needs)
    layers, links = add_waypoints(drawn, column)
    layers = untangle(layers, links)
    lines = {node: wrap(boxes[node]["title"]) for node in needs}

    def size(node):
        return LANE if isinstance(node, tuple) else LINE * (1 + len(lines[node])) + 12

    y = heights(layers, links, size)
    x = {node: i * (WIDTH + COLUMN_GAP) for i, layer in enumerate(layers) for node in layer}
    tall = max(y[n] + size(n) / 2 for layer in layers for n in layer)
    wide = len(layers) * (WIDTH + COLUMN_GAP) - COLUMN_GAP
    out = [f'<svg class="chapter-graph" role="group" aria-label="{escape(description)}" viewBox="-2 -2 {wide + 4:.0f} {tall + 4:.0f}" '
           f'width="{wide + 4:.0f}" height="{tall + 4:.0f}">', '<g class="edges" aria-hidden="true">']
    for node, mine in drawn.items():
        for other in mine:
            ways = [(other, node, i) for i in range(column[other] + 1, column[node])]
            points = [(x[other] + WIDTH, y[other])]
            for way in ways:
                points += [(x[way], y[way]), (x[way] + WIDTH, y[way])]
            points.append((x[node] - 5, y[node]))
            out.append(f'<g data-from="{other}" data-to="{node}"><path d="{curve(points)}"/>'
                       f'<path class="tip" d="M{x[node] - 7:.0f} {y[node] - 4:.0f}l7 4l-7 4z"/></g>')
    out.append("</g>")
    for node in needs:
        box, high = boxes[node], size(node)
        left, top = x[node], y[node] - high / 2
        extra = "".join(f' data-{key}="{escape(str(value))}"' for key, value in box.items()
                        if key not in ("href", "title", "label", "kind", "said"))
        out.append(f'<a class="node {box["kind"]}" href="{escape(box["href"])}" aria-label="{escape(box["said"])}" data-node="{node}" '
                   f'data-needs="{" ".join(sorted(everything[node]))}"{extra}>'
                   f'<rect x="{left:.0f}" y="{top:.0f}" width="{WIDTH}" height="{high:.0f}" rx="6"/>'
                   f'<rect class="band" x="{left:.0f}" y="{top + 6:.0f}" width="4" height="{high - 12:.0f}" rx="2"/>'
                   f'<text class="label" x="{left + 12:.0f}" y="{top + 16:.0f}">{escape(box["label"])}</text>'
                   f'<text class="count" x="{left + WIDTH - 8:.0f}" y="{top + 16:.0f}"></text>')
        for i, line in enumerate(lines[node]):
            out.append(f'<text x="{left + 12:.0f}" y="{top + 16 + LINE * (i + 1):.0f}">{escape(line)}</text>')
        out.append("</a>")
    out.append("</svg>")
    return "".join(out)
