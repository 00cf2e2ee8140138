"""Slimming the theme drops what no page mentions, and nothing else."""

import pytest

from tools.slim import slim_icons, slim_style, split_rules

ICONS = ('var a={bars:[448,512,["navicon"],"f0c9","M0 96"],"circle-half":[512,512,[],"f042",["M1","M2"]],'
         '"old-name":[1,2,["new"],"f1","M"]};run(a)')


def test_only_used_icons_stay():
    assert slim_icons(ICONS, {"bars"}) == 'var a={bars:[448,512,["navicon"],"f0c9","M0 96"]};run(a)'
    assert slim_icons(ICONS, {"new"}) == 'var a={"old-name":[1,2,["new"],"f1","M"]};run(a)'
    assert slim_icons(ICONS, {"bars", "circle-half", "old-name"}) == ICONS


def test_rules_of_unknown_classes_go():
    style = ".a{x:1}.b,.a .c{x:2}p{x:3}.a.b{x:4}@media print{.b{x:5}.a{x:6}}@font-face{src:url(x)}"
    assert slim_style(style, {"a", "c"}) == ".a{x:1}.b,.a .c{x:2}p{x:3}@media print{.a{x:6}}@font-face{src:url(x)}"
    assert slim_style("@media print{.b{x:5}}", {"a"}) == ""


def test_braces_in_strings_and_comments_do_not_count():
    style = '@charset "}";/* } */.a{content:"}"}.b{}'
    assert list(split_rules(style)) == [('@charset "}";', None), ("/* } */.a", 'content:"}"'), (".b", "")]
    with pytest.raises(ValueError, match="without its closing one"):
        slim_style(".a{x:1", {"a"})


def test_pseudo_classes_need_no_class():
    style = ":root{--x:1}html[data-theme=dark]{x:1}.a:not(.gone):hover{x:2}"
    assert slim_style(style, {"a", "gone"}) == style
