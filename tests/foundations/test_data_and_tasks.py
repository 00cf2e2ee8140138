"""Files, splits, baselines, thresholds and error measures, each against another route to the same answer."""

import io
import itertools
import os
import stat

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import datasets, metrics, model_selection
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.tree import DecisionTreeClassifier

from mlcore.datasets import load_portland
from mlcore.foundations import data_and_tasks as dt
from mlcore.foundations.data_and_tasks.splits import class_counts

A1A = """-1 2:1 6:1 18:1 20:1 37:1 42:1 48:1 64:1 71:1 73:1 74:1 76:1 81:1 83:1
+1 5:1 11:1 15:1 32:1 39:1 40:1 52:1 63:1 67:1 73:1 74:1 76:1 78:1 83:1
-1 5:1 16:1 30:1 35:1 41:1 64:1 67:1 73:1 74:1 76:1 80:1 83:1
-1 5:1 6:1 15:1 20:1 37:1 40:1 50:1 63:1 67:1 73:1 75:1 76:1 80:1 83:1
-1 5:1 7:1 16:1 29:1 39:1 40:1 48:1 63:1 67:1 73:1 74:1 76:1 78:1 83:1
"""


def libsvm(text, **options):
    return dt.load_libsvm(io.StringIO(text), **options)


def sk_libsvm(text, **options):
    return datasets.load_svmlight_file(io.BytesIO(text.encode()), **{"zero_based": False, **options})


def csv(text, **options):
    return dt.load_csv(io.StringIO(text), **options)


def random_sparse(rng, n=12, d=7):
    return np.where(rng.uniform(size=(n, d)) < 0.4, rng.normal(size=(n, d)) * 10.0 ** rng.integers(-200, 200, size=(n, d)), 0)


# LIBSVM ------------------------------------------------------------------------------------------------------------------


def test_libsvm_reads_the_printed_lines():
    X, y = libsvm(A1A)
    assert X.shape == (5, 83)
    assert_array_equal(y, [-1, 1, -1, -1, -1])
    assert_array_equal(np.diff(X.indptr), [14, 14, 12, 14, 14])
    assert X.nnz == 68 and (X.data == 1).all()
    assert X.indices.dtype == X.indptr.dtype == np.int32
    datasets.dump_svmlight_file(X, y, io.BytesIO())  # other libraries take it as it is
    wide = libsvm(A1A, n_features=123).X
    assert wide.shape == (5, 123)
    assert_allclose(wide.nnz / np.prod(wide.shape), 0.1106, atol=5e-5)
    with pytest.raises(dt.DataFormatError, match=r"line 1: index 83 does not fit into n_features=80; at least 83"):
        libsvm(A1A, n_features=80)


@pytest.mark.parametrize("text", [
    A1A, "+1 1:2 3:4\n", "# hello\n1 1:2 # tail\n", "\n\n1 1:2\n\n  \n", "1\n0 2:1\n", "1 1:2#3:4\n", "1\t1:2\n", "1 1:2\r\n0 2:1\r\n",
    "1 1:0 2:5\n", "1.5 1:-2e-3 4:+7\n", "  -1 +1:2", "1 1:.5 2:5.\n", "0 # nothing but a label\n", "1 1:1e-320\n",
])
@pytest.mark.parametrize("n_features", [None, 100])
def test_libsvm_agrees_with_sklearn_on_well_formed_text(text, n_features):
    X, y = libsvm(text, n_features=n_features)
    want_X, want_y = sk_libsvm(text, n_features=n_features)
    assert X.shape == want_X.shape
    assert_array_equal(X.toarray(), want_X.toarray())
    assert_array_equal(y, want_y)


def test_libsvm_zero_based_agrees_with_sklearn():
    text = "1 0:2 4:1\n0 1:1\n2 0:5 # c\n"
    X, y = libsvm(text, zero_based=True)
    want_X, want_y = sk_libsvm(text, zero_based=True)
    assert_array_equal(X.toarray(), want_X.toarray())
    assert_array_equal(y, want_y)


