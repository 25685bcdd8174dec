"""Turn a chapter, a notebook with nbdev directives, into a notebook that MyST-NB renders.

An exported cell becomes the API entries of its public symbols, with the code below them: the kernels are what the book is about.
A test cell gets a badge, hidden cells go, links between notebooks become links between pages. Outputs are those that were committed."""
import ast, importlib, inspect, json, re
from fastcore.docments import docments

DROP = {"hide", "default_exp"}
EXPORT = {"export", "exports", "exporti"}
SHOWN = {"pytest": "nb-test", "slow": None, "eval": None, "label": None}  # a directive to the tag of its cell
FIGURE = {"fig-cap", "fig-alt"}
VALUED = {"echo": ("false", "remove-input"), "output": ("false", "remove-output"), "code-fold": ("true", "hide-input"),
          "include": ("false", None)}
EMPTY = inspect.Parameter.empty


class ChapterError(Exception): "What is wrong with a notebook, in one line."


def page_of(name):
    "The page of a notebook: its name less number and suffix."
    return re.sub(r"^\d+\w?_", "", re.sub(r"\.ipynb$", "", name))


def number(name):
    "The number of a chapter, `9b` of `09b_step.ipynb`; '' for a page that is none."
    return m[1] if (m := re.match(r"0*(\d+[a-z]?)_", name)) else ""


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


def function(symbol):
    "The Python function or class behind a symbol: what Numba compiled, what a decorator wraps."
    return inspect.unwrap(getattr(symbol, "py_func", symbol))


def is_method(symbol):
    "Is it a function that takes `self`, defined on its own to be added to a class?"
    code = getattr(function(symbol), "__code__", None)
    return code is not None and code.co_varnames[:1] == ("self",)


def signature(fn, drop=frozenset({"self"})):
    "Names and defaults; the types are in the table below. A class that inherits its constructor shows none."
    if isinstance(fn, type) and not ("__init__" in vars(fn) or "__new__" in vars(fn)): return ""
    sig = inspect.signature(fn.__init__ if isinstance(fn, type) and "__init__" in vars(fn) else fn)
    sig = sig.replace(parameters=[p for p in sig.parameters.values() if p.name not in drop])
    def plain(p): return p.replace(annotation=EMPTY, default=p.default if p.default is EMPTY else Written(default(p.default)))
    return str(sig.replace(parameters=[plain(p) for p in sig.parameters.values()], return_annotation=EMPTY))


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


def described(fn, name):
    "Docstring and table of parameters of a function or class."
    doc = getattr(fn, "__doc__", None) or ""
    if doc.startswith(f"{name}("): doc = ""  # a dataclass without a docstring gets its signature for one
    return "\n\n".join(b for b in (inspect.cleandoc(doc), table(fn)) if b)


def entry(name, module):
    "The API entry of the symbol `name` as a MyST directive, beside its derivation: links lead here."
    fn = function(getattr(module, name))
    kind = "class" if isinstance(fn, type) else "function"
    return f"`````{{py:{kind}}} {name}{signature(fn)}\n:module: {module.__name__}\n\n{described(fn, name)}\n`````"


def methods(cls):
    "Public methods of a class, name to function; not those that every class has, nor properties."
    found = {n: getattr(m, "__func__", m) for n, m in vars(cls).items() if not n.startswith("_")}
    return {n: function(m) for n, m in found.items() if inspect.isfunction(function(m))}


def reference(name, module):
    "The same for the API page, with a class's methods."
    fn, quiet = function(getattr(module, name)), ":no-index:\n:no-contents-entry:"
    kind = "class" if isinstance(fn, type) else "function"
    chapter = f"{{py:obj}}`In its chapter <{module.__name__}.{name}>`"
    parts = [described(fn, name), chapter]
    for short, m in methods(fn).items() if isinstance(fn, type) else ():
        parts.append(f"````{{py:method}} {name}.{short}{signature(m, drop={'self', 'cls'})}\n:module: {module.__name__}\n{quiet}\n\n{described(m, short)}\n````")
    return f"`````{{py:{kind}}} {name}{signature(fn)}\n:module: {module.__name__}\n{quiet}\n\n" + "\n\n".join(filter(None, parts)) + "\n`````"


def public(names, module):
    "Those of `names` that a reader can import from `module` and use."
    def shown(n): return not n.startswith("_") and "." not in n and callable(found := getattr(module, n, None)) and not is_method(found)
    return list(filter(shown, names))


def defined(code): return [n.name for n in ast.parse(code).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]


# --- cells

class Chapter:
    "One notebook on its way to a page."
    def __init__(self, path, package):
        self.path, self.package, self.module, self.title, self.seen, self.figures = path, package, None, None, set(), 0
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
        anchor = f"```{{py:module}} {self.module.__name__}\n```" if self.module else ""
        body = "\n".join(line for line in rest if not line.startswith(">")).strip()
        parts = [first, anchor, f":::{{div}} lead\n{lead}\n:::" if lead else "", body]
        return "\n\n".join(p for p in parts if p)

    def code(self, cell, source):
        found, code = directives(source)
        if unknown := found.keys() - DROP - EXPORT - SHOWN.keys() - FIGURE - VALUED.keys():
            raise ChapterError(f"unknown directive {min(unknown)}")
        if "default_exp" in found: self.module = importlib.import_module(f"{self.package}.{found['default_exp']}")
        if found.keys() & DROP or found.get("include") == "false" or not code: return []
        tags = [SHOWN.get(d) for d in found] + [tag for d, (value, tag) in VALUED.items() if found.get(d) == value]
        outputs = [self.output(o) for o in cell["outputs"]]
        shown = {"cell_type": "code", "execution_count": None, "source": code, "outputs": outputs, "metadata": {}}
        entries = []
        if found.keys() & EXPORT:
            tags.append("nb-export")
            names = [n for n in public(defined(code), self.module) if n not in self.seen]
            entries = [markdown(entry(n, self.module)) for n in names]
            self.seen |= set(names)
        shown["metadata"]["tags"] = sorted(filter(None, tags))
        if any(kind.startswith("image/") for o in outputs for kind in o.get("data", ())):
            if not found.get("fig-cap"): raise ChapterError("a picture without a caption: begin the cell with `#| fig-cap: what is drawn`")
            self.figures += 1
            label = ".".join(filter(None, (number(self.path.name), str(self.figures))))
            shown["metadata"]["mystnb"] = {"figure": {"caption": f"**Figure {label}.** {found['fig-cap']}"},
                                           "image": {"alt": found.get("fig-alt") or found["fig-cap"]}}
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
