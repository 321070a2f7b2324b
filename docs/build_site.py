#!/usr/bin/env python3
"""Builds the documentation site: build_site.py BUILD [--quick] [--no-scenes]. Pages lie in docs/; this adds, in BUILD/docs, what is made:

reference/commands.md from --help, reference/catalogue.md and a page for every solver (site/solver_pages.py), pages on the
Python and the C++ interface (site/python_reference.py, site/cpp_reference.py), convergence pictures of the families by
`talus compare` (each made once), pages that play scenes (site/gallery.py), and notebooks with their output, where nbconvert is installed.
Then mkdocs runs with the theme of site/theme, and the index of the search is written as a script, which a page may load
from a folder too. With --quick nothing is computed: pictures are blank, pages of solvers have no convergence, scenes do not
play, and notebooks have the output they were stored with; --no-scenes leaves out the scenes alone, which take most of the
time. BUILD/talus is the program, unless TALUS_PROGRAM names it.
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs/site"))
sys.dont_write_bytecode = True
import gallery as scene_gallery  # noqa: E402
from cpp_reference import cpp_pages  # noqa: E402
from python_reference import module_page, python_page  # noqa: E402
from solver_pages import BLANK, SolverPages  # noqa: E402

# Pages that mkdocs.yml does not name stand at the end of a part, by their folder.
PARTS = {"tutorials": "Tutorials", "howto": "How to", "theory": "Concepts", "migrate": "Start", "notebooks": "Tutorials", ".": "Reference"}


class Site:
    root = ROOT
    python = os.environ.get("TALUS_PYTHON", "/usr/bin/python3")

    def __init__(self, build, quick, scenes):
        self.build, self.quick, self.scenes = build, quick, scenes and not quick
        self.pages = build / "docs"
        self.program = pathlib.Path(os.environ.get("TALUS_PROGRAM", build / "talus")).resolve()

    @staticmethod
    def run(*command):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True, cwd=ROOT).stdout

    def write(self, name, text):
        path = self.pages / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @staticmethod
    def standalone(svg):
        """A picture of its own: namespace given, colours that do not come from a page."""
        if "xmlns=" not in svg:
            svg = svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"', 1)
        return svg.replace("<svg", '<svg color="#333"', 1).replace("var(--grid)", "#ddd")


def commands(site):
    text = "# Commands\n\nMade from `--help`.\n\n"
    listing = site.run(site.program, "--help")
    text += f"```text\n{listing}```\n"
    for line in listing.split("Subcommands:")[1].splitlines():
        if line.startswith("  ") and line[2] != " ":
            name = line.split()[0]
            text += f"\n## talus {name}\n\n```text\n{site.run(site.program, name, '--help')}```\n"
    launcher = re.findall(r"^#   (\./talus [a-z].*)", (ROOT / "talus").read_text(encoding="utf-8"), re.MULTILINE)
    text += "\n## In a checkout\n\nThe launcher `./talus` builds the program and has further commands:\n\n```text\n"
    site.write("reference/commands.md", text + "\n".join(launcher) + "\n```\n")


def interfaces(site):
    site.write("reference/python.md", python_page((ROOT / "python/talus/__init__.pyi").read_text(encoding="utf-8")))
    for module in ("environments", "examples"):
        source = (ROOT / f"python/talus/{module}.py").read_text(encoding="utf-8")
        site.write(f"reference/{module}.md", module_page(f"talus.{module}", source))
    for name, text in cpp_pages(ROOT / "include/talus").items():
        site.write(name, text)


def gallery(site):
    """Pages that play; without them docs/gallery.md stays as it is."""
    if not site.scenes:
        return
    (site.pages / "gallery").mkdir()
    for scene in scene_gallery.SCENES:
        shutil.copy(scene_gallery.make(scene, site.build, site.program), site.pages / "gallery")
    site.write("gallery.md", scene_gallery.page(playable=True))


def notebooks(site):
    """Pages from docs/notebooks/*.ipynb, which stay beside them for download."""
    books = sorted((site.pages / "notebooks").glob("*.ipynb"))
    if not books:
        return
    if subprocess.run([site.python, "-c", "import nbconvert"], capture_output=True).returncode != 0:
        print("notebooks are left out: nbconvert is not installed (apt-get install python3-nbconvert)", file=sys.stderr)
        shutil.rmtree(site.pages / "notebooks")
        return
    package = site.program.parent / "python"
    execute = ["--execute"] if not site.quick and any((package / "talus").glob("_talus*.so")) else []
    environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
    for book in books:
        subprocess.run([site.python, "-m", "nbconvert", "--to", "markdown", "--log-level", "ERROR", *execute, book.name],
                       cwd=book.parent, check=True, env=environment)
        page = book.with_suffix(".md")
        text = views_apart(page.read_text(encoding="utf-8"), book)
        page.write_text(f"{text}\n\n[Download this notebook]({book.name})\n", encoding="utf-8")


def views_apart(text, book):
    """3D views, which are whole pages inside of iframes, become files beside the page."""
    def moved(match):
        views.append(book.with_name(f"{book.stem}_{len(views) + 1}.html"))
        views[-1].write_text(html.unescape(match[1]), encoding="utf-8")
        return f'<iframe src="{views[-1].name}"'

    views = []
    return re.sub(r'<iframe srcdoc="([^"]*)"', moved, text)


def outside_pages(site):
    """Pages of the checkout's root that belong to the site."""
    for name in ("CHANGELOG.md", "CONTRIBUTING.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        site.write(name.lower(), re.sub(r"\]\(docs/", "](", text))


def blocks_in_lists(site):
    """Markdown of mkdocs knows fenced blocks at the margin only: those of list items become indented ones."""
    fence = re.compile(r"^    ```(\w+)\n(.*?)^    ```$", re.MULTILINE | re.DOTALL)
    for path in site.pages.rglob("*.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(fence.sub(lambda block: f"        :::{block[1]}\n" + re.sub(r"^(?=.)", "    ", block[2], flags=re.MULTILINE),
                                  text), encoding="utf-8")


def named(items):
    for item in items:
        for value in item.values():
            yield from named(value) if isinstance(value, list) else [value]


def navigation(site, parts):
    """That of mkdocs.yml, with the pages that are made and those that it does not name."""
    reference = next(part["Reference"] for part in parts if "Reference" in part)
    for title, folder in (("Solvers one by one", "solvers"), ("C++ by room", "cpp")):
        made = sorted((site.pages / "reference" / folder).glob("*.md"))
        reference.append({title: [{page.stem: f"reference/{folder}/{page.name}"} for page in made]})
    known = set(named(parts))
    for page in sorted(site.pages.rglob("*.md")):
        name = page.relative_to(site.pages)
        if name.as_posix() not in known:
            title = re.match(r"# (.*)", page.read_text(encoding="utf-8"))[1]
            part = PARTS.get(name.parent.as_posix(), "Reference")
            next(each[part] for each in parts if part in each).append({title: name.as_posix()})
    return parts


def write_search_index(site):
    """mkdocs' index, with the title of the page at every section, as a script."""
    folder = site.build / "site"
    entries = json.loads((folder / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    titles = {entry["location"]: entry["title"] for entry in entries if "#" not in entry["location"]}
    for entry in entries:
        entry["page"] = titles.get(entry["location"].partition("#")[0], "")
        entry["text"] = " ".join(entry["text"].replace("¶", " ").split())
        entry["location"] = entry["location"] or "index.html"
    entries = [entry for entry in entries if entry["text"] or entry["title"]]
    (folder / "search_index.js").write_text(f"window.talusSearch = {json.dumps(entries, ensure_ascii=False)};\n", encoding="utf-8")
    shutil.rmtree(folder / "search")


def main():
    import yaml  # comes with mkdocs
    site = Site(pathlib.Path(sys.argv[1]).resolve(), "--quick" in sys.argv[2:], "--no-scenes" not in sys.argv[2:])
    shutil.rmtree(site.pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", site.pages, ignore=shutil.ignore_patterns("*.py", "__pycache__", "theme", "site"))
    for make in (commands, interfaces, gallery, notebooks, outside_pages):
        make(site)
    SolverPages(site).make()
    blocks_in_lists(site)
    configuration = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    configuration.update(docs_dir=str(site.pages), site_dir=str(site.build / "site"), nav=navigation(site, configuration["nav"]))
    configuration["theme"]["custom_dir"] = str(ROOT / "docs/site/theme")
    path = site.build / "mkdocs.yml"
    path.write_text(yaml.safe_dump(configuration, sort_keys=False, allow_unicode=True), encoding="utf-8")
    subprocess.run([site.python, "-m", "mkdocs", "build", "--strict", "--quiet", "-f", str(path)], check=True)
    write_search_index(site)
    print(site.build / "site/index.html")


main()
