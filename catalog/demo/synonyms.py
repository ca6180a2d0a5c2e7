"""What people call what an electronics shop sells: slang, diminutives, brands by ear. A beginning for merchandisers."""

from collections.abc import Mapping

from catalog.errors import SynonymTaken
from catalog.search.synonyms import add_synonyms, ever_added
from gateway.audit.trail import Actor

_KINDS = {
    "phone": "смартфон, телефон, мобильник, мобила, сотовый, трубка, телефончик, smartphone, mobile phone",
    "laptop": "ноутбук, ноут, ноутик, лэптоп, лаптоп, laptop, notebook",
    "television": "телевизор, телек, телик, тв, tv, тэлик",
    "headphones": "наушники, уши, ушки, гарнитура, наушнички, headphones, earphones",
    "video-card": "видеокарта, видюха, видяха, видеоадаптер, графическая карта, gpu",
    "processor": "процессор, проц, процик, cpu",
    "charger": "зарядное устройство, зарядка, зарядник, зарядное, блок зарядки, charger",
    "power-bank": "внешний аккумулятор, повербанк, павербанк, пауэрбанк, пауэр банк, power bank, powerbank",
    "cable": "кабель, провод, шнур, шнурок, cable",
    "case": "чехол, чехольчик, бампер, case",
    "glass": "защитное стекло, стекло на экран, бронестекло, стеклышко",
    "memory-card": "карта памяти, микро сд, micro sd, microsd",
    "usb-stick": "usb накопитель, флешка, флэшка, флеха, usb flash, flash drive",
    "solid-state": "ssd накопитель, ссд, твердотельный диск, ssd диск",
    "tablet": "планшет, планшетник, таблет, tablet",
    "smart-watch": "умные часы, смарт часы, смартвотч, smart watch, smartwatch",
    "fitness-band": "фитнес браслет, фитнес трекер, шагомер, smart band",
    "reader": "электронная книга, читалка, ридер, ebook, e-book",
    "desktop": "системный блок, системник, компьютер, комп, пк, pc",
    "monitor": "монитор, моник, дисплей, monitor",
    "keyboard": "клавиатура, клава, keyboard",
    "mouse": "мышь, мышка, mouse",
    "printer": "мфу, принтер, printer",
    "speaker": "портативная колонка, колонка, колоночка, блютуз колонка, speaker",
    "soundbar": "саундбар, звуковая панель, soundbar",
    "console": "игровая приставка, приставка, игровая консоль, консоль",
    "gamepad": "геймпад, джойстик, джой, gamepad, controller",
    "camera": "фотоаппарат, фотик, фотокамера, фотокамерка",
    "action-camera": "экшн камера, экшен камера, экшнкамера, action camera",
    "router": "wifi роутер, роутер, рутер, маршрутизатор, вайфай роутер, router",
    "vacuum": "пылесос, пылик, пылесосик",
    "robot-vacuum": "робот пылесос, пылесос робот, робопылесос",
    "refrigerator": "холодильник, холодос, холодильничек, fridge",
    "washing-machine": "стиральная машина, стиралка, стиральная машинка, машинка автомат",
    "dishwasher": "посудомоечная машина, посудомойка",
    "oven": "духовой шкаф, духовка",
    "microwave": "микроволновая печь, микроволновка, свч",
    "coffee": "кофемашина, кофе машина",
    "kettle": "чайник, чайничек, электрочайник, kettle",
}
_BRANDS = {
    "iphone": "iphone, айфон, айфончик, яблокофон, ифон",
    "apple": "apple, эпл, эппл",
    "macbook": "macbook, макбук, мак бук",
    "ipad": "ipad, айпад",
    "airpods": "airpods, эйрподс, аирподсы, эирподсы",
    "samsung": "samsung, самсунг, сансунг, самсик",
    "galaxy": "galaxy, галакси, гэлэкси",
    "xiaomi": "xiaomi, ксяоми, сяоми, ксиаоми, ксиоми, шаоми, сяйоми",
    "redmi": "redmi, редми",
    "poco": "poco, поко",
    "huawei": "huawei, хуавей, хуавэй",
    "honor": "honor, хонор, онор",
    "realme": "realme, реалми, рилми",
    "google-pixel": "pixel, пиксель",
    "playstation": "playstation, плейстейшен, плейстейшн, плойка, сонька, ps",
    "xbox": "xbox, иксбокс, хбокс",
    "nintendo": "nintendo, нинтендо",
    "sony": "sony, сони",
    "lg": "lg, элджи",
    "jbl": "jbl, джибиэль, жбл",
    "bosch": "bosch, бош",
    "philips": "philips, филипс",
    "dyson": "dyson, дайсон",
    "asus": "asus, асус",
    "lenovo": "lenovo, леново",
    "acer": "acer, эйсер",
    "hp": "hp, хьюлетт, эйчпи",
    "msi": "msi, мси",
    "nvidia": "nvidia, нвидиа, энвидиа",
    "logitech": "logitech, логитек, лоджитек",
    "yandex-station": "яндекс станция, алиса, колонка алиса",
}
_WORDS = {
    "bluetooth": "bluetooth, блютуз, блютус",
    "wireless": "беспроводной, wireless, вайрлесс",
    "gaming": "игровой, геймерский, gaming",
    "charging-port": "type c, тайп си, тайпси, usb c",
    "gigabyte": "гб, gb, гиг, гигабайт",
    "terabyte": "тб, tb, терабайт",
}

GROUPS: Mapping[str, str] = {f"demo-{slug}": words for slug, words in {**_KINDS, **_BRANDS, **_WORDS}.items()}
"""By id, the words in one line. General for shops of electronics: what a shop does not sell does no harm."""


def load_synonyms() -> int:
    """Add the groups that were never added; returns how many.

    What a merchandiser has changed or deleted stays so, and a group whose word they have put into another is left out.
    """
    there = ever_added(GROUPS)
    return sum(_add(group_id, words) for group_id, words in GROUPS.items() if group_id not in there)


def _add(group_id: str, words: str) -> bool:
    try:
        add_synonyms(words.split(", "), actor=Actor.program("load_demo"), group_id=group_id)
    except SynonymTaken:
        return False
    return True