BAD_LINES = {  # field 1: what we say; field 2: whether scikit-learn refuses it too
    "1 3:1 1:2": ("index 1 comes after 3; indices must ascend", True),
    "1 1:2 1:3": ("index 1 comes after 1; indices must ascend, each at most once", True),
    "1 0:2": ("index 0 is below 1; pass zero_based=True", True),
    "1 -1:2": ("index -1 is below 1", True),
    "1 1.5:2": ("the index of '1.5:2' is not an integer", True),
    "1 1:2 3": ("'3' is not of the form index:value", True),
    "1 1:": ("the value of '1:' is not a finite number", True),
    "1 :2": ("the index of ':2' is not an integer", True),
    "1 1:2:3": ("'1:2:3' is not of the form index:value", True),
    "1 1 :2": ("'1' is not of the form", True),
    "1 1:0x10": ("the value of '1:0x10' is not a finite number", True),
    "1 1:2,5": ("the value of '1:2,5' is not a finite number", True),
    "cat 1:2": ("the label 'cat' is not a finite number", True),
    "1:2 2:3": ("does the line lack its label?", True),
    "1,2 1:2": ("several labels per sample are not supported", True),
    "1 1:2 qid:3": ("'qid:3' names a query", True),
    "1 qid:3 1:2": ("'qid:3' names a query; ranking data are not supported", False),
    "1 99999999999:1": ("index 99999999999 is above 2147483647", True),
    "1 \uff11:2": ("is not an integer", True),
    "1 1:nan": ("feature 1 is nan; values must be finite", False),
    "1 1:-inf": ("feature 1 is -inf; values must be finite", False),
    "1 1:1e999": ("feature 1 is inf; values must be finite", False),
    "nan 1:2": ("the label 'nan' is not a finite number", False),
    "1 1:1_000": ("the value of '1:1_000' is not a finite number", False),
    "1 1_0:2": ("the index of '1_0:2' is not an integer", False),
    "1_0 1:2": ("the label '1_0' is not a finite number", False),
}


@pytest.mark.parametrize("line", BAD_LINES, ids=repr)
def test_malformed_line_is_named_and_compared_with_sklearn(line):
    message, sklearn_refuses = BAD_LINES[line]
    text = f"1 1:1\n# a comment\n\n0 2:1\n{line}\n1 1:1\n"
    with pytest.raises(dt.DataFormatError) as caught:
        libsvm(text)
    assert caught.value.line == 5
    assert str(caught.value).startswith("line 5: ") and message in str(caught.value)
    if sklearn_refuses:
        with pytest.raises((ValueError, OverflowError)) as theirs:
            sk_libsvm(text)
        assert "line" not in str(theirs.value).lower(), "scikit-learn now names the line: say so in the chapter"
    else:
        sk_libsvm(text)  # read without a word


@pytest.mark.parametrize("seed", range(5))
def test_libsvm_damaged_text_is_refused_or_read_as_sklearn_does(seed):
    rng = np.random.default_rng(seed)
    good = "1 1:0.5 3:2 # c\n-1 2:1.5 7:-3e2\n\n+1 5:1\n0 4:8\n"
    refused = 0
    for _ in range(400):
        text = list(good)
        for _ in range(int(rng.integers(1, 4))):
            text[rng.integers(len(text))] = rng.choice(list("0123456789:.-+ \n#e_nainfqd,"))
        text = "".join(text)
        try:
            X, y = libsvm(text)
        except dt.DataFormatError:
            refused += 1
            continue
        want_X, want_y = sk_libsvm(text)
        assert_array_equal(X.toarray(), want_X.toarray())
        assert_array_equal(y, want_y)
    assert 50 < refused < 390, "the damage is neither harmless nor always fatal"


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_libsvm_empty_file(text):
    with pytest.raises(dt.DataFormatError, match="the file has no samples"):
        libsvm(text)
    assert sk_libsvm(text)[0].shape == (0, 1)


def test_underscore_in_a_comment_is_no_error():
    assert libsvm("1 1:2 # patient_7, größer\n").X.toarray() == [[2.0]]


def test_automatic_base_is_wrong_on_a_zero_based_file_without_index_zero():
    text = "1 1:5\n0 2:7\n"  # columns 1 and 2 of three, counted from 0; column 0 happens to be zero everywhere
    assert_array_equal(libsvm(text, zero_based=True).X.toarray(), [[0, 5, 0], [0, 0, 7]])
    assert_array_equal(sk_libsvm(text, zero_based="auto")[0].toarray(), [[5, 0], [0, 7]])


