"A Sphinx extension: an exported name in backticks links to its API entry, a module's name to its chapter."
import importlib
from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform


def names(package):
    "Public symbols, short and full, to full names, from the index that nbdev_export writes. A short name of two modules links nowhere."
    full, short = {}, {}
    for module, symbols in importlib.import_module(f"{package}._modidx").d["syms"].items():
        full[module] = module
        for symbol in symbols:
            name = symbol.removeprefix(f"{module}.")
            if "." in name or name.startswith("_"): continue
            full[symbol] = symbol
            short[name] = None if name in short else symbol
    return full | {name: symbol for name, symbol in short.items() if symbol}


class NameLinks(SphinxTransform):
    default_priority = 400

    def apply(self, **kwargs):
        known = self.app.savante_names
        for node in list(self.document.findall(nodes.literal)):
            target = known.get(node.astext().removesuffix("()"))
            if not target or "xref" in node["classes"]: continue
            if isinstance(node.parent, (nodes.reference, nodes.title, addnodes.pending_xref)): continue
            node.replace_self(addnodes.pending_xref("", node.deepcopy(), refdomain="py", reftype="obj", reftarget=target,
                                                    refexplicit=True, refwarn=False, refdoc=self.env.docname))


def setup(app):
    app.add_config_value("savante_package", "", "env")
    app.connect("builder-inited", lambda app: setattr(app, "savante_names", names(app.config.savante_package)))
    app.add_transform(NameLinks)
    return {"parallel_read_safe": True}
