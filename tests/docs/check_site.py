#!/usr/bin/env python3
"""Builds the documentation site without its computed pictures and checks it: check_site.py BUILD SOURCE.

Every link inside of it leads somewhere, sections included; no script, style or picture comes from elsewhere; the search
index names pages that exist; every solver has a page; the gallery's page is up to date. Skipped (77) where mkdocs is not installed.
"""

import html.parser
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse

build, source = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "video": "src", "source": "src"}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if given.get("id"):
            self.anchors.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]):
            self.loads.append(given[LOADED[tag]])


def is_elsewhere(address):
    return bool(urllib.parse.urlsplit(address).scheme) or address.startswith("//")


def broken_links(site, pages):
    for path, page in pages.items():
        for address in page.loads:
            if is_elsewhere(address):
                yield f"{path.relative_to(site)} loads {address} from elsewhere"
        for address in page.links + page.loads:
            if is_elsewhere(address) or path.name == "404.html":
                continue
            place, _, anchor = urllib.parse.unquote(address).partition("#")
            target = (path.parent / place).resolve() if place else path
            if not target.exists():
                yield f"{path.relative_to(site)}: {address} is not there"
            elif anchor and target in pages and anchor not in pages[target].anchors:
                yield f"{path.relative_to(site)}: {address} names no section"


def broken_search(site):
    text = (site / "search_index.js").read_text(encoding="utf-8")
    entries = json.loads(text.removeprefix("window.talusSearch = ").rstrip().removesuffix(";"))
    for entry in entries:
        if not (site / entry["location"].partition("#")[0]).is_file():
            yield f"the search leads to {entry['location']}, which is not there"
    for word in ("Coulomb", "prox-newton", "allowed_penetration", "add_body", "action_space", "CartPole"):
        if not any(word in entry["text"] or word in entry["title"] for entry in entries):
            yield f"the search does not find {word}"


def missing_solvers(site):
    solvers = json.loads(subprocess.run([build / "talus", "solvers", "--json"], capture_output=True, text=True, check=True).stdout)
    for solver in solvers:
        if not (site / f"reference/solvers/{solver['name']}.html").is_file():
            yield f"the solver {solver['name']} has no page"


def stale_gallery():
    sys.path.insert(0, str(source / "docs/site"))
    sys.dont_write_bytecode = True
    import gallery
    if gallery.page() != (source / "docs/gallery.md").read_text(encoding="utf-8"):
        yield "docs/gallery.md is not what docs/site/gallery.py --page writes"
    for scene in gallery.SCENES:
        if not (source / f"docs/images/gallery/{scene}.png").is_file():
            yield f"docs/images/gallery/{scene}.png is missing: docs/site/gallery.py BUILD {scene} --pictures makes it"


def main():
    if not importlib.util.find_spec("mkdocs"):
        print("skipped: mkdocs is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "TALUS_PROGRAM": str(build / "talus"), "TALUS_PYTHON": sys.executable}
        subprocess.run([sys.executable, source / "docs/build_site.py", folder, "--quick"], check=True, env=environment)
        site = pathlib.Path(folder).resolve() / "site"
        pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
        found = [*broken_links(site, pages), *broken_search(site), *missing_solvers(site), *stale_gallery()]
    print("\n".join(found) or f"{len(pages)} pages are in order")
    return 1 if found else 0


sys.exit(main())
