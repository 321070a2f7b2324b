"""The notebooks of the documentation run from their first cell to their last. What they hold is tested by test_package.py."""

import pytest
from conftest import ROOT

nbformat = pytest.importorskip("nbformat", reason="python3-nbformat is missing")
nbclient = pytest.importorskip("nbclient", reason="python3-nbclient is missing")
pytest.importorskip("ipykernel", reason="python3-ipykernel is missing")

NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, tmp_path, monkeypatch):
    monkeypatch.delenv("MPLBACKEND", raising=False)  # figures go into the cells
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=280, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output["data"] for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
             if output.output_type in ("display_data", "execute_result")]
    assert any("<iframe" in "".join(data.get("text/html", "")) for data in shown), "a 3D view"
    assert any("image/png" in data for data in shown), "a plot"
