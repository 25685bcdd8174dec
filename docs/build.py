"""Build the site from the chapters and their committed outputs, offline: `python docs/build.py`. A warning is an error.

The pages are made in docs/_src, the site in docs/_build/html; neither is committed. `testing/run_chapter.py` is what renews outputs."""
import configparser, importlib, inspect, re, shutil, subprocess, sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT, SRC, OUT = DOCS.parent, DOCS / "_src", DOCS / "_build" / "html"
sys.path[:0] = [str(ROOT), str(DOCS / "_ext")]
from chapters import Chapter, ChapterError, function, markdown, page_of, public, write  # noqa: E402

PICTURES = {".png", ".svg", ".jpg", ".gif"}


def toctree(caption, *lines): return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *lines, "```"])


def number(stem): return m[1].lstrip("0") or "0" if (m := re.match(r"(\d+)_", stem)) else ""


def api(package):
    "A page with every public symbol of every module, each linked to its place in a chapter."
    lines = ["# API"]
    for name, symbols in importlib.import_module(f"{package}._modidx").d["syms"].items():
        module, rows = importlib.import_module(name), []
        for short in public([symbol.removeprefix(f"{name}.") for symbol in symbols], module):
            doc = (inspect.getdoc(function(getattr(module, short))) or "").partition("\n")[0].replace("|", r"\|")
            rows.append(f"| {{py:obj}}`{short} <{name}.{short}>` | {doc} |")
        table = "\n".join([":::{table}", ":class: api", ":widths: 30 70", "", "| | |", "|:--|:--|", *rows, ":::"])
        if rows: lines += [f"## {{py:mod}}`{name}`", module.__doc__ or "", table]
    return "\n\n".join(lines) + "\n"


def main():
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(ROOT / "settings.ini")
    cfg = ini["DEFAULT"]
    nbs, package = ROOT / cfg["nbs_path"], cfg["lib_name"]
    shutil.rmtree(SRC, ignore_errors=True)
    SRC.mkdir(parents=True)
    home, entries = None, []
    for path in sorted(nbs.glob("[!_.]*.ipynb")):
        chapter = Chapter(path, package)
        try: cells = chapter.convert()
        except ChapterError as e: sys.exit(f"docs: {e}")
        if path.name == cfg["readme_nb"]: home = cells
        else:
            write(cells, SRC / f"{page_of(path.name)}.ipynb")
            entries.append(f"{number(path.stem)} {chapter.title} <{page_of(path.name)}>".strip())
    contents = toctree("Chapters", *entries) + "\n\n" + toctree("Reference", "api", "Index <genindex>")
    write([*home, {**markdown(contents), "id": "toctree"}], SRC / "index.ipynb")
    (SRC / "api.md").write_text(api(package), encoding="utf-8")
    for picture in (p for p in nbs.iterdir() if p.suffix in PICTURES): shutil.copy(picture, SRC)
    shutil.rmtree(OUT, ignore_errors=True)
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-c", DOCS, "-d", OUT.parent / "doctrees", SRC, OUT]
    if status := subprocess.call(sphinx): sys.exit(status)
    for path in nbs.glob("[!_.]*.ipynb"):  # the download button gives the notebook, not what it was turned into
        if (served := OUT / "_sources" / f"{page_of(path.name)}.ipynb").exists(): shutil.copy(path, served)
    for source_map in OUT.rglob("*.map"): source_map.unlink()
    print(OUT / "index.html")


if __name__ == "__main__": main()
