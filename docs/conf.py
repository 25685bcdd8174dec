"Sphinx's settings for the site. `python docs/build.py` is how it is built."
import configparser, importlib, importlib.util, inspect, sys
from pathlib import Path
from sphinx.util.fileutil import copy_asset

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent), str(DOCS / "_ext")]
_ini = configparser.ConfigParser(interpolation=None)
_ini.read(DOCS.parent / "settings.ini")
cfg = _ini["DEFAULT"]

project, author, release, copyright = cfg["title"], cfg["author"], cfg["version"], cfg["copyright"]
extensions = ["myst_nb", "sphinx.ext.mathjax", "sphinx.ext.linkcode", "sphinx_copybutton", "sphinx_design", "namelinks"]
savante_package = cfg["lib_name"]
root_doc, exclude_patterns = "index", ["_*"]
source_suffix = {".ipynb": "myst-nb", ".md": "myst-nb"}
python_use_unqualified_type_names, add_module_names = True, False
toc_object_entries_show_parents = "hide"
pygments_style = "friendly"

# The chapters come with their outputs: nothing is run, and no page asks another server for anything.
nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js = {}
nb_render_markdown_format = "myst"
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 3
mathjax_path = "mathjax/tex-chtml.js"
mathjax3_config = {"tex": {"tags": "none"}, "options": {"enableMenu": False}}
math_eqref_format = "({number})"

html_theme = "sphinx_book_theme"
html_title, html_favicon = cfg["title"], str(DOCS / "_static" / "favicon.svg")
html_context = {"default_mode": "auto"}
html_static_path, html_css_files = [str(DOCS / "_static")], ["custom.css"]
html_theme_options = dict(
    repository_url=cfg["git_url"], repository_provider="github", repository_branch=cfg["branch"], path_to_docs=cfg["nbs_path"],
    use_repository_button=True, use_issues_button=True, use_source_button=False, use_download_button=True, use_fullscreen_button=False,
    show_toc_level=2, home_page_in_toc=True, navbar_persistent=[])


def linkcode_resolve(domain, info):
    "Where the source of an API entry is: a line of the module, which names its cell."
    found = importlib.import_module(info["module"])
    for part in info["fullname"].split("."): found = getattr(found, part)
    found = inspect.unwrap(getattr(found, "py_func", found))
    lines, first = inspect.getsourcelines(found)
    path = Path(inspect.getsourcefile(found)).relative_to(DOCS.parent)
    return f"{cfg['git_url']}/blob/{cfg['branch']}/{path.as_posix()}#L{first}-L{first + len(lines) - 1}"


def setup(app):
    def copy_mathjax(app, error):
        "MathJax from its wheel: of 24 MB the one script and its fonts."
        if error or app.builder.format != "html": return
        wheel = Path(importlib.util.find_spec("sphinx-mathjax-offline").submodule_search_locations[0]) / "static" / "mathjax"
        out = Path(app.outdir) / "_static" / "mathjax"
        copy_asset(wheel / "tex-chtml.js", out)
        copy_asset(wheel / "output/chtml/fonts/woff-v2", out / "output/chtml/fonts/woff-v2")
    app.connect("build-finished", copy_mathjax)
