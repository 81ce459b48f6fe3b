"""Tells a secret's value from what only stands in its place: placeholders, code, words, names and paths."""

from __future__ import annotations

import re

from nanoctx.core.secret_shapes import compiled


def is_placeholder(value: str) -> bool:
    """True when the value stands for a secret without being one."""
    if len(set(value)) < 4:
        return True
    raw = value.encode("utf-8", "surrogatepass")
    if _BLANK.search(raw) is not None:
        return True
    return _DUMMY.search(raw) is not None and (
        _DUMMY_IN_TOKEN.search(raw) is not None or not is_random(value)
    )


def is_blank_shape(token: str) -> bool:
    """True when something has a token's shape but was written by hand to show that shape."""
    if _BLANK.search(token.encode("utf-8", "surrogatepass")) is not None:
        return True
    joined = _SEPARATORS.sub("", token)
    return not is_random(joined) and _wordiness(joined) > 0.7


def is_random(value: str) -> bool:
    """True when a part of the value was made by a generator, not by somebody naming a thing."""
    if len(value) < 8 or _NEVER.match(value):
        return False
    mixing = 0
    for piece in _PIECES.findall(value):
        changes = len(_LETTER_NEXT_TO_DIGIT.findall(piece))
        mixing += changes
        if len(piece) >= 8 and changes >= 3:
            return True
        if len(piece) >= 14 and (changes or _MIXED_CASE.search(piece)) and _wordiness(piece) < 0.55:
            return True
    if mixing >= 6 or _UUID.fullmatch(value):
        return True
    return len(value) >= 20 and mixing >= 2 and _wordiness(_SEPARATORS.sub("", value)) < 0.5


def is_password(value: str) -> bool:
    """True when a value beside the word "password" is one that people type, not a word of the text."""
    if not 5 <= len(value) <= 256 or _NEVER.match(value) or _TECHNICAL.fullmatch(value):
        return False
    if value[:-1].isdigit() or _NOT_TYPED.search(value):
        return False
    has_digit = _DIGIT.search(value) is not None
    has_letter = _LETTER.search(value) is not None
    if _STRONG_SYMBOL.search(value, 0, len(value) - 1):
        return has_letter and (has_digit or len(value) >= 8)
    if not (has_digit and has_letter):
        return len(value) >= 12 and bool(_MIXED_CASE.search(value)) and _wordiness(value) < 0.5
    return is_random(value) or bool(_ONE_PIECE.fullmatch(value)) or bool(_STRONG_SYMBOL.search(value))


def is_strong(value: str) -> bool:
    """True when no word or name looks like this: letters, digits and signs that only passwords mix."""
    return (
        len(value) >= 6
        and bool(_STRONG_SYMBOL.search(value))
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and not _NEVER.match(value)
    )


def is_passphrase(value: str) -> bool:
    """True for four or more plain words in a row, as generators of passphrases write them."""
    words = re.split(r"[ \-_.]", value)
    return (
        len(words) >= 4
        and all(3 <= len(word) <= 12 and word.isalpha() and word.islower() for word in words)
        and not any(_SENTENCE_WORD.fullmatch(word) for word in words)
    )


def is_code(value: str) -> bool:
    """True when an unquoted value is an expression, a type or a name rather than the value itself."""
    return bool(_EXPRESSION.match(value))


def _wordiness(text: str) -> float:
    """The share of neighbouring letters that are common in words: about .9 in words, .3 in random text."""
    low = text.lower()
    pairs = len(_NEIGHBOURS.findall(low))
    return len(_COMMON_NEIGHBOURS.findall(low)) / pairs if pairs >= 6 else 1.0


