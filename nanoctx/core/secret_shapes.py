"""What tokens, headers, commands and files with secrets in them look like: the tables behind the rules."""

from __future__ import annotations

from typing import Any

import re2


def compiled(pattern: str, *, groups: bool = True) -> Any:
    """A rule that reads UTF-8 byte by byte, faster than by characters and enough for what we look for."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.never_capture = not groups  # what only says where it matches is found in half the time
    options.log_errors = (
        False  # out of its memory re2 goes on without its cache, slower; nobody needs to hear
    )
    return re2.compile(pattern.encode("latin-1"), options)


_B = r"[A-Za-z0-9_-]"
_TOKEN_MARK = (
    r"(?:pat|key|api|apikey|tok|token|tkn|secret|sk|live|prod|auth|oauth|access|refresh|pw|v\d|svc|personal|usr"
    r"|srv)"
)
# Kind and shape of tokens that are known without looking at what stands around them.
SHAPES: tuple[tuple[str, str], ...] = (
    ("aws key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b(?:[\s,;:\"'|]{1,4}[A-Za-z0-9/+]{40}\b)?"),
    ("google key", rf"AIza{_B}{{30,}}|ya29\.{_B}{{20,}}|GOCSPX-{_B}{{20,}}|1//0{_B}{{30,}}"),
    ("azure secret", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,}"),
    ("github token", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab token", rf"gl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-{_B}{{20,}}(?:\.{_B}+)*"),
    ("slack token", rf"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{{10,}}|xapp-\d-{_B}{{10,}}"),
    ("webhook", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/_-]{20,}"),
    ("webhook", rf"discord(?:app)?\.com/api/webhooks/\d+/{_B}{{30,}}"),
    ("stripe key", r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{16,}|sk_[a-f0-9]{32,}|whsec_[A-Za-z0-9+/=]{20,}"),
    ("npm token", r"npm_[A-Za-z0-9]{30,}"),
    ("pypi token", rf"pypi-{_B}{{32,}}"),
    ("anthropic key", rf"sk-ant-{_B}{{20,}}"),
    ("openai key", rf"sk-{_B}{{20,}}"),
    ("hugging face token", r"hf_[A-Za-z0-9]{30,}|api_org_[A-Za-z0-9]{30,}"),
    ("sendgrid key", rf"SG\.{_B}{{16,}}\.{_B}{{30,}}"),
    ("twilio key", r"SK[0-9a-f]{32}\b"),
    ("telegram token", rf"(?:bot)?\d{{8,10}}:AA{_B}{{33}}"),
    ("facebook token", r"EAA[A-Za-z0-9]{60,}"),
    ("discord token", rf"[MNO]{_B}{{22,27}}\.{_B}{{6}}\.{_B}{{27,}}|mfa\.{_B}{{60,}}"),
    ("jwt", rf"eyJ{_B}{{8,}}\.{_B}{{10,}}(?:\.{_B}*){{0,3}}"),
    ("digitalocean token", r"do[opr]_v1_[a-f0-9]{40,}"),
    ("shopify token", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}"),
    ("mailgun key", r"key-[0-9a-f]{32}\b"),
    ("vault token", rf"hv[sbr]\.{_B}{{24,}}"),
    ("terraform token", rf"[A-Za-z0-9]{{14}}\.atlasv1\.{_B}{{50,}}"),
    ("atlassian token", rf"AT(?:ATT|CTT|BB)[A-Za-z0-9]{_B}{{20,}}(?:=[A-F0-9]{{8}})?"),
    ("age key", r"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    ("docker token", rf"dckr_[po]at_{_B}{{20,}}"),
    ("square token", rf"sq0[a-z]{{3}}-{_B}{{22,}}"),
    ("sentry token", r"sntry[su]_[A-Za-z0-9+/=_-]{30,}"),
    ("new relic key", r"NRAK-[A-Z0-9]{20,}"),
    ("airtable token", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("supabase key", rf"sbp_[a-f0-9]{{40}}|sb_secret_{_B}{{20,}}"),
    ("groq key", r"gsk_[A-Za-z0-9]{30,}"),
    ("tailscale key", rf"tskey-{_B}{{16,}}"),
    ("1password token", rf"ops_eyJ{_B}{{40,}}"),
    (
        "token",
        r"(?:bkua_|pul-|rubygems_|lsv2_[a-z]{2}_|CLOJARS_|shippo_[a-z]{4}_|dapi|PMAK-|CCIPAT_)[A-Za-z0-9_-]{30,}",
    ),
    (
        "token",
        r"EZ[AT]K[A-Za-z0-9]{50,}|figd_[A-Za-z0-9_-]{36,}|xkeysib-[A-Za-z0-9-]{60,}|r8_[A-Za-z0-9]{30,}",
    ),
    # Whatever the vendor: a short name, a word that says what it is, a long random rest.
    (
        "token",
        rf"[A-Za-z][A-Za-z0-9]{{1,11}}[_-](?:[a-z0-9]{{1,8}}[_-])?{_TOKEN_MARK}[_-]{_B}{{20,}}",
    ),
)
_SHAPE_START = r"(?:\b|_|\\[nrt])"
SHAPE = _SHAPE_START + "(?:" + "|".join(f"({shape})" for _, shape in SHAPES) + ")"
MARKED = f"{_SHAPE_START}({SHAPES[-1][1]})"

# A vendor's prefix and a rest of capitals, small letters and digits, standing alone.
PREFIXED = (
    r"(?:^|[^\w+/=.-]|\\[nrt])((?:[a-z][a-z0-9]{1,7}|[A-Z]{2,6})[_.-](?:[a-z]{2,4}[_.-])?"
    rf"{_B}{{28,90}})(?:$|[^\w+/=-])"
)

# Wherever SHAPE or PREFIXED matches, one of these two does. Apart, and with the last shape by its core only,
# they cost re2 far fewer states than one pattern for all would.
VENDORS_SHAPE = _SHAPE_START + "(?:" + "|".join(shape for _, shape in SHAPES[:-1]) + ")"
OTHER_SHAPE = rf"[A-Za-z0-9][_-]{_TOKEN_MARK}[_-]{_B}{{20}}|{PREFIXED}"

HASH = (
    r"(\$(?:apr1|1|5|6|7|y|gy|2[abxy]|argon2id?|argon2d)\$[./A-Za-z0-9$=,+-]{20,}"
    r"|\{S?SHA\}[A-Za-z0-9+/]{26,}={0,2})"
)

PEM_BEGIN = (
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-\d|Private-Lines: \d+"
    r"|LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,}={0,2}"
)
# Lines of base64 and the few headers among them, also when quoted, numbered or written with \n.
PEM_BODY = (
    r"(?:[\s\"'+,>|]|\\[nr]|\d{1,6}(?:\xe2\x86\x92|[:|\t])"
    r"|(?:Proc-Type|DEK-Info|Version|Comment|Charset|Encryption|Public-Lines|Private-Lines|Private-MAC"
    r"|Key-Derivation|Argon2-\w+)?: [^\r\n\\]*|[A-Za-z0-9+/=]{16,})*"
)

# What follows a scheme of HTTP authentication.
HEADER = (
    r"(?i)\b(?:basic[ \t]+([A-Za-z0-9+/_-]{8,}={0,2})"
    r"|bearer(?:[ \t]+token)?[ \t:]+\\*[\"'`]?([A-Za-z0-9._~+/=|:-]{8,})"
    r"|authorization\\*[\"'`]?\s{0,4}[:=]\s{0,4}\\*[\"'`]?(?:[A-Za-z-]{2,16}[ \t]+)?(?:[a-z_]+=)?"
    r"\\*[\"']?([A-Za-z0-9._~+/=|:-]{8,}))"
)

URL = r"(?i)[a-z]://[^\s:/@?#\"'`<>\\]*:([^\s/\"'`<>\\]+)@[\w\[.$-]"

COOKIE = (
    r"(?i)\b(?:set-)?cookies?\\*[\"']?\s{0,4}[:=]\s{0,4}\\*[\"']?([^\r\n\"'\\]{8,})"
    r"|\bcurl\s[^\n|;]*?(?:-b|--cookie)[ =]?[\"']?([^\r\n\"']{8,})"
)

_GAP = r"\s(?:[^\n|;&]*?\s)?"
_VALUE = r"(\"[^\"\n]+\"|'[^'\n]{1,}'|[^\s\"'|;&<>-][^\s\"'|;&<>]*)"
# Commands that take a password as an argument.
COMMANDS: tuple[str, ...] = (
    rf"sshpass{_GAP}-p[ ]?{_VALUE}",
    rf"(?:mysql|mariadb)[\w-]*{_GAP}-p{_VALUE}",
    rf"(?:curl|wget|https?|xh)(?:\.exe)?{_GAP}(?:-u|-a|-U|--user|--proxy-user|--auth)[ =]?[\"']?"
    r"[^\s:\"'/]{1,64}:([^\s\"']+)",
    rf"lftp{_GAP}-u[ ]?[\w.@-]+,{_VALUE}",
    rf"redis-cli{_GAP}-a[ ]?{_VALUE}",
    rf"mongo\w*{_GAP}-p[ ]?{_VALUE}",
    r"(?:docker|podman|nerdctl|buildah|helm|skopeo|oras|az|oc|cf|npm|argocd|rancher|ibmcloud)"
    rf"\s(?:registry\s)?login{_GAP}-p[ ]?{_VALUE}",
    rf"(?:sqlcmd|bcp|isql|tsql|mosquitto_\w+|unzip|zip){_GAP}-P[ ]?{_VALUE}",
    rf"7z\w?{_GAP}-p{_VALUE}",
    rf"ldap\w+{_GAP}-w[ ]?{_VALUE}",
    rf"htpasswd\s+-\w*b\w*\s+(?:-\w+\s+)*\S+\s+(?:\S+\s+)?{_VALUE}",
    rf"openssl{_GAP}(?:-k[ ]|-pass(?:in|out)?[ ]?[\"']?pass:){_VALUE}",
    rf"net\s+user\s+\S+\s+{_VALUE}\s+/add",
    rf"vault\s+login\s+(?:-\S+\s+)*{_VALUE}",
    rf"wpa_passphrase\s+(?:\"[^\"\n]*\"|\S+)\s+{_VALUE}",
    rf"(?:echo|printf)\s+(?:-n\s+|[\"']?%s(?:\\+n)?[\"']?\s+)?{_VALUE}\s*\|\s*(?:sudo\s+(?:-\w+\s+)*-\w*S|\S*cryptsetup|kinit"
    r"|gpg\s[^\n|]*--passphrase-fd|\S+ login [^\n|]*--password-stdin)",
    r"(?:echo|printf)\s+(?:-n\s+)?[\"']?[\w.-]+:([^\s\"'|]{4,})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd",
    rf"(?:smbclient|rpcclient|smbmap|net|mount\.cifs){_GAP}-U[ ]?[\w.\\-]+%{_VALUE}",
    r"(?:sqlplus|rman|expdp|impdp|sqlldr)\s+(?:-\w+\s+)*[\"']?[\w.]+/([^\s@/\"']+)@",
    rf"\w+\s(?:add_user|change_password|adduser|create-user|set-password)\s+[\w.@-]+\s+{_VALUE}",
    rf"ssh-keygen{_GAP}-[NP][ ]?{_VALUE}",
    rf"(?:sudo\s+(?:-\w+\s+)*-\w*S|cryptsetup|kinit|su|passwd|login)\b[^\n<]*<<<\s*{_VALUE}",
    r"expect\s[^\n]{0,80}?assword[^\n;]{0,20}[;\n]\s*send\s+(?:--\s+)?\"([^\"\n\\]{4,})",
)
# The last group: an option of a command we do not know, with a value that can only be a password.
COMMAND = r"\b(?:" + "|".join(COMMANDS) + rf")|\s-(?:p|P|w|a|k|pw|pass)[ =]?{_VALUE}"

# netrc, a name and a password as arguments, pgpass, a field of a form, "auth" of a docker config.
FILE = (
    r"(?i)\b(?:login|account)\s+\S{1,}\s+password\s+(\S{3,})"
    r"|\bmachine\s+\S{1,}\s+password\s+(\S{3,})"
    r"|(?:auth|login|logon|authenticate|credentials?)\w*\s?[=(:]\s?\(?\s?\\*[\"'][\w.@\\-]+"
    r"\\*[\"']\s?,\s?\\*[\"']([^\s\"'\\]{4,})"
    r"|[\w.*-]:(?:5432|5433|6432|\*):[\w.*-]+:[\w.*-]+:([^\s:\"']{4,})"
    r"|connect(?:ion)?\([^()\n\"']{0,80},\s?\\*[\"'][\w.@-]+\\*[\"'],\s?\\*[\"']([^\s\"'\\]{4,})"
    r"|<input\s[^<>]*?type=\\*[\"']password\\*[\"'][^<>]*?\svalue=\\*[\"']([^\"'<>\\]{4,})"
    r"|\\*\"_?auth\\*\"\s*:\s*\\*\"([A-Za-z0-9+/]{8,}={0,2})|\b_auth\s*=\s*\"?([A-Za-z0-9+/]{8,}={0,2})"
)

# None of these is in an ordinary text, so one look for any of them spares looking for each. Commands are too
# many and too common for that: a look of their own costs less.
RARE = "|".join((HASH, PEM_BEGIN, URL, FILE, COOKIE, HEADER))

_PASSWORD_WORDS = (
    r"pass(?:word|wd|phrase|code|wort|kode)|psswd|paswd|pswd|kennwort|contrase(?:n|\xc3\xb1)a"
    r"|mot[ _]de[ _]passe|senha|wachtwoord|haslo"
    r"|\xd0[\x9f\xbf]\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c"  # and пароль
    r"|\xe5\xaf\x86[\xe7\xa0\x81\xe7\xa2\xbc]{3}"  # 密码, 密碼
    r"|requirepass|masterauth|(?:root|bind|admin)pw"
    r"|(?:db|user|store|key|root|admin|smtp|mail|ftp|ssh|redis|pg|mysql|postgres)_?pass"
    r"|(?:\b|_)(?:pwd|pw|pass|psk)"
)
_TOKEN_WORDS = (
    r"secrets?|token|api[ _.-]?keys?|(?:access|secret|private|auth|signing|sign|encryption|crypto|account"
    r"|shared|master|service|app|application|deploy|license|licence|consumer|session|hmac|webhook|subscription"
    r"|integration|admin|server|write|read|storage|ssh|root|jwt|vault|storageaccount|client|developer|publisher"
    r"|ingest|project|hook)[ _.-]?keys?|credentials?|creds|jwt|bearer|authtoken|x-api-key|passkey|_key|_pat"
    r"|php_?sessid|jsessionid|net_sessionid|connect\.sid|session[_-]?(?:token|cookie)|csrf\w{0,12}|xsrf[\w-]{0,12}"
    r"|x-(?:amz|goog)-(?:signature|credential|security-token)|[?&]sig(?:nature)?|[?&]key|otp[_-]?(?:seed|secret)"
    r"|salt|cookie_?secret|(?:\b|_)auth|dsn|access_?code|recovery[ _-]?codes?|backup[ _-]?codes?"
)
_QUOTE = r"\\*[\"'`]"
# What stands between a name and its value; a later group tells which.
_SEPARATOR = (
    rf"(?:{_QUOTE}|\*\*)?[)\]]?(?:"
    # `password: str = "…"` and its kin
    r"\s?:\s?(?:&?'?\w*\s?)?(?:[sS]tr(?:ing)?|SecretStr|(?:Optional|Option)[\[<]\w+[\]>]|char\s?\*)"
    r"(?:\s?\|\s?\w+)?\s?=\s?"
    # a list, a call or a block that begins with the value in quotes; a field of a form that is filled in
    rf"|(\s*(?:[:=]|\sby)\s*[\w.:]*\s?[\[{{(]|{_QUOTE}?[\])]*\.(?:type|fill|send_?keys|set_?value|val)\()\s?{_QUOTE}"
    # plain assignments
    r"|\s*(?::=|=>|={1,3}|->|:(?:\*\*)?|\xef\xbc\x9a|\xe6\x98\xaf)\s*"
    # `name: DB_PASSWORD` / `value: …`, also as JSON or XML
    rf"|\s*,?\s*(?:{_QUOTE})?value(?:{_QUOTE})?\s?[:=]\s?"
    # `secret set DB_PASSWORD --body …`
    r"|\s--(?:body|value|secret-string)[ =]"
    # a part of a form
    r"|(?:\r?\n){2}"
    # arguments in quotes; tags and cells of a table, after which only some values count
    rf"|([,(])\s?{_QUOTE}|((?:\s[\w:]+=\\*[\"'][^<>\n]*)?>|\s+\|)\s*)"
)
_SUFFIX = (
    r"(?:[ _.-]?(?:prod(?:uction)?|dev|staging|stage|live|value|val|plain|raw|new|old|base64|b64|\d{1,2})"
    r"|_[a-z]+)?"
)
# A name that tells, up to its value. Groups: 1 a password's name, 2 another's name, 3 a list or a call that
# begins with a quoted value, 4 a comma or a bracket before one, 5 a tag's end or a cell's border; 6 and 7 the
# same two names as options of a command (`--password value`) or at the start of a line (`bindpw value`), the
# value after a blank; 8 the name of a session; 9 a name anywhere with only a blank before its value, whose
# start is 10.
KEYED = (
    rf"(?i)(?:({_PASSWORD_WORDS})|({_TOKEN_WORDS})){_SUFFIX}{_SEPARATOR}"
    rf"|(?:-[a-z0-9]*|^[ \t]*|\n[ \t]*)(?:({_PASSWORD_WORDS})|({_TOKEN_WORDS})){_SUFFIX}[ \t]+[^\s=:|>,(-]"
    r"|\b(sess(?:ion)?[_-]?id)="
    rf"|({_PASSWORD_WORDS}|{_TOKEN_WORDS}){_SUFFIX}[ \t]+(\\*[\"'`]?[^\s0-9=:|>,(\"'`]*[0-9])"
)

_SAID = (
    r"(?:pass(?:word|wort|wd|phrase|code)|kennwort|pwd|pw|pass|pin|pin[ -]code|senha|contrase..?a"
    r"|mot de passe|login|credentials?|creds|secret|(?:api|access|secret|license)[ _-]?key|token)"
)
# What people say as a value has a digit or a sign in it; without that the word is part of the sentence.
_SPOKEN = r"[\"'`(*_<\[]{0,3}[A-Za-z_.-]*[0-9!@#$%^&*+~][^\s\xe2-\xf4]*"
_TELLS = (
    r"(?:is|was|are|be|ist|est|es|now|still|currently|again|set|changed|reset|updated|to|as|should|will|must"
    r"|just|simply|equals|lautet|from|resolved|became|becomes|returned|reads)"
)
# Words of people, in this order: "the password for staging is …", "with password …", "… is the password",
# SQL's "identified by '…'", a seed phrase, "log in as admin / …", "creds are admin:…", "log in with admin and
# …", "the password changed, it is …", "connect home password …".
PROSE = (
    rf"(?i)(?:\b|_){_SAID}(?:(?:\s(?:for|of|on|to|at|in|from)(?:\s[^\s.,;]+){{1,4}}?)?(?:'s|(?:\s{_TELLS})+)\s?:?"
    rf"|\s(?:for|of|on|at|in)(?:\s[^\s;]+){{1,4}}?\s?[:=])\s{{1,2}}({_SPOKEN})"
    r"|(?:\b(?:use|using|with|try|and|enter|type|the|has|set|new|user|root|admin|sudo|ssh|db|wifi)|[,/])"
    rf"\s{_SAID}\s{{1,2}}({_SPOKEN})"
    rf"|(\s(?:(?:is|as|=|was)\s(?:the|my|our|your|its|his|her|a)\s(?:[\w-]+\s){{0,2}}|as\s){_SAID})\b"
    r"|\b(?:identified\s(?:with\s\S+\s)?by|password|passwort|passphrase|\w*securestring|secret|token"
    r"|api[ _-]?key)\s{1,3}[\"'`](\S{4,})[\"'`]"
    r"|\b(?:seed[ -]?phrase|mnemonic|recovery[ -]phrase)\b[^\w\n]{0,8}(?:is|was)?[^\w\n]{0,8}"
    r"((?:[a-z]+[ ,]+){11,}[a-z]+)\b"
    r"|\b(?:log ?in|logged in|sign in|connect|admin|root|account|creds?|credentials?):? (?:[^\s/]+ ){0,3}"
    r"[\w.@-]+ / ([^\s/]{6,})"
    rf"|\b(?:log ?in|login|creds?|credentials?)(?:\s(?:{_TELLS}|with|as|using|for|[\w.-]+:))*:?\s"
    rf"[\w.@-]+[:/]({_SPOKEN})"
    r"|\b(?:log|get|sign|logged|connect)\s?(?:in|on)?\s(?:to\s\S+\s)?(?:with|as|using)\s"
    rf"[\w.@-]+\s(?:and|with|/)\s({_SPOKEN})"
    rf"|\b{_SAID}\b(?:\s[\w']+){{0,5}}[,;:.]\s(?:it's|its|it is)\s({_SPOKEN})"
    rf"|\b(?:password|passwort|passphrase|passwd)\s({_SPOKEN})"
    rf"|\b(?:root|admin\w*|user|guest)[/:]({_SPOKEN})\s(?:are|were|is|as)\s(?:[\w-]+\s){{0,3}}(?:cred|login)"
    rf"|\b(?:use|using|try|with)\s[\w.@-]+[/:]({_SPOKEN})\s(?:to|for|and)\s(?:log|sign)"
)
