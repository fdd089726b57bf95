"""Settings of Sphinx for the documentation site, built by `sphinx-build -W docs out/site`.

The pages are the Markdown files of this folder. The tests run their Python, so the build does not run it again; it runs the notebooks in
`tutorials/`. The reference is written from the docstrings of every public name, one page per class, into `reference/`.
"""

import inspect
import os
import re
import sys
from importlib import import_module
from pathlib import Path
from types import GenericAlias, ModuleType

HERE = Path(__file__).parent

project = "Polhode"
author = "The Polhode developers"
copyright = "The Polhode developers"
release = import_module("engine").__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["README.md", "_build"]
intersphinx_mapping: dict[str, tuple[str, None]] = {}  # the build needs no network

# single backticks in docstrings are names of objects
default_role = "py:obj"
nitpicky = False
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = False
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True  # attributes are documented a second time where they are properties

myst_enable_extensions = ["attrs_inline", "colon_fence", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]  # of functions in this file
nb_execution_mode = "cache"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_output_stderr = "remove"  # the line on compilation, which is there or not

html_theme = "furo"
html_title = "Polhode"
html_theme_options = {
    "light_css_variables": {"code-font-size": "0.78rem"}
}  # lines of 92 characters fit into the column
_CLIPS = HERE.parent / "demos" / "pictures" / "clips"
html_static_path = [str(_CLIPS), *(str(_CLIPS.parent / f"{clip.stem}.webp") for clip in sorted(_CLIPS.glob("*.mp4")))]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"  # which importing pygame prints

REPOSITORY = os.environ.get("POLHODE_REPOSITORY", "")
"""The address of the files of the repository. As long as there is none, links to files outside this folder become plain words."""

MODULES = {
    "engine": "World, bodies and what is kept of them",
    "engine.forces": "Forces",
    "engine.integrators": "Integrators",
    "engine.joints": "Joints",
    "engine.flight": "Actuators, sensors and control loops",
    "engine.flight.control": "Control laws",
    "engine.flight.orbit": "Orbits",
    "engine.rotation": "Rotations",
    "engine.scalar": "Scalar functions for compiled forces",
    "engine.diagnostics": "Energy and momentum",
    "engine.plot": "Plots",
    "engine.notebook": "Views in a notebook",
    "engine.viewer.drawing": "What pictures are made of",
    "engine.viewer": "A window, and pictures",
    "engine.viewer.meshes.parts": "Parts of craft, as meshes",
    "engine.viewer.picture.colours": "The colours of pictures",
    "engine.viewer.running": "Programs that show a scene",
    "engine.shapes": "Shapes",
    "engine.contacts": "Contacts",
    "engine.queries": "Answers about shapes",
    "engine.solutions": "Closed-form solutions",
    "engine.campaign": "Campaigns",
    "engine.batch": "Batches",
}
"""The public modules, in the order of the reference."""


ROOT_PAGES = ("CONTRIBUTING", "CHANGELOG")
"""Pages of the repository's root that the site has too."""


def public_names(module: ModuleType) -> list[str]:
    """The names that a module exports, or else those of the functions and classes that it defines."""
    defined = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return list(getattr(module, "__all__", [name for name in defined if not name.startswith("_")]))


def write_reference(app: object) -> None:
    """Write one page per module, with its functions, and one page per class; a name that two modules export is documented once."""
    folder = HERE / "reference"
    pages: dict[Path, str] = {}
    seen: set[int] = set()
    for name, title in MODULES.items():
        module = import_module(name)
        public = {one: getattr(module, one) for one in public_names(module)}
        own = {one: value for one, value in public.items() if not inspect.ismodule(value) and id(value) not in seen}
        seen.update(map(id, own.values()))
        classes = sorted(one for one, value in own.items() if inspect.isclass(value))
        others = sorted((one for one in own if one not in classes), key=str.lower)
        lines = [f"# {title}", "", f"```{{eval-rst}}\n.. automodule:: {name}\n```", ""]
        if classes:
            lines += ["```{toctree}\n:maxdepth: 1\n", *(f"{name}.{one}" for one in classes), "```", ""]
        for one in others:
            # a value or an alias of a type has no docstring of its own; its meaning is in that of its module
            is_function = callable(own[one]) and not isinstance(own[one], GenericAlias)
            directive = f"autofunction:: {name}" if is_function else f"py:data:: {name}"
            lines += [f"```{{eval-rst}}\n.. {directive}.{one}\n```", ""]
        pages[folder / f"{name}.md"] = "\n".join(lines)
        for one in classes:
            options = "   :members:\n   :inherited-members: object, tuple, ArithmeticError, Exception, BaseException"
            body = f"```{{eval-rst}}\n.. autoclass:: {name}.{one}\n{options}\n```"
            pages[folder / f"{name}.{one}.md"] = f"# {one}\n\n{body}\n"
    for name in ROOT_PAGES:
        pages[folder / f"{name.lower()}.md"] = moved((HERE.parent / f"{name}.md").read_text(encoding="utf-8"), folder)
    listing = "\n".join(["# Reference", "", "```{toctree}\n:maxdepth: 2\n", *MODULES, "```", ""])
    pages[folder / "index.md"] = listing
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.md"):
        if path not in pages:
            path.unlink()
    for path, text in pages.items():
        # an unchanged file keeps its time, so that it is not read again
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


