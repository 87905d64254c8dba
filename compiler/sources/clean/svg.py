"""SVG by allow-list: elements, attributes and references that draw; everything else is left out."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from typing import Any

from lxml import etree

from compiler.sources.clean import pictures

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ELEMENTS = frozenset(
    "svg g defs symbol title desc path rect circle ellipse line polyline polygon text tspan textPath use image style "
    "switch view marker clipPath mask pattern linearGradient radialGradient stop filter feBlend feColorMatrix "
    "feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow "
    "feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight "
    "feSpecularLighting feSpotLight feTile feTurbulence".split()
)
_ATTRIBUTES = frozenset(
    "id class style x y x1 y1 x2 y2 cx cy r rx ry fx fy fr d points width height viewBox preserveAspectRatio version "
    "transform gradientTransform patternTransform gradientUnits patternUnits patternContentUnits spreadMethod offset "
    "clipPathUnits maskUnits maskContentUnits markerUnits markerWidth markerHeight refX refY orient pathLength "
    "dx dy rotate textLength lengthAdjust startOffset method spacing side lang href systemLanguage requiredFeatures "
    "filterUnits primitiveUnits in in2 result mode type values operator k1 k2 k3 k4 order kernelMatrix divisor bias "
    "targetX targetY edgeMode preserveAlpha surfaceScale diffuseConstant specularConstant specularExponent "
    "kernelUnitLength scale xChannelSelector yChannelSelector azimuth elevation stdDeviation tableValues slope "
    "intercept amplitude exponent radius pointsAtX pointsAtY pointsAtZ z limitingConeAngle baseFrequency numOctaves "
    "seed stitchTiles role aria-label aria-labelledby aria-hidden "
    "alignment-baseline baseline-shift clip clip-path clip-rule color color-interpolation color-interpolation-filters "
    "color-rendering cursor direction display dominant-baseline fill fill-opacity fill-rule filter flood-color "
    "flood-opacity font font-family font-size font-size-adjust font-stretch font-style font-variant font-weight "
    "image-rendering isolation letter-spacing lighting-color marker-end marker-mid marker-start mask mask-type "
    "mix-blend-mode opacity overflow paint-order pointer-events shape-rendering stop-color stop-opacity stroke "
    "stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width "
    "text-anchor text-decoration text-rendering unicode-bidi vector-effect visibility word-spacing writing-mode".split()
)
# In a style or an attribute only a reference within the file may stand; CSS escapes could spell any other.
_REFERENCE = re.compile(
    r"url\s*\(\s*(?![\"']?#)|@import|@font-face|@namespace|image-set|://|javascript:|expression\s*\(|\\", re.I
)
_PICTURE = re.compile(r"data:image/(?:png|jpe?g|gif|webp);base64,([A-Za-z0-9+/=\s]+)")


def svg(data: bytes) -> bytes:
    """Return the drawing without scripts, events, foreign objects, animations, outside references and editor data.

    Pictures inside it lose their metadata. Raises ValueError for a file that is no SVG or declares entities.
    """
    options = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, options)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise ValueError("not well-formed") from error
    declared: Any = root.getroottree().docinfo.internalDTD  # the stubs know no entities
    if root.tag != _SVG + "svg" or (declared is not None and list(declared.entities())):
        raise ValueError("no drawing, or one with entities")
    _clean(root)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="utf-8", xml_declaration=True)


def _clean(root: etree._Element) -> None:
    for element in list(root.iter()):
        tag = element.tag
        if tag == _SVG + "a":  # a link is a group that leads somewhere
            element.tag = tag = _SVG + "g"
        if _is_allowed(tag) and not (tag == _SVG + "style" and _REFERENCE.search(element.text or "")):
            _clean_attributes(element)
        else:
            _remove(element)


def _is_allowed(tag: object) -> bool:
    return isinstance(tag, str) and tag.startswith(_SVG) and tag.removeprefix(_SVG) in _ELEMENTS


def _remove(element: etree._Element) -> None:
    """Take an element out with all it holds; the text behind it stays."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if before is not None:
        before.tail = (before.tail or "") + (element.tail or "")
    else:
        parent.text = (parent.text or "") + (element.tail or "")
    parent.remove(element)


def _clean_attributes(element: etree._Element) -> None:
    for name, value in list(element.attrib.items()):
        key, text = str(name), str(value)
        if key in ("href", _XLINK):
            clean = _href(element, text)
        else:
            clean = text if (key in _ATTRIBUTES or key == _SPACE) and not _REFERENCE.search(text) else ""
        if clean or clean == text:
            element.set(key, clean)
        else:
            del element.attrib[name]


def _href(element: etree._Element, value: str) -> str:
    """Return a reference within the file, or the picture that an `image` holds without its metadata; else nothing."""
    if value.startswith("#"):
        return value
    match = _PICTURE.fullmatch(value.strip()) if element.tag == _SVG + "image" else None
    if match is None:
        return ""
    try:
        kind, data = _picture(base64.b64decode(match[1]))
    except (binascii.Error, ValueError, IndexError, struct.error):
        return ""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def _picture(data: bytes) -> tuple[str, bytes]:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png", pictures.png(data)
    if data.startswith(b"\xff\xd8"):
        return "jpeg", pictures.jpeg(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp", pictures.webp(data)
    return "gif", pictures.gif(data)
