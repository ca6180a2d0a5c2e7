from catalog.demo.kinds import Group, Kind, brand, trait

GAMING = Group(
    slug="gaming",
    title="Игры и развлечения",
    children=(
        Kind(
            slug="game-consoles",
            title="Игровые приставки",
            noun="Игровая приставка",
            gender="f",
            cheap=25_000,
            dear=75_000,
            brands=(
                brand("Sony", 1.1, "PlayStation 5{| Slim| Pro}{| Digital Edition}"),
                brand("Microsoft", 1.0, "Xbox Series {S|X}"),
                brand("Nintendo", 0.8, "Switch{| Lite| OLED| 2}"),
                brand("Valve", 1.0, "Steam Deck{| OLED}"),
                brand("ASUS", 1.1, "ROG Ally{| X}"),
            ),
            traits=(
                trait("Цвет", "белый|чёрный|серый"),
                trait("Накопитель", "64 ГБ|512 ГБ|1 ТБ|2 ТБ", 0.08),
                trait("Комплект", "стандартный|с игрой|с двумя геймпадами", 0.06),
            ),
            detail="{Накопитель}, {цвет}",
            sentences=(
                "Накопитель на {Накопитель} сокращает загрузку уровней до секунд.",
                "Комплект {Комплект}: можно играть сразу после распаковки.",
                "Каталог насчитывает тысячи игр, от семейных до хардкорных.",
                "Приставка тихо работает и легко помещается под телевизором.",
            ),
        ),
        Kind(
            slug="gamepads",
            title="Геймпады",
            noun="Геймпад",
            gender="m",
            cheap=1_500,
            dear=9_500,
            brands=(
                brand("Sony", 1.3, "DualSense{| Edge}", "DualShock 4 V2"),
                brand("Microsoft", 1.2, "Xbox Wireless Controller{| Special Edition}", "Xbox Elite Series 2"),
                brand("8BitDo", 1.0, "{Ultimate|Pro|SN30} {2|2C|Pro+}"),
                brand("GameSir", 0.8, "{G7|T4|Nova|X2s}{| SE| Pro| Lite}"),
                brand("Defender", 0.5, "{Glyder|Zoom|Onyx|Blast}"),
            ),
            traits=(
                trait("Цвет", "чёрный|белый|синий|красный|розовый|зелёный"),
                trait("Подключение", "USB|Bluetooth|радиоканал", 0.1),
                trait("Совместимость", "PC|PC и Android|PlayStation 5|Xbox|Nintendo Switch"),
                trait("Виброотдача", "есть|есть|нет"),
            ),
            detail="{Подключение}, {цвет}",
            sentences=(
                "Совместимость: {Совместимость}.",
                "Стики с датчиками Холла не дрейфуют со временем.",
                "Ребристые рукоятки не выскальзывают даже в напряжённый момент.",
                "Подключение {Подключение}, задержка незаметна.",
            ),
        ),
    ),
)

PHOTO = Group(
    slug="photo",
    title="Фото и видео",
    children=(
        Kind(
            slug="cameras",
            title="Фотоаппараты",
            noun="Фотоаппарат",
            gender="m",
            cheap=40_000,
            dear=190_000,
            brands=(
                brand("Canon", 1.0, "EOS {R10|R50|R8|R6 Mark II|250D|2000D}", "PowerShot {G7 X|SX740} Mark III"),
                brand("Sony", 1.2, "Alpha {ZV-E10|A6400|A6700|A7 III|A7C II}"),
                brand("Nikon", 1.0, "Z{30|50|5|6 II|f}", "D{3500|7500}"),
                brand("FUJIFILM", 1.1, "X-{T30 II|T5|S20|M5|H2}", "Instax Mini {12|41|Evo}"),
                brand("Panasonic", 1.0, "Lumix {G100|GH6|S5 II}"),
            ),
            traits=(
                trait("Цвет", "чёрный|чёрный|серебристый"),
                trait("Матрица", "1″|APS-C|APS-C|полнокадровая", 0.2),
                trait("Разрешение матрицы", "20 Мп|24 Мп|26 Мп|33 Мп|40 Мп", 0.08),
                trait("Комплект", "body|с объективом 15–45 мм|с объективом 18–135 мм", 0.12),
            ),
            detail="{Комплект}, {цвет}",
            sentences=(
                "Матрица ({Матрица}) на {Разрешение матрицы} сохраняет детали в тенях и в светах.",
                "Автофокус находит глаза и не теряет их в движении.",
                "Комплект: {Комплект}.",
                "Поворотный экран удобен для блогов и съёмки с нижней точки.",
                "Видео 4K пишется без ограничения по времени.",
            ),
        ),
        Kind(
            slug="action-cameras",
            title="Экшн-камеры",
            noun="Экшн-камера",
            gender="f",
            cheap=6_000,
            dear=42_000,
            brands=(
                brand("GoPro", 1.4, "HERO{11|12|13} Black{| Mini}", "HERO"),
                brand("DJI", 1.3, "Osmo Action {3|4|5 Pro}{| Adventure Combo}", "Osmo {Pocket 3|360}"),
                brand("Insta360", 1.4, "{X3|X4|X5|GO 3S|Ace Pro 2}"),
                brand("SJCAM", 0.6, "SJ{4000|6 Legend|8 Pro|10X}", "C{100|200|300}"),
                brand("AKASO", 0.5, "{Brave 7|Brave 8|V50X|EK7000}{| LE| Pro}"),
            ),
            traits=(
                trait("Цвет", "чёрный|чёрный|серый|белый"),
                trait("Разрешение видео", "2.7K|4K|5.3K|8K", 0.2),
                trait("Водозащита", "с боксом|до 5 м|до 10 м|до 18 м", 0.05),
                trait("Стабилизация", "электронная|электронная|нет"),
            ),
            detail="{Разрешение видео}, {цвет}",
            sentences=(
                "Снимает видео в разрешении {Разрешение видео}, не теряя плавности.",
                "Погружение без опасений: защита от воды — {Водозащита}.",
                "Стабилизация: {Стабилизация}; горизонт можно выровнять и при монтаже.",
                "Крепления для шлема, руля и доски найдутся в нашем каталоге.",
            ),
        ),
    ),
)