_PARAGRAPH = re.compile(r"^(\s*)(Error|Source|Stability|Conserves|Range): (.*)$")


def join_paragraphs(app: object, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Join the indented second lines of paragraphs such as "Error:", which reStructuredText takes for quotations."""
    found: list[str] = []
    indent = None
    for line in lines:
        start = _PARAGRAPH.match(line)
        if start:
            indent = len(start[1])
            if found and found[-1].strip():
                found.append("")
            found.append(f"{start[1]}**{start[2]}:** {start[3]}")
        elif indent is not None and line.strip() and len(line) - len(line.lstrip()) > indent:
            found[-1] += f" {line.strip()}"
        else:
            indent = None
            found.append(line)
    lines[:] = found


_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\((?!https?://|mailto:|#)([^)\s]+)\)")


def moved(text: str, folder: Path) -> str:
    """A page of the repository's root, with links that lead to the same files from a folder of the site."""
    return _LINK.sub(lambda match: f"[{match[1]}]({os.path.relpath(HERE.parent / match[2], folder)})", text)


def rewrite_links(app: object, docname: str, source: list[str]) -> None:
    """Lead links to files outside this folder to the repository."""
    folder = (HERE / docname).parent

    def rewritten(match: re.Match[str]) -> str:
        words, target = match.groups()
        name, _, heading = target.partition("#")
        path = (folder / name).resolve()
        if path.parent == HERE.parent and path.stem in ROOT_PAGES:
            page = os.path.relpath(HERE / "reference" / f"{path.stem.lower()}.md", folder)
            return f"[{words}]({page}{'#' if heading else ''}{heading})"
        if path.is_relative_to(HERE) and path.name != "README.md":
            return match[0]
        if not REPOSITORY:
            return words
        return f"[{words}]({REPOSITORY}/{path.relative_to(HERE.parent).as_posix()})"

    source[0] = _LINK.sub(rewritten, source[0])


_ARRAY = re.compile(r"~?(?:numpy\.)?ndarray\[tuple\[~?(?:typing\.)?Any, \.\.\.\], ~?(?:numpy\.)?dtype\[([^\[\]]*)\]\]")


def shorten_types() -> None:
    """Let signatures name the types of NumPy's arrays, where Sphinx would write out the unions that stand behind the names."""
    from numpy.typing import ArrayLike
    from sphinx.util import typing

    written_out = typing.stringify_annotation
    modes = ("fully-qualified-except-typing", "fully-qualified", "smart")
    array_like = {mode: written_out(ArrayLike, mode) for mode in modes}

    def short(annotation: object, /, mode: str = modes[0], **options: object) -> str:
        text = written_out(annotation, mode, **options)
        return _ARRAY.sub(r"NDArray[\1]", text.replace(array_like[mode], "ArrayLike"))

    for module in list(sys.modules.values()):
        if module.__name__.startswith("sphinx.") and getattr(module, "stringify_annotation", None) is written_out:
            module.stringify_annotation = short  # type: ignore[attr-defined]


_STILL = re.compile(r"!\[([^\]]*)\]\(\.\./\.\./demos/pictures/(\w+)\.webp\)")


def show_clips(app: object, docname: str, source: list[str]) -> None:
    """Let a page of the gallery play its clip in place of the still."""

    def clip(match: re.Match[str]) -> str:
        words, name = match.groups()
        if not (_CLIPS / f"{name}.mp4").exists():
            return match[0]
        how = f'controls loop muted autoplay playsinline width="640" style="max-width: 100%" aria-label="{words}"'
        files = f'poster="../_static/{name}.webp" src="../_static/{name}.mp4"'
        return f"```{{raw}} html\n<video {how} {files}></video>\n```"

    if docname.startswith("gallery/") and docname != "gallery/index":
        source[0] = _STILL.sub(clip, source[0])


_BACK = re.compile(r'reference/(engine[\w.]*)\.html#([\w.]+)"')


def lead_back(app: object, pagename: str, template: str, context: dict[str, str], doctree: object) -> None:
    """Lead a source back to where each of its names is documented; Sphinx takes all of them to be where the first is."""

    def rewritten(match: re.Match[str]) -> str:
        page, target = match.groups()
        module, _, name = (page, "", target.rpartition(".")[2]) if page in MODULES else page.rpartition(".")
        members = target.partition(f".{name}.")[2]
        return f'reference/{page}.html#{".".join(filter(None, (module, name, members)))}"'

    if pagename.startswith("_modules/") and "body" in context:
        context["body"] = _BACK.sub(rewritten, context["body"])


def setup(app: object) -> None:
    shorten_types()
    app.connect("builder-inited", write_reference)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", join_paragraphs, priority=400)  # type: ignore[attr-defined]
    app.connect("html-page-context", lead_back)  # type: ignore[attr-defined]
    app.connect("source-read", show_clips)  # type: ignore[attr-defined]
    app.connect("source-read", rewrite_links)  # type: ignore[attr-defined]