@pytest.mark.parametrize("zero_based", [False, True])
def test_libsvm_round_trip_is_exact(tmp_path, zero_based):
    rng = np.random.default_rng(3)
    path = tmp_path / "data.txt"
    for _ in range(20):
        X, y = random_sparse(rng), rng.normal(size=12)
        dt.save_libsvm(path, X, y, zero_based=zero_based)
        back = dt.load_libsvm(path, n_features=7, zero_based=zero_based)
        assert_array_equal(back.X.toarray(), X)
        assert_array_equal(back.y, y)
        theirs = datasets.load_svmlight_file(str(path), n_features=7, zero_based=zero_based)
        assert_array_equal(theirs[0].toarray(), X)
        assert_array_equal(theirs[1], y)


def test_libsvm_writes_what_sklearn_writes_when_16_digits_suffice(tmp_path):
    digits = datasets.load_digits()
    dt.save_libsvm(tmp_path / "ours", digits.data, digits.target)
    datasets.dump_svmlight_file(digits.data, digits.target, str(tmp_path / "theirs"), zero_based=False)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def test_sixteen_digits_do_not_recover_a_float(tmp_path):
    X = np.array([[0.1 + 0.2]])
    datasets.dump_svmlight_file(X, [1.0], str(tmp_path / "theirs"), zero_based=False)
    dt.save_libsvm(tmp_path / "ours", X, [1.0])
    assert dt.load_libsvm(tmp_path / "theirs").X.toarray() != X
    assert dt.load_libsvm(tmp_path / "ours").X.toarray() == X


def test_libsvm_sparse_input_is_left_alone(tmp_path):
    X = sparse.coo_array(([1.0, 2.0, 0.0, 3.0], ([0, 0, 1, 1], [2, 0, 0, 1])), shape=(2, 4))
    before = X.toarray()
    dt.save_libsvm(tmp_path / "x", X, [1, 0])
    assert (tmp_path / "x").read_text() == "1 1:2 3:1\n0 2:3\n"
    assert X.nnz == 4
    assert_array_equal(X.toarray(), before)


@pytest.mark.parametrize(("arguments", "message"), [
    ((np.array([[np.nan]]), [1.0]), "NaN or infinity"),
    ((sparse.csr_array([[np.inf]]), [1.0]), "NaN or infinity"),
    ((np.eye(2), [1.0]), "X has 2 rows, but y has 1 values"),
    ((np.eye(2), ["a", "b"]), "y must be a rectangular array of real numbers"),
])
def test_save_libsvm_refuses_and_writes_nothing(tmp_path, arguments, message):
    path = tmp_path / "x"
    with pytest.raises(ValueError, match=message):
        dt.save_libsvm(path, *arguments)
    assert list(tmp_path.iterdir()) == []


# CSV ---------------------------------------------------------------------------------------------------------------------


def test_csv_reads_the_portland_table():
    import mlcore.datasets
    path = os.path.join(os.path.dirname(mlcore.datasets.__file__), "portland.csv")
    table, houses = dt.load_csv(path, target="price_usd"), load_portland()
    assert_array_equal(table.X, houses.X)
    assert_allclose(table.y / 1000, houses.y)
    assert table.feature_names == ("area_sqft", "bedrooms") and table.target_name == "price_usd"
    assert_array_equal(np.column_stack([table.X, table.y]), np.loadtxt(path, delimiter=",", skiprows=1))


def test_csv_reads_a_file_whose_first_line_is_no_header():
    from importlib.resources import files
    path = files("sklearn.datasets.data").joinpath("breast_cancer.csv")
    with pytest.raises(dt.DataFormatError, match=r"breast_cancer.csv, line 2: 31 fields, but the header has 4"):
        dt.load_csv(path)
    table = dt.load_csv(path, header=False, skip=1, target=-1)
    bunch = datasets.load_breast_cancer()
    assert_array_equal(table.X, bunch.data)
    assert_array_equal(table.y, bunch.target)


@pytest.mark.parametrize("target", ["price", 1, -2])
def test_csv_target_by_name_or_position(target):
    table = csv("area,price,rooms\n10,5,1\n20,7,2\n", target=target)
    assert_array_equal(table.X, [[10, 1], [20, 2]])
    assert_array_equal(table.y, [5, 7])
    assert table.feature_names == ("area", "rooms")


def test_csv_quotes_line_breaks_bom_and_other_delimiters():
    table = csv('\ufeffx;kind\r\n1;"a;b"\r\n\r\n2;"say ""hi""\nnow"\r\n', delimiter=";", target="kind")
    assert_array_equal(table.X.ravel(), [1, 2])
    assert table.y.tolist() == ["a;b", 'say "hi"\nnow']
    with pytest.raises(dt.DataFormatError, match="line 4: column 'x' holds 'oops'"):
        csv('x,kind\n1,"two\nlines"\noops,c\n', target="kind")


