"""mlcore: the machine-learning algorithms of the book, written from scratch on numpy and scipy.

One module per chapter, under the chapter's own name: the code of ``book/supervised/linear_regression.ipynb``
is in ``mlcore.supervised.linear_regression``. Importing ``mlcore`` itself loads nothing else.
"""

__version__ = "0.1.0"
