"""Kinds of secrets that were written when the rules were finished; the rules were not touched for them.

Tokens stand in lines of every form the rules know; where the line itself is the kind, the line is new too.
Once a rule is changed for one of these, it belongs to `secret_learned` and a new one has to be thought of.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from bench.secret_cases import (
    ALNUM,
    BASE64,
    DIGITS,
    HEX,
    LOWER,
    PASSWORD_LINES,
    SPOKEN_LINES,
    TOKEN_LINES,
    UPPER,
    URLSAFE,
    UUID,
    WORDS,
    Case,
    Line,
    b64,
    chars,
    in_lines,
    line,
    password,
    shape,
    with_secret,
)
from bench.secret_learned import (
    CHAT_LINES,
    ENV_LINES,
    FRESH_LINES,
    FRESH_SENTENCES,
    LOG_LINES,
    MIXED_LINES,
    OPAQUE_LINES,
    SENTENCES,
    TOLD_LINES,
)

ALL_LINES = (*TOKEN_LINES, *OPAQUE_LINES, *ENV_LINES, *MIXED_LINES, *FRESH_LINES)
UNMARKED_LINES = tuple(line for line in ALL_LINES if "{name}" in line or "{NAME}" in line or "{opt}" in line)
ALL_SENTENCES = (*SPOKEN_LINES, *TOLD_LINES, *LOG_LINES, *CHAT_LINES, *SENTENCES, *FRESH_SENTENCES)

HELD_BACK: tuple[Callable[[Random], Case], ...] = (
    in_lines("fireworks", "fireworks_api_key", shape("fw_", chars(ALNUM, 24)), ALL_LINES),
    in_lines("nvidia", "nvidia_api_key", shape("nvapi-", chars(URLSAFE, 64)), ALL_LINES),
    in_lines("runpod", "runpod_api_key", shape("rpa_", chars(UPPER + DIGITS, 42)), ALL_LINES),
    in_lines("apify", "apify_token", shape("apify_api_", chars(ALNUM, 36)), ALL_LINES),
    in_lines("webflow", "webflow_token", chars(HEX, 64), UNMARKED_LINES),
    in_lines("duffel", "duffel_token", shape("duffel_live_", chars(URLSAFE, 43)), ALL_LINES),
    in_lines("lob", "lob_api_key", shape("live_", chars(HEX, 35)), UNMARKED_LINES),
    in_lines(
        "dynatrace",
        "dynatrace_token",
        shape("dt0c01.", chars(UPPER + DIGITS, 24), ".", chars(UPPER + DIGITS, 64)),
        ALL_LINES,
    ),
    in_lines("prefect", "prefect_api_key", shape("pnu_", chars(ALNUM, 36)), ALL_LINES),
    in_lines("readme", "readme_api_key", shape("rdme_", chars(LOWER + DIGITS, 70)), ALL_LINES),
    in_lines("sourcegraph", "src_access_token", shape("sgp_", chars(HEX, 40)), UNMARKED_LINES),
    in_lines(
        "bitwarden",
        "bws_access_token",
        shape("0.", UUID, ".", chars(ALNUM, 30), ":", chars(BASE64, 22), "=="),
        UNMARKED_LINES,
    ),
    in_lines(
        "ably",
        "ably_api_key",
        shape(chars(ALNUM, 6), ".", chars(ALNUM, 6), ":", chars(URLSAFE, 43)),
        UNMARKED_LINES,
    ),
    in_lines("lokalise", "lokalise_api_token", chars(HEX, 40), UNMARKED_LINES),
    in_lines("freshdesk", "freshdesk_api_key", chars(ALNUM, 20), UNMARKED_LINES),
    in_lines("coinbase", "coinbase_api_secret", chars(ALNUM, 32), UNMARKED_LINES),
    in_lines("jwt secret", "jwt_secret", chars(URLSAFE, 48), UNMARKED_LINES),
    in_lines("nextauth secret", "nextauth_secret", shape(chars(BASE64, 43), "="), UNMARKED_LINES),
    in_lines("oauth code secret", "oauth_client_secret", chars(URLSAFE, 40), UNMARKED_LINES),
    in_lines("personal token", "personal_access_token", chars(LOWER + DIGITS, 40), UNMARKED_LINES),
    in_lines("any sentence", "password", password, ALL_SENTENCES),
    in_lines("any assignment", "password", password, PASSWORD_LINES),
    with_secret("mount", "mount -t cifs //nas1/x /mnt -o username={a},password={v}", password),
    with_secret("winrm", "ansible_winrm_password={v} ansible_user={a}", password),
    with_secret("snowflake", "snowsql -a acme -u {a} --dbpassword {v}", password),
    with_secret("elasticsearch", "curl --user elastic:{v} http://es1:9200/_cat/indices", password),
    with_secret("kafka", 'sasl.jaas.config=x required username="{a}" password="{v}";', password),
    with_secret(
        "git credential", "protocol=https\nhost=git.corp.dev\nusername={a}\npassword={v}", chars(ALNUM, 24)
    ),
    with_secret("composer", '{"http-basic": {"corp.dev": {"username": "{a}", "password": "{v}"}}}', password),
    with_secret("wp config", "define( 'AUTH_KEY', '{v}' );", chars(ALNUM + "!#%&*+", 40)),
    with_secret("flask", "app.secret_key = b'{v}'", chars(ALNUM + "!#*+", 24)),
    with_secret("imap debug", "a1 LOGIN {a} {v}", password),
    with_secret("smtp debug", "AUTH PLAIN {v}", lambda r: b64(f"\0{r.choice(WORDS)}\0{password(r)}")),
    with_secret("diff", "-DB_PASSWORD={v}\n+DB_PASSWORD=${DB_PASSWORD}", password),
    with_secret("shell history", " 1042  export TOKEN={v} && make deploy", chars(ALNUM, 32)),
)
HELD_BACK_HARMLESS: tuple[Line, ...] = (
    line("fast-forwarded to {v}"),
    line("sha256 digest {v}", chars(HEX, 64)),
    line("job {v} finished in 12s", UUID),
    line("revision: {v}", chars(HEX, 12)),
    line("generation_id gen-{v}", chars(ALNUM, 22)),
    line("resp_{v}", chars(HEX, 48)),
    line("event: ping {v}", chars(ALNUM, 16)),
    line('<path d="M10.5 20.1L30 {v}"/>', chars(DIGITS, 3)),
    line("asset manifest: vendor.{v}.chunk.js", chars(HEX, 20)),
    line("etcd member {v} is healthy", chars(HEX, 16)),
    line("peer id 12D3KooW{v}", chars(ALNUM, 44)),
    line("tx 0x{v} confirmed", chars(HEX, 64)),
    line("ipfs://Qm{v}", chars(ALNUM, 44)),
    line("User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36"),
    line("password=os.getenv('DB_PASSWORD', '')"),
    line("token=token or self._token2"),
    line("secret: Optional[Secret] = field(default=None)"),
    line("parser.error('--password or --password-file is required')"),
    line("unset GITHUB_TOKEN; gh auth status"),
    line('API_KEY="" make test'),
    line("key, token, secret = parts[0:3]"),
    line("tokenize('a1 b2') == ['a1', 'b2']"),
    line("password strength meter v1.4"),
    line("rotate the api key every 90d"),
    line("the token has 3 parts: header, payload, signature"),
    line("a password manager such as KeePassXC 2.7 helps"),
    line("secret sharing with k=3, n=5"),
    line("credentials rejected after 5 tries (HTTP 403)"),
    line("auth: 12ms, db: 40ms, render: 7ms"),
    line("login: user {a}7 from 10.1.2.3"),
    line("port 5432, user {a}, password prompt follows"),
    line("curl -fsSL https://get.corp.dev/install.sh | sh -s -- -b ~/bin2"),
    line("ssh -o PasswordAuthentication=no {a}@10.0.0.8"),
    line("openssl x509 -in cert1.pem -noout -fingerprint -sha256"),
    line("age-keygen -o key1.txt"),
    line("AWS_ACCESS_KEY_ID=${AWS_ACCESS_KEY_ID}"),
    line('"token": null, "password": null'),
    line("passwordHash.length === 60"),
    line("csrf_token() missing in form2.html"),
    line("pytest -k 'password and not token2' -p no:cacheprovider"),
)