@pytest.mark.parametrize(("text", "options", "message"), [
    ("", {}, "the file is empty"),
    ("\n \n", {}, "the file is empty"),
    ("a,b\n", {}, "there is a header but no row of data"),
    ("a,b\n1,2\n3\n", {}, "line 3: 1 fields, but the header has 2; is the delimiter really ','"),
    ("a,b\n1,2,3\n", {}, "line 2: 3 fields, but the header has 2"),
    ("1,2\n3,4,5\n", {"header": False}, "line 2: 3 fields, but the first row has 2"),
    ("a;b\n1;2\n", {}, "line 2: column 'a;b' holds '1;2', which is not a finite number"),
    ("a,b\n1,x\n", {}, "line 2: column 'b' holds 'x', which is not a finite number"),
    ("a,b\n1,2\n\n3,\n", {}, "line 4: column 'b' is empty; fill in or drop missing values"),
    ("a,b\n1,nan\n", {}, "line 2: column 'b' holds 'nan', which is not a finite number"),
    ("a,b\n1,inf\n2,x\n", {}, "line 2: column 'b' holds 'inf'"),
    ("a,b\n1,1e999\n", {}, "line 2: column 'b' holds '1e999'"),
    ("a,b\n1,1_000\n", {}, "line 2: column 'b' holds '1_000'"),
    ("a,a\n1,2\n", {}, "line 1: the header has 2 columns named 'a'"),
    ("a,\n1,2\n", {}, "line 1: column 2 of the header has no name"),
    ("1,2\n3,4\n", {}, "line 1: the header holds only numbers; pass header=False"),
    ("a,y\n1,3.5\n2,n/a\n", {"target": "y"}, "line 3: the target 'y' holds 'n/a' where other rows hold numbers"),
    ("a,y\n1,3.5\n2,\n", {"target": "y"}, "line 3: the target 'y' is empty"),
    ("y\n1\n", {"target": "y"}, "the target is the only column"),
    ('a,b\n1,"2\n3,4\n', {}, "line 2: unexpected end of data"),
    ('a,b\n1,2\n3,"4"5\n', {}, "line 3: .* quotes must open and close"),
])
def test_csv_malformed(text, options, message):
    with pytest.raises(dt.DataFormatError, match=message):
        csv(text, **options)


@pytest.mark.parametrize("seed", range(5))
def test_csv_damaged_text_is_refused_or_read_as_numpy_does(seed):
    rng = np.random.default_rng(seed)
    good = "1,0.5,-3\n2,1.5e2,7\n4,8,0\n-6,.25,10\n"
    refused = 0
    for _ in range(400):
        text = list(good)
        for _ in range(int(rng.integers(1, 4))):
            text[rng.integers(len(text))] = rng.choice(list("0123456789.-+ \n,e_nainfx"))
        text = "".join(text)
        try:
            X = csv(text, header=False).X
        except dt.DataFormatError:
            refused += 1
            continue
        assert_array_equal(X, np.loadtxt(io.StringIO(text), delimiter=",", ndmin=2))
    assert 50 < refused < 390, "the damage is neither harmless nor always fatal"


def test_genfromtxt_reads_nan_where_we_refuse():
    text = "a,b\n1,2\n3,four\n"
    assert np.isnan(np.genfromtxt(io.StringIO(text), delimiter=",", skip_header=1)[1, 1])
    with pytest.raises(dt.DataFormatError, match="line 3: column 'b' holds 'four'"):
        csv(text)


def test_csv_unknown_target_and_text_labels():
    with pytest.raises(ValueError, match="there is no column 'z'; the columns are a, y"):
        csv("a,y\n1,2\n", target="z")
    with pytest.raises(ValueError, match="target 2 is outside the 2 columns"):
        csv("a,y\n1,2\n", target=2)
    assert csv("a,y\n1,007\n2,x1\n", target="y", text_target=True).y.tolist() == ["007", "x1"]


def test_csv_round_trip_is_exact(tmp_path):
    rng, path = np.random.default_rng(8), tmp_path / "t.csv"
    for _ in range(10):
        X, y = random_sparse(rng), rng.normal(size=12)
        dt.save_csv(path, X, y, feature_names=list("abcdefg"), target_name="y")
        table = dt.load_csv(path, target="y")
        assert_array_equal(table.X, X)
        assert_array_equal(np.signbit(table.X), np.signbit(X))
        assert_array_equal(table.y, y)
        assert_array_equal(np.loadtxt(path, delimiter=",", skiprows=1)[:, :-1], X)
    labels = np.array(["plain", "with, comma", 'with "quotes"', "two\nlines", " spaces "])
    dt.save_csv(path, np.eye(5), labels)
    assert dt.load_csv(path, target="target").y.tolist() == labels.tolist()


