"""Secrets and private parts leave the text; everything else stays as it was."""

from __future__ import annotations

import base64
import time
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nanoctx.core.redact import Finding, findings, redact, redact_all

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ALNUM = LETTERS + LETTERS.upper() + "0123456789"
HEX = "0123456789abcdef"


def made_up(length: int, alphabet: str = ALNUM, seed: int = 7) -> str:
    r = Random(seed)
    return "".join(r.choice(alphabet) for _ in range(length))


TOKEN = "ghp_" + made_up(36)
PASSWORD = "Walnut" + made_up(2, "0123456789") + "!kettle"
LOGIN = base64.b64encode(f"ana:{PASSWORD}".encode()).decode()


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"export GITHUB_TOKEN={TOKEN}", TOKEN),
        (f"I pasted {TOKEN} by mistake", TOKEN),
        (f"key = AKIA{made_up(16, LETTERS.upper())}", "AKIA" + made_up(16, LETTERS.upper())),
        (f"aws_secret_access_key = {made_up(40)}", made_up(40)),
        (f'"api_key": "{made_up(32, HEX)}",', made_up(32, HEX)),
        (f"postgres://app:{made_up(12)}@db1/app", made_up(12)),
        (f"> Authorization: Basic {LOGIN}", LOGIN),
        (f"-H 'Authorization: Bearer {made_up(40)}'", made_up(40)),
        (f"DB_PASSWORD={PASSWORD}", PASSWORD),
        (f'connect(user="ana", password="{PASSWORD}")', PASSWORD),
        (f"  password: {PASSWORD}\n  port: 1", PASSWORD),
        (f"<password>{PASSWORD}</password>", PASSWORD),
        (f"Server=db1;Password={PASSWORD};Encrypt=true", PASSWORD),
        (f"  - name: DB_PASSWORD\n    value: {PASSWORD}", PASSWORD),
        (f"the password is {PASSWORD}", PASSWORD),
        (f"pw: {PASSWORD}", PASSWORD),
        (f"use `{PASSWORD}` as the password", PASSWORD),
        (f"пароль: {PASSWORD}", PASSWORD),
        (f"sshpass -p '{PASSWORD}' ssh ana@box", PASSWORD),
        (f"curl -s -u ana:{PASSWORD} https://box", PASSWORD),
        (f"mysql -u ana -p{made_up(12)} app", made_up(12)),
        (f"machine box\n  login ana\n  password {PASSWORD}", PASSWORD),
        (f"ana:$apr1${made_up(8)}${made_up(22)}", f"$apr1${made_up(8)}${made_up(22)}"),
        (f'{{"auths": {{"r.dev": {{"auth": "{LOGIN}"}}}}}}', LOGIN),
        (f"Cookie: theme=dark; sessionid={made_up(32)}; a=b", made_up(32)),
        (f"deploy --db-password {PASSWORD} --now", PASSWORD),
        (f'{{\\"token\\": \\"{made_up(32)}\\"}}', made_up(32)),
        (f"gh secret set DB_PASSWORD --body '{PASSWORD}'", PASSWORD),
        (f"sed -i 's/API_KEY=.*/API_KEY={made_up(32, HEX)}/' .env", f"{made_up(32, HEX)}/"),
        (f'val apiKey by lazy {{ "{made_up(32, HEX)}" }}', made_up(32, HEX)),
        (f'api_token: ["{made_up(32, HEX)}"]', made_up(32, HEX)),
        (f"cy.get('[name=password]').type('{PASSWORD}')", PASSWORD),
        (f'<input type="password" name="p" value="{PASSWORD}">', PASSWORD),
        (f'getConnection(url, "ana", "{PASSWORD}");', PASSWORD),
        (f"lftp -u ana,{PASSWORD} sftp://box", PASSWORD),
        (f"sudo -S apt update <<< '{PASSWORD}'", PASSWORD),
        (f"printf '%s' '{PASSWORD}' | cryptsetup open /dev/sda2 x -", PASSWORD),
        (f"it worked when I typed {PASSWORD} as password", PASSWORD),
        (f"root/{PASSWORD} are the default credentials", PASSWORD),
        (f"use ana/{PASSWORD} to log in", PASSWORD),
        (f"SECRET_KEY=7p=q(8{made_up(24)}", f"7p=q(8{made_up(24)}"),
        ("passphrase: copper-lantern-walnut-ember", "copper-lantern-walnut-ember"),
        (f"fb_page_token = EAA{made_up(90)}", f"EAA{made_up(90)}"),
    ],
)
def test_a_secret_goes_and_the_text_around_it_stays(text: str, secret: str) -> None:
    before, after = text.split(secret)
    found = findings(text)
    assert [text[one.start : one.end] for one in found] == [secret]
    assert redact(text) == f"{before}[secret: {found[0].kind}]{after}"


