"""Silhouettes of products without photographs: the shapes of shapes.svg, and which category is drawn by which."""

import re
from pathlib import Path

SHAPES = {
    name: "".join(line.strip() for line in parts.splitlines())
    for name, parts in re.findall(
        r'<g id="([a-z-]+)">(.*?)</g>', Path(__file__).with_name("shapes.svg").read_text(encoding="utf-8"), re.DOTALL
    )
}

UNKNOWN = "box"
"""The shape of a category that is not named here."""

SHAPE_OF = {
    "action-cameras": "camera",
    "blenders": "blender",
    "cables": "cable",
    "cameras": "camera",
    "chargers": "charger",
    "coffee-machines": "coffee",
    "desktops": "tower",
    "dishwashers": "dishwasher",
    "e-books": "tablet",
    "feature-phones": "feature-phone",
    "fitness-bands": "watch",
    "fridges": "fridge",
    "game-consoles": "console",
    "gamepads": "gamepad",
    "graphics-cards": "card",
    "headphones": "headphones",
    "irons": "iron",
    "kettles": "kettle",
    "keyboards": "keyboard",
    "memory-cards": "sd-card",
    "mice": "mouse",
    "microwaves": "microwave",
    "monitors": "screen",
    "multicookers": "cooker",
    "notebooks": "laptop",
    "ovens": "oven",
    "phone-cases": "case",
    "portable-speakers": "speaker",
    "power-banks": "battery",
    "printers": "printer",
    "processors": "chip",
    "robot-vacuums": "robot",
    "routers": "router",
    "screen-protectors": "glass",
    "security-cameras": "security",
    "smart-bulbs": "bulb",
    "smart-plugs": "plug",
    "smart-speakers": "speaker",
    "smart-watches": "watch",
    "smartphones": "phone",
    "soundbars": "soundbar",
    "ssd": "ssd",
    "tablets": "tablet",
    "televisions": "screen",
    "usb-drives": "usb",
    "vacuum-cleaners": "vacuum",
    "washing-machines": "washer",
}


def silhouette(category: str) -> str:
    """The SVG elements that draw a product of this category."""
    return SHAPES[SHAPE_OF.get(category, UNKNOWN)]
