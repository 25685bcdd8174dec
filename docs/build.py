"""Build the site from the chapters and their committed outputs, offline: `python docs/build.py`. A warning is an error.

The pages are made in docs/_src, the site in docs/_build/html; neither is committed. `testing/run_chapter.py` is what renews outputs."""
import configparser, importlib, shutil, subprocess, sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT, SRC, OUT = DOCS.parent, DOCS / "_src", DOCS / "_build" / "html"
sys.path[:0] = [str(ROOT), str(DOCS / "_ext")]
from chapters import Chapter, ChapterError, markdown, number, page_of, public, reference, write  # noqa: E402

BESIDE = ["CONTRIBUTING.md", "CHANGELOG.md"]  # pages of the repository that are pages of the site, too
PICTURES = {".png", ".svg", ".jpg", ".gif"}


def toctree(caption, *lines): return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *lines, "```"])


def api(package, modules):
    "A page with every public symbol: signature, shapes and types, and the way to its place in a chapter."
    lines = ["# API", f"What can be imported from `{package}` and its modules, in the order of the chapters. Arrays are numpy's; a shape stands behind its type."]
    syms = importlib.import_module(f"{package}._modidx").d["syms"]
    for name in modules:
        module = importlib.import_module(name)
        entries = [reference(short, module) for short in public([symbol.removeprefix(f"{name}.") for symbol in syms[name]], module)]
        if entries: lines += [f"## {{py:mod}}`{name}`", module.__doc__ or "", *entries]
    return "\n\n".join(lines) + "\n"


def main():
    ini = configparser.ConfigParser(interpolation=None)
    ini.read(ROOT / "settings.ini")
    cfg = ini["DEFAULT"]
    nbs, package = ROOT / cfg["nbs_path"], cfg["lib_name"]
    shutil.rmtree(SRC, ignore_errors=True)
    SRC.mkdir(parents=True)
    home, modules, entries, guides = None, [], [], []
    problems = []
    for path in sorted(nbs.glob("[!_.]*.ipynb")):
        chapter = Chapter(path, package)
        try: cells = chapter.convert()
        except ChapterError as e: problems.append(f"docs: {e}"); continue
        if path.name == cfg["readme_nb"]: home = cells; continue
        write(cells, SRC / f"{page_of(path.name)}.ipynb")
        if chapter.module: modules.append(chapter.module.__name__)
        n = number(path.name)
        (entries if n else guides).append(f"{n} {chapter.title} <{page_of(path.name)}>".strip())
    if problems: sys.exit("\n".join(problems))
    for name in BESIDE: (SRC / name.lower()).write_text((ROOT / name).read_text(encoding="utf-8"), encoding="utf-8")
    contents = [toctree("Chapters", *entries), toctree("Beside them", *guides, *(name.lower() for name in BESIDE)),
                toctree("Reference", "api", "Index <genindex>")]
    write([*home, {**markdown("\n\n".join(contents)), "id": "toctree"}], SRC / "index.ipynb")
    (SRC / "api.md").write_text(api(package, modules), encoding="utf-8")
    for picture in (p for p in nbs.iterdir() if p.suffix in PICTURES): shutil.copy(picture, SRC)
    shutil.rmtree(OUT, ignore_errors=True)
    sphinx = [sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q", "-c", DOCS, "-d", OUT.parent / "doctrees", SRC, OUT]
    if status := subprocess.call(sphinx): sys.exit(status)
    for path in nbs.glob("[!_.]*.ipynb"):  # the download button gives the notebook, not what it was turned into
        if (served := OUT / "_sources" / f"{page_of(path.name)}.ipynb").exists(): shutil.copy(path, served)
    for source_map in OUT.rglob("*.map"): source_map.unlink()
    print(OUT / "index.html")


if __name__ == "__main__": main()
