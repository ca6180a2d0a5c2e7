"""Why the catalog refuses a change."""

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text


class TooMany(DomainError):
    code = Code.INVALID
    text = Text("Не больше {limit}.", "At most {limit}.")


class BadProductId(DomainError):
    code = Code.INVALID
    text = Text(
        "Артикул — до 64 латинских букв, цифр, точек, дефисов и подчёркиваний: PROD-12345.",
        "A product id is up to 64 Latin letters, digits, dots, hyphens and underscores: PROD-12345.",
    )


class BadPrice(DomainError):
    code = Code.INVALID
    text = Text(
        "Цена больше нуля, меньше десяти миллиардов, не более двух знаков после запятой.",
        "A price is above zero, below ten billion, with at most two decimals.",
    )


class SaleNotBelowBase(DomainError):
    code = Code.INVALID
    text = Text("Цена со скидкой должна быть ниже обычной.", "The sale price must be below the base price.")


class BadAttributeName(DomainError):
    code = Code.INVALID
    text = Text(
        "Название характеристики не содержит «.» и «=» и не начинается с «$».",
        'The name of an attribute has no "." and no "=" and does not begin with "$".',
    )


class OptionsOfNoChoice(DomainError):
    code = Code.INVALID
    text = Text(
        "Варианты есть только у характеристики типа «выбор».", "Only an attribute of the type choice has options."
    )


class NamedTwice(DomainError):
    code = Code.INVALID
    text = Text("«{name}» указано дважды.", '"{name}" is named twice.')


class BadImageAddress(DomainError):
    code = Code.INVALID
    text = Text(
        "Адрес изображения начинается с https://, http:// или /.",
        "The address of an image begins with https://, http:// or /.",
    )


class NotAPicture(DomainError):
    code = Code.INVALID
    text = Text(
        "Это не изображение: принимаются JPEG, PNG, WebP и GIF, целые.",
        "This is no picture: JPEG, PNG, WebP and GIF are taken, unbroken.",
    )


class TooManyBytes(DomainError):
    code = Code.INVALID
    text = Text(
        "Файл слишком велик: {megabytes} МБ, принимается до {limit} МБ.",
        "The file is too large: {megabytes} MB, up to {limit} MB are taken.",
    )


class TooManyPixels(DomainError):
    code = Code.INVALID
    text = Text(
        "Слишком много точек: {width} × {height}, это {megapixels} Мпикс; принимается до {limit} Мпикс. "
        "Уменьшите изображение.",
        "Too many pixels: {width} × {height} are {megapixels} MP; up to {limit} MP are taken. Make it smaller.",
    )


class PictureGone(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Это изображение уже удалено: загрузите его снова.", "This picture has been removed: upload it once more."
    )


class PicturesAway(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Хранилище изображений недоступно. Повторите чуть позже.",
        "The store of pictures is away. Try again shortly.",
    )


class PriceOrPercent(DomainError):
    code = Code.INVALID
    text = Text("Укажите ровно одно: цену или процент.", "Give exactly one of price and per cent.")


class BadDiscountPercent(DomainError):
    code = Code.INVALID
    text = Text("Процент — от 1 до 99.", "A percentage is between 1 and 99.")


class BadPeriod(DomainError):
    code = Code.INVALID
    text = Text("Скидка кончается позже, чем начинается.", "A discount ends later than it begins.")


class PeriodOver(DomainError):
    code = Code.INVALID
    text = Text("Это время уже прошло.", "That time is over.")


class PeriodTooFar(DomainError):
    code = Code.INVALID
    text = Text("Не дальше чем на {days} дней вперёд.", "At most {days} days ahead.")


class DiscountsOverlap(DomainError):
    code = Code.CONFLICT
    text = Text(
        "На это время уже запланирована скидка: {period}. Отмените её или выберите другое время.",
        "A discount is planned for that time already: {period}. Cancel it or choose another time.",
    )


class DiscountOver(DomainError):
    code = Code.CONFLICT
    text = Text("Этой скидки уже нет: она кончилась или отменена.", "This discount is over or was cancelled.")


class BadQuantity(DomainError):
    code = Code.INVALID
    text = Text("Количество — от 0 до {limit}.", "A quantity is between 0 and {limit}.")


class DeltaOrQuantity(DomainError):
    code = Code.INVALID
    text = Text("Укажите ровно одно: delta или quantity.", "Give exactly one of delta and quantity.")


class BelowReserved(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Нельзя меньше, чем в резерве: зарезервировано {reserved}, получилось бы {quantity}.",
        "Not below what is reserved: {reserved} are reserved, {quantity} would be left.",
    )


