"""Turn a chapter, a notebook with nbdev directives, into a notebook that MyST-NB renders.

An exported cell becomes the API entries of its public symbols, with the code below them: the kernels are what the book is about.
A test cell gets a badge, hidden cells go, links between notebooks become links between pages. Outputs are those that were committed."""
import ast, importlib, inspect, json, re
from fastcore.docments import docments

DROP = {"hide", "default_exp"}
EXPORT = {"export", "exports", "exporti"}
SHOWN = {"pytest": "nb-test", "slow": None, "eval": None, "label": None}  # a directive to the tag of its cell
FIGURE = {"fig-cap", "fig-alt"}
INPUT = {"echo": ("false", "remove-input"), "output": ("false", "remove-output"), "code-fold": ("true", "hide-input"), "include": ("false", None)}
EMPTY = inspect.Parameter.empty


class ChapterError(Exception): "What is wrong with a notebook, in one line."


def page_of(name):
    "The page of a notebook: its name less number and suffix."
    return re.sub(r"^\d+\w?_", "", re.sub(r"\.ipynb$", "", name))


def directives(code):
    "Directives at the top of a cell (name to value), and the code without them."
    found, lines = {}, code.strip("\n").splitlines()
    while lines and (m := re.match(r"#\|\s*([\w-]+):?\s*(.*)", lines[0])):
        found[m[1]] = m[2].strip().strip("\"'")
        del lines[0]
    return found, "\n".join(lines).strip("\n")


def markdown(source): return {"cell_type": "markdown", "metadata": {}, "source": source}


# --- API entries

def annotation(a):
    if a in (EMPTY, None): return ""
    name = a if isinstance(a, str) else inspect.formatannotation(a)
    return re.sub(r"\b(typing|pathlib|collections\.abc)\.|\bsavante\.\w+\.|", "", name).replace("numpy.", "np.")


def default(v):
    "A default value as one would write it."
    if isinstance(v, (bool, int, float, str, bytes, tuple, type(None))): return repr(v)
    return getattr(v, "__name__", "…")


class Written(str): __repr__ = str.__str__


def signature(fn):
    "Names and defaults; the types are in the table below."
    try: sig = inspect.signature(fn)
    except (TypeError, ValueError): return "(…)"
    params = [p.replace(annotation=EMPTY, default=p.default if p.default is EMPTY else Written(default(p.default))) for p in sig.parameters.values()]
    return str(sig.replace(parameters=params, return_annotation=EMPTY))


def table(fn):
    "The parameters of `fn` with what their docments say, as a table; '' where they say nothing."
    try: docs = docments(fn, full=True)
    except Exception: return ""  # a class without a signature of its own, a builtin
    rows, told = [], False
    for name, p in docs.items():
        if name in ("self", "cls") or name == "return" and isinstance(fn, type): continue
        text, kind = (p.docment or "").replace("\n", " "), annotation(p.anno)
        told |= bool(text)
        if name == "return":
            if text or kind: rows.append(("*returns*", kind, "", text))
        else: rows.append((f"`{name}`", kind, "" if p.default is EMPTY else default(p.default), text))
    if not told: return ""
    def cell(s): return s.replace("|", r"\|")
    def code(s): return f"`{cell(s)}`" if s else ""
    lines = [f"| {name} | {code(kind)} | {code(value)} | {cell(text)} |" for name, kind, value, text in rows]
    return "\n".join([":::{table}", ":class: docments", "", "| name | type | default | details |", "|:--|:--|:--|:--|", *lines, ":::"])


def entry(name, module):
    "The API entry of the symbol `name` as a MyST directive."
    symbol = getattr(module, name)
    fn = getattr(symbol, "py_func", symbol)  # what Numba wraps
    kind = "class" if isinstance(fn, type) else "function" if callable(fn) else "data"
    doc = "" if kind == "data" else fn.__doc__ or ""
    if re.match(rf"{name}\(", doc): doc = ""  # a dataclass without a docstring repeats its signature
    body = [inspect.cleandoc(doc), "" if kind == "data" else table(fn)]
    head = f"`````{{py:{kind}}} {name}{'' if kind == 'data' else signature(fn)}\n:module: {module.__name__}\n"
    return head + "\n" + "\n\n".join(b for b in body if b) + "\n`````"


