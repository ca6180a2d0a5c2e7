from catalog.demo.kinds import Group, Kind, brand, trait

# What cases and glass are made for.
PHONES = (
    "для {iPhone 14|iPhone 15|iPhone 15 Pro|iPhone 16|iPhone 16 Pro Max|Galaxy A16|Galaxy A36|Galaxy A56|Galaxy S24|"
    "Galaxy S25 Ultra|Redmi 14C|Redmi Note 14|Redmi Note 14 Pro|POCO X7|HONOR X8c|HONOR 400|realme C75|realme 14|"
    "TECNO SPARK 40|Infinix HOT 60i|nova 13|Pura 80}"
)

DEPARTMENT = Group(
    slug="accessories",
    title="Аксессуары",
    children=(
        Kind(
            slug="phone-cases",
            title="Чехлы",
            noun="Чехол",
            gender="m",
            cheap=290,
            dear=2_600,
            brands=(
                brand("Spigen", 1.8, f"{{Ultra Hybrid|Liquid Air|Tough Armor|Thin Fit}} {PHONES}"),
                brand("Nillkin", 1.2, f"{{Frosted Shield|CamShield|Nature TPU}} {PHONES}"),
                brand("uBear", 1.3, f"{{Touch|Real|Cloud|Capsule}} {PHONES}"),
                brand("Red Line", 0.7, f"{{Ultimate|iBox Crystal|Book Cover}} {PHONES}"),
                brand("Deppa", 1.0, f"{{Gel|Liquid Silicone|Air Case}} {PHONES}"),
                brand("BoraSCO", 0.6, f"{{Silicone|Microfiber|Bumper}} {PHONES}"),
            ),
            traits=(
                trait("Цвет", "прозрачный|чёрный|синий|красный|зелёный|розовый|бежевый|фиолетовый"),
                trait("Материал", "силикон|поликарбонат|искусственная кожа|натуральная кожа", 0.2),
                trait("Тип", "накладка|накладка|книжка|бампер"),
                trait("MagSafe", "нет|нет|есть", 0.15),
            ),
            detail="{Материал}, {цвет}",
            sentences=(
                "Материал — {Материал}: приятен на ощупь и не скользит в руке.",
                "Бортики выше экрана и камеры, поэтому падение на стол не страшно.",
                "Вырезы точно совпадают с кнопками и разъёмами.",
                "Тонкий корпус почти не меняет размеров смартфона.",
                "Беспроводная зарядка работает, чехол снимать не нужно.",
            ),
        ),
        Kind(
            slug="screen-protectors",
            title="Защитные стёкла",
            noun="Защитное стекло",
            gender="n",
            cheap=250,
            dear=1_600,
            brands=(
                brand("Red Line", 0.8, f"{{Full Screen|Corning|Privacy}} {PHONES}"),
                brand("uBear", 1.3, f"{{Extreme Nano|Premium}} {PHONES}"),
                brand("Deppa", 1.0, f"{{2.5D|3D Full Glue}} {PHONES}"),
                brand("Hoco", 0.6, f"{{G1|G6|Nano 3D}} {PHONES}"),
            ),
            traits=(
                trait("Твёрдость", "9H|9H|10H", 0.1),
                trait("Покрытие", "глянцевое|матовое|антишпион", 0.15),
                trait("Штук в комплекте", "1|1|2|3", 0.2),
            ),
            detail="{Покрытие}",
            sentences=(
                "Твёрдость {Твёрдость} защищает от ключей и песка.",
                "Покрытие {Покрытие}, отпечатки стираются одним движением.",
                "Рамка для наклейки помогает обойтись без пузырей.",
                "Штук в комплекте: {Штук в комплекте}.",
            ),
        ),
        Kind(
            slug="cables",
            title="Кабели и переходники",
            noun="Кабель",
            gender="m",
            cheap=190,
            dear=1_900,
            brands=(
                brand("Baseus", 1.1, "{Cafule|Superior|Crystal Shine|Tungsten} CA@@-#@#"),
                brand("UGREEN", 1.2, "US{###|1##|2##|3##}", "HD1{##|4#}"),
                brand("Hoco", 0.7, "{X14|X20|X33|X50|U102|X##}"),
                brand("Borofone", 0.6, "BX{16|17|30|51|##}"),
                brand("Anker", 1.6, "PowerLine {II|III|Select+} A8###"),
                brand("VCOM", 0.8, "CU###", "CG###"),
                brand("Apple", 2.5, "Woven Charge Cable MQ@@#"),
            ),
            traits=(
                trait("Цвет", "чёрный|белый|серый|красный|синий"),
                trait(
                    "Разъёмы", "USB-A — USB-C|USB-C — USB-C|USB-C — Lightning|USB-A — microUSB|HDMI — HDMI|USB-C — HDMI"
                ),
                trait("Длина", "0.5 м|1 м|1.2 м|1.5 м|2 м|3 м", 0.1),
                trait("Оплётка", "ПВХ|силикон|нейлон", 0.1),
            ),
            detail="{Разъёмы}, {Длина}, {цвет}",
            sentences=(
                "Разъёмы {Разъёмы}, контакты не окисляются.",
                "Длина {Длина} удобна и дома, и в машине.",
                "Материал оплётки — {Оплётка}, кабель не путается в сумке.",
                "Усиленные муфты выдерживают тысячи сгибаний.",
                "Провод поддерживает быструю зарядку и передачу данных.",
            ),
        ),
        Kind(
            slug="chargers",
            title="Зарядные устройства",
            noun="Зарядное устройство",
            gender="n",
            cheap=450,
            dear=4_200,
            brands=(
                brand("Baseus", 1.0, "{GaN5|Super Si|Compact|Speed Mini} {Pro|CC}@@##"),
                brand("UGREEN", 1.1, "Nexode <Мощность>W", "CD{1##|2##}"),
                brand("Samsung", 1.3, "EP-T{A20|1510|2510|4510|6530}"),
                brand("Apple", 1.8, "USB-C Power Adapter <Мощность>W"),
                brand("Hoco", 0.6, "{C104A|C111A|N##|DC30}"),
            ),
            traits=(
                trait("Цвет", "белый|чёрный|серый"),
                trait("Мощность", "18 Вт|20 Вт|33 Вт|45 Вт|65 Вт|100 Вт", 0.18),
                trait("Портов", "1|2|3|4", 0.1),
                trait("Тип", "сетевое|сетевое|автомобильное|беспроводное"),
            ),
            detail="{Тип}, {Мощность}",
            sentences=(
                "Мощность {Мощность} заряжает смартфон, а старшие модели — и ноутбук.",
                "Портов {Портов}: нагрузка распределяется автоматически.",
                "Защита от перегрева и скачков напряжения продлит жизнь аккумулятору.",
                "Компактный корпус не закрывает соседнюю розетку.",
            ),
        ),
        Kind(
            slug="power-banks",
            title="Внешние аккумуляторы",
            noun="Внешний аккумулятор",
            gender="m",
            cheap=990,
            dear=5_500,
            brands=(
                brand("Xiaomi", 1.0, "Mi Power Bank {3|3i|Pocket|Ultra Compact}", "Redmi Power Bank ##W"),
                brand("Baseus", 1.0, "{Adaman|Bipow|Blade|Magnetic Mini} PP@@##"),
                brand("Anker", 1.5, "{PowerCore|Nano|Zolo|MagGo} A1###"),
                brand("TFN", 0.7, "{PowerAid|Solid|Slim Duo} PD ##"),
                brand("Hoco", 0.7, "J{72|87|101|111|##}"),
            ),
            traits=(
                trait("Цвет", "чёрный|белый|синий|розовый|серый"),
                trait("Ёмкость", "5000 мА·ч|10000 мА·ч|10000 мА·ч|20000 мА·ч|30000 мА·ч", 0.2),
                trait("Мощность", "10 Вт|18 Вт|22.5 Вт|65 Вт", 0.15),
            ),
            detail="{Ёмкость}, {цвет}",
            sentences=(
                "Ёмкости {Ёмкость} хватает на несколько полных зарядов смартфона.",
                "Мощность {Мощность} возвращает телефон в строй за обеденный перерыв.",
                "Индикатор честно показывает остаток заряда.",
                "Прочный корпус не боится сумки с ключами.",
            ),
        ),
        Kind(
            slug="memory-cards",
            title="Карты памяти",
            noun="Карта памяти",
            gender="f",
            cheap=390,
            dear=3_900,
            brands=(
                brand("SanDisk", 1.2, "{Ultra|Extreme|Extreme Pro|High Endurance} SDSQ@@@"),
                brand("Samsung", 1.1, "{EVO Plus|EVO Select|PRO Plus|PRO Ultimate} MB-M@###"),
                brand("Kingston", 0.9, "{Canvas Select Plus|Canvas Go! Plus|Canvas React} SDC@#"),
                brand("Netac", 0.7, "P500 {Standard|Extreme Pro|ECO}"),
            ),
            traits=(
                trait("Объём", "32 ГБ|64 ГБ|128 ГБ|256 ГБ|512 ГБ", 0.3),
                trait("Формат", "microSDXC|microSDXC|SDXC"),
                trait("Класс скорости", "U1|U3|V30|V60", 0.12),
            ),
            detail="{Формат}, {Объём}",
            sentences=(
                "На {Объём} поместятся часы видео и тысячи снимков.",
                "Класс скорости {Класс скорости} годится для записи 4K.",
                "Карта выдерживает мороз, воду и рентген в аэропорту.",
                "Переходник на SD входит в комплект большинства карт microSD.",
            ),
        ),
        Kind(
            slug="usb-drives",
            title="USB-накопители",
            noun="USB-накопитель",
            gender="m",
            cheap=350,
            dear=2_900,
            brands=(
                brand("Kingston", 1.1, "DataTraveler {Exodia|Kyson|70|Max} DT@#"),
                brand("SanDisk", 1.2, "{Cruzer Blade|Ultra Flair|Ultra Dual Drive|Ultra Fit} SDCZ##"),
                brand("Netac", 0.7, "{U182|U505|UA31|UM2}{| Red| Blue}"),
                brand("SmartBuy", 0.6, "{Glossy|Crown|Diamond|Clue}"),
            ),
            traits=(
                trait("Цвет", "чёрный|серебристый|синий|красный|белый"),
                trait("Объём", "16 ГБ|32 ГБ|64 ГБ|128 ГБ|256 ГБ", 0.28),
                trait("Интерфейс", "USB 2.0|USB 3.2 Gen 1|USB 3.2 Gen 2", 0.12),
            ),
            detail="{Объём}, {цвет}",
            sentences=(
                "Интерфейс {Интерфейс} быстро копирует даже большие папки.",
                "Объёма {Объём} хватит для документов, музыки и установочных образов.",
                "Колпачок не потеряется: он закреплён на корпусе.",
                "Отверстие под шнурок позволяет носить накопитель вместе с ключами.",
            ),
        ),
    ),
)