class UnknownProduct(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такого товара нет.", "There is no such product.")


class NotUndone(DomainError):
    code = Code.INVALID
    text = Text(
        "Это не изменение товара, вернуть его нельзя.", "This is no change of a product: it cannot be taken back."
    )


class ProductExists(DomainError):
    code = Code.CONFLICT
    text = Text("Товар с артикулом {product_id} уже есть.", "Product {product_id} exists already.")


class ChangedMeanwhile(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Пока вы редактировали, товар изменил кто-то другой. Откройте его заново и повторите правку.",
        "Somebody else changed the product meanwhile. Open it again and repeat your change.",
    )


class StructureChangedMeanwhile(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Пока вы редактировали, это изменил кто-то другой. Откройте страницу заново и повторите правку.",
        "Somebody else changed this meanwhile. Open the page again and repeat your change.",
    )


class StockChangedMeanwhile(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Пока вы редактировали, остаток изменился: было {seen}, сейчас {quantity}.",
        "The stock changed meanwhile: it was {seen}, now it is {quantity}.",
    )


class UnknownGeozone(DomainError):
    code = Code.NOT_FOUND
    text = Text("Геозоны «{geozone}» нет.", 'There is no geozone "{geozone}".')


class BadGeozoneCode(DomainError):
    code = Code.INVALID
    text = Text("Латинские строчные буквы, цифры и дефис: msk.", "Latin small letters, digits and hyphens: msk.")


class GeozoneInUse(DomainError):
    code = Code.CONFLICT
    text = Text(
        "В геозоне есть остатки, например у товара {product_id}: удалить её нельзя.",
        "The geozone has stock, of product {product_id} for one: it cannot be deleted.",
    )


class GeozoneExists(DomainError):
    code = Code.CONFLICT
    text = Text("Геозона с таким кодом уже существует.", "A geozone with this code exists already.")


class UnknownCategory(DomainError):
    code = Code.NOT_FOUND
    text = Text("Категории «{category}» нет.", 'There is no category "{category}".')


class NotALeaf(DomainError):
    code = Code.INVALID
    text = Text(
        "В категории «{category}» есть подкатегории: выберите одну из них.",
        'Category "{category}" has subcategories: choose one of them.',
    )


class CategoryExists(DomainError):
    code = Code.CONFLICT
    text = Text("Категория с таким адресом уже существует.", "A category with this slug exists already.")


class CategoryInUse(DomainError):
    code = Code.CONFLICT
    text = Text(
        "В категории есть товары или подкатегории: удалить её нельзя.",
        "The category has products or subcategories: it cannot be deleted.",
    )


class CategoryHasProducts(DomainError):
    code = Code.CONFLICT
    text = Text(
        "В категории «{category}» есть товары: подкатегорий у неё быть не может.",
        'Category "{category}" has products: it cannot have subcategories.',
    )


class WithinItself(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Категорию «{category}» нельзя перенести в неё саму или в её подкатегорию.",
        'Category "{category}" cannot be moved into itself or into one of its subcategories.',
    )


class MovedMeanwhile(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Дерево только что изменил кто-то другой: «{category}» теперь в другом месте. Посмотрите и повторите.",
        'Somebody else has just changed the tree: "{category}" is elsewhere now. Have a look and try again.',
    )


class IsMerging(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Категория «{category}» сейчас объединяется с другой: дождитесь конца или прекратите объединение.",
        'Category "{category}" is being merged with another: wait for the end, or give the merge up.',
    )


class NotMerging(DomainError):
    code = Code.CONFLICT
    text = Text("Категория «{category}» ни с чем не объединяется.", 'Category "{category}" is not being merged.')


class BadThreshold(DomainError):
    code = Code.INVALID
    text = Text("Порог — от 0 до {limit} штук.", "A threshold is between 0 and {limit} pieces.")


class TooDeep(DomainError):
    code = Code.INVALID
    text = Text("Не больше {limit} уровней категорий.", "At most {limit} levels of categories.")


class BadSlug(DomainError):
    code = Code.INVALID
    text = Text(
        "Латинские строчные буквы, цифры и дефис: smartphones.", "Latin small letters, digits and hyphens: smartphones."
    )


class BadPosition(DomainError):
    code = Code.INVALID
    text = Text("Порядок — от 0 до {limit}.", "A position is between 0 and {limit}.")


class BadPercent(DomainError):
    code = Code.INVALID
    text = Text(
        "Процент — от {least} до {most}, не ноль, не более двух знаков после запятой.",
        "A percentage is between {least} and {most}, not zero, with at most two decimals.",
    )


class NoOperation(DomainError):
    code = Code.REQUIRED
    text = Text("Выберите, что изменить.", "Choose what to change.")


class OnePrice(DomainError):
    code = Code.INVALID
    text = Text(
        "Выберите одну из двух цен: одинаковые ничего не значат.",
        "Choose one of the two prices: equal ones mean nothing.",
    )


class UnknownOperation(DomainError):
    code = Code.INVALID
    text = Text("Такого изменения нет.", "There is no such change.")


class ChangedTwice(DomainError):
    code = Code.INVALID
    text = Text("Одно и то же меняется дважды: оставьте одно.", "The same is changed twice: leave one of them.")


class UnknownSynonyms(DomainError):
    code = Code.NOT_FOUND
    text = Text("Такой группы синонимов нет.", "There is no such group of synonyms.")


class TooFewWords(DomainError):
    code = Code.INVALID
    text = Text("Нужно хотя бы два слова: они заменяют друг друга.", "At least two words: they stand for each other.")


class NotSearchable(DomainError):
    code = Code.INVALID
    text = Text(
        "«{word}»: поиск такого не различает, нужны буквы или цифры.",
        '"{word}": the search cannot tell it, letters or digits are needed.',
    )


class TooLongTogether(DomainError):
    code = Code.INVALID
    text = Text(
        "«{word}»: не больше {limit} слов вместе, не считая предлогов; «ps5» — два слова.",
        '"{word}": at most {limit} words together, prepositions apart; "ps5" are two.',
    )


class SameToSearch(DomainError):
    code = Code.INVALID
    text = Text("«{word}» и «{other}» для поиска — одно слово.", '"{word}" and "{other}" are one word to the search.')


class SynonymTaken(DomainError):
    code = Code.CONFLICT
    text = Text(
        "Одно из слов уже есть в другой группе: «{title}». Добавьте остальные туда.",
        'One of the words is in another group: "{title}". Add the others there.',
    )
