"""Makes log lines with invented secrets in them, and lines that only look so. No value is ever stored."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
ALNUM = LOWER + UPPER + DIGITS
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
WORDS = tuple(
    re.findall(
        r"\w+",
        "amber bridge canyon dolphin ember falcon garnet harbor island jasper kettle lantern meadow "
        "nectar orchid pepper quartz raven saddle timber umber velvet walnut yonder zephyr copper "
        "thistle marble ",
    )
)


@dataclass(frozen=True, slots=True)
class Case:
    """A log line, and the part of it that must go; an empty one means that all must stay."""

    kind: str
    text: str
    secret: str = ""


Maker = Callable[[Random], str]


def chars(alphabet: str, count: int) -> Maker:
    return lambda r: "".join(r.choice(alphabet) for _ in range(count))


def shape(*parts: str | Maker) -> Maker:
    return lambda r: "".join(part if isinstance(part, str) else part(r) for part in parts)


def password(r: Random) -> str:
    word, other = r.choice(WORDS), r.choice(WORDS)
    return r.choice(
        (
            lambda: f"{word.capitalize()}{r.randint(10, 9999)}{r.choice('!#$*')}",
            lambda: f"{word}{r.choice('!@#*')}{other}{r.randint(1, 99)}",
            lambda: "".join(r.choice(ALNUM + "!#*+") for _ in range(9)) + r.choice(DIGITS) + r.choice(LOWER),
            lambda: f"{word[:3]}{r.randint(100, 999)}{other[:4].upper()}{r.randint(1, 9)}",
            lambda: f"{word}{r.randint(10, 999)}",
        )
    )()


def plain_password(r: Random) -> str:
    """Without signs that a URL or a shell would need to escape."""
    return f"{r.choice(WORDS)}{r.randint(10, 9999)}{r.choice(WORDS).capitalize()[:4]}{r.randint(1, 99)}"


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


# --- the lines secrets stand in

TOKEN_LINES = (
    "export {NAME}={v}",
    '{NAME}="{v}"',
    '  "{name}": "{v}",',
    "{name}: {v}",
    'client = Client({name}="{v}", timeout=30)',
    "curl -s -H 'Authorization: Bearer {v}' https://api.corp.dev/v1/me",
    "2026-02-01T10:22:01Z ERROR request with {v} was rejected: 401",
    "here is what I use at the moment: {v}",
    "docker run --rm -e {NAME}={v} registry.corp.dev/app:1.2",
    "deploy --region eu-1 --{opt} {v} --verbose",
    '{{"args": "{{\\"{name}\\": \\"{v}\\"}}"}}',
    "-    {name} = '{v}'",
)
PASSWORD_LINES = (
    "DB_PASSWORD={v}",
    'export ADMIN_PASSWORD="{v}"',
    "  password: {v}",
    '{{"user": "ana", "password": "{v}"}}',
    'connect(host="db1", user="app", password="{v}")',
    "spring.datasource.password={v}",
    'os.environ["SMTP_PASSWORD"] = "{v}"',
    "deploy --user ana --password {v} --force",
    "<password>{v}</password>",
    "Server=db1;Database=app;User Id=sa;Password={v};Encrypt=true",
    "  - name: MYSQL_PASSWORD\n    value: {v}",
    '{{\\"username\\": \\"ana\\", \\"password\\": \\"{v}\\"}}',
    "CREATE USER app IDENTIFIED BY '{v}';",
)
SPOKEN_LINES = (
    "the password is {v}",
    "the password for the staging box is {v}, please don't share it",
    "pw: {v}",
    "you can log in with user ana and password {v}",
    "I set the admin password to {v}.",
    "My password is `{v}`",
    "use {v} as the password",
    "Password: {v}",
    "credentials are ana / pwd {v}",
)


def in_lines(
    kind: str, name: str, maker: Maker, lines: tuple[str, ...] = TOKEN_LINES
) -> Callable[[Random], Case]:
    def make(r: Random) -> Case:
        value = maker(r)
        line = r.choice(lines)
        text = line.format(v=value, name=name, NAME=name.upper(), opt=name.replace("_", "-"))
        return Case(kind, text, value)

    return make


def split_by(kind: str, wedge: str, lines: tuple[str, ...] = TOKEN_LINES) -> Callable[[Random], Case]:
    """A token with something in the middle that a reader does not see as part of it."""

    def make(r: Random) -> Case:
        token = shape("ghp_", chars(ALNUM, 36))(r)
        at = r.randint(2, 30)
        broken = token.replace("_", "\\u005f") if wedge == "\\u005f" else token[:at] + wedge + token[at:]
        return Case(
            kind,
            r.choice(lines).format(v=broken, name="github_token", NAME="GITHUB_TOKEN", opt="token"),
            broken,
        )

    return make


def private_key(r: Random) -> Case:
    name = r.choice(("RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY"))
    newline = r.choice(("\n", "\\n"))
    body = newline.join(chars(BASE64, 64)(r) for _ in range(r.randint(3, 12)))
    key = f"-----BEGIN {name}-----{newline}{body}{newline}-----END {name}-----"
    return Case("private key", f"cat deploy_key\n{key}\ndone", key)


def with_secret(kind: str, template: str, maker: Maker) -> Callable[[Random], Case]:
    """One line in which `{v}` is the secret and `{a}` a name."""

    def make(r: Random) -> Case:
        value = maker(r)
        return Case(kind, template.replace("{v}", value).replace("{a}", r.choice(WORDS)), value)

    return make


def basic(r: Random) -> str:
    return b64(f"{r.choice(WORDS)}:{password(r)}")


def jwt(r: Random) -> str:
    head = b64('{"alg":"HS256","typ":"JWT"}').rstrip("=")
    body = b64(f'{{"sub":"{r.randint(1000, 99999)}","name":"{r.choice(WORDS)}"}}').rstrip("=")
    return f"{head}.{body}.{chars(URLSAFE, 43)(r)}"


# --- kinds the rules were written for

KNOWN: tuple[Callable[[Random], Case], ...] = (
    in_lines("aws access key", "aws_access_key_id", shape("AKIA", chars(UPPER + "234567", 16))),
    in_lines("aws secret", "aws_secret_access_key", chars(BASE64, 40), TOKEN_LINES[:5]),
    in_lines("google key", "google_api_key", shape("AIza", chars(URLSAFE, 35))),
    with_secret(
        "azure storage",
        "DefaultEndpointsProtocol=https;AccountName={a};AccountKey={v};EndpointSuffix=x",
        shape(chars(BASE64, 86), "=="),
    ),
    in_lines("github token", "github_token", shape("ghp_", chars(ALNUM, 36))),
    in_lines(
        "github fine-grained", "gh_token", shape("github_pat_", chars(ALNUM, 22), "_", chars(ALNUM, 59))
    ),
    in_lines("gitlab token", "gitlab_token", shape("glpat-", chars(URLSAFE, 20))),
    in_lines(
        "slack token",
        "slack_token",
        shape("xoxb-", chars(DIGITS, 12), "-", chars(DIGITS, 12), "-", chars(ALNUM, 24)),
    ),
    in_lines("stripe key", "stripe_key", shape("sk_live_", chars(ALNUM, 24))),
    in_lines("npm token", "npm_token", shape("npm_", chars(ALNUM, 36))),
    in_lines("pypi token", "pypi_token", shape("pypi-AgEIcHlwaS5vcmc", chars(URLSAFE, 60))),
    in_lines("openai key", "openai_api_key", shape("sk-proj-", chars(URLSAFE, 48))),
    in_lines("anthropic key", "anthropic_api_key", shape("sk-ant-api03-", chars(URLSAFE, 80))),
    in_lines("hugging face", "hf_token", shape("hf_", chars(LOWER + UPPER, 34))),
    in_lines("sendgrid", "sendgrid_api_key", shape("SG.", chars(URLSAFE, 22), ".", chars(URLSAFE, 43))),
    in_lines("twilio", "twilio_auth_token", chars(HEX, 32), TOKEN_LINES[:5]),
    in_lines("telegram", "telegram_token", shape(chars("123456789", 9), ":AA", chars(URLSAFE, 33))),
    in_lines(
        "discord",
        "discord_token",
        shape("M", chars(ALNUM, 23), ".", chars(ALNUM, 6), ".", chars(URLSAFE, 38)),
    ),
    in_lines("jwt", "id_token", jwt),
    in_lines("hex api key", "api_key", chars(HEX, 32), TOKEN_LINES[:6]),
    in_lines("client secret", "client_secret", chars(ALNUM, 32), TOKEN_LINES[:5]),
    in_lines(
        "uuid api key",
        "api_key",
        shape(chars(HEX, 8), "-", chars(HEX, 4), "-", chars(HEX, 4), "-", chars(HEX, 4), "-", chars(HEX, 12)),
        TOKEN_LINES[:5],
    ),
    in_lines("assigned password", "password", password, PASSWORD_LINES),
    in_lines("spoken password", "password", password, SPOKEN_LINES),
    in_lines(
        "url password",
        "x",
        plain_password,
        (
            "DATABASE_URL=postgres://app:{v}@db1:5432/app",
            "git clone https://ana:{v}@git.corp.dev/app.git",
            'amqp.connect("amqp://svc:{v}@mq1/vhost")',
            "redis://:{v}@cache1:6379/0",
        ),
    ),
    with_secret("basic auth", "> Authorization: Basic {v}", basic),
    with_secret("sshpass", "sshpass -p '{v}' ssh {a}@10.0.0.7 uptime", password),
    with_secret("curl user", "curl -sS -u {a}:{v} https://ci.corp.dev/api/json", password),
    with_secret("mysql", "mysqldump -h db1 -u {a} -p{v} app > dump.sql", plain_password),
    with_secret("netrc", "machine git.corp.dev\n  login {a}\n  password {v}", password),
    with_secret("htpasswd", "{a}:{v}", shape("$apr1$", chars(ALNUM, 8), "$", chars(ALNUM + "./", 22))),
    with_secret("docker config", '{"auths": {"registry.corp.dev": {"auth": "{v}"}}}', basic),
    with_secret("cookie", "Cookie: theme=dark; sessionid={v}; lang=en", chars(LOWER + DIGITS, 32)),
    split_by("split by zero width", "\u200b"),
    split_by("split by escape", "\\u005f"),
    split_by("split by colour", "\x1b[0m\x1b[1m"),
    split_by("split by line", "\\\n", TOKEN_LINES[:2]),
    private_key,
)

# --- what only looks like one

Line = Callable[[Random], str]


def line(template: str, maker: Maker | None = None) -> Line:
    make = maker or chars(HEX, 40)
    return lambda r: template.replace("{v}", make(r)).replace("{a}", r.choice(WORDS))


UUID = shape(chars(HEX, 8), "-", chars(HEX, 4), "-4", chars(HEX, 3), "-a", chars(HEX, 3), "-", chars(HEX, 12))
HARMLESS: tuple[Line, ...] = (
    line("commit {v}\nAuthor: {a} <{a}@corp.dev>"),
    line("HEAD is now at {v} Fix the reader", chars(HEX, 7)),
    line("{v}  dist/{a}-1.2.0.tar.gz", chars(HEX, 64)),
    line('"integrity": "sha512-{v}=="', chars(BASE64, 86)),
    line("image: registry.corp.dev/{a}@sha256:{v}", chars(HEX, 64)),
    line("session {v} resumed", UUID),
    line('{"sessionId": "{v}", "type": "user"}', UUID),
    line('{"id": "toolu_{v}", "name": "Read"}', chars(ALNUM, 24)),
    line('<img src="data:image/png;base64,{v}">', chars(BASE64, 300)),
    line("api_key = YOUR_API_KEY"),
    line('export OPENAI_API_KEY="sk-..."'),
    line("token: $GITHUB_TOKEN"),
    line("          token: ${{ secrets.NPM_TOKEN }}"),
    line('api_key = os.environ["{a}_API_KEY"]'),
    line("const secret = process.env.JWT_SECRET ?? ''"),
    line("password = getpass.getpass('Password: ')"),
    line("def login(user: str, password: str) -> Token:"),
    line("  password: string;"),
    line('password = "changeme"'),
    line("POSTGRES_PASSWORD=postgres"),
    line("postgres://user:password@localhost:5432/{a}"),
    line("API_TOKEN=REDACTED"),
    line("password: '********'"),
    line("Authorization: Bearer <token>"),
    line('headers = {"Authorization": f"Bearer {token}"}'),
    line("token_count=1234 max_tokens=4096"),
    line("the password is required and must have 8 characters"),
    line("the token is expired, so the request fails with 401"),
    line("color: #3fa9c2; background: #ff00aa"),
    line("{a}==2.31.0 (from version 2.30.1)"),
    line("tokens = tokenizer.encode(text, max_length=512)"),
    line("secretName: {a}-credentials-v2"),
    line("ssh_key_path = ~/.ssh/id_ed25519"),
    line("password_hash = bcrypt.hash(password, 12)"),
    line("--- PASS: TestLogin2 (0.01s)"),
    line("next_page_token: {v}", chars(ALNUM, 32)),
    line("cache_key = f'user:{user_id}:v2'"),
    line("mkdir -p src/{a}/v2 && docker run -p 8080:80 -u 1000:1000 {a}"),
    line('curl -u "$USER:$PASS" https://ci.corp.dev'),
    line('ETag: "{v}"', chars(HEX, 32)),
    line("PWD=/home/{a}/work/app2"),
    line("ssh-rsa {v} {a}@laptop", shape("AAAAB3NzaC1yc2E", chars(BASE64, 200))),
    line("if '-----BEGIN PRIVATE KEY-----' in text:"),
    line("Set-Cookie: theme=dark; Path=/; Max-Age=31536000"),
    line("we should rotate the password2 field and the api_key column"),
    line("AKIAIOSFODNN7EXAMPLE is the key from the docs"),
    line("https://{a}.corp.dev:8443/@scope/pkg?v=1.2.3"),
    line("git@github.com:{a}/{a}.git (fetch)"),
)
