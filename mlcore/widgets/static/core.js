// The common part of the interactive figures: plain functions, no dependency. In Jupyter anywidget calls mount() through
// the module's export; on a page hydratePage() gives every stored figure a stand-in for the model and calls the same mount().
const NS = "http://www.w3.org/2000/svg";
const UID = "mlc" + Math.random().toString(36).slice(2, 8);      // element ids of this script; never stored
const KINDS = {};
let serial = 0;

function register(kind, render) { KINDS[kind] = render; }
function nextId() { return `${UID}-${++serial}`; }

// ---- elements ------------------------------------------------------------------------------------------------------
function fill(e, attrs, kids) {
  for (const k in attrs) {
    if (k === "text") e.textContent = attrs[k];
    else if (k.startsWith("on")) e.addEventListener(k.slice(2), attrs[k]);
    else if (attrs[k] !== undefined && attrs[k] !== null && attrs[k] !== false) e.setAttribute(k, attrs[k]);
  }
  e.append(...kids);
  return e;
}
function h(tag, attrs = {}, ...kids) { return fill(document.createElement(tag), attrs, kids); }
function svg(tag, attrs = {}, ...kids) { return fill(document.createElementNS(NS, tag), attrs, kids); }

// ---- numbers -------------------------------------------------------------------------------------------------------
function decode(a, dims) {                       // see packing.py: value = scale * (base + q), q of 16 or 8 bits
  let raw = atob(a.data);
  if (a.rle) {
    let out = "";
    for (let i = 0; i < raw.length; i += 2) out += raw[i + 1].repeat(raw.charCodeAt(i));
    raw = out;
  }
  const wide = a.dtype === "i2", n = wide ? raw.length / 2 : raw.length, data = new Float64Array(n);
  const size = a.shape.reduce((p, v) => p * v, 1);
  if (n !== a.dep.reduce((p, d) => p * dims[d], size)) throw new Error("its stored numbers are incomplete");
  for (let i = 0; i < n; i++) {
    const q = wide ? (raw.charCodeAt(2 * i) | (raw.charCodeAt(2 * i + 1) << 8)) << 16 >> 16 : raw.charCodeAt(i) << 24 >> 24;
    const v = (a.base + q) * a.scale;
    data[i] = q === (wide ? -32768 : -128) ? NaN : a.log ? 10 ** v : v;
  }
  return { data, size, dep: a.dep, shape: a.shape };
}
function cell(dep, dims, index) { return dep.reduce((k, d) => k * dims[d] + index[d], 0); }
function frameOf(a, dims, index) {               // a number, a 1-D array, or an array of rows
  const at = cell(a.dep, dims, index) * a.size;
  if (!a.shape.length) return a.data[at];
  if (a.shape.length === 1) return a.data.subarray(at, at + a.size);
  const n = a.shape[1];
  return Array.from({ length: a.shape[0] }, (_, i) => a.data.subarray(at + i * n, at + (i + 1) * n));
}
const SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹";
function power(e) { return (e < 0 ? "⁻" : "") + String(Math.abs(e)).replace(/\d/g, (d) => SUPER[d]); }
function minus(t) { return t.replace(/^-(?=.*[1-9])/, "−").replace(/^-/, ""); }     // a true minus sign, and no "-0"
function show(v, digits = 3) {                   // a number for people: 3 digits, powers of ten when very large or small
  if (v !== v) return "–";
  if (!isFinite(v)) return v > 0 ? "∞" : "−∞";
  const a = Math.abs(v);
  if (a && (a < 1e-4 || a >= 1e6)) {
    const [m, e] = v.toExponential(digits - 1).split("e");
    return minus(m.replace(/\.?0+$/, "")) + "×10" + power(+e);
  }
  return minus(String(a >= 10 ** digits ? Math.round(v) : +v.toPrecision(digits)));
}
function linearTicks([lo, hi], n) {
  const raw = (hi - lo) / n, p = 10 ** Math.floor(Math.log10(raw)), f = raw / p;
  const step = (f > 5 ? 10 : f > 2 ? 5 : f > 1 ? 2 : 1) * p, out = [];
  const dec = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const big = Math.max(Math.abs(lo), Math.abs(hi));
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step; i++) {
    const v = +(i * step).toPrecision(12);
    out.push([v, big >= 1e5 || big < 1e-3 ? show(v, 4) : minus(v.toFixed(dec))]);
  }
  return out;
}
function logTicks([lo, hi], n) {
  const a = Math.log10(lo), b = Math.log10(hi), out = [];
  if (b - a < 0.9) return linearTicks([lo, hi], n);
  const every = Math.max(1, Math.ceil((b - a) / n)), plain = a >= -3.01 && b <= 4.01;
  const label = (m, e) => plain ? String(+(m * 10 ** e).toPrecision(1)) : (m === 1 ? "" : m + "×") + "10" + power(e);
  for (let e = Math.floor(a); e <= Math.ceil(b); e++) {
    for (const m of b - a < 1.8 ? [1, 2, 5] : [1]) {
      const v = m * 10 ** e;
      if (e % every === 0 && v >= lo * (1 - 1e-9) && v <= hi * (1 + 1e-9)) out.push([v, label(m, e)]);
    }
  }
  return out;
}
function makeScale(kind, lim, range) {
  const f = kind === "log" ? Math.log10 : (v) => v, a = f(lim[0]), k = (range[1] - range[0]) / (f(lim[1]) - a);
  const to = (v) => Math.max(-1e5, Math.min(1e5, Math.round((range[0] + (f(v) - a) * k) * 10) / 10));
  to.invert = (p) => { const v = a + (p - range[0]) / k; return kind === "log" ? 10 ** v : v; };
  to.ticks = (n) => (kind === "log" ? logTicks : linearTicks)(lim, n);
  return to;
}
const list = (v) => (typeof v === "number" ? [v] : v || []);
const rows = (v) => { const a = list(v); return a.length && typeof a[0] !== "number" ? a : [a]; };
const at = (v, i) => (typeof v === "number" ? v : v[i]);