@pytest.mark.parametrize(("arguments", "options", "message"), [
    (([[np.nan]],), {}, "NaN or infinity"),
    (([[1.0]], [1.0, 2.0]), {}, "X has 1 rows, but y has 2"),
    (([[1.0]],), {"feature_names": ["a", "b"]}, "2 names, but X has 1 columns"),
    (([[1.0]], [2.0]), {"feature_names": ["target"]}, "2 columns named 'target'"),
    (([[1.0]], [" "]), {}, "empty label"),
])
def test_save_csv_refuses_and_writes_nothing(tmp_path, arguments, options, message):
    with pytest.raises(ValueError, match=message):
        dt.save_csv(tmp_path / "x.csv", *arguments, **options)
    assert list(tmp_path.iterdir()) == []


# Files -------------------------------------------------------------------------------------------------------------------


def test_a_failed_write_leaves_the_old_file(tmp_path):
    from mlcore.foundations.data_and_tasks.files import whole_file
    path = tmp_path / "data.csv"
    path.write_text("old\n")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as file:
        file.write("half of the new")
        raise KeyboardInterrupt
    assert path.read_text() == "old\n" and os.listdir(tmp_path) == ["data.csv"]


def test_writing_keeps_mode_and_links(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("x\n")
    real.chmod(0o640)
    link.symlink_to(real)
    dt.save_csv(link, [[1.0]])
    assert link.is_symlink() and real.read_text() == "x0\n1\n"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["link.csv", "real.csv"]


def test_sources(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(b"a,b\n1,2\n\xe9,3\n")
    with pytest.raises(dt.DataFormatError, match=r"latin.csv, line 3: byte 0xe9 is not UTF-8 text"):
        dt.load_csv(path)
    with pytest.raises(ValueError, match=r"wrap them in io.StringIO"):
        dt.load_libsvm("1 1:2\n")
    with pytest.raises(ValueError, match="opened in text mode"):
        dt.load_libsvm(io.BytesIO(b"1 1:2\n"))
    with pytest.raises(FileNotFoundError):
        dt.load_csv(tmp_path / "missing.csv")


# Splits ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 10, 101])
@pytest.mark.parametrize("test_size", [0.1, 0.25, 0.5, 1])
def test_split_is_a_partition(n, test_size):
    train, test = dt.split_rows(n, test_size=test_size, random_state=4)
    assert sorted([*train, *test]) == list(range(n))
    assert len(test) == len(model_selection.train_test_split(range(n), test_size=test_size)[1])


def test_share_that_is_whole_but_for_rounding():
    assert len(dt.split_rows(100, test_size=0.07)[1]) == 7
    assert len(model_selection.train_test_split(range(100), test_size=0.07)[1]) == 8, "scikit-learn rounds 7.000000000000001 up"


def test_split_depends_on_the_seed_alone():
    a, b, c = (dt.split_rows(50, random_state=s)[1] for s in (0, 0, 1))
    assert_array_equal(a, b)
    assert not np.array_equal(a, c)
    hits = np.zeros(6)
    for seed in range(3000):
        hits[dt.split_rows(6, test_size=2, random_state=seed)[1]] += 1
    assert np.all(abs(hits / 3000 - 1 / 3) < 4 * np.sqrt(2 / 9 / 3000)), "every row is as likely to be held back"


def test_split_keeps_rows_together_and_input_alone():
    X = np.arange(40.0).reshape(20, 2)
    X.setflags(write=False)
    parts = dt.train_test_split(X, X[:, 0], sparse.coo_array(X), list("abcdefghijklmnopqrst"), test_size=5, random_state=2)
    assert [p.shape[0] for p in parts] == [15, 5] * 4
    for k in (0, 1):
        assert_array_equal(parts[k][:, 0], parts[2 + k])
        assert_array_equal(parts[4 + k].toarray(), parts[k])
        assert [ord(c) - 97 for c in parts[6 + k]] == (parts[k][:, 0] / 2).tolist()


def test_fewer_test_rows_than_classes():
    labels = np.repeat([0, 1, 2], [20, 6, 4])
    _, test = dt.split_rows(30, test_size=2, stratify=labels, random_state=0)
    assert sorted(labels[test]) == [0, 0] or sorted(labels[test]) == [0, 1]
    with pytest.raises(ValueError, match="should be greater or equal to the number of classes"):
        model_selection.train_test_split(labels, test_size=2, stratify=labels)


def test_unshuffled_split_holds_back_the_end():
    train, test = dt.split_rows(10, test_size=0.3, shuffle=False)
    assert train.tolist() == list(range(7)) and test.tolist() == [7, 8, 9]


@pytest.mark.parametrize("seed", range(30))
def test_stratified_counts(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 6))
    labels = np.repeat(np.arange(k), rng.integers(2, 40, size=k))
    n_test = int(rng.integers(1, len(labels) - k + 1))
    train, test = dt.split_rows(len(labels), test_size=n_test, stratify=rng.permutation(labels), random_state=seed)
    assert len(test) == n_test and sorted([*train, *test]) == list(range(len(labels)))
    sizes = np.bincount(labels)
    counts, quota = class_counts(sizes, n_test), sizes * n_test / len(labels)
    assert counts.sum() == n_test and np.all(counts < sizes)
    if np.all(np.ceil(quota) < sizes):
        assert np.all(abs(counts - quota) < 1)


def test_largest_remainder_is_the_nearest_allocation():
    sizes, n_test = np.array([13, 9, 7, 4]), 11
    quota = sizes * n_test / sizes.sum()
    every = [c for c in itertools.product(*(range(s) for s in sizes)) if sum(c) == n_test]
    best = min(np.sum((np.array(c) - quota) ** 2) for c in every)
    assert_allclose(np.sum((class_counts(sizes, n_test) - quota) ** 2), best)


def test_stratified_split_keeps_the_shares():
    y = datasets.load_breast_cancer().target
    _, test = dt.split_rows(len(y), stratify=y, random_state=0)
    _, theirs = model_selection.train_test_split(np.arange(len(y)), stratify=y, random_state=0)
    assert np.bincount(y[test]).tolist() == np.bincount(y[theirs]).tolist() == [53, 90]


@pytest.mark.parametrize(("options", "message"), [
    ({"test_size": 0.0}, "test_size must be a number > 0 and < 1"),
    ({"test_size": 4}, "test_size must be an integer >= 1 and <= 3"),
    ({"test_size": 0.99}, "leaves none to train on"),
    ({"stratify": [0, 0, 1]}, "one label for each of the 4 rows"),
    ({"stratify": [0, 0, 0, 1]}, "class 1 has a single row"),
    ({"stratify": [0, 0, 1, 1], "test_size": 3}, "1 training rows are too few for 2 classes"),
    ({"stratify": [0, 0, 1, 1], "shuffle": False}, "stratify needs shuffle=True"),
    ({"random_state": -1}, "random_state must be"),
])
def test_split_refuses(options, message):
    with pytest.raises(ValueError, match=message):
        dt.split_rows(4, **options)


def test_split_refuses_unequal_arrays():
    with pytest.raises(ValueError, match=r"same number of rows, got \[4, 3\]"):
        dt.train_test_split(np.zeros(4), np.zeros(3))
    with pytest.raises(ValueError, match="nothing to split"):
        dt.train_test_split()


# Baselines ---------------------------------------------------------------------------------------------------------------


def test_constant_regressor_minimizes_its_error():
    y = np.random.default_rng(0).exponential(size=31)
    X = np.zeros((31, 1))
    for statistic, error in (("mean", dt.mean_squared_error), ("median", dt.mean_absolute_error)):
        model = dt.ConstantRegressor(statistic).fit(X, y)
        best = error(y, model.predict(X))
        assert all(error(y, np.full(31, c)) >= best for c in np.linspace(0, 5, 201))
        assert_allclose(model.predict(X), DummyRegressor(strategy=statistic).fit(X, y).predict(X))
    assert dt.ConstantRegressor().fit(X, y).score(X, y) == pytest.approx(0, abs=1e-12)
    with pytest.raises(ValueError, match="statistic must be one of 'mean', 'median'"):
        dt.ConstantRegressor("mode").fit(X, y)


def test_majority_classifier_agrees_with_sklearn():
    rng = np.random.default_rng(1)
    for _ in range(10):
        y = rng.choice(["a", "b", "c"], size=20)
        X = rng.normal(size=(20, 2))
        ours, theirs = dt.MajorityClassifier().fit(X, y), DummyClassifier(strategy="most_frequent").fit(X, y)
        assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.score(X, y) == max(np.mean(y == label) for label in "abc")


# Thresholds --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(15))
def test_best_threshold_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 25))
    x, positive = rng.integers(6, size=n) / 2, rng.uniform(size=n) < 0.5
    weights = rng.uniform(0.1, 3, size=n) if seed % 2 else np.ones(n)
    t, costs = dt.threshold_costs(x, positive, weights)
    assert_allclose(costs, [weights[(x >= c) != positive].sum() for c in t], atol=1e-12)
    rule = dt.best_threshold(x, positive, weights)
    flagged = (x >= rule.threshold) if rule.direction == 1 else (x < rule.threshold)
    assert_allclose(rule.cost, weights[flagged != positive].sum(), atol=1e-12)
    candidates = np.r_[-np.inf, x - 0.1, x + 0.1]
    brute = min(weights[((x >= c) == up) != positive].sum() for c in candidates for up in (True, False))
    assert_allclose(rule.cost, brute, atol=1e-12)


