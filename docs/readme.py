"""Write README.md from the home notebook, `nbs/index.ipynb`.

    python docs/readme.py            # write it
    python docs/readme.py --check    # exit 1 if it is not what the notebook says

nbdev's own command needs Quarto; this uses its processors and writes the Markdown itself. Figures go to docs/readme_files/."""
import base64, re, sys
from pathlib import Path
from nbdev.config import get_config
from nbdev.process import NBProcessor
from nbdev.processors import clean_magics, filter_stream_, hide_line, rm_header_dash, strip_ansi

ROOT = Path(__file__).resolve().parent.parent
FIGURES = "docs/readme_files"
HEAD = "<!-- Made from nbs/index.ipynb by docs/readme.py: edit that notebook. -->"
SUFFIX = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg"}


def joined(x): return "".join(x) if isinstance(x, list) else x


def fence(code, language=""):
    ticks = "`" * max(3, 1 + max(map(len, re.findall("`+", code)), default=0))
    return f"{ticks}{language}\n{code.rstrip()}\n{ticks}"


def output(out, figures):
    "One output as Markdown; a picture is added to `figures` (name -> bytes) and linked."
    if out.output_type == "error": raise SystemExit(f"readme: a cell of the home notebook failed: {out.ename}: {out.evalue}")
    if out.output_type == "stream": return fence(joined(out.text), "text")
    data = {k: joined(v) for k, v in out.data.items()}
    for kind, suffix in SUFFIX.items():
        if kind not in data: continue
        name = f"{len(figures)}.{suffix}"
        figures[name] = data[kind].encode() if suffix == "svg" else base64.b64decode(data[kind])
        return f"![]({FIGURES}/{name})"
    return data.get("text/markdown") or data.get("text/html") or fence(data.get("text/plain", ""), "text")


def pieces(nb, figures, nbs):
    "The cells of `nb` as Markdown, those left out that a reader of the site does not see either."
    for cell in nb.cells:
        if cell.cell_type == "markdown":  # links among the notebooks start at the root here
            yield re.sub(r"(\]\()(?![a-z]+:|[/#])", rf"\1{nbs}/", cell.source.strip())
        elif cell.cell_type == "code":
            directives = {name.rstrip(":"): " ".join(value) for name, value in cell.directives_.items()}
            if directives.keys() & {"hide", "default_exp", "export", "exporti"} or directives.get("include") == "false": continue
            code = "\n".join(line for line in cell.source.splitlines() if not line.startswith("#|")).strip()
            if code and directives.get("echo") != "false": yield fence(code, "python")
            if directives.get("output") != "false": yield from (output(out, figures) for out in cell.get("outputs", []))


def readme():
    "The files to write: a path to its bytes."
    cfg, figures = get_config(path=ROOT), {}
    procs = [strip_ansi, hide_line, filter_stream_, rm_header_dash, clean_magics]
    nb = NBProcessor(cfg.nbs_path / cfg.readme_nb, procs=procs, process=True).nb
    text = "\n\n".join([HEAD, *(p for p in pieces(nb, figures, cfg.nbs_path.name) if p.strip())]) + "\n"
    return {ROOT / "README.md": text.encode()} | {ROOT / FIGURES / name: data for name, data in figures.items()}


def main():
    want = {path: data for path, data in readme().items() if not path.exists() or path.read_bytes() != data}
    if "--check" not in sys.argv:
        for path, data in want.items(): path.parent.mkdir(exist_ok=True); path.write_bytes(data)
    elif want: sys.exit(f"readme: {', '.join(p.name for p in want)} is not what the home notebook says: run python docs/readme.py")


if __name__ == "__main__": main()