// ---- colors and shapes --------------------------------------------------------------------------------------------
const CMAPS = {
  sequential: ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"],
  diverging: ["#0072b2", "#7fb8d8", "#f7f7f7", "#eaae7f", "#d55e00"],
  gray: ["#f7f7f7", "#111111"],
};
const DASH = { dash: "6 4", dot: "1.5 3.5", dashdot: "7 3.5 1.5 3.5" };
const SHAPES = ["circle", "square", "triangle", "diamond", "down", "plus", "cross", "star"];
function paint(color) { return color && color[0] === "#" ? color : `var(--mlc-${color || "data"})`; }
function classPaint(k) { return `var(--mlc-class${((k % 8) + 8) % 8})`; }
function rgb(hex) { const n = parseInt(hex.slice(1), 16); return [n >> 16, (n >> 8) & 255, n & 255]; }
function heat(t, name) {                         // t in 0..1 -> [r, g, b]
  const c = CMAPS[name || "sequential"], u = Math.max(0, Math.min(1, t)) * (c.length - 1), i = Math.min(c.length - 2, Math.floor(u));
  const a = rgb(c[i]), b = rgb(c[i + 1]);
  return a.map((v, j) => Math.round(v + (b[j] - v) * (u - i)));
}
const polygon = (x, y, pts, r) => "M" + pts.map(([a, b]) => `${(x + a * r).toFixed(1)} ${(y + b * r).toFixed(1)}`).join("L") + "Z";
const PLUS = [[-.4, -1.1], [.4, -1.1], [.4, -.4], [1.1, -.4], [1.1, .4], [.4, .4], [.4, 1.1], [-.4, 1.1], [-.4, .4], [-1.1, .4], [-1.1, -.4], [-.4, -.4]];
const OUTLINES = {
  square: [[-.9, -.9], [.9, -.9], [.9, .9], [-.9, .9]], triangle: [[0, -1.2], [1.1, .8], [-1.1, .8]], down: [[0, 1.2], [1.1, -.8], [-1.1, -.8]],
  diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]], plus: PLUS, cross: PLUS.map(([a, b]) => [(a - b) * .75, (a + b) * .75]),
  star: Array.from({ length: 10 }, (_, i) => { const t = Math.PI * (i / 5 - .5), r = i % 2 ? .55 : 1.35; return [Math.cos(t) * r, Math.sin(t) * r]; }),
};
function shape(name, x, y, r) {
  return OUTLINES[name] ? polygon(x, y, OUTLINES[name], r) : `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
}

// ---- marks: each gets (group, options, plot) and returns { draw(values), near(px, py, take)? } -----------------------
function pathOf(xs, ys, X, Y, step) {
  let d = "", pen = "M";
  for (let i = 0; i < ys.length; i++) {
    const x = at(xs, i), y = ys[i];
    if (x !== x || y !== y) { pen = "M"; continue; }
    const px = X(x), py = Y(y);
    d += step && pen === "L" ? `H${px}V${py}` : pen + px + " " + py;
    pen = "L";
  }
  return d;
}
function stroked(m, extra) {
  return { class: "mlc-mark", fill: "none", style: `stroke:${paint(m.color)}`, "stroke-width": m.width || 2, "stroke-dasharray": DASH[m.dash],
    "stroke-opacity": m.opacity, "stroke-linejoin": "round", "stroke-linecap": m.dash === "dot" ? "round" : undefined, ...extra };
}
function pool(g, make) {                         // as many elements as a redraw asks for
  const els = [];
  return (n) => {
    while (els.length < n) g.appendChild(els[els.push(make(els.length)) - 1]);
    while (els.length > n) els.pop().remove();
    return els;
  };
}
function nearPoints(xs, ys, plot, take, label) {
  for (let i = 0; i < list(ys).length; i++) {
    const x = at(xs, i), y = at(ys, i);
    if (x === x && y === y) take(plot.X(x), plot.Y(y), () => [typeof label === "function" ? label(i) : label, `(${show(x)}, ${show(y)})`]);
  }
}
const MARKS = {
  dots(g, m, plot) {
    const many = pool(g, () => svg("path", { class: "mlc-mark" }));
    let v = {};
    const radius = (i) => Math.max(0, at(v.size === undefined ? 4 : v.size, i) || 0);
    return {
      draw(values) {
        v = { c: m.c, ...values };
        const xs = list(v.x), ys = list(v.y), groups = new Map();
        for (let i = 0; i < ys.length; i++) {
          if (xs[i] !== xs[i] || ys[i] !== ys[i]) continue;
          let key = "", mk = m.marker || "circle", col = paint(m.color);
          if (v.c !== undefined) {
            const k = at(v.c, i);
            if (k !== k) continue;
            key = k; mk = SHAPES[k % 8]; col = classPaint(k);
          } else if (v.value !== undefined) {
            const t = (at(v.value, i) - m.vmin) / (m.vmax - m.vmin || 1);
            key = Math.round(t * 24); col = `rgb(${heat(key / 24, m.cmap)})`;
          }
          if (!groups.has(key)) groups.set(key, { col, d: "" });
          groups.get(key).d += shape(mk, plot.X(xs[i]), plot.Y(ys[i]), radius(i));
        }
        const els = many(groups.size), keys = [...groups.keys()].sort((a, b) => a - b);
        keys.forEach((k, j) => {
          const { col, d } = groups.get(k), e = els[j];
          e.setAttribute("d", d);
          e.setAttribute("style", m.hollow ? `fill:none;stroke:${col};stroke-width:1.6` : `fill:${col}`);
          e.setAttribute("opacity", m.opacity || 1);
        });
      },
      near: (px, py, take) => nearPoints(v.x, v.y, plot, take, (i) => (m.class_labels && v.c !== undefined && m.class_labels[at(v.c, i)]) || m.label),
    };
  },
  line(g, m, plot) {
    const split = m.color === "classes";
    const many = pool(g, (k) => svg("path", stroked(m, split ? { style: `stroke:${classPaint(k)}`, "stroke-dasharray": DASH[["solid", "dash", "dashdot", "dot"][k % 4]] } : {})));
    let xs, ys;
    return {
      draw(v) {
        xs = rows(v.x); ys = rows(v.y);
        const n = Math.max(xs.length, ys.length), part = (i) => pathOf(xs[xs.length > 1 ? i : 0], ys[ys.length > 1 ? i : 0], plot.X, plot.Y, m.step);
        const ds = Array.from({ length: n }, (_, i) => part(i));
        if (split) many(n).forEach((e, i) => e.setAttribute("d", ds[i]));
        else many(1)[0].setAttribute("d", ds.join(""));
      },
      near(px, py, take) { ys.forEach((y, i) => nearPoints(xs[xs.length > 1 ? i : 0], y, plot, take, (split && m.class_labels && m.class_labels[i]) || m.label)); },
    };
  },
  area(g, m, plot) {
    const e = g.appendChild(svg("path", { class: "mlc-mark", style: `fill:${paint(m.color)}`, "fill-opacity": m.opacity, stroke: "none" }));
    return {
      draw(v) {
        const xs = list(v.x), [X, Y] = [plot.X, plot.Y];
        let d = "", run = [];
        const close = () => {
          if (run.length > 1) d += "M" + run.map((i) => `${X(xs[i])} ${Y(at(v.high, i))}`).join("L") + "L" + run.reverse().map((i) => `${X(xs[i])} ${Y(at(v.low, i))}`).join("L") + "Z";
          run = [];
        };
        for (let i = 0; i < xs.length; i++) { if (xs[i] + at(v.low, i) + at(v.high, i) === xs[i] + at(v.low, i) + at(v.high, i)) run.push(i); else close(); }
        close();
        e.setAttribute("d", d);
      },
    };
  },
  bars(g, m, plot) {
    const many = pool(g, () => svg("rect", { class: "mlc-mark", "fill-opacity": m.opacity }));
    let v = {};
    return {
      draw(values) {
        v = values;
        const xs = list(v.x), sorted = [...xs].filter((x) => x === x).sort((a, b) => a - b);
        const gap = sorted.reduce((best, x, i) => (i && x > sorted[i - 1] ? Math.min(best, x - sorted[i - 1]) : best), Infinity);
        const half = (m.width || 0.8 * (isFinite(gap) ? gap : 1)) / 2;
        many(xs.length).forEach((e, i) => {
          const y = at(v.y, i), b = at(v.base === undefined ? 0 : v.base, i), ok = xs[i] === xs[i] && y === y;
          const x0 = ok ? plot.X(xs[i] - half) : 0, x1 = ok ? plot.X(xs[i] + half) : 0, y0 = ok ? plot.Y(y) : 0, y1 = ok ? plot.Y(plot.yscale === "log" && b <= 0 ? 1e-300 : b) : 0;
          fill(e, { x: x0, width: Math.max(0, x1 - x0), y: Math.min(y0, y1), height: Math.abs(y1 - y0), style: `fill:${v.c === undefined ? paint(m.color) : classPaint(at(v.c, i))}` }, []);
        });
      },
      near: (px, py, take) => nearPoints(v.x, v.y, plot, take, m.label),
    };
  },
  segments(g, m, plot) {
    const e = g.appendChild(svg("path", stroked(m))), head = m.arrow && g.appendChild(svg("path", { class: "mlc-mark", style: `fill:${paint(m.color)}`, opacity: m.opacity }));
    return {
      draw(v) {
        let d = "", tips = "";
        for (let i = 0; i < list(v.x1).length; i++) {
          const p = [at(v.x1, i), at(v.y1, i), at(v.x2, i), at(v.y2, i)];
          if (p.some((c) => c !== c)) continue;
          const [a, b, c, f] = [plot.X(p[0]), plot.Y(p[1]), plot.X(p[2]), plot.Y(p[3])], n = Math.hypot(c - a, f - b);
          if (!m.arrow || n < 1) { d += `M${a} ${b}L${c} ${f}`; continue; }
          const s = Math.min(4 + 2 * (m.width || 1.5), n), ux = (c - a) / n, uy = (f - b) / n, bx = c - ux * s, by = f - uy * s, w = s * .42;
          d += `M${a} ${b}L${bx.toFixed(1)} ${by.toFixed(1)}`;
          tips += `M${c} ${f}L${(bx - uy * w).toFixed(1)} ${(by + ux * w).toFixed(1)}L${(bx + uy * w).toFixed(1)} ${(by - ux * w).toFixed(1)}Z`;
        }
        e.setAttribute("d", d);
        if (head) head.setAttribute("d", tips);
      },
    };
  },
  refline(g, m, plot) {
    const e = g.appendChild(svg("path", stroked(m)));
    return {
      draw(v) {
        const [x0, x1, y0, y1] = plot.area, ok = (u) => u === u;
        let d = list(v.x).filter(ok).map((x) => `M${plot.X(x)} ${y0}V${y1}`).join("") + list(v.y).filter(ok).map((y) => `M${x0} ${plot.Y(y)}H${x1}`).join("");
        list(v.slope).forEach((s, i) => { const y = (p) => plot.Y(s * plot.X.invert(p) + at(v.intercept, i)); d += `M${x0} ${y(x0)}L${x1} ${y(x1)}`; });
        e.setAttribute("d", d);
      },
    };
  },
  contour(g, m, plot) {
    const scaled = m.color === "scale", n = m.levels ? m.levels.length : 1;
    const els = Array.from({ length: scaled ? n : 1 }, (_, k) => g.appendChild(svg("path", stroked(m, scaled ? { style: `stroke:rgb(${heat(n > 1 ? .12 + .76 * k / (n - 1) : .5)})` } : {}))));
    let v = {};
    return {
      draw(values) {
        v = values;
        els.forEach((e, k) => e.setAttribute("d", pathOf(scaled ? Array.from(v.px, (x, i) => (v.level[i] === k ? x : NaN)) : v.px, v.py, plot.X, plot.Y)));
      },
      near: (px, py, take) => { if (m.levels) nearPoints(v.px, v.py, plot, (x, y, say) => take(x, y, say, 6), (i) => `level ${show(m.levels[v.level[i]])}`); },
    };
  },
  text(g, m, plot) {
    const many = pool(g, () => svg("text", { class: "mlc-mark mlc-words", "text-anchor": m.anchor || "middle", style: `fill:${paint(m.color || "text")};font-size:${m.size || 12}px` }));
    return {
      draw(v) {
        const xs = list(v.x), ys = list(v.y), n = Math.max(xs.length, ys.length);
        many(n).forEach((e, i) => {
          const x = at(xs.length > 1 ? xs : xs[0], i), y = at(ys.length > 1 ? ys : ys[0], i), words = Array.isArray(v.text) ? v.text[i] : v.text, ok = x === x && y === y;
          fill(e, { x: ok ? plot.X(x) : 0, y: (ok ? plot.Y(y) : 0) + 4 + (m.dy || 0), text: ok ? words || "" : "" }, []);
        });
      },
    };
  },
  heatmap(g, m, plot) {
    const canvas = h("canvas", { class: "mlc-heat", style: m.smooth && !m.classes ? "" : "image-rendering:pixelated" }), c2d = canvas.getContext("2d");
    canvas.style.opacity = m.opacity || (m.classes ? 0.24 : 1);
    plot.under.append(canvas);
    let v;
    const box = () => {
      const [x0, x1] = v.x, [y0, y1] = v.y, ny = v.z.length, nx = v.z[0].length, hx = (plot.X(x1) - plot.X(x0)) / (nx - 1) / 2, hy = (plot.Y(y0) - plot.Y(y1)) / (ny - 1) / 2;
      return [plot.X(x0) - hx, plot.Y(y1) - hy, 2 * hx, 2 * hy, nx, ny];
    };
    return {
      draw(values) {
        v = values;
        const [left, top, w, hgt, nx, ny] = box(), image = c2d.createImageData(canvas.width = nx, canvas.height = ny), style = getComputedStyle(plot.root);
        const table = m.classes ? Array.from({ length: 8 }, (_, k) => rgb(style.getPropertyValue("--mlc-class" + k).trim() || "#888888")) : Array.from({ length: 256 }, (_, k) => heat(k / 255, m.cmap));
        const lo = m.vmin || 0, span = m.vmax - lo || 1;
        for (let i = 0, o = 0; i < ny; i++) {
          const row = v.z[ny - 1 - i];
          for (let j = 0; j < nx; j++, o += 4) {
            const c = table[m.classes ? row[j] % 8 : Math.max(0, Math.min(255, Math.round((row[j] - lo) / span * 255)))] || [0, 0, 0];
            image.data[o] = c[0]; image.data[o + 1] = c[1]; image.data[o + 2] = c[2]; image.data[o + 3] = row[j] === row[j] ? 255 : 0;
          }
        }
        c2d.putImageData(image, 0, 0);
        Object.assign(canvas.style, { left: left - plot.area[0] + "px", top: top - plot.area[2] + "px", width: w * nx + "px", height: hgt * ny + "px" });
      },
      near(px, py, take) {
        const [left, top, w, hgt, nx, ny] = box(), j = Math.floor((px - left) / w), i = ny - 1 - Math.floor((py - top) / hgt);
        if (i < 0 || j < 0 || i >= ny || j >= nx) return;
        const z = v.z[i][j], name = m.classes ? (m.class_labels || [])[z] || `class ${z}` : (m.label ? m.label + " " : "") + show(z);
        take(px, py, () => [name, `(${show(plot.X.invert(px))}, ${show(plot.Y.invert(py))})`], 0, true);
      },
    };
  },
};

// ---- legend --------------------------------------------------------------------------------------------------------
function swatch(...kids) { return svg("svg", { width: 22, height: 12, viewBox: "0 0 22 12", "aria-hidden": "true" }, ...kids); }
function legendItems(m) {
  const item = (mark, text) => h("span", { class: "mlc-key" }, mark, text);
  const classes = m.class_labels || [];
  if (m.kind === "heatmap" && !m.classes) {
    if (!m.label) return [];
    const bar = h("span", { class: "mlc-ramp", style: `background:linear-gradient(90deg,${CMAPS[m.cmap || "sequential"].join(",")})` });
    return [h("span", { class: "mlc-key" }, h("span", { text: m.label + ":" }), show(m.vmin), bar, show(m.vmax))];
  }
  if (classes.length && (m.kind !== "line" || m.color === "classes")) return classes.map((name, k) => item(swatch(
    m.kind === "dots" ? svg("path", { d: shape(SHAPES[k % 8], 11, 6, 4), style: `fill:${classPaint(k)}` })
      : m.kind === "line" ? svg("path", stroked(m, { d: "M1 6H21", style: `stroke:${classPaint(k)}`, "stroke-dasharray": DASH[["solid", "dash", "dashdot", "dot"][k % 4]] }))
        : svg("rect", { x: 3, width: 16, y: 1, height: 10, style: `fill:${classPaint(k)}`, "fill-opacity": m.classes ? .35 : m.opacity })), name));
  if (!m.label) return [];
  if (m.kind === "dots") return [item(swatch(svg("path", { d: shape(m.marker || "circle", 11, 6, 4), style: m.hollow ? `fill:none;stroke:${paint(m.color)};stroke-width:1.6` : `fill:${paint(m.color)}` })), m.label)];
  if (m.kind === "area" || m.kind === "bars") return [item(swatch(svg("rect", { x: 2, width: 18, y: 1, height: 10, style: `fill:${paint(m.color)}`, "fill-opacity": m.kind === "area" ? Math.max(m.opacity || .2, .25) : m.opacity })), m.label)];
  return [item(swatch(svg("path", stroked(m, { d: "M1 6H21", ...(m.color === "scale" ? { style: "stroke:#2a788e" } : {}) }))), m.label)];
}

// ---- plot: one pair of axes ------------------------------------------------------------------------------------------
// p: title, alt, xlabel, ylabel, xlim, ylim, xscale, yscale, xticks, yticks, aspect, height. Returned object: see below.
function plot(parent, p) {
  const title = h("div", { class: "mlc-panel-title" }), legend = h("div", { class: "mlc-legend" });
  const under = h("div", { class: "mlc-under" }), tip = h("div", { class: "mlc-tip", hidden: "" });
  const s = svg("svg", { class: "mlc-svg", role: "img" }), frame = h("div", { class: "mlc-plot" }, under, s, tip);
  const root = h("div", { class: "mlc-panel" }, title, legend, frame);
  const clip = svg("clipPath", { id: nextId() }, svg("rect")), axes = svg("g", { class: "mlc-axes" });
  const inner = svg("g", { "clip-path": `url(#${clip.id})` }), overlay = svg("g"), ring = svg("circle", { class: "mlc-ring", r: 7, visibility: "hidden" });
  s.append(clip, axes, inner, ring, overlay);
  parent.append(root);
  const marks = [], layoutHooks = [];
  const self = {
    root, svg: s, under, overlay, xscale: p.xscale, yscale: p.yscale, area: [0, 1, 0, 1], X: null, Y: null,
    add(m) {                                     // -> { set(values), redraw() }; m.kind and options as in marks.py
      if (!MARKS[m.kind]) throw new Error(`it asks for an unknown mark "${m.kind}"`);
      const g = inner.appendChild(svg("g")), mark = MARKS[m.kind](g, m, self);
      const handle = { m, mark, values: null, g, redraw() { if (this.values) mark.draw(this.values); }, set(values) { this.values = { ...this.values, ...values }; mark.draw(this.values); } };
      marks.push(handle);
      legend.append(...legendItems(m));
      if (m.kind === "heatmap") axes.classList.add("mlc-plain");
      return handle;
    },
    setTitle(t) { if (title.textContent !== t) title.textContent = t; title.hidden = !t; },
    setAlt(t) { s.setAttribute("aria-label", t); },
    setLimits(xlim, ylim) { p = { ...p, xlim: xlim || p.xlim, ylim: ylim || p.ylim }; layout(); },
    toData(event) {                              // pointer event -> [x, y] in data units
      const r = s.getBoundingClientRect(), k = s.viewBox.baseVal.width / r.width;
      return [self.X.invert((event.clientX - r.left) * k), self.Y.invert((event.clientY - r.top) * k)];
    },
    onLayout(f) { layoutHooks.push(f); f(); },
    destroy() { resize.disconnect(); theme.disconnect(); },
  };
  function layout() {
    let W = Math.max(180, Math.round(root.clientWidth || 360)), H = p.height || Math.max(200, Math.min(360, Math.round(W * 0.66)));
    const top = 8, right = 12, bottom = (p.xlabel ? 40 : 24);
    let xlim = p.xlim, ylim = p.ylim;
    const wide = (t) => t.length * 6.4;
    const yticks = () => p.yticks || makeScale(p.yscale, ylim, [0, 1]).ticks(Math.max(2, Math.round((H - bottom) / 34)));
    const left = Math.ceil(Math.max(14, ...yticks().map((t) => wide(t[1])))) + (p.ylabel ? 30 : 12);
    if (p.aspect === "equal") {                  // the height follows the data; a tall panel becomes narrower, a flat one shows more of y
      const ratio = (ylim[1] - ylim[0]) / (xlim[1] - xlim[0]), most = p.height ? p.height - top - bottom : 400;
      const w = Math.min(W - left - right, most / ratio), tall = Math.max(w * ratio, 120), extra = (tall / w / ratio - 1) * (ylim[1] - ylim[0]) / 2;
      ylim = [ylim[0] - extra, ylim[1] + extra];
      W = Math.round(w + left + right); H = Math.round(tall + top + bottom);
    }
    frame.style.width = W + "px";
    const x0 = left, x1 = W - right, y0 = top, y1 = H - bottom;
    const X = self.X = makeScale(p.xscale, xlim, [x0, x1]), Y = self.Y = makeScale(p.yscale, ylim, [y1, y0]);
    self.area = [x0, x1, y0, y1];
    fill(s, { viewBox: `0 0 ${W} ${H}`, width: W, height: H }, []);
    fill(clip.firstChild, { x: x0, y: y0, width: x1 - x0, height: y1 - y0 }, []);
    Object.assign(under.style, { left: x0 + "px", top: y0 + "px", width: x1 - x0 + "px", height: y1 - y0 + "px" });
    const text = (x, y, t, a) => svg("text", { x, y, text: t, ...a }), parts = [];
    let xt = p.xticks;
    if (!xt) for (let n = Math.max(2, Math.round((x1 - x0) / 50)); n >= 2; n--) {          // fewer ticks until the labels fit
      xt = X.ticks(n);
      if (xt.every((t, i) => !i || X(t[0]) - X(xt[i - 1][0]) > (wide(t[1]) + wide(xt[i - 1][1])) / 2 + 8)) break;
    }
    for (const [v, t] of xt) {
      const x = X(v);
      parts.push(svg("path", { class: "mlc-grid", d: `M${x} ${y0}V${y1}` }), text(x, y1 + 16, t, { "text-anchor": x + wide(t) / 2 > W ? "end" : "middle" }));
    }
    for (const [v, t] of yticks()) {
      const y = Y(v);
      parts.push(svg("path", { class: "mlc-grid", d: `M${x0} ${y}H${x1}` }), text(x0 - 6, y + 4, t, { "text-anchor": "end" }));
    }
    parts.push(svg("path", { class: "mlc-spine", d: `M${x0} ${y0}V${y1}H${x1}` }));
    if (p.xlabel) parts.push(text((x0 + x1) / 2, H - 5, p.xlabel, { class: "mlc-label", "text-anchor": "middle" }));
    if (p.ylabel) parts.push(text(0, 0, p.ylabel, { class: "mlc-label", "text-anchor": "middle", transform: `translate(12 ${(y0 + y1) / 2}) rotate(-90)` }));
    axes.replaceChildren(...parts);
    for (const m of marks) m.redraw();
    for (const f of layoutHooks) f();
  }
  function hover(e) {
    const r = s.getBoundingClientRect(), k = s.viewBox.baseVal.width / r.width, px = (e.clientX - r.left) * k, py = (e.clientY - r.top) * k;
    let best = null;
    for (const { mark, values } of marks) if (mark.near && values) mark.near(px, py, (x, y, say, reach = 22, weak = false) => {
      const d = Math.hypot(x - px, y - py), [x0, x1, y0, y1] = self.area;
      if (x < x0 - 1 || x > x1 + 1 || y < y0 - 1 || y > y1 + 1) return;
      if (weak ? !best : d <= reach && (!best || best.weak || d <= best.d)) best = { d, x, y, say, weak };
    });
    if (!best) return leave();
    const [name, place] = best.say();
    tip.replaceChildren(...(name ? [h("b", { text: name }), " "] : []), place);
    tip.hidden = false;
    const w = tip.offsetWidth;
    tip.style.left = Math.max(2, Math.min(best.x / k + 10, r.width - w - 2)) + "px";
    tip.style.top = Math.max(2, best.y / k - tip.offsetHeight - 8) + "px";
    fill(ring, { cx: best.x, cy: best.y, visibility: best.weak ? "hidden" : "visible" }, []);
  }
  function leave() { tip.hidden = true; ring.setAttribute("visibility", "hidden"); }
  s.addEventListener("pointermove", hover);
  s.addEventListener("pointerdown", hover);
  s.addEventListener("pointerleave", leave);
  self.leave = leave;
  let seen = root.clientWidth;
  const resize = new ResizeObserver(() => requestAnimationFrame(() => { const w = root.clientWidth; if (w && w !== seen) { seen = w; layout(); } }));
  const theme = new MutationObserver(() => marks.forEach((m) => m.m.classes && m.redraw()));
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  self.setTitle(typeof p.title === "string" ? p.title : "");
  self.setAlt(p.alt || p.title || "");
  layout();
  resize.observe(root);
  return self;
}

// ---- controls: native elements with labels; each returns { el, input, set(...) } --------------------------------------
const KEYS = { "data-lm-suppress-shortcuts": "true" };    // JupyterLab leaves the arrow keys to the element; must be on it itself
function labeled(parent, label, input, value) {
  const id = input.id = nextId();
  const el = h("div", { class: "mlc-control" }, h("label", { for: id, text: label }), ...(value ? [value] : []), input);
  parent.append(el);
  return el;
}
function slider(parent, { label, name, texts, index = 0, onInput }) {     // over texts.length positions
  const value = h("span", { class: "mlc-value", "aria-hidden": "true" });
  const input = h("input", { type: "range", min: 0, max: texts.length - 1, step: 1, name, ...KEYS, oninput: () => onInput(+input.value) });
  const el = labeled(parent, label, input, value);
  const set = (i) => { if (+input.value !== i) input.value = i; value.textContent = texts[i]; input.setAttribute("aria-valuetext", texts[i]); };
  value.style.minWidth = Math.max(...texts.map((t) => t.length)) + "ch";
  set(index);
  return { el, input, set };
}
function select(parent, { label, name, texts, index = 0, onInput }) {
  const input = h("select", { name, ...KEYS, onchange: () => onInput(input.selectedIndex) }, ...texts.map((t) => h("option", { text: t })));
  const el = labeled(parent, label, input), set = (i) => { input.selectedIndex = i; };
  el.classList.add("mlc-short");
  set(index);
  return { el, input, set };
}
function toggle(parent, { label, name, index = 0, onInput }) {
  const input = h("input", { type: "checkbox", name, ...KEYS, onchange: () => onInput(+input.checked) });
  const el = labeled(parent, label, input), set = (i) => { input.checked = !!i; };
  el.classList.add("mlc-tick", "mlc-short");
  set(index);
  return { el, input, set };
}
function button(parent, label, onClick, attrs = {}) {
  const b = h("button", { type: "button", class: "mlc-button", text: label, ...KEYS, ...attrs, onclick: onClick });
  parent.append(b);
  return b;
}
function readout(parent) {                       // a line of text that screen readers announce when it changes
  const el = h("div", { class: "mlc-readout", role: "status", "aria-live": "polite" });
  parent.append(el);
  return { el, set(t) { if (el.textContent !== t) el.textContent = t; } };
}
function reducedMotion() { return matchMedia("(prefers-reduced-motion: reduce)").matches; }

// ---- mounting --------------------------------------------------------------------------------------------------------
function complain(box, error, alt) {
  box.replaceChildren(h("p", { class: "mlc-message", role: "note", text: `This figure cannot be drawn: ${error.message}.${alt ? " " + alt : ""}` }));
}
function mount(kind, { model, el }) {            // render(kind's context): { model, el, box, guard }; may return a clean-up function
  const box = h("div", { class: "mlc-box" }), alt = () => { try { return model.get("spec").alt; } catch { return ""; } };
  const guard = (f) => (...a) => { try { return f(...a); } catch (e) { complain(box, e, alt()); } };
  let clean;
  el.append(box);
  guard(() => {
    const spec = model.get("spec");
    if (!spec || spec.v !== 1) throw new Error("its data are of a form this page does not know");
    if (!KINDS[kind]) throw new Error(`no script for figures of kind "${kind}" was loaded`);
    clean = KINDS[kind]({ model, el, box, spec, guard });
  })();
  return () => { if (clean) clean(); box.remove(); };
}
function shim(state) {                           // the part of anywidget's model that figures use
  const subs = {}, fire = (name) => (subs[name] || []).slice().forEach((f) => f());
  return {
    get: (k) => state[k],
    set: (k, v) => { if (state[k] !== v) { state[k] = v; fire("change:" + k); fire("change"); } },
    on: (name, f) => { (subs[name] = subs[name] || []).push(f); },
    off: (name, f) => { subs[name] = (subs[name] || []).filter((g) => g !== f); },
    save_changes() {},
  };
}
function hydrate(div) {
  const data = div.querySelector(':scope > script[type="application/json"]'), words = div.querySelector(":scope > .mlcore-fallback");
  if (!data) return;                             // a sanitized output: the words stay
  div.dataset.hydrated = "1";
  if (words) words.remove();
  let state;
  try { state = JSON.parse(data.textContent); } catch (e) {
    return complain(div.appendChild(h("div", { class: "mlc-box" })), new Error("its data cannot be read"), words && words.textContent.replace(/^Interactive figure \([^)]*\)\. /, ""));
  }
  mount(div.dataset.kind, { model: shim(state || {}), el: div });
}
function hydratePage() {
  let queued = false;
  const go = () => { queued = false; document.querySelectorAll("[data-kind][class^=mlcore-]:not([data-hydrated])").forEach(hydrate); };
  const start = () => {                          // also figures that appear later, when a reader runs a cell in the page
    go();
    new MutationObserver(() => { if (!queued) { queued = true; requestAnimationFrame(go); } }).observe(document.body, { childList: true, subtree: true });
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start); else start();
}