def test_threshold_between_neighboring_floats():
    x = np.array([1.0, np.nextafter(1.0, 2)])
    assert dt.best_threshold(x, [False, True]).cost == 0
    rule = dt.best_threshold(x, [False, True])
    assert_array_equal(x >= rule.threshold, [False, True])
    huge = np.array([1.6e308, 1.7e308])
    assert np.isfinite(dt.best_threshold(huge, [False, True]).threshold)


def test_threshold_refuses():
    with pytest.raises(ValueError, match="equally long, got 2, 1 and 2"):
        dt.threshold_costs([1.0, 2.0], [True])
    X, y = np.eye(3), [0, 1, 2]
    with pytest.raises(ValueError, match="tells two classes apart, but y has 3"):
        dt.ThresholdClassifier().fit(X, y)
    with pytest.raises(ValueError, match="feature must be an integer >= 0 and <= 2"):
        dt.ThresholdClassifier(feature=3).fit(X, [0, 1, 1])
    with pytest.raises(ValueError, match="miss_cost must be a number > 0"):
        dt.ThresholdClassifier(miss_cost=0).fit(X, [0, 1, 1])


def test_threshold_classifier_on_tumors():
    bunch = datasets.load_breast_cancer()
    X, malignant = bunch.data, bunch.target == 0
    model = dt.ThresholdClassifier().fit(X, malignant)
    errors = np.sum(model.predict(X) != malignant)
    assert errors == model.cost_ and bunch.feature_names[model.feature_] == "worst radius"
    tree = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, malignant)
    assert errors <= np.sum(tree.predict(X) != malignant), "it minimizes errors, the tree minimizes impurity"
    careful = dt.ThresholdClassifier(feature=0, miss_cost=10).fit(X, malignant)
    plain = dt.ThresholdClassifier(feature=0).fit(X, malignant)
    assert careful.threshold_ < plain.threshold_
    assert dt.recall(malignant, careful.predict(X), positive=True) > dt.recall(malignant, plain.predict(X), positive=True)
    flipped = dt.ThresholdClassifier(feature=0).fit(-X, malignant)
    assert flipped.direction_ == -1
    assert_array_equal(flipped.predict(-X), plain.predict(X))


