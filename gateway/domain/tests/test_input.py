import pytest

from gateway.domain.input import holds_link, normal_key


@pytest.mark.parametrize(
    "written",
    ["same", " same", "same ", "same\u00a0", "\u2003same", "sa\u200bme", "same\u00ad", "ｓame", "same\t", "same\n"],
)
def test_what_looks_alike_is_one_key(written: str) -> None:
    assert normal_key(written) == "same"


def test_keys_that_can_be_told_apart_stay_apart() -> None:
    assert len({normal_key(key) for key in ("same", "Same", "same 2", "same2", "sаme")}) == 5


def test_white_space_within_a_key_counts_as_one_space() -> None:
    assert normal_key("RF \u00a0 2026\t11") == "RF 2026 11"


def test_a_key_of_white_space_alone_is_empty() -> None:
    assert normal_key(" \u00a0\u200b\n") == ""


@pytest.mark.parametrize(
    "text",
    [
        "Иван http://evil.example/x",
        "HTTPS://EVIL",
        "ftp://1.2.3.4",
        "myapp://open",
        "www.evil",
        "www2.evil.example",
        "evil.com",
        "Evil.Com",
        "Приз: evil.ru!",
        "(prize.top)",
        "a.b.evil.xyz/path?x=1",
        "xn--80ak6aa92e.com",
        "кредит.рф",
        "Окна.Онлайн",
        "t.me/prize",
        "bit.ly/abc",
        "пишите на prize@evil.example",
        "prize@localhost",
        "mailto:x",
        "tel:+79991234567",
        "evil\u200b.com",
        "evil\uff0ecom",
        "evil\u3002com",
        "ｅｖｉｌ.ｃｏｍ",
        "evil.com\u00a0",
        "улица,evil.com",
    ],
)
def test_what_mail_programs_make_links_of_is_known(text: str) -> None:
    assert holds_link(text)


@pytest.mark.parametrize(
    "text",
    [
        "И. О. Петров-Водкин",
        "И.О.Петров",
        "J.R.R.Tolkien",
        "O'Neil",
        "St. John Jr.",
        "St.John",
        "Анна-Мария фон дер Лейен",
        "ООО «Рога и копыта»",
        "г.Москва",
        "гор.Москва",
        "ул.Тверская,д.5,кв.1",
        "ул. Ленина, д. 5/1, стр.2",
        "пр-т Мира, 10, корп.3, под.2, эт.4",
        "ul.Tverskaya, d.1",
        "д.12а/3, домофон 12*34#",
        "101000",
        "Позвоните за час: не звоните до 9.00",
        "ТЦ «Ко.Ко», 2 этаж",
        "м.о. Химки",
        "",
    ],
)
def test_names_and_addresses_are_no_links(text: str) -> None:
    assert not holds_link(text)
