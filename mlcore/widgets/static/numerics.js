// Small numerical tools for the playgrounds. Matrices are arrays of rows.

// mulberry32: a seeded generator of uniform numbers in [0, 1), the same in every browser.
function mulberry32(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
// Standard normal numbers from uniform ones (Box and Muller).
function normals(uniform) {
  let spare = null;
  return () => {
    if (spare !== null) { const v = spare; spare = null; return v; }
    const r = Math.sqrt(-2 * Math.log(1 - uniform())), t = 2 * Math.PI * uniform();
    spare = r * Math.sin(t);
    return r * Math.cos(t);
  };
}
function linspace(a, b, n) { return Array.from({ length: n }, (_, i) => a + (b - a) * i / (n - 1)); }
function dot(a, b) { let s = 0; for (let i = 0; i < a.length; i++) s += a[i] * b[i]; return s; }
function transpose(A) { return A[0].map((_, j) => A.map((r) => r[j])); }
function matvec(A, x) { return A.map((r) => dot(r, x)); }
function matmul(A, B) { const T = transpose(B); return A.map((r) => T.map((c) => dot(r, c))); }

// Lower triangle L with L L' = A for a symmetric positive definite A; null if A is not.
function cholesky(A) {
  const n = A.length, L = A.map((r) => new Array(r.length).fill(0));
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let s = A[i][j];
      for (let k = 0; k < j; k++) s -= L[i][k] * L[j][k];
      if (i > j) L[i][j] = s / L[j][j];
      else if (s > 0) L[j][j] = Math.sqrt(s);
      else return null;
    }
  }
  return L;
}
function solveCholesky(L, b) {                   // A x = b with A = L L'
  const n = L.length, x = b.slice();
  for (let i = 0; i < n; i++) { for (let k = 0; k < i; k++) x[i] -= L[i][k] * x[k]; x[i] /= L[i][i]; }
  for (let i = n - 1; i >= 0; i--) { for (let k = i + 1; k < n; k++) x[i] -= L[k][i] * x[k]; x[i] /= L[i][i]; }
  return x;
}
// Householder QR of an m x n matrix, m >= n. Reuse it for several right-hand sides: solveQR(qr, b) minimizes |A x - b|.
function qr(A) {
  const R = A.map((r) => r.slice()), m = R.length, n = R[0].length, vs = [];
  for (let j = 0; j < n; j++) {
    let norm = 0;
    for (let i = j; i < m; i++) norm = Math.hypot(norm, R[i][j]);
    const v = new Array(m).fill(0);
    for (let i = j; i < m; i++) v[i] = R[i][j];
    v[j] += (R[j][j] < 0 ? -1 : 1) * norm;
    const vv = dot(v, v);
    vs.push([v, vv]);
    if (vv > 0) for (let k = j; k < n; k++) {
      let s = 0;
      for (let i = j; i < m; i++) s += v[i] * R[i][k];
      s *= 2 / vv;
      for (let i = j; i < m; i++) R[i][k] -= s * v[i];
    }
  }
  return { R, vs, n };
}
function solveQR({ R, vs, n }, b) {              // null when a column depends on the others
  const y = b.slice(), size = Math.max(...Array.from({ length: n }, (_, j) => Math.abs(R[j][j])));
  for (const [v, vv] of vs) if (vv > 0) {
    const s = 2 * dot(v, y) / vv;
    for (let i = 0; i < y.length; i++) y[i] -= s * v[i];
  }
  const x = new Array(n);
  for (let j = n - 1; j >= 0; j--) {
    if (Math.abs(R[j][j]) <= 1e-13 * size) return null;
    let s = y[j];
    for (let k = j + 1; k < n; k++) s -= R[j][k] * x[k];
    x[j] = s / R[j][j];
  }
  return x;
}