# Measures ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_measures_agree_with_sklearn(seed):
    rng = np.random.default_rng(seed)
    y, p = rng.normal(size=(2, 30))
    assert_allclose(dt.mean_squared_error(y, p), metrics.mean_squared_error(y, p))
    assert_allclose(dt.mean_absolute_error(y, p), metrics.mean_absolute_error(y, p))
    assert_allclose(dt.r2_score(y, p), metrics.r2_score(y, p))
    a, b = rng.choice(["x", "y", "z"], size=(2, 30))
    assert_array_equal(dt.confusion_matrix(a, b), metrics.confusion_matrix(a, b))
    assert_array_equal(dt.confusion_matrix(a, b, labels=["z", "w", "y", "x"]), metrics.confusion_matrix(a, b, labels=["z", "w", "y", "x"]))
    assert_allclose(dt.accuracy(a, b), metrics.accuracy_score(a, b))
    u, v = rng.integers(2, size=(2, 30))
    (tn, fp), (fn, tp) = metrics.confusion_matrix(u, v)
    assert dt.binary_counts(u, v) == (tp, fp, fn, tn)
    assert_allclose(dt.precision(u, v), metrics.precision_score(u, v))
    assert_allclose(dt.recall(u, v, positive=0), metrics.recall_score(u, v, pos_label=0))
    assert_allclose(dt.f1(u, v), metrics.f1_score(u, v))
    assert_allclose(1 / dt.f1(u, v), (1 / dt.precision(u, v) + 1 / dt.recall(u, v)) / 2)


