"""What changed in a file, function by function, in every language we have a grammar for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nanoctx.core import functions
from nanoctx.core.functions import DELETED, MODIFIED, NEW, changed


def told(path: str, old: str, new: str) -> list[str]:
    return [f"{one.signature} [{one.change}]" for one in changed(path, old, new)]


def test_new_modified_and_deleted_functions_are_told_apart():
    old = "def kept(a):\n    return a\n\ndef grown(a):\n    return 1\n\ndef gone():\n    pass\n"
    new = "def kept(a):\n    return a\n\ndef grown(a, b=2):\n    return b\n\n"
    new += "async def fresh() -> int:\n    return 3\n"
    assert told("a.py", old, new) == [
        "def grown(a, b=2) [MODIFIED]",
        "async def fresh() -> int [NEW]",
        "def gone() [DELETED]",
    ]


def test_what_did_not_change_is_not_told():
    text = "class Gauge:\n    def level(self):\n        return 1\n"
    assert told("a.py", text, f"# a comment\n{text}") == []


def test_a_method_is_told_with_its_class_and_no_function_within_a_function():
    new = "class Gauge:\n    def level(self):\n        def inner():\n            pass\n        return inner\n"
    assert told("a.py", "", new) == ["Gauge: def level(self) [NEW]"]


def test_of_two_functions_with_one_name_each_is_compared_with_its_own():
    old = "class A { int m(int x) { return 1; } int m(String s) { return 2; } }"
    assert told("A.java", old, old.replace("return 2", "return 3")) == ["A: int m(String s) [MODIFIED]"]


def test_a_signature_stands_on_one_line():
    new = "def long(\n    first,\n    second,\n):\n    pass\n"
    assert told("a.py", "", new) == ["def long(first, second) [NEW]"]
    many = f"def f({', '.join(f'a{number}' for number in range(99))}): pass"
    assert len(changed("a.py", "", many)[0].signature) <= functions.SIGNATURE


@pytest.mark.parametrize(
    ("path", "text", "signatures"),
    [
        ("a.js", "export const f = async (x) => { return x }\nclass A { m() {} }\nfunction* g() {}",
         ["f = async (x)", "A: m()", "function* g()"]),
        ("a.ts", "export function f(a: number): string { return '' }\nnamespace N { function z() {} }",
         ["function f(a: number): string", "N: function z()"]),
        ("a.tsx", "const Page = (p: Props) => <div>{p.x}</div>", ["Page = (p: Props)"]),
        ("a.go", "package a\nfunc F(a int) (string, error) { return \"\", nil }\nfunc (s *S) M() {}",
         ["func F(a int) (string, error)", "func (s *S) M()"]),
        ("a.rs", "impl Show for Gauge { fn show(&self) -> u8 { 1 } }\npub fn g<T>(x: T) where T: Copy {}",
         ["Gauge: fn show(&self) -> u8", "pub fn g<T>(x: T) where T: Copy"]),
        ("A.java", "class A { A() {} public int m(int x) throws E { return 1; } }",
         ["A: A()", "A: public int m(int x) throws E"]),
        ("a.c", "static int *f(int a) { return 0; }\nint (*g(void))(int) { return 0; }",
         ["static int *f(int a)", "int (*g(void))(int)"]),
        ("a.cpp", "namespace n { class A { int m() const { return 1; } }; int A::k(int x) { return x; } }",
         ["n.A: int m() const", "n: int A::k(int x)"]),
    ],
)  # fmt: skip
def test_every_language_tells_its_functions(path, text, signatures):
    assert [one.signature for one in changed(path, "", text)] == signatures
    assert {one.change for one in changed(path, "", text)} == {NEW}
    assert {one.change for one in changed(path, text, "")} == {DELETED}
    assert changed(path, text, text) == []


def test_only_files_with_a_grammar_are_known():
    assert functions.is_known("src/a.PY") and functions.is_known("b.hpp")
    assert not functions.is_known("a.rb") and not functions.is_known("Makefile")


PATHS = ["a.py", "a.ts", "a.go", "a.rs", "a.c", "A.java"]


@given(st.sampled_from(PATHS), st.text(max_size=300), st.text(max_size=300))
def test_any_text_is_looked_into_without_a_fault(path, old, new):
    for one in changed(path, old, new):
        assert one.change in (NEW, MODIFIED, DELETED) and "\n" not in one.signature


def test_deep_nesting_ends():
    assert told("a.js", "", "(" * 5000 + ")" * 5000) == []
