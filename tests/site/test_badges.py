"""Badges are as wide as what they say, in every script."""

from benchdb.site.badges import badge


def test_letters_of_east_asia_have_the_room_that_they_take():
    latin, korean = badge("reproduced", "± 1 %"), badge("재현됨", "± 1 %")

    assert (latin["wide"], korean["wide"]) == (7 * 10 + 12, 11 * 3 + 12)
    assert latin["rest"] == korean["rest"]
