"""Why a file, a row or a cell is not taken."""

from gateway.domain.errors import Code, DomainError
from gateway.domain.texts import Text


class FileRefused(DomainError):
    """A reason why nothing of the file can be read."""

    code = Code.INVALID
    text = Text("Файл не читается.", "The file cannot be read.")


class NoFile(FileRefused):
    text = Text("Файл пуст: в нём нет ни одной строки.", "The file is empty: it has no rows.")


class OldExcel(FileRefused):
    text = Text(
        "Это старый формат Excel (.xls). Откройте файл и сохраните его как .xlsx или .csv.",
        "This is the old format of Excel (.xls). Open the file and save it as .xlsx or .csv.",
    )


class NotASheet(FileRefused):
    text = Text(
        "Это не таблица: нужен файл CSV или XLSX.",
        "This is no sheet: a CSV or XLSX file is needed.",
    )


class BrokenWorkbook(FileRefused):
    text = Text(
        "Файл XLSX повреждён или устроен не так, как пишет Excel. Откройте его в Excel и сохраните заново.",
        "The XLSX file is damaged, or not made as Excel makes them. Open it in Excel and save it again.",
    )


class WorkbookTooLarge(FileRefused):
    text = Text(
        "В распакованном виде файл больше {limit} МБ. Разделите его или сохраните как CSV.",
        "Unpacked, the file is larger than {limit} MB. Divide it or save it as CSV.",
    )


class TooManyRows(FileRefused):
    text = Text("Не больше {limit} строк в файле.", "At most {limit} rows in a file.")


class TooManyColumns(FileRefused):
    text = Text("Строка {row}: не больше {limit} столбцов.", "Row {row}: at most {limit} columns.")


class BrokenRow(FileRefused):
    text = Text(
        "После строки {row} файл не читается: кавычка не закрыта или строка слишком длинная.",
        "The file cannot be read after row {row}: a quote is not closed, or a line is too long.",
    )


class NoIdColumn(FileRefused):
    text = Text(
        "Нет столбца «Артикул». В первой строке должны быть названия столбцов; найдены: {found}.",
        'There is no column "id". The first row must name the columns; found: {found}.',
    )


class NothingToChange(FileRefused):
    text = Text(
        "Кроме артикула, ни один столбец не узнан; найдены: {found}.",
        "Besides the id no column is known; found: {found}.",
    )


class DoubleColumn(FileRefused):
    text = Text(
        "Столбцы «{first}» и «{second}» значат одно и то же.", 'Columns "{first}" and "{second}" mean the same.'
    )


class UnknownStockColumn(FileRefused):
    text = Text(
        "Столбец «{column}»: такой геозоны нет. Есть: {known}.",
        'Column "{column}": there is no such geozone. There are: {known}.',
    )


class WorkbookFull(DomainError):
    code = Code.INVALID
    text = Text(
        "В XLSX столько не помещается: не больше {limit} товаров и 4 ГБ данных. Сузьте выборку или выберите CSV.",
        "XLSX does not hold that much: at most {limit} products and 4 GB of data. Narrow the selection, or choose CSV.",
    )


class BadCell(DomainError):
    """A reason why a cell is not taken; the path names its value."""

    code = Code.INVALID


class BadNumber(BadCell):
    text = Text("«{cell}» — не целое число.", '"{cell}" is no whole number.')


class BadFlag(BadCell):
    text = Text("«{cell}» — не «да» и не «нет».", '"{cell}" is neither "yes" nor "no".')


class SheetError(BadCell):
    text = Text("В ячейке ошибка формулы: {cell}.", "The cell has an error of a formula: {cell}.")


class CannotBeEmpty(BadCell):
    text = Text("Это значение нельзя очистить.", "This value cannot be emptied.")


class AmbiguousCategory(BadCell):
    text = Text(
        "Категорий «{category}» несколько: укажите путь («{example}») или адрес.",
        'There are several categories "{category}": give the path ("{example}") or the slug.',
    )


class TooManyCells(BadCell):
    text = Text(
        "В строке больше ячеек, чем столбцов: проверьте кавычки и разделитель.",
        "The row has more cells than there are columns: see to its quotes and separators.",
    )


class SameIdTwice(BadCell):
    text = Text("Артикул {product_id} уже был в строке {row}.", "Id {product_id} was in row {row} already.")


class NoStockRight(BadCell):
    text = Text("У вас нет права менять остатки.", "You may not change stock.")


class AppearedMeanwhile(BadCell):
    code = Code.CONFLICT
    text = Text(
        "Товар появился после проверки файла, с другими значениями. Проверьте файл ещё раз.",
        "The product appeared after the file was checked, with other values. Check the file again.",
    )


class ValueChangedMeanwhile(BadCell):
    code = Code.CONFLICT
    text = Text(
        "После проверки файла значение изменил кто-то другой: было «{seen}», сейчас «{now}». Оставлено как есть.",
        'Somebody changed the value after the file was checked: it was "{seen}", now it is "{now}". Left as it is.',
    )
