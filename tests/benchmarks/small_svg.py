"""Pictures of matplotlib in a fraction of their bytes and lines, which look the same.

matplotlib writes six decimals, a line of text per vertex, a style per element and a long name per letter.
"""

import re
import string
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SPACE = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"
DECIMALS = 2
"""Of lengths: a hundredth of a point, which no screen shows."""
LETTER = "scale(0.015625)"
"""How matplotlib marks the outline of a letter, in 6400ths of its size."""
LETTER_IN_TENTHS = "scale(0.15625)"
NUMBER = re.compile(r"-?\d*\.?\d+(?:e[-+]?\d+)?")


def small(drawn: str) -> str:
    """An SVG of matplotlib with two decimals, relative paths, a class for each style, and short names; one shape or text per line.

    Raises:
        ValueError: If a path has a command that matplotlib does not write.
    """
    root = ElementTree.fromstring(drawn)
    for metadata in root.findall(f"{SPACE}metadata"):
        root.remove(metadata)
    _shorten_names(root)
    _name_styles(root)
    _share_words(root)
    for element in root.iter():
        _shorten_numbers(element)
        element.tail = "" if element.tag in (f"{SPACE}use", f"{SPACE}rect") else "\n"
        if element.tag != f"{SPACE}style":
            element.text = ""
    _unwrap(root)
    ElementTree.register_namespace("", SPACE[1:-1])
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _shorten_names(root: Element) -> None:
    """Names that something refers to become short, and others go."""
    text = ElementTree.tostring(root, encoding="unicode")
    used = dict.fromkeys(link or place for link, place in re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', text))
    letters = string.ascii_letters
    short = {name: letters[place] if place < len(letters) else f"n{place}" for place, name in enumerate(used)}
    for element in root.iter():
        if (name := element.attrib.pop("id", "")) in short:
            element.set("id", short[name])
        if link := element.attrib.pop(LINK, ""):
            element.set("href", f"#{short[link[1:]]}")
        for key in ("clip-path", "style"):
            if "url(#" in element.get(key, ""):
                element.set(key, re.sub(r"(?<=url\(#)[^)]+", lambda found: short[found[0]], element.attrib[key]))


def _name_styles(root: Element) -> None:
    """Each style is written once, as a class; that of all marks of a curve belongs to their group."""
    for group in root.iter(f"{SPACE}g"):
        held = {element.get("style") for element in group if element.tag == f"{SPACE}use"}
        if len(group) > 1 and len(held) == 1 and None not in held:
            for mark in group.findall(f"{SPACE}use"):
                group.set("style", mark.attrib.pop("style"))
    names: dict[str, str] = {}
    for element in root.iter():
        if style := element.attrib.pop("style", ""):
            element.set("class", names.setdefault(re.sub(r"(?<=[;:]) ", "", style), f"s{len(names)}"))
    (sheet,) = root.iter(f"{SPACE}style")
    sheet.text = "\n".join([sheet.text or "", *(f".{name}{{{style}}}" for style, name in names.items()), ""])


def _share_words(root: Element) -> None:
    """The letters of a text that stands in several places are placed once."""
    first: dict[str, tuple[str, Element]] = {}
    for text in list(root.iter(f"{SPACE}g")):
        letters = [child for child in text if child.tag == f"{SPACE}use"]
        if len(letters) < 3 or "transform" not in text.attrib:
            continue
        for letter in letters:
            text.remove(letter)
        said = "".join(ElementTree.tostring(letter, encoding="unicode") for letter in letters)
        if said in first:
            name, word = first[said]
            word.set("id", name)
            ElementTree.SubElement(text, f"{SPACE}use", href=f"#{name}")
        else:
            first[said] = f"w{len(first)}", ElementTree.SubElement(text, f"{SPACE}g")
            first[said][1].extend(letters)


def _shorten_numbers(element: Element) -> None:
    """Paths, places and sizes with two decimals, outlines of letters in 640ths of their size; factors keep all of theirs."""
    transform = element.get("transform", "")
    if path := element.get("d"):
        is_letter = transform == LETTER
        element.set("d", relative(path, 0.1, 0) if is_letter else relative(path))
        transform = LETTER_IN_TENTHS if is_letter else transform
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)(.*)", transform)
    if moved and element.tag == f"{SPACE}use" and not moved[3]:
        element.attrib.update(x=moved[1], y=moved[2])
        transform = ""
    elif moved:
        transform = f"translate({' '.join(_said(float(number)) for number in moved.groups()[:2])}){moved[3]}"
    element.attrib.pop("transform", None)
    if transform:
        element.set("transform", transform)
    if element.tag in (f"{SPACE}use", f"{SPACE}rect"):
        for key in ("x", "y", "width", "height"):
            if (said := _said(float(element.attrib.pop(key, 0.0)))) != "0":
                element.set(key, said)


def _unwrap(parent: Element) -> None:
    """Groups that say nothing give their places to what they hold."""
    for child in list(parent):
        _unwrap(child)
        if child.tag == f"{SPACE}g" and not child.attrib:
            place = list(parent).index(child)
            parent[place : place + 1] = list(child)


def relative(path: str, factor: float = 1.0, decimals: int = DECIMALS) -> str:
    """A path of absolute M, L, Q, C and z as one of relative commands with few decimals, whose rounding does not add up.

    Raises:
        ValueError: If it has another command.
    """
    written, x, y, begin, previous = "", 0.0, 0.0, (0.0, 0.0), ""
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        if command not in "MLQCz":
            raise ValueError(f"a path must consist of M, L, Q, C and z, got {command!r}")
        places = [round(factor * float(number), decimals) for number in NUMBER.findall(text)]
        steps = [_said(place - (y if number % 2 else x), decimals) for number, place in enumerate(places)]
        letter = (
            "" if command == previous and command in "LQC" else command.lower()
        )  # lines and curves go on without it
        joined = "".join(step if step.startswith("-") else f" {step}" for step in steps)
        written += letter + (joined.removeprefix(" ") if letter else joined)
        x, y = places[-2:] or begin
        begin = (x, y) if command == "M" else begin
        previous = command
    return written


def _said(number: float, decimals: int = DECIMALS) -> str:
    """Without what can be left out."""
    said = f"{number:.{decimals}f}"
    said = said.rstrip("0").rstrip(".") if decimals else said
    return re.sub(r"^(-?)0\.", r"\1.", said) if said not in ("-0", "") else "0"
