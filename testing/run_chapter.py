"""Run chapters in a fresh kernel and keep their outputs.

    python testing/run_chapter.py                   # all notebooks of nbs/, in place
    python testing/run_chapter.py 06 nbs/07_rope.ipynb
    python testing/run_chapter.py --check           # change nothing; exit 1 where an output's text is not the committed one
    python testing/run_chapter.py --slow 14         # the cells marked `#| slow`, too: they record measurements

`nbdev_test` runs the chapters and throws the outputs away; this keeps them. The kernel works in nbs/, with the repository's root on
its path and LIBDIR at the oracle where `get_oracle.py` has fetched it. Cells that `nbdev_test` skips (a flag of `tst_flags` in
settings.ini, `eval: false`) are skipped here as well and keep what they recorded. What is written is clean: `nbdev_clean` finds
nothing to do."""
import argparse, difflib, json, os, re, sys, time
from pathlib import Path
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbdev.clean import clean_nb
from nbdev.config import get_config
from execnb.nbio import dict2nb, read_nb, write_nb
import get_oracle

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ["--InlineBackend.rc={'figure.dpi': 80}", "--log-level=ERROR"]  # small figures: they are most of a chapter's size


def notebooks(names, nbs):
    "Paths of the notebooks meant by `names`: a path, a file name, a number or a module; all of them without names."
    every = sorted(nbs.glob("[!_.]*.ipynb"))
    if not names: return every
    def chosen(name):
        stem = Path(name).stem
        if hits := [p for p in every if p.stem == stem or stem in p.stem.split("_", 1)]: return hits[0]
        if Path(name).is_file(): return Path(name).resolve()
        sys.exit(f"run_chapter: there is no notebook {name!r} in {nbs.relative_to(ROOT)}")
    return [chosen(n) for n in names]


def skipped(cell, flags):
    "Is `cell` one that `nbdev_test` would not run?"
    directives = [line[2:].split() for line in cell.source.splitlines() if line.startswith("#|")]
    return any(d and (d[0] in flags or d[:2] == ["eval:", "false"]) for d in directives)


def run(path, flags, timeout):
    "The notebook at `path` as a fresh run leaves it, clean."
    nb = nbformat.read(path, 4)
    where = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(nb, timeout=timeout, kernel_name="python3", coalesce_streams=True, extra_arguments=KERNEL, resources=where)
    with client.setup_kernel():
        for n, cell in enumerate(nb.cells):
            if cell.cell_type != "code" or skipped(cell, flags): continue
            try: client.execute_cell(cell, n)
            except (CellExecutionError, CellTimeoutError, DeadKernelError) as e:
                sys.exit(f"run_chapter: {path.name}, cell {cell.id} failed; the notebook is unchanged\n\n{reason(e, cell)}")
    return cleaned(dict2nb(json.loads(nbformat.writes(nb))))  # by way of its file form: one string a line


def reason(e, cell):
    if isinstance(e, CellTimeoutError): return f"{cell.source}\n\nIt took too long: raise --timeout."
    if isinstance(e, DeadKernelError): return f"{cell.source}\n\nThe kernel died: memory, or a fault in compiled code."
    errors = [re.sub(r"\x1b\[[\d;]*m", "", "\n".join(out.traceback)) for out in cell.outputs if out.output_type == "error"]
    return "\n".join(errors) or str(e)


def cleaned(nb):
    "What `nbdev_clean` makes of `nb` under this project's settings."
    cfg = get_config(path=ROOT)
    clean_nb(nb, cfg.clear_all, cfg.allowed_metadata_keys.split(), cfg.allowed_cell_metadata_keys.split(), cfg.clean_ids)
    return nb


def text(cell):
    "The text of a cell's outputs; of a picture, that there is one."
    def one(out):
        if "text" in out: return "".join(out.text)
        data = out.get("data", {})
        images = [f"[{k}]" for k in sorted(data) if k.startswith("image/")]
        return "\n".join(["".join(data.get("text/plain", "")), *images])
    return [line for out in cell.get("outputs", []) for line in one(out).splitlines()]


def differences(old, new):
    "Lines of a diff between the outputs of two runs, cell by cell."
    for a, b in zip(old.cells, new.cells, strict=True):
        yield from difflib.unified_diff(text(a), text(b), f"cell {a.id}, committed", f"cell {a.id}, fresh", n=0, lineterm="")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("notebooks", nargs="*", metavar="NB", help="a path, a number or a module's name; all without")
    ap.add_argument("--check", action="store_true", help="compare with the committed outputs, write nothing")
    ap.add_argument("--slow", action="store_true", help="run the cells flagged slow, too")
    ap.add_argument("--timeout", type=int, default=600, help="seconds a cell may take (600)")
    args = ap.parse_args()
    cfg = get_config(path=ROOT)
    flags = set() if args.slow else set(cfg.tst_flags.split())
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    os.environ["PYTHONHASHSEED"] = "0"
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # whatever the shell says: pictures are outputs
    try: libdir = get_oracle.find()
    except get_oracle.OracleError as e: sys.exit(f"run_chapter: {e}")
    if libdir: os.environ["LIBDIR"] = str(libdir)
    else: print("run_chapter: no oracle here; fetch it (testing/get_oracle.py) before you commit outputs", file=sys.stderr)
    stale = False
    for path in notebooks(args.notebooks, Path(cfg.nbs_path)):
        start, old = time.time(), read_nb(path)
        new = run(path, flags, args.timeout)
        if args.check:
            diff = list(differences(old, new)); stale |= bool(diff)
            print("\n".join([f"{path.name}: {'differs' if diff else 'same outputs'} ({time.time() - start:.0f} s)", *diff]), flush=True)
        else:
            write_nb(new, path)
            print(f"{path.name}: {time.time() - start:.0f} s, {path.stat().st_size / 1000:.0f} KB", flush=True)
    sys.exit(stale)


if __name__ == "__main__": main()