def test_undefined_ratios_are_nan():
    assert np.isnan(dt.precision([1, 0], [0, 0])) and dt.recall([1, 0], [0, 0]) == 0 and dt.f1([1, 0], [0, 0]) == 0
    assert np.isnan(dt.recall([0, 0], [0, 0])) and np.isnan(dt.f1([0, 0], [0, 0]))
    assert np.isnan(metrics.precision_score([1, 0], [0, 0], zero_division=np.nan))
    assert np.isnan(dt.precision_from_rates(0.0, 0.0, 0.5))


def test_precision_from_rates_is_the_precision_at_the_data_prevalence():
    rng = np.random.default_rng(2)
    y, p = rng.integers(2, size=(2, 50))
    tpr, fpr = dt.recall(y, p), 1 - dt.recall(y, p, positive=0)
    assert_allclose(dt.precision_from_rates(tpr, fpr, y.mean()), dt.precision(y, p))
    with pytest.raises(ValueError, match="prevalence must be a number >= 0 and <= 1"):
        dt.precision_from_rates(0.5, 0.5, 2.0)


@pytest.mark.parametrize(("call", "message"), [
    (lambda: dt.mean_squared_error([1.0], [1.0, 2.0]), "y has 1 values, but prediction has 2"),
    (lambda: dt.mean_absolute_error([1.0, np.nan], [1.0, 2.0]), "y contains NaN"),
    (lambda: dt.accuracy([], []), "no samples"),
    (lambda: dt.accuracy([[1]], [[1]]), "y must be 1-D"),
    (lambda: dt.accuracy(["a"], [1]), "text and numbers cannot be compared"),
    (lambda: dt.accuracy([1.0], [np.nan]), "prediction contains NaN"),
    (lambda: dt.precision(["M", "B"], ["M", "M"]), "no label is 1; the labels are 'B', 'M'"),
    (lambda: dt.confusion_matrix([0, 1], [0, 2], labels=[0, 1]), "label 2 occurs but is not among labels"),
    (lambda: dt.confusion_matrix([0, 1], [0, 1], labels=[0, 1, 1]), "labels must not repeat"),
    (lambda: dt.auc([1, 1], [0.1, 0.2]), "both classes are needed"),
    (lambda: dt.roc_curve(["M", "B"], [0.1, 0.2]), "both classes are needed"),
    (lambda: dt.auc([0, 1], [0.1]), "one score per label"),
    (lambda: dt.auc([0, 1], [0.1, np.inf]), "score contains NaN or infinity"),
])
def test_measures_refuse(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ROC ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("levels", [3, 10**6])
def test_auc_three_ways(seed, levels):
    rng = np.random.default_rng(seed)
    y = np.r_[0, 1, rng.integers(2, size=25)]
    score = rng.integers(levels, size=27) + 0.4 * y
    score = np.floor(score) if levels == 3 else score
    positive, negative = score[y == 1][:, None], score[y == 0][None]
    pairs = np.mean((positive > negative) + 0.5 * (positive == negative))
    curve = dt.roc_curve(y, score)
    area = np.trapezoid(curve.true_positive_rate, curve.false_positive_rate)
    assert_allclose([dt.auc(y, score), area, metrics.roc_auc_score(y, score)], pairs)
    assert_allclose(dt.auc(y, -score), 1 - dt.auc(y, score))
    assert_allclose(dt.auc(y, np.exp(score / levels)), dt.auc(y, score))
    for ours, theirs in zip(curve, metrics.roc_curve(y, score, drop_intermediate=False)):
        assert_allclose(ours, theirs)
    assert np.all(np.diff(curve.false_positive_rate) >= 0) and np.all(np.diff(curve.true_positive_rate) >= 0)
    for fpr, tpr, t in zip(*curve):
        assert_allclose([fpr, tpr], [np.mean(score[y == 0] >= t), np.mean(score[y == 1] >= t)])


def test_auc_extremes():
    assert dt.auc([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0]) == 1
    assert dt.auc([0, 0, 1, 1], [4.0, 3.0, 2.0, 1.0]) == 0
    assert dt.auc([0, 1, 0, 1], [7.0, 7.0, 7.0, 7.0]) == 0.5
