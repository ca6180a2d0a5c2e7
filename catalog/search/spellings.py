"""Other spellings that a typed word may stand for: the other keyboard layout, the other alphabet, a brand by ear."""

import re
from collections.abc import Iterator

from catalog.search.words import stem, undeclined

_LATIN_KEYS = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"
_RUSSIAN_KEYS = "йцукенгшщзхъфывапролджэячсмитьбюё"
_OTHER_LAYOUT = str.maketrans(_LATIN_KEYS + _RUSSIAN_KEYS, _RUSSIAN_KEYS + _LATIN_KEYS)


def _pairs(table: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in table.split())


# Longer combinations first: the first that fits is taken.
_CYRILLIC_OF = _pairs(
    "shch:щ sch:щ zh:ж kh:х ts:ц ch:ч sh:ш yu:ю ya:я ph:ф th:т ee:и oo:у ck:к a:а b:б c:к d:д e:е f:ф g:г h:х i:и j:дж "
    "k:к l:л m:м n:н o:о p:п q:к r:р s:с t:т u:у v:в w:в x:кс y:и z:з"
)
_LATIN_OF = _pairs(
    "дж:j кс:x а:a б:b в:v г:g д:d е:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:h ц:ts ч:ch ш:sh "
    "щ:shch ъ: ы:y ь: э:e ю:yu я:ya"
)
_LATIN = re.compile("|".join(_CYRILLIC_OF))
_CYRILLIC = re.compile("|".join(_LATIN_OF))

# What people write by ear and no rule of transliteration gives.
_BY_EAR = _pairs(
    "айфон:iphone айпад:ipad аймак:imac эйрподс:airpods аирподс:airpods эпл:apple эппл:apple макбук:macbook "
    "галакси:galaxy гэлакси:galaxy сяоми:xiaomi ксяоми:xiaomi шаоми:xiaomi ксиоми:xiaomi хуавей:huawei хуавэй:huawei "
    "реалми:realme рилми:realme редми:redmi гугл:google нокиа:nokia сони:sony филипс:philips асус:asus делл:dell "
    "эйсер:acer оппо:oppo виво:vivo ванплюс:oneplus бош:bosch браун:braun дайсон:dyson джибиэль:jbl джбл:jbl "
    "битс:beats блютуз:bluetooth юсб:usb гб:gb тб:tb плейстейшен:playstation плейстейшн:playstation иксбокс:xbox "
    "эйр:air эир:air лайт:lite бадс:buds вотч:watch свитч:switch"
)
# By stems, because a brand is declined as any noun: айфона, айфоном.
_WRITTEN = {stem(heard): written for heard, written in _BY_EAR.items()}
_HEARD = {written: [heard for heard, other in _BY_EAR.items() if other == written] for written in _BY_EAR.values()}


# In names of models people type whichever key has the letter: «с24», «м35», «х7».
_LOOKS_LIKE = str.maketrans("авекмнорстух", "abekmhopctyx")
_LOOKS_RUSSIAN = {latin: russian for russian, latin in _LOOKS_LIKE.items()}
_MIXED = re.compile("[a-z]+[а-я][a-zа-я]*|[а-я]+[a-z][a-zа-я]*")
LONGER_THAN_A_MODEL = 3


def in_other_layout(text: str) -> str:
    """What the same keys type with the keyboard switched; the text is folded."""
    return text.translate(_OTHER_LAYOUT)


def in_one_alphabet(text: str) -> str:
    """The folded text with the letters of each word in one alphabet, where a few only look like it: «пылесоc»."""
    return _MIXED.sub(lambda found: _unmixed(found[0]), text)


def _unmixed(word: str) -> str:
    is_latin = sum(letter.isascii() for letter in word) * 2 > len(word)
    return word.translate(_LOOKS_LIKE if is_latin else _LOOKS_RUSSIAN)


def in_other_alphabet(word: str) -> Iterator[str]:
    """Spellings of a folded word in the other alphabet: Russian for a Latin word, Latin for a Russian one."""
    if not word.isalpha():
        return
    if word.isascii():
        yield from _HEARD.get(word, ())
        yield _LATIN.sub(lambda found: _CYRILLIC_OF[found[0]], word)
        return
    if (root := stem(word)) in _WRITTEN:
        yield _WRITTEN[root]
    if len(word) < LONGER_THAN_A_MODEL:
        yield word.translate(_LOOKS_LIKE)
    # The whole word first: a brand may end as a declined word does (сони). A lone soft sign has no Latin letter.
    for russian in dict.fromkeys((word, undeclined(word))):
        yield _CYRILLIC.sub(lambda found: _LATIN_OF[found[0]], russian) or russian
