"""The live book: a Jupyter Server extension that serves the built site beside the kernels that run its cells.

``python -m mlcore.live`` (what ``make book`` does) starts a server of its own; any other Jupyter server takes it as an extension:
``jupyter lab --ServerApp.jpserver_extensions="{'mlcore.live': True}"``.
"""


def _jupyter_server_extension_points():
    from mlcore.live.app import BookApp

    return [{"module": "mlcore.live.app", "app": BookApp}]
