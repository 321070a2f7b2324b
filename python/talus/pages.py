"""The page of the viewer: in a cell of a notebook, in a browser, or as a file."""

import html
import os
import pathlib
import sys
import tempfile
import webbrowser

from . import _talus

LARGEST_PAGE = 24e6  # bytes of a run in a page, before every other frame is left out


def viewer_folder():
    """Where the page lies that the build made from viewer/, or None."""
    package = pathlib.Path(_talus.__file__).parent
    places = [package / "viewer",  # in a wheel
              package.parents[1] / "viewer",  # in a build folder
              package.parents[2] / "share/talus/viewer",  # installed below a prefix
              package.parents[3] / "share/talus/viewer"]
    if "TALUS_VIEWER" in os.environ:
        places.insert(0, pathlib.Path(os.environ["TALUS_VIEWER"]))
    return next((place for place in places if (place / "index.html").exists()), None)


def viewer_page():
    """The text of the page. Raises talus.Error where there is none."""
    folder = viewer_folder()
    if folder is None:
        raise _talus.Error("the page of the viewer was not built: it needs nodejs and npm (build talus again with "
                           "them, or let TALUS_VIEWER name the folder of a built index.html)")
    return (folder / "index.html").read_text(encoding="utf-8")


def page_with_run(folder, every=None, contacts=True):
    """The page with the run of a folder inside, as text; it plays anywhere, without a server.

    Every `every`-th frame is kept: as many as fit some 24 MB unless told.
    """
    if every is None:
        frames, bodies, rows = _talus._extent_of_run(folder)
        size = frames * bodies * (68 if contacts else 44) + (48 * rows if contacts else 0)
        every = max(1, int(-(-size // LARGEST_PAGE)))
    if every < 1:
        raise _talus.InvalidArgument(f"every is {every}, it must be at least 1")
    return _talus._page_of_run(viewer_page(), folder, every, contacts)


class View:
    """What show() displays: an interactive 3D view. A notebook shows it where it is the value of a cell."""

    def __init__(self, page=None, address=None, height=540, keep=None):
        self.page, self.address, self.height, self._keep = page, address, height, keep

    def _repr_html_(self):
        source = f'src="{self.address}"' if self.page is None else f'srcdoc="{html.escape(self.page)}"'
        return (f'<iframe {source} style="width: 100%; height: {self.height}px; border: 0" '
                'title="Talus: interactive 3D view" allowfullscreen></iframe>')

    def __repr__(self):
        return f"<talus view at {self.address}>" if self.page is None else f"<talus view, {len(self.page) / 1e6:.1f} MB>"

    def save(self, path):
        """Writes the page as a file of its own, which plays anywhere."""
        if self.page is None:
            raise _talus.Error("a live view has no page of its own: save that of the run, run.view().save(path)")
        pathlib.Path(path).write_text(self.page, encoding="utf-8")

    def open(self):
        """Opens it in the browser, and answers the address."""
        if self.page is None:
            address = self.address
        else:
            handle, name = tempfile.mkstemp(prefix="talus-", suffix=".html")
            os.close(handle)
            self.save(name)
            address = pathlib.Path(name).as_uri()
        webbrowser.open(address)
        return address


def in_notebook():
    """Whether this Python serves a notebook."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell is not None and hasattr(shell, "kernel")


def display(view):
    """Shows the view in the cell of a notebook; elsewhere in the browser, and says where."""
    if in_notebook():
        from IPython.display import display as show
        show(view)
    else:
        print(f"talus: {view.open()}", file=sys.stderr)