_TEMPLATE = (
    r"\$\{|\$\(|\{\{|#\{|%\(|<[A-Za-z_][\w .-]*>|\{[A-Za-z_]?[\w.]*\}|\*\*\*|\.\.\.|\[secret:"
    r"|A-Za-z|a-z0-9|\[0-9|\\[wd]|x{4,}|X{4,}|\xe2\x80\xa2"
    r"|^\$\w+$|^%\w+%?$|^@\w+@$|^<|^\[[\w -]+\]$|^__\w+__$|^:\w+$|^[A-Z]+(?:_[A-Z0-9]+)+$"
)
# Long enough that no generator hits them by chance, so they count anywhere in the value.
_LONG_DUMMY = (
    r"example|sample|dummy|placeholder|change.?(?:me|it|this)|redacted|hidden|masked|removed|insert|replace"
    r"|foobar|undefined|whatever|not.?a.?(?:real|secret)|your.?(?:own|api|key|token|secret|pass|pw|access|client)"
    r"|(?:my|the|some|any|new|old|user|super|top|test|fake|invalid|wrong|correct|bad|good|valid)[-_. ]?"
    r"(?:password|passwd|token|secret|api[-_]?key)|passw(?:or|0r)d\d{0,4}\W?$|^secret[-_]?\w{0,4}$|qwerty|letmein"
)
_SEQUENCE = r"abcdefg|1234567|0123456|7654321|deadbeef|(?:abc|foo|test|admin|root|user)-?123|^pass-?1?2?3?$"
_DUMMY_IN_TOKENS = r"yours?|fake|mock|stub|demo|todo|fixme|lorem|ipsum|here"
_DUMMY_WORD = (
    r"foo|bar|baz|none|null|nil|true|false|tests?|testing|default|string|str|secrets?"
    r"|password|passwd|pass|token|admin|root|user|username|guest|postgres|mysql|redis|rabbitmq|minio|optional"
    r"|required|value|unset|empty|xxx|abc|unknown|env|environ"
)
_ALONE = r"(?i)(?:^|[^a-z0-9])(?:{})(?:$|[^a-z0-9])"
# On re2, which looks for all of them at once.
_BLANK = compiled(f"{_TEMPLATE}|(?i:{_LONG_DUMMY}|{_SEQUENCE})", groups=False)
_DUMMY = compiled(_ALONE.format(f"{_DUMMY_IN_TOKENS}|{_DUMMY_WORD}"), groups=False)
_DUMMY_IN_TOKEN = compiled(_ALONE.format(_DUMMY_IN_TOKENS), groups=False)
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W\d_]")
_NOT_TYPED = re.compile(r"\s|[^\x00-\u1fff]")
_SEPARATORS = re.compile(r"[-_.:/+$=]")
_PIECES = re.compile(r"[A-Za-z0-9]+")
_LETTER_NEXT_TO_DIGIT = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_MIXED_CASE = re.compile(r"[a-z][A-Z]")
_NEIGHBOURS = re.compile(r"[a-z](?=[a-z])")
# Each letter with those that often follow it in identifiers and English words.
_COMMON_NEIGHBOURS = re.compile(
    "e(?=[acdefglmnpqrstvwx])|t(?=[acdehiloprstuy])|a(?=[abcdgilmnprstu])|o(?=[bcdlmnoprstuw])|i(?=[abcdefglmnoprstvz])"
    "|n(?=[acdefgiostu])|s(?=[acehiopstu])|r(?=[acdegimnorstuy])|h(?=[aeio])|l(?=[adeilostuy])|d(?=[adeilosu])"
    "|c(?=[aehiklortu])|u(?=[abelmnprst])|m(?=[aeiops])|f(?=[aefilor])|p(?=[aeiloprsty])|g(?=[ehirs])|w(?=[ai])"
    "|y(?=[pty])|b(?=[aceilou])|v(?=[aei])|k(?=e)|x(?=t)|q(?=u)|z(?=[ez])"
)
_NEVER = re.compile(
    r"(?:sha\d+|md5)[-:]"
    r"|\d{4}-\d\d-\d\d(?:\D|$)"
    r"|v?\d+(?:\.\d+)+(?:[-+]\w[\w.+-]*)?$"
    r"|#[0-9a-fA-F]{3,8}$"
    r"|[a-z][a-z0-9+.-]*://"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+$"
    r"|(?:[~.]{0,2}/|[A-Za-z]:\\)(?:[a-z_.-]+/)+[\w.-]*$"
    r"|\d+(?:ms|px|em|rem|kb|mb|gb|k|m|s|h|d)$"
    r"|(?:toolu|msg|req|call|chatcmpl|resp|run|file|thread|asst|org|proj|ses|prt|cus|evt|arn|urn)[_:-]",
    re.IGNORECASE,
)
_TECHNICAL = re.compile(
    r"sha-?\d+|md[45]|base(?:16|32|58|64)\w*|utf-?\d+|b?scrypt\d*|argon2\w{0,2}|pbkdf2\w*|oauth2?|http/?\d?"
    r"|ipv\d|x509|[rhep]s\d{3}|aes-?\d{3}[\w-]{0,8}"
    r"|(?:step|line|phase|part|item|test|page|level|option|field|column|row|case)-?\d+"
    r"|python\d?|py\d+|v\d+\w?|k8s|i18n|\w{1,20}\.\w{1,4}",
    re.IGNORECASE,
)
_STRONG_SYMBOL = re.compile(r"[!@#$%^&*+~]")
_ONE_PIECE = re.compile(r"[A-Za-z0-9]+={0,2}(?:[-_.][A-Za-z]*\d[A-Za-z0-9]*)?")
_SENTENCE_WORD = re.compile(
    r"the|your?|must|and|for|with|not|are|was|has|have|this|that|from|please|enter|type|should|will|can|password"
    r"|passphrase|phrase|words?|mnemonic|seed|token|key"
)
_EXPRESSION = re.compile(
    r"(?:await |new |return |async )"
    r"|[A-Za-z_$][\w$.:>?!-]*[(\[{]"
    r"|[A-Za-z_$]\w*(?:(?:\??\.|::|->)[A-Za-z_]\w*)+[,;)\]}]*$"
    r"|[A-Za-z_]+[,;)\]}|?:]*$|[a-z]+(?:_[a-z]+)*_[a-z]+\d?[,;)\]}]*$"
    r"|[({\[|&*<>=!/+-]+(?:\s|$|[A-Za-z_]+[)}\]>,;]*$)"
)
