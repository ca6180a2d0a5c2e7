"""Other spellings that a typed word may stand for: the other keyboard layout, the other alphabet, a brand by ear."""

import re
from collections.abc import Iterator

from catalog.search.words import stem

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
    "битс:beats блютуз:bluetooth юсб:usb гб:gb тб:tb плейстейшен:playstation плейстейшн:playstation иксбокс:xbox"
)
# By stems, because a brand is declined as any noun: айфона, айфоном.
_WRITTEN = {stem(heard): written for heard, written in _BY_EAR.items()}
_HEARD = {written: [heard for heard, other in _BY_EAR.items() if other == written] for written in _BY_EAR.values()}


def in_other_layout(text: str) -> str:
    """What the same keys type with the keyboard switched; the text is folded."""
    return text.translate(_OTHER_LAYOUT)


def in_other_alphabet(word: str) -> Iterator[str]:
    """Spellings of a folded word in the other alphabet: Russian for a Latin word, Latin for a Russian one."""
    if word.isdigit():
        return
    if word.isascii():
        yield from _HEARD.get(word, ())
        yield _LATIN.sub(lambda found: _CYRILLIC_OF[found[0]], word)
        return
    base = stem(word)
    if base in _WRITTEN:
        yield _WRITTEN[base]
    # A lone soft sign has no Latin letter.
    yield _CYRILLIC.sub(lambda found: _LATIN_OF[found[0]], base) or base
