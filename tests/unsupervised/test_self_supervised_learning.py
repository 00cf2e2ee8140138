"""Self-supervised learning: losses against torch and brute force, causality, decoding, and learning in the prompt."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from mlcore.deep.backpropagation import Tensor, gradient_check, no_grad
from mlcore.deep.neural_networks import outputs
from mlcore.foundations.gradient_descent import Adam
from mlcore.foundations.mathematics import gradient_error, log_softmax, softmax
from mlcore.supervised.logistic_regression import one_hot, softmax_cost_gradient
from mlcore.unsupervised import self_supervised_learning as ssl


@pytest.fixture(scope="module")
def language():
    """Tokenizer, training and test tokens, and a small transformer after a short training."""
    tokenizer = ssl.WordTokenizer(ssl.DIARY)
    train, test = (tokenizer.encode(text) for text in ssl.diary_split())
    model = ssl.TinyTransformer(len(tokenizer), context=24, width=24, blocks=1, rng=0)
    history = ssl.train_language_model(model, train, Adam(lr=5e-3), steps=200, batch_size=12, rng=0)
    return tokenizer, train, test, model, history


# contrastive learning ---------------------------------------------------------------------------------------------

def brute_force_loss(Z, temperature):
    U = [z / np.linalg.norm(z) for z in Z]
    m, total = len(Z), 0.0
    for a in range(m):
        partner = (a + m // 2) % m
        candidates = [np.exp(U[a] @ U[b] / temperature) for b in range(m) if b != a]
        assert len(candidates) == m - 1
        total -= np.log(np.exp(U[a] @ U[partner] / temperature) / sum(candidates))
    return total / m


@pytest.mark.parametrize("temperature", [0.05, 0.5, 2.0])
def test_simclr_loss_three_ways(temperature):
    Z = np.random.default_rng(0).normal(size=(10, 4))
    loss, gradient = ssl.simclr_loss_gradient(Z, temperature)
    assert_allclose(loss, brute_force_loss(Z, temperature), rtol=1e-10)
    t = torch.tensor(Z, requires_grad=True)
    U = torch.nn.functional.normalize(t, dim=1)
    S = (U @ U.T / temperature).masked_fill(torch.eye(10, dtype=bool), -torch.inf)
    reference = torch.nn.functional.cross_entropy(S, torch.arange(10).roll(5))
    reference.backward()
    assert_allclose(loss, reference.item(), rtol=1e-10)
    assert_allclose(gradient, t.grad.numpy(), rtol=1e-8, atol=1e-12)
    assert gradient_error(lambda z: ssl.simclr_loss_gradient(z.reshape(10, 4), temperature)[0],
                          lambda z: ssl.simclr_loss_gradient(z.reshape(10, 4), temperature)[1].ravel(), Z.ravel()) < 1e-6


def test_simclr_loss_is_a_tensor_that_backpropagates():
    assert gradient_check(lambda z: ssl.simclr_loss(z, 0.3), np.random.default_rng(1).normal(size=(6, 3))) < 1e-6


def test_simclr_ignores_lengths_and_the_printed_loss_does_not():
    rng = np.random.default_rng(2)
    Z = rng.normal(size=(8, 3))
    stretched = Z * rng.uniform(0.1, 10, size=(8, 1))
    assert_allclose(ssl.simclr_loss_gradient(stretched)[0], ssl.simclr_loss_gradient(Z)[0], rtol=1e-10)
    views = np.eye(4)
    printed = [ssl.printed_contrastive_loss(c * views, c * views) for c in (1, 3, 10)]
    assert printed[0] > 1 > printed[1] and printed[2] < 1e-9
    gradient = ssl.simclr_loss_gradient(Z)[1]
    assert_allclose((gradient * Z).sum(axis=1), 0, atol=1e-12)


def test_collapse():
    assert_allclose(ssl.simclr_loss_gradient(np.ones((16, 5)), 0.1)[0], np.log(15), rtol=1e-12)
    assert_allclose(ssl.printed_contrastive_loss(np.ones((8, 5)), np.ones((8, 5))), 8 * np.log(8), rtol=1e-12)


def test_printed_loss_refuses_unequal_batches():
    with pytest.raises(ValueError, match="one row per example each"):
        ssl.printed_contrastive_loss(np.ones((3, 2)), np.ones((4, 2)))


def test_simclr_lower_bound_is_reached_by_opposite_pairs():
    Z = np.array([[1.0, 0], [-1, 0], [1, 0], [-1, 0]])
    assert_allclose(ssl.simclr_loss_gradient(Z, 0.5)[0], np.log(1 + 2 * np.exp(-4)), rtol=1e-12)


@pytest.mark.parametrize(("Z", "temperature", "message"), [
    (np.ones((2, 3)), 0.5, "one pair alone has no negatives"),
    (np.ones((5, 3)), 0.5, "both views of at least two examples"),
    (np.ones((4, 3)), 0.0, "temperature must be a number > 0"),
    (np.ones((4, 3)), -1.0, "temperature must be a number > 0"),
    (np.zeros((4, 3)), 0.5, "zero vector"),
    (np.full((4, 3), np.nan), 0.5, "NaN"),
])
def test_simclr_refuses(Z, temperature, message):
    with pytest.raises(ValueError, match=message):
        ssl.simclr_loss_gradient(Z, temperature)


def test_augment_moves_and_turns():
    images = np.zeros((1, 9, 9))
    images[0, 4, 4] = 1.0
    assert_array_equal(ssl.augment(images, rng=0, shift=0, rotation=0, noise=0), images)
    assert_allclose(ssl.augment(images, rng=0, shift=0, rotation=180, noise=0)[0, 4, 4], 1.0, atol=1e-12)   # the middle stays
    moved = ssl.augment(np.repeat(images, 200, axis=0), rng=0, shift=2, rotation=0, noise=0)
    assert_allclose(moved.sum(axis=(1, 2)), 1.0, atol=1e-12)                     # mass is kept inside
    rows = (moved.sum(axis=2) * np.arange(9)).sum(axis=1) - 4                      # center of mass
    assert np.abs(rows).max() <= 2 and rows.min() < -1.8 and rows.max() > 1.8
    noisy = ssl.augment(np.zeros((500, 8, 8)), rng=0, noise=0.3)
    assert_allclose(noisy.std(), 0.3, rtol=0.02)
    far = ssl.augment(np.ones((200, 4, 4)), rng=0, shift=9, rotation=0, noise=0)
    gone = (far == 0).all(axis=(1, 2))                                             # moved off the sheet: blank to the last bit
    assert 0.4 < gone.mean() < 0.9
    line = np.zeros((100, 9, 9))
    line[:, :, 4] = 1.0
    turned = ssl.augment(line, rng=1, shift=0, rotation=30, noise=0)
    assert_allclose(turned[:, 4, 4], 1.0, atol=1e-9)
    assert turned[:, 0, 4].min() < 0.1                                             # the ends have left the column


def test_canvas_keeps_every_image():
    images = np.random.default_rng(0).random((20, 8, 8)) + 1
    canvas = ssl.scatter_on_canvas(images, margin=3, rng=0)
    for image, big in zip(images, canvas):
        i, j = (np.flatnonzero(big.any(axis=k))[0] for k in (1, 0))
        assert_array_equal(big[i:i + 8, j:j + 8], image)
        assert np.count_nonzero(big) == 64


@pytest.fixture(scope="module")
def digits():
    from sklearn.datasets import load_digits
    data = load_digits()
    return ssl.scatter_on_canvas(data.images / 16, rng=1), data.target


def test_pretraining_helps_a_probe(digits):
    X, y = digits
    rng = np.random.default_rng(5)
    encoder = ssl.make_encoder(100, rng=rng)
    start = encoder.state()
    untrained = outputs(encoder, X.reshape(-1, 100))
    history = ssl.contrastive_pretrain(encoder, X[:1200], Adam(lr=2e-3), steps=100, rng=rng)
    trained = outputs(encoder, X.reshape(-1, 100))
    assert history[-20:].mean() < history[:5].mean() - 1
    assert any((encoder.state()[name] != value).any() for name, value in start.items())
    assert_allclose((trained**2).sum(axis=1), 1, rtol=1e-10)
    rows = ssl.few_labels(y[:1200], 5, rng=0)
    score = {}
    for name, F in (("pixels", X.reshape(-1, 100)), ("untrained", untrained), ("trained", trained)):
        W, b = ssl.linear_probe(F[rows], y[rows], 10)
        score[name] = np.mean((F[1200:] @ W.T + b).argmax(axis=1) == y[1200:])
    assert score["trained"] > max(score["pixels"], score["untrained"]) + 0.15


def test_pretraining_is_reproducible_and_leaves_its_input(digits):
    X = digits[0][:40].copy()
    X.setflags(write=False)
    a, b = (ssl.contrastive_pretrain(ssl.make_encoder(100, rng=0), X, Adam(), steps=3, batch_size=20, rng=1) for _ in range(2))
    assert_array_equal(a, b)
    with pytest.raises(ValueError, match="batch_size must be an integer >= 2"):
        ssl.contrastive_pretrain(ssl.make_encoder(100, rng=0), X, Adam(), batch_size=1)


# adaptation -------------------------------------------------------------------------------------------------------

def test_probe_is_ridge_of_scikit_learn():
    from sklearn.linear_model import Ridge
    rng = np.random.default_rng(0)
    F, y = rng.normal(size=(30, 4)), rng.integers(3, size=30)
    W, b = ssl.linear_probe(F, y, 3, alpha=0.7)
    reference = Ridge(alpha=0.7).fit(F, one_hot(y, 3))
    assert_allclose(W, reference.coef_, rtol=1e-8)
    assert_allclose(b, reference.intercept_, rtol=1e-8)


def test_fine_tuning_starts_at_the_probe_and_leaves_the_encoder(digits):
    X, y = digits[0][:60].reshape(60, 100), digits[1][:60]
    encoder = ssl.make_encoder(100, rng=0)
    before = encoder.state()
    W, b = ssl.linear_probe(outputs(encoder, X), y, 10)
    network = ssl.with_head(encoder, W, b)
    assert_allclose(outputs(network, X), outputs(encoder, X) @ W.T + b, rtol=1e-10)
    tuned = ssl.fine_tune(network, X, y, 10, epochs=20, rng=0)
    target = one_hot(y, 10)
    assert ((outputs(tuned, X) - target) ** 2).sum() < ((outputs(network, X) - target) ** 2).sum()
    for name, value in encoder.state().items():
        assert_array_equal(value, before[name])
    assert_allclose(ssl.accuracy(network, X, y), np.mean((outputs(encoder, X) @ W.T + b).argmax(axis=1) == y))


def test_adaptation_refuses():
    with pytest.raises(ValueError, match="class 1 has 1 examples, fewer than per_class=2"):
        ssl.few_labels([0, 0, 1], 2)
    with pytest.raises(ValueError, match="class numbers in 0..2"):
        ssl.linear_probe(np.ones((2, 2)), [0, 3], 3)
    rows = ssl.few_labels([0, 1, 1, 0, 1], 2, rng=0)
    assert sorted(np.array([0, 1, 1, 0, 1])[rows]) == [0, 0, 1, 1] and len(set(rows)) == 4


# language models --------------------------------------------------------------------------------------------------

def test_tokenizer():
    tokenizer = ssl.WordTokenizer(ssl.DIARY)
    text = ssl.DIARY.splitlines()[3]
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert ssl.DIARY.isascii()
    with pytest.raises(ValueError, match=r"\['dragon'\] are outside the vocabulary"):
        tokenizer.encode("the dragon")
    for empty in ("", "  \n "):
        with pytest.raises(ValueError, match="the text is empty"):
            ssl.WordTokenizer(empty)
        with pytest.raises(ValueError, match="the text is empty"):
            tokenizer.encode(empty)
    with pytest.raises(ValueError, match="must be a string"):
        ssl.WordTokenizer(["a"])


def test_diary_keeps_the_reserved_pairs_out():
    for pair in ("sweet and rich", "rich and sweet", "bitter and stale", "stale and bitter"):
        assert pair not in ssl.DIARY
    train, test = ssl.diary_split(20)
    assert len(test.splitlines()) == 20 and train + "\n" + test + "\n" == ssl.DIARY


def test_bigram_is_softmax_regression_of_the_one_hot_token():
    rng = np.random.default_rng(0)
    ids = rng.integers(4, size=300)
    N = ssl.bigram_counts(ids, 4)
    for i in range(4):
        for j in range(4):
            assert N[i, j] == sum((a, b) == (i, j) for a, b in zip(ids[:-1], ids[1:]))
    model = ssl.BigramModel(4, alpha=1e-12).fit(ids)
    assert_allclose(np.exp(model.log_probs_), N / N.sum(axis=1, keepdims=True), rtol=1e-8)
    gradient = softmax_cost_gradient(model.log_probs_.T, one_hot(ids[:-1], 4), ids[1:])
    assert_allclose(gradient, 0, atol=1e-10)                   # stationary, and the cost is convex


def test_chain_rule_sums_to_one():
    model = ssl.BigramModel(3, alpha=0.5).fit(np.random.default_rng(1).integers(3, size=50))
    total = sum(np.exp(ssl.token_log_probs(model, [1, a, b, c]).sum()) for a in range(3) for b in range(3) for c in range(3))
    assert_allclose(total, 1, rtol=1e-12)


def test_token_log_probs_covers_every_token_once():
    model = ssl.TinyTransformer(5, context=6, width=8, blocks=1, rng=0)
    ids = np.random.default_rng(0).integers(5, size=23)
    got = ssl.token_log_probs(model, ids)
    assert len(got) == 22
    assert_allclose(got[:6], log_softmax(ssl.all_logits(model, ids[:6]))[np.arange(6), ids[1:7]], rtol=1e-12)
    assert_allclose(got[6], log_softmax(ssl.all_logits(model, ids[4:7]))[-1, ids[7]], rtol=1e-10)
    short = ssl.BigramModel(5).fit(ids)
    assert_allclose(ssl.token_log_probs(short, ids), short.log_probs_[ids[:-1], ids[1:]], rtol=1e-12)


def test_attention_against_torch_and_loops():
    rng = np.random.default_rng(0)
    Q, K, V = rng.normal(size=(3, 2, 5, 4))
    got = ssl.causal_attention(Tensor(Q), Tensor(K), Tensor(V)).data
    want = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (Q, K, V)), is_causal=True).numpy()
    assert_allclose(got, want, rtol=1e-10)
    for t in range(5):
        weights = softmax(Q[0, t] @ K[0, :t + 1].T / 2)
        assert_allclose(got[0, t], weights @ V[0, :t + 1], rtol=1e-10)
    assert gradient_check(lambda q, k, v: (ssl.causal_attention(q, k, v) ** 2).sum(), Q, K, V) < 1e-6


def test_transformer_is_causal_and_uses_the_past():
    model = ssl.TinyTransformer(7, context=8, width=8, rng=0)
    ids = np.array([[1, 2, 3, 4, 5, 6, 0, 1]])
    changed = ids.copy()
    changed[0, 5] = 2
    with no_grad():
        a, b = model(ids).data, model(changed).data
    assert_allclose(a[0, :5], b[0, :5], atol=1e-12)
    assert (np.abs(a[0, 5:] - b[0, 5:]).max(axis=1) > 1e-6).all()


def test_transformer_gradient():
    model = ssl.TinyTransformer(4, context=3, width=4, heads=2, blocks=1, rng=0)
    ids, targets = np.array([[0, 3, 1]]), np.array([[3, 1, 2]])
    ssl.language_loss(model(ids), targets).backward()
    for name in ("words", "places", "blocks.0.attention.query.W", "head.W"):
        p = model.named_parameters()[name]
        analytic, numeric = p.grad.copy(), np.empty_like(p.data)
        for index in np.ndindex(p.shape):
            keep, side = p.data[index], []
            for h in (1e-5, -1e-5):
                p.data[index] = keep + h
                with no_grad():
                    side.append(ssl.language_loss(model(ids), targets).item())
            p.data[index] = keep
            numeric[index] = (side[0] - side[1]) / 2e-5
        assert_allclose(analytic, numeric, atol=1e-8)


def test_transformer_beats_the_bigram_on_new_text(language):
    tokenizer, train, test, model, history = language
    bigram = ssl.BigramModel(len(tokenizer)).fit(train)
    assert abs(history[0] - np.log(len(tokenizer))) < 1                       # it starts near the uniform guess
    assert ssl.perplexity(model, test) < 0.6 * ssl.perplexity(bigram, test)
    assert ssl.perplexity(bigram, test) < 0.1 * len(tokenizer)


def test_training_is_reproducible():
    ids = np.random.default_rng(0).integers(5, size=100)
    runs = [ssl.train_language_model(ssl.TinyTransformer(5, context=6, width=8, rng=0), ids, Adam(), steps=3, rng=2) for _ in range(2)]
    assert_array_equal(*runs)


def test_language_models_refuse():
    model = ssl.TinyTransformer(5, context=6, width=8, rng=0)
    with pytest.raises(ValueError, match=r"the token 5, outside the vocabulary 0\.\.4"):
        model(np.array([[0, 5]]))
    with pytest.raises(ValueError, match="the token -1, outside the vocabulary"):
        ssl.BigramModel(5).fit([0, -1])
    with pytest.raises(ValueError, match="prefix is empty"):
        ssl.generate(model, np.array([], int), 3)
    with pytest.raises(ValueError, match="must hold integers"):
        model(np.array([[0.5, 1.0]]))
    with pytest.raises(ValueError, match="T <= context=6"):
        model(np.zeros((1, 7), int))
    with pytest.raises(ValueError, match="more than context=6 tokens"):
        ssl.train_language_model(model, [0, 1, 2], Adam())
    with pytest.raises(ValueError, match="at least two tokens"):
        ssl.perplexity(model, [1])
    with pytest.raises(ValueError, match="width must be a multiple of heads"):
        ssl.SelfAttention(6, heads=4)
    with pytest.raises(ValueError, match="alpha must be a number > 0"):
        ssl.BigramModel(5, alpha=0)


# decoding ---------------------------------------------------------------------------------------------------------

def test_temperature_limits_and_entropy():
    logits = np.array([1.0, 3.0, 2.5, -1.0])
    assert_allclose(ssl.tempered(logits), softmax(logits), rtol=1e-12)
    assert_allclose(ssl.tempered(logits, 1e-3), [0, 1, 0, 0], atol=1e-12)
    assert_allclose(ssl.tempered(logits, 1e6), 0.25, atol=1e-5)
    entropy = [-(p * np.log(p)).sum() for p in (ssl.tempered(logits, t) for t in (0.2, 0.5, 1, 2, 5))]
    assert (np.diff(entropy) > 0).all()
    for bad in (0, -0.5, np.nan):
        with pytest.raises(ValueError, match="temperature must be a number > 0"):
            ssl.tempered(logits, bad)


def test_top_k_and_nucleus():
    probs = np.array([0.1, 0.5, 0.15, 0.25])
    assert_allclose(ssl.keep_top_k(probs, 2), [0, 2 / 3, 0, 1 / 3])
    assert_allclose(ssl.keep_nucleus(probs, 0.75), [0, 2 / 3, 0, 1 / 3])
    assert_allclose(ssl.keep_nucleus(probs, 0.76), [0, 0.5 / 0.9, 0.15 / 0.9, 0.25 / 0.9])
    assert_allclose(ssl.keep_nucleus(probs, 1.0), probs)
    assert_array_equal(ssl.keep_nucleus(probs, 1e-6), [0, 1, 0, 0])
    for call, message in ((lambda: ssl.keep_top_k(probs, 5), "k must be an integer >= 1 and <= 4"),
                          (lambda: ssl.keep_nucleus(probs, 0), "p must be a number > 0"),
                          (lambda: ssl.keep_nucleus(2 * probs, 0.5), "sum to 1")):
        with pytest.raises(ValueError, match=message):
            call()


def test_draw_follows_the_probabilities():
    rng, probs = np.random.default_rng(0), np.array([0.0, 0.2, 0.5, 0.0, 0.3])
    counts = np.bincount([ssl.draw(probs, rng) for _ in range(4000)], minlength=5)
    assert counts[0] == counts[3] == 0
    assert (np.abs(counts / 4000 - probs) < 4 * np.sqrt(probs * (1 - probs) / 4000) + 1e-12).all()


def test_generation(language):
    tokenizer, _, _, model, _ = language
    prefix = tokenizer.encode("anna baked a")
    greedy = ssl.generate(model, prefix, 30, greedy=True)
    assert len(greedy) == 33
    for t in range(3, 33):
        assert greedy[t] == ssl.all_logits(model, greedy[max(0, t - 24):t])[-1].argmax()
    assert_array_equal(ssl.generate(model, prefix, 30, temperature=1e-3, rng=5), greedy)
    assert_array_equal(ssl.generate(model, prefix, 30, top_k=1, rng=5), greedy)
    assert_array_equal(ssl.generate(model, prefix, 9, rng=5), ssl.generate(model, prefix, 9, rng=5))


def test_zero_shot(language):
    tokenizer, _, _, model, _ = language
    options = [tokenizer.encode(text) for text in ("smiled and stayed", "sighed and left")]
    right = []
    for dish in ("pie", "soup", "tea"):
        for words, answer in (("sweet and rich", 0), ("rich and sweet", 0), ("bitter and stale", 1), ("stale and bitter", 1)):
            prompt = tokenizer.encode(f"the {dish} was {words} . the guests")
            scores = ssl.score_options(model, prompt, options)
            right.append(scores.argmax() == answer)
            whole = ssl.token_log_probs(model, np.concatenate([prompt, options[0]]))
            assert_allclose(scores[0], whole[-3:].sum(), rtol=1e-10)
    assert np.mean(right) == 1
    with pytest.raises(ValueError, match="more than the context of 24"):
        ssl.score_options(model, np.zeros(24, int), options)


# learning in context ----------------------------------------------------------------------------------------------

def test_the_transformer_learns_in_its_prompt():
    model = ssl.InContextLearner(2, rng=0)
    ssl.train_in_context(model, Adam(lr=8e-3), steps=250, rng=0)
    before = model.state()
    x, y = ssl.regression_prompts(1500, 10, rng=50)
    error = ((model.predict(x, y) - y) ** 2).mean(axis=0)
    assert error[9] < 0.4 * error[0] and error[5] < error[1]
    mixed = y[np.random.default_rng(0).permutation(len(y))]                  # the answers of other prompts teach nothing
    assert ((model.predict(x, mixed) - y) ** 2).mean(axis=0)[9] > 2 * error[9]
    bayes = ((ssl.ridge_in_context(x, y, 0.01) - y) ** 2).mean(axis=0)
    assert (bayes[1:] < error[1:]).all()
    for name, value in model.state().items():
        assert_array_equal(value, before[name])


def test_in_context_predictions_do_not_see_their_answer():
    model = ssl.InContextLearner(2, rng=1)
    x, y = ssl.regression_prompts(3, 6, rng=0)
    changed = y.copy()
    changed[:, 3] += 1
    a, b = model.predict(x, y), model.predict(x, changed)
    assert_allclose(a[:, :4], b[:, :4], atol=1e-12)
    assert (np.abs(a[:, 4:] - b[:, 4:]) > 1e-9).all()


def test_ridge_in_context_is_the_posterior_mean():
    from sklearn.linear_model import Ridge
    x, y = ssl.regression_prompts(2, 5, d=3, rng=0)
    got = ssl.ridge_in_context(x, y, 0.2)
    assert_array_equal(got[:, 0], 0)
    for b in range(2):
        for i in range(1, 5):
            want = Ridge(alpha=0.2, fit_intercept=False).fit(x[b, :i], y[b, :i]).predict(x[b, i:i + 1])
            assert_allclose(got[b, i], want[0], rtol=1e-8)


def test_linear_attention_is_gradient_descent():
    rng = np.random.default_rng(0)
    x, y, rate = rng.normal(size=(7, 3)), rng.normal(size=6), 0.3
    tokens = np.column_stack([x, np.r_[y, 0.0]])
    P, A = ssl.descent_matrices(3, rate)
    w = np.zeros(3)
    for _ in range(4):
        tokens = ssl.linear_attention(tokens, P, A)
        w = w + rate / 6 * x[:6].T @ (y - x[:6] @ w)
        assert_allclose(-tokens[-1, 3], w @ x[6], rtol=1e-10)
        assert_allclose(tokens[:6, 3], y - x[:6] @ w, rtol=1e-8)
    general_P, general_A = rng.normal(size=(2, 4, 4))
    got = ssl.linear_attention(tokens, general_P, general_A)
    for j in range(7):
        total = sum(tokens[i] * (tokens[i] @ general_A @ tokens[j]) for i in range(6)) / 6
        assert_allclose(got[j], tokens[j] + general_P @ total, rtol=1e-8)


def test_best_rate():
    d, n, noise = 2, 8, 0.5
    x, y = ssl.regression_prompts(60000, n + 1, d, noise, rng=0)
    slope = np.einsum("bid,bi->bd", x[:, :n], y[:, :n]) / n
    p = (slope * x[:, n]).sum(axis=1)
    assert_allclose(p @ y[:, n] / (p @ p), ssl.best_rate(n, d, noise), rtol=0.02)      # least squares of the target on one step
    error = np.mean((ssl.best_rate(n, d, noise) * p - y[:, n]) ** 2)
    assert_allclose(error, d * (1 - ssl.best_rate(n, d, noise)) + noise**2, rtol=0.03)


def test_prompts_refuse():
    x, y = ssl.regression_prompts(2, 4, rng=0)
    with pytest.raises(ValueError, match="one answer per example"):
        ssl.InContextLearner(2, rng=0)(x, y[:, :3])
    with pytest.raises(ValueError, match="prompts have 2 inputs, but this model was made for 3"):
        ssl.InContextLearner(3, rng=0)(x, y)
    with pytest.raises(ValueError, match="alpha must be a number > 0"):
        ssl.ridge_in_context(x, y, 0)
    with pytest.raises(ValueError, match="length must be an integer >= 1"):
        ssl.regression_prompts(2, 0)
