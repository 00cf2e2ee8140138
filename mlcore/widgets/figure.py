"""Figure: what every interactive figure shares, live in Jupyter and stored in a page."""
import json
import os
import pathlib
from html import escape

import anywidget
import traitlets

from mlcore.widgets.assets import site_style, standalone

LIVE_VIEW = "application/vnd.jupyter.widget-view+json"


class Figure(anywidget.AnyWidget):
    """An anywidget whose rich output also carries its whole state as HTML, which the book's script brings to life.

    A subclass sets `kind` (the name its script registers), `_esm`, and `page_state`: the synced traits a page needs to
    draw it. `spec` holds what does not change, among it `alt`, the text alternative.
    """

    kind = ""
    css_class = "mlcore-playground"
    page_state = ("spec",)
    _css = site_style()
    spec = traitlets.Dict().tag(sync=True)

    def state(self):
        """The traits of `page_state` as plain data, the same for the same figure."""
        return {name: getattr(self, name) for name in self.page_state}

    def html(self):
        """The figure as it is stored in a notebook and in a page."""
        text = json.dumps(self.state(), separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
        alt = self.spec.get("alt", "")
        return (f'<div class="{self.css_class}" data-kind="{self.kind}"><script type="application/json">{text}</script>'
                f'<p class="mlcore-fallback">Interactive figure (run this cell to use it here). {escape(alt)}</p></div>')

    def save(self, path):
        """Write the figure as one HTML file that works anywhere, without Python and without a network."""
        pathlib.Path(path).write_text(standalone(self.html(), title=self.spec.get("title") or "Figure"), "utf8")

    def __repr__(self):
        return f"{type(self).__name__}: {self.spec.get('title') or self.spec.get('alt', '')}"

    def _repr_mimebundle_(self, **kwargs):
        bundle = super()._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        data = {**data, "text/plain": repr(self), "text/html": self.html()}
        if os.environ.get("MLCORE_VIEW") == "html":     # a page that runs cells without a widget manager
            data.pop(LIVE_VIEW, None)
        return data, metadata
