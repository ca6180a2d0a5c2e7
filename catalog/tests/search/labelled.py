"""What buyers of the demo shop might type, and what they mean by it: over two hundred queries in seven classes.

Written down before they were searched for. A third, by a checksum of the text, was held out while the search was made
(`is_held_out`). `name` is a regular expression on the name and the attribute values, without case.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zlib import crc32


class Query(NamedTuple):
    text: str
    of: str
    """Its class."""
    categories: tuple[str, ...]
    """Slugs; a product of another one is not what was meant. Empty: any."""
    name: re.Pattern[str]

    @property
    def is_held_out(self) -> bool:
        return crc32(self.text.encode()) % 3 == 0

    def is_meant(self, category: str, name: str, values: Sequence[str]) -> bool:
        return (not self.categories or category in self.categories) and bool(
            self.name.search(f"{name} | {' | '.join(values)}")
        )


# Each line: what is typed ; slugs ; what must stand in name or attributes.
_QUERIES: Mapping[str, str] = {
    "kinds": """
        смартфоны ; smartphones
        чехлы ; phone-cases
        чехол на телефон ; phone-cases
        наушники ; headphones
        ноутбуки ; notebooks
        кабели и переходники ; cables
        телевизоры ; televisions
        зарядные устройства ; chargers
        защитные стёкла ; screen-protectors
        защитное стекло на экран ; screen-protectors
        холодильники ; fridges
        мониторы ; monitors
        умные часы ; smart-watches
        стиральная машина ; washing-machines
        мыши ; mice
        чайник ; kettles
        клавиатуру ; keyboards
        пылесосы ; vacuum-cleaners,robot-vacuums
        планшеты ; tablets
        внешние аккумуляторы ; power-banks
        кнопочный телефон ; feature-phones
        фитнес-браслет ; fitness-bands
        электронные книги ; e-books
        системные блоки ; desktops
        процессор ; processors
        видеокарты ; graphics-cards
        ssd ; ssd
        принтеры и мфу ; printers
        портативные колонки ; portable-speakers
        саундбары ; soundbars
        посудомоечные машины ; dishwashers
        духовой шкаф ; ovens
        кофемашину ; coffee-machines
        микроволновые печи ; microwaves
        мультиварки ; multicookers
        блендер ; blenders
        робот-пылесос ; robot-vacuums
        утюги ; irons
        умная колонка ; smart-speakers
        умные лампы ; smart-bulbs
        умная розетка ; smart-plugs
        камеры видеонаблюдения ; security-cameras
        роутер ; routers
        игровые приставки ; game-consoles
        геймпады ; gamepads
        фотоаппарат ; cameras
        экшн-камера ; action-cameras
        карта памяти ; memory-cards
        usb-накопители ; usb-drives
    """,
    "models": """
        iphone 15 ; smartphones ; iPhone 15
        iphone15 ; smartphones ; iPhone 15
        iphone 16 pro max ; smartphones ; iPhone 16 Pro Max
        galaxy s24 ultra ; smartphones ; S24 Ultra
        galaxy s 25 ; smartphones ; S25
        galaxy a16 ; smartphones ; A16
        samsung galaxy a56 ; smartphones ; A56
        redmi note 14 pro ; smartphones ; Redmi Note 14 Pro
        redmi 14c ; smartphones ; Redmi 14C
        xiaomi 15t ; smartphones ; Xiaomi 15T
        realme c75 ; smartphones ; C75
        honor 400 ; smartphones ; HONOR 400
        tecno spark 40 ; smartphones ; SPARK 40
        infinix hot 60i ; smartphones ; HOT 60i
        huawei nova 13 ; smartphones ; nova 13
        poco x7 pro ; smartphones ; X7 Pro
        vivo v50 ; smartphones ; V50
        macbook air ; notebooks ; MacBook Air
        macbook pro 16 ; notebooks ; MacBook Pro
        ipad air ; tablets ; iPad Air
        galaxy tab s10 ; tablets ; Tab S10
        apple watch series 10 ; smart-watches ; Series 10
        galaxy watch 7 ; smart-watches ; Watch7
        huawei watch gt5 ; smart-watches ; Watch GT 5
        amazfit bip 6 ; smart-watches ; Bip 6
        playstation 5 ; game-consoles ; PlayStation 5
        ps5 ; game-consoles ; PlayStation 5
        ps 5 ; game-consoles ; PlayStation 5
        чехол iphone 16 ; phone-cases ; iPhone 16
        чехол для iphone 15 pro ; phone-cases ; iPhone 15 Pro
        чехол samsung s24 ; phone-cases ; S24
        стекло на redmi note 14 ; screen-protectors ; Redmi Note 14
        стекло iphone 16 ; screen-protectors ; iPhone 16
        nokia 105 ; feature-phones ; Nokia 105
        rtx 5070 ; graphics-cards,desktops ; RTX 5070
        airpods ; headphones ; AirPods
        nintendo switch ; game-consoles ; Switch
        xbox series x ; game-consoles ; Xbox Series X
        gopro hero ; action-cameras ; HERO
        airpods pro ; headphones ; AirPods Pro
    """,
    "spoken": """
        айфон ; smartphones ; iPhone
        айфон 16 про ; smartphones ; iPhone 16 Pro
        айфоны 15 ; smartphones ; iPhone 15
        самсунг ; ; Samsung
        телефон самсунг ; smartphones ; Samsung
        самсунг галакси с24 ; smartphones ; S24
        смартфон сяоми ; smartphones ; Xiaomi
        редми нот 14 ; smartphones ; Redmi Note 14
        хуавей ; ; HUAWEI
        часы хуавей ; smart-watches ; HUAWEI
        хонор ; ; HONOR
        реалми ; smartphones ; realme
        поко х7 ; smartphones ; X7
        инфиникс ; smartphones ; Infinix
        макбук ; notebooks ; MacBook
        макбук эйр ; notebooks ; MacBook Air
        ноут асус ; notebooks ; ASUS
        ноутбук леново ; notebooks ; Lenovo
        ноутбук эйсер ; notebooks ; Acer
        айпад ; tablets ; iPad
        эйрподс ; headphones ; AirPods
        наушники сони ; headphones ; Sony
        наушники джибиэль ; headphones ; JBL
        телек самсунг ; televisions ; Samsung
        телевизор элджи ; televisions ; LG
        телевизор хайсенс ; televisions ; Hisense
        холодильник хайер ; fridges ; Haier
        холодильник атлант ; fridges ; ATLANT
        стиралка индезит ; washing-machines ; Indesit
        посудомойка бош ; dishwashers ; Bosch
        духовка горенье ; ovens ; Gorenje
        кофемашина делонги ; coffee-machines ; De'Longhi
        мультиварка редмонд ; multicookers ; REDMOND
        блендер браун ; blenders ; Braun
        утюг тефаль ; irons ; Tefal
        пылесос дайсон ; vacuum-cleaners ; Dyson
        мышка логитек ; mice ; Logitech
        видюха ; graphics-cards
        зарядка ; chargers
        повербанк ; power-banks
        флешка ; usb-drives
        плойка ; game-consoles ; PlayStation
        фотик кэнон ; cameras ; Canon
        гармин ; smart-watches ; Garmin
        маршал ; headphones,portable-speakers ; Marshall
        комп ; desktops
        микроволновка ; microwaves
        шнурок для зарядки тайпси ; cables ; USB-C
    """,
    "layouts": """
        fqajy ; smartphones ; iPhone
        cvfhnajy ; smartphones
        yjen,er ; notebooks
        шзрщту 15 ; smartphones ; iPhone 15
        ыфьыгтп ; ; Samsung
        yfeiybrb ; headphones
        xt[jk ; phone-cases
        gkfyitn ; tablets
        ntktdbpjh ; televisions
        [jkjlbkmybr ; fridges
        чшфщьш ; ; Xiaomi
        ьфсищщл ; notebooks ; MacBook
        gsktcjc ; vacuum-cleaners,robot-vacuums
        en.u ; irons
        vjybnjh ; monitors
        пфдфчн ы24 ; smartphones ; S24
    """,
    "misspelt": """
        наушникии ; headphones
        ноутбк ; notebooks
        нуотбук ; notebooks
        смартофн ; smartphones
        смартфон самсунк ; smartphones ; Samsung
        телевизр ; televisions
        холодильнек ; fridges
        чихол ; phone-cases
        пылисос ; vacuum-cleaners,robot-vacuums
        планшед ; tablets
        клавеатура ; keyboards
        манитор ; monitors
        стеральная машина ; washing-machines
        посудамоечная машина ; dishwashers
        samsng galaxy ; ; Galaxy
        iphon 15 ; smartphones ; iPhone 15
        ipone 16 ; smartphones ; iPhone 16
        xiomi ; ; Xiaomi
        huawey ; ; HUAWEI
        mackbook ; notebooks ; MacBook
        playstaton 5 ; game-consoles ; PlayStation 5
        logitec ; mice,keyboards ; Logitech
        зарядное устроиство ; chargers
        мультеварка ; multicookers
        кофимашина ; coffee-machines
        видеокарда ; graphics-cards
    """,
    "attributes": """
        смартфон 256гб ; smartphones ; 256 ГБ
        смартфон 256 gb ; smartphones ; 256 ГБ
        iphone 15 128 гб чёрный ; smartphones ; iPhone 15.*128 ГБ, чёрный
        розовый айфон ; smartphones ; iPhone.*розовый
        телевизор 55 дюймов ; televisions ; 55″
        телевизор 65" ; televisions ; 65″
        телевизор oled ; televisions ; OLED
        монитор 144 гц ; monitors ; 144 Гц
        монитор 27 ; monitors ; 27
        ноутбук 16 гб ; notebooks ; 16 ГБ
        ноутбук windows 11 ; notebooks ; Windows 11
        ноутбук core i7 ; notebooks ; Core i7
        чехол с magsafe ; phone-cases ; MagSafe|есть
        чехол силикон прозрачный ; phone-cases ; силикон
        наушники с шумоподавлением ; headphones
        полноразмерные наушники ; headphones ; полноразмерные
        кабель usb-c hdmi ; cables ; HDMI
        повербанк 20000 мач ; power-banks ; 20000
        зарядка 65 вт ; chargers ; 65 Вт
        холодильник no frost ; fridges ; No Frost
        стиральная машина 7 кг ; washing-machines ; 7 кг
        пылесос с аквафильтром ; vacuum-cleaners ; аквафильтр
        механическая клавиатура ; keyboards ; механическая
        белый чайник ; kettles ; белый
        флешка 64гб ; usb-drives ; 64 ГБ
        карта памяти 128 гб ; memory-cards ; 128 ГБ
        роутер wi-fi 6 ; routers ; Wi-Fi 6
        планшет 256 гб lte ; tablets ; 256 ГБ.*LTE
    """,
    "wordy": """
        чёрный смартфон apple для бабушки ; smartphones ; Apple
        купить ноутбук недорого ; notebooks
        наушники для спорта ; headphones
        айфон 27 ; smartphones ; iPhone
        телевизор samsung в спальню ; televisions ; Samsung
        беспроводная мышь logitech ; mice ; Logitech
        игровая видеокарта ; graphics-cards
        samsunggalaxy ; ; Galaxy
        powerbank xiaomi ; power-banks ; Xiaomi
        пылесос для дома мощный ; vacuum-cleaners,robot-vacuums
    """,
}


def _query(line: str, of: str) -> Query:
    text, slugs, name = (*(part.strip() for part in line.split(" ;")), "", "")[:3]
    categories = tuple(slug for slug in slugs.split(",") if slug)
    return Query(text, of, categories, re.compile(name, re.IGNORECASE))


QUERIES: Sequence[Query] = tuple(
    _query(line.strip(), of) for of, lines in _QUERIES.items() for line in lines.splitlines() if line.strip()
)


def precision(query: Query, products: Sequence[tuple[str, str, Sequence[str]]]) -> float:
    """The share of the products shown, each by its category, name and attribute values, that was meant."""
    return sum(query.is_meant(*product) for product in products) / len(products) if products else 0.0