@pytest.mark.parametrize(
    "text",
    [
        f"commit {made_up(40, HEX)}",
        f'{{"sessionId": "{made_up(8, HEX)}-1b2c-4d3e-8f9a-{made_up(12, HEX)}"}}',
        f"{made_up(64, HEX)}  dist/app.tar.gz",
        f'"integrity": "sha512-{made_up(86)}=="',
        f'<img src="data:image/png;base64,{made_up(200)}">',
        f'{{"id": "toolu_{made_up(24)}"}}',
        "api_key = YOUR_API_KEY",
        "token: $GITHUB_TOKEN",
        "token: ${{ secrets.NPM_TOKEN }}",
        'key = os.environ["API_KEY"]',
        "const secret = process.env.JWT_SECRET",
        "password = getpass.getpass()",
        "password: string;",
        'password = "changeme"',
        "API_TOKEN=REDACTED",
        "postgres://user:password@localhost/app",
        "token_count=1234 max_tokens=4096",
        "the password is required",
        "color: #3fa9c2",
        "requests==2.31.0",
        "PWD=/home/ana/work2",
        "--- PASS: TestLogin2 (0.01s)",
        "docker run -p 8080:80 -u 1000:1000 app",
        "if '-----BEGIN PRIVATE KEY-----' in text:",
        'headers = {"Authorization": f"Bearer {token}"}',
        'password = config["smtp_password_v2"]',
        'api_key = settings.get("api_key_2")',
        'token: ["IDENT", "NUMBER2"]',
        "cy.get('[name=password]').type('{enter}')",
        '<input type="password" value="" name="pw2">',
        "Password: Sup3r… (masked)",
        "## Password\n\nAt least 12 characters",
        "as login we use OAuth2 here",
        "password's length is checked in v2",
        "cat <<< 'hello world2' | wc -c",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "broken",
    [
        TOKEN[:9] + "\u200b" + TOKEN[9:],
        TOKEN.replace("_", "\\u005f"),
        TOKEN[:20] + "\x1b[0m" + TOKEN[20:],
        TOKEN[:20] + "\\\n    " + TOKEN[20:],
        TOKEN[:20] + '" + "' + TOKEN[20:],
    ],
    ids=["zero width", "escape", "colour", "line", "sum"],
)
def test_a_secret_is_found_whatever_splits_it(broken: str) -> None:
    assert redact(f"é before {broken} after") == "é before [secret: github token] after"


def test_a_private_key_goes_as_a_whole_also_when_its_end_is_missing() -> None:
    body = "\n".join(made_up(64, seed=seed) for seed in range(3))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n"
    assert redact(f"a\n{key}-----END RSA PRIVATE KEY-----\nb") == "a\n[secret: private key]\nb"
    assert made_up(64, seed=1) not in redact(key)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a <private>b</private> c", "a  c"),
        ("a <PRIVATE>b <private>c</Private> d</private> e", "a  e"),
        ("a <private>b\nc", "a "),
        ("a </private> b", "a </private> b"),
        ("class <privateKey> b", "class <privateKey> b"),
        (f"<private>{TOKEN}</private>x {TOKEN}", "x [secret: github token]"),
    ],
)
def test_private_parts_are_dropped(text: str, left: str) -> None:
    assert redact(text) == left


@pytest.mark.parametrize("beside", ["", "and ghp_" + "x4Qm9Rt2Vb7Nc1Lp8Zk3Wd6Hy5Js0Fg4TaUe"])
def test_a_token_of_no_known_vendor_is_found_alone_and_beside_others(beside: str) -> None:
    token = "tides_live_" + "a8F3kZ9qLm2Xw7Rt5Vb1Nc6Yd"
    found = findings(f"It answers to {token} {beside}")
    assert found[0] == Finding("token", 14, 14 + len(token))
    assert len(found) == 1 + bool(beside)


def test_findings_stand_in_order_and_do_not_overlap() -> None:
    text = f"token={TOKEN} https://ana:{TOKEN}@box password={PASSWORD}"
    found = findings(text)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert {text[one.start : one.end] for one in found} == {TOKEN, PASSWORD}
    assert isinstance(found[0], Finding)


def test_many_texts_are_redacted_as_each_would_be() -> None:
    texts = ["the password is", PASSWORD, f"pw: {PASSWORD}", "", "a <private>b", "c", f"x {TOKEN}"]
    assert redact_all(texts) == [redact(text) for text in texts]


NAMES = ("password", "token=", "api_key: ", " is ", " --pw ")
SIGNS = ('"', "'", "\\", "\n", "{", "=", "\u200b", "é", "\ud800")
TAGS = ("<private>", "</private>", "-----BEGIN PRIVATE KEY-----")
PIECES = st.sampled_from(
    (*NAMES, *SIGNS, *TAGS, "://a:", "@b", "\x1b[0m", "\\u005f", f" {TOKEN} ", PASSWORD)
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES | st.text(max_size=6), max_size=12).map("".join))
def test_any_text_is_redacted_once_and_for_all(text: str) -> None:
    once = redact(text)
    assert TOKEN not in once
    assert redact(once) == once
    for one in findings(text):
        assert 0 <= one.start < one.end <= len(text)


@pytest.mark.parametrize("unit", ["pw='", "token: x1 ", "<private>", "a://b:c@", "\\u0061", "eyJaaaaaaaa."])
def test_time_grows_with_the_text_and_no_faster(unit: str) -> None:
    def cost(size: int) -> float:
        text = (unit * size)[:size]
        start = time.process_time()
        redact(text)
        return (time.process_time() - start) / size

    redact(unit)
    small = max(min(cost(20_000) for _ in range(3)), 20e-9)
    assert min(cost(320_000) for _ in range(2)) < 4 * small