def public(code):
    "Functions and classes with public names that `code` defines at its top level."
    nodes = ast.parse(code).body
    return [n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and not n.name.startswith("_")]


# --- cells

class Chapter:
    "One notebook on its way to a page."
    def __init__(self, path, package):
        self.path, self.package, self.module, self.title, self.seen = path, package, None, None, set()
        self.nb = json.loads(path.read_text(encoding="utf-8"))

    def convert(self):
        "The cells of the page."
        cells = []
        for cell in self.nb["cells"]:
            source, kind = "".join(cell["source"]), cell["cell_type"]
            try: new = self.text(source) if kind == "markdown" else self.code(cell, source) if kind == "code" else []
            except (ChapterError, SyntaxError) as e: raise ChapterError(f"{self.path.name}, cell {cell.get('id')}: {e}") from None
            for n, c in enumerate(new): cells.append({**c, "id": cell["id"] + (f"-{n}" if n else "")})
        if self.title is None: raise ChapterError(f"{self.path.name}: has no title (a first line `# …`)")
        return cells

    def text(self, source):
        if self.title is None and source.startswith("# "): source = self.head(source)
        return [markdown(re.sub(r"(\]\()([\w./-]+)\.ipynb", lambda m: f"{m[1]}{page_of(m[2])}.ipynb", source))]

    def head(self, source):
        "Title, the module's anchor, and the quoted line as a lead."
        first, *rest = source.strip().splitlines()
        self.title = first[2:].strip()
        lead = " ".join(line[1:].strip() for line in rest if line.startswith(">"))
        parts = [first, f"```{{py:module}} {self.module.__name__}\n```" if self.module else "", f":::{{div}} lead\n{lead}\n:::" if lead else "",
                 "\n".join(line for line in rest if not line.startswith(">")).strip()]
        return "\n\n".join(p for p in parts if p)

    def code(self, cell, source):
        found, code = directives(source)
        if unknown := found.keys() - DROP - EXPORT - SHOWN.keys() - FIGURE - INPUT.keys(): raise ChapterError(f"unknown directive {min(unknown)}")
        if "default_exp" in found: self.module = importlib.import_module(f"{self.package}.{found['default_exp']}")
        if found.keys() & DROP or found.get("include") == "false" or not code: return []
        tags = [SHOWN.get(d) for d in found] + [tag for d, (value, tag) in INPUT.items() if found.get(d) == value]
        shown = {"cell_type": "code", "execution_count": None, "source": code, "outputs": [self.output(o) for o in cell["outputs"]], "metadata": {}}
        entries = []
        if found.keys() & EXPORT:
            tags.append("nb-export")
            entries = [markdown(entry(n, self.module)) for n in public(code) if n not in self.seen and hasattr(self.module, n)]
            self.seen |= set(public(code))
        shown["metadata"]["tags"] = sorted(filter(None, tags))
        if "fig-cap" in found: shown["metadata"]["mystnb"] = {"figure": {"caption": found["fig-cap"]}}
        if "fig-alt" in found: shown["metadata"].setdefault("mystnb", {})["image"] = {"alt": found["fig-alt"]}
        return [*entries, shown]

    def output(self, out):
        if out["output_type"] == "error": raise ChapterError(f"its output is an error ({out['ename']}): run the chapter again")
        if "text" in out: out = {**out, "text": re.sub(r"\x1b\[[\d;]*m", "", "".join(out["text"]))}
        return out


def write(cells, path):
    "Save cells as a notebook that is not to be run."
    meta = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python", "pygments_lexer": "ipython3"}}
    path.write_text(json.dumps({"cells": cells, "metadata": meta, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
