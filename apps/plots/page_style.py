"""How plots on Talus' pages look: text, axes and grid take their colours from the page, light or dark."""
import io
import re
import sys

try:
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit("matplotlib is not installed (Debian: apt-get install python3-matplotlib)")

# Stand-ins that are replaced by the page's colours once the SVG is written.
TEXT, GRID = "#010203", "#040506"
PAGE_COLOURS = {TEXT: "currentColor", GRID: "var(--grid)"}
ON_WHITE = {TEXT: "#222222", GRID: "#d8d8d8"}
LINE_STYLES = ["-", (0, (5, 1.5)), (0, (9, 1.5, 1.8, 1.5)), (0, (2, 1.1))]

plt.rcParams.update({
    "font.size": 10, "axes.titlesize": 10.5, "axes.labelsize": 10, "legend.fontsize": 9.5,
    "text.color": TEXT, "axes.labelcolor": TEXT, "axes.edgecolor": GRID, "axes.titlecolor": TEXT,
    "xtick.color": TEXT, "ytick.color": TEXT, "axes.grid": True, "grid.color": GRID, "grid.linewidth": 0.8,
    "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True, "legend.frameon": False,
    "svg.fonttype": "path", "lines.linewidth": 1.9,
})


def inline_svg(figure, name, description):
    """The figure as an <svg> element; ids get `name` in front, so that figures do not share them."""
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)
    for stand_in, colour in PAGE_COLOURS.items():
        svg = svg.replace(stand_in, colour)
    label = description.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)


def save_on_white(figure, path):
    """The figure as an SVG file that stands alone."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    plt.close(figure)
    svg = text.getvalue()
    for stand_in, colour in ON_WHITE.items():
        svg = svg.replace(stand_in, colour)
    with open(path, "w", encoding="utf-8") as file:
        file.write(svg)
