"""The texts of calibrate_tokens: made from Python's own library, and sentences for what the library lacks."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import random
import re
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

LIBRARY = Path(os.__file__).parent
CHUNK = 2000  # characters of a sample: about the size of a page


def corpus() -> dict[str, list[str]]:
    """Kind of text → samples, the same on every run with one version of Python."""
    pick = random.Random(500)
    code = [path.read_text("utf-8", "replace") for path in library_files()]
    includes = sorted(Path(sysconfig.get_path("include")).glob("*.h"))
    headers = [path.read_text("utf-8", "replace") for path in includes]
    notes = [note for source in code for note in docstrings(source)]
    return {
        "prose": chunks("\n\n".join(p for note in notes for p in paragraphs(note)), pick, 200),
        "chat": [pick.choice(OPENINGS) + " " + " ".join(pick.sample(CHAT, 4)) for _ in range(60)],
        "code": chunks("\n".join(code), pick, 140) + chunks("\n".join(headers), pick, 40),
        "braces": chunks("\n".join(map(in_braces, code)), pick, 140),
        "markdown": [page(pick, notes, code) for _ in range(200)],
        "paths": ["\n".join(paths(pick, 40)) for _ in range(100)],
        "json": [records(pick, notes, indent) for indent in (None, None, 2) for _ in range(40)],
        "symbols": [f" {pick.choice(SYMBOLS)} ".join(firsts(pick, notes, 5)) for _ in range(100)],
        "chinese": joined(CHINESE, pick, ""),
        "japanese": joined(JAPANESE, pick, ""),
        "korean": joined(KOREAN, pick, " "),
        "european": [text for texts in EUROPEAN for text in joined(texts, pick, " ")],
    }


def library_files() -> list[Path]:
    """A third of the library, without tests, tables and what was installed into it."""
    skipped = {"test", "tests", "site-packages", "encodings", "pydoc_data", "idlelib", "lib2to3"}
    found = [p for p in sorted(LIBRARY.rglob("*.py")) if not skipped & set(p.relative_to(LIBRARY).parts)]
    return [path for path in found if 4_000 < path.stat().st_size < 200_000][::3]


def chunks(text: str, pick: random.Random, number: int) -> list[str]:
    starts = [pick.randrange(max(1, len(text) - CHUNK)) for _ in range(number)]
    return [text[text.find("\n", start) + 1 :][:CHUNK] for start in starts]


def in_braces(source: str) -> str:
    """The same code as languages with braces and camelCase would write it: what Python alone cannot teach."""
    source = re.sub(r"(?<=[a-z])_([a-z])", lambda found: found[1].upper(), source)
    source = re.sub(r"^(?: {4})+", lambda found: found[0][::2], source, flags=re.M)
    source = re.sub(r"def (\w+)\((.*)\):$", r"function \1(\2) {", source, flags=re.M)
    source = re.sub(r"^( *)(if|while|for) (.*):$", r"\1\2 (\3) {", source, flags=re.M)
    source = re.sub(r"^( *)(\w+ = .*[\w)])$", r"\1const \2;", source, flags=re.M)
    return source.replace("self.", "this.").replace("None", "null").replace("# ", "// ")


def docstrings(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        documented = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
        if documented and (note := ast.get_docstring(node)):
            yield note


def paragraphs(note: str) -> list[str]:
    return [p for p in note.split("\n\n") if len(p) > 120 and re.fullmatch(r"[A-Z][\w\s,.;:'()-]+\.", p)]


def page(pick: random.Random, notes: Sequence[str], code: Sequence[str]) -> str:
    """A page such as CONTEXT.md: short lines, names in backticks, dates, commit titles."""
    says = firsts(pick, notes, 14)
    names = re.findall(r"\b[a-z_]{4,}\b", pick.choice(code)) or ["name"]
    day = f"2026-{pick.randint(1, 12):02}-{pick.randint(1, 28):02}"
    lines = [
        "# Context",
        "",
        "## Now",
        f"- Focus: {says[0]}",
        f"- Task: {says[1]} ({pick.choice(paths(pick, 3))})",
        f"- Blocked: {pick.choice(['None', says[2]])}",
        "",
        "## Time",
        f"- Last session: {day} 11:49–12:34 ({pick.randint(2, 90)} min, codex: {says[3]}), 2 hours ago",
        f"- Session started: {day} 13:49",
        "- Pattern: Deep work session",
        "- Hint: Summarise where we left off",
        "",
        "## Recent",
    ]
    for said in says[4 : pick.randint(7, 11)]:
        mark = pick.choice(["Decided: ", "Fixed ", "**Done** ", "", "", "Failed → ", "✓ ", "📌 ", "🔴 "])
        passed = f"{pick.randint(1, 400)} tests pass"
        detail = [f"`{pick.choice(names)}`", f"{pick.choice(names)}()", passed, "15k → 2k"]
        joint = pick.choice([", ", " — ", " · ", "; "])
        lines.append(f"- {mark}{said} ({joint.join(pick.sample(detail, pick.randint(1, 3)))})")
    changed = f"{', '.join(paths(pick, 3))} (20 min ago); branch main → fix/{pick.choice(names)}"
    commits = f'{pick.randint(2, 9)} commits: "{says[12]}"{pick.choice(["", ", …"])} (2 by others)'
    return "\n".join([*lines, "", "## External", f"- {commits}", f"- Changed outside: {changed}", ""])


def firsts(pick: random.Random, notes: Sequence[str], number: int) -> list[str]:
    return [note.split("\n")[0] for note in pick.sample(list(notes), number)]


def paths(pick: random.Random, number: int) -> list[str]:
    roots = ["", "src/", "/home/dev/work/", "/usr/lib/python3/", "./", "~/projects/session-bridge/"]
    endings = [".py", ".ts", ".tsx", ".rs", ".md", ".json", "/__init__.py", ".test.ts", ".py:118"]
    made = [pick.choice(roots) + pick.choice(library_names()) + pick.choice(endings) for _ in range(number)]
    return [in_camel_case(path) if pick.random() < 0.3 else path for path in made]


@cache
def library_names() -> list[str]:
    return [str(path.relative_to(LIBRARY).with_suffix("")) for path in library_files()]


def in_camel_case(path: str) -> str:
    return re.sub(r"[_/]([a-z])(?=[^/]*$)", lambda found: found[1].upper(), path)


def records(pick: random.Random, notes: Sequence[str], indent: int | None) -> str:
    """Records such as agents log them."""
    return json.dumps(
        [record(pick, notes) for _ in range(pick.randint(2, 5))], indent=indent, ensure_ascii=False
    )


def record(pick: random.Random, notes: Sequence[str]) -> dict[str, object]:
    noise = hashlib.sha256(str(pick.random()).encode()).hexdigest()
    role = pick.choice(["user", "assistant"])
    hour = f"{pick.randint(10, 23)}:{pick.randint(10, 59)}:07.{noise[-3:]}Z"
    called = {"type": "tool_use", "id": f"toolu_{noise[40:60]}", "name": "Edit"}
    content = [
        {"type": "text", "text": pick.choice(notes)[:300]},
        {**called, "input": {"file_path": paths(pick, 1)[0]}},
    ]
    return {
        "type": role,
        "uuid": f"{noise[:8]}-{noise[8:12]}-{noise[12:16]}-{noise[16:20]}-{noise[20:32]}",
        "isSidechain": False,
        "parentUuid": None,
        "timestamp": f"2026-02-{pick.randint(10, 28)}T{hour}",
        "cwd": "/home/dev/session-bridge",
        "message": {
            "role": role,
            "content": content,
            "usage": {"input_tokens": pick.randint(1, 90_000), "cache_read_input_tokens": 0},
        },
    }


def joined(sentences: Sequence[str], pick: random.Random, between: str) -> list[str]:
    """Paragraphs; no sentence is both at an even and at an odd place, so one half can judge the other."""
    halves = [sentences[::2], sentences[1::2]]
    return [between.join(pick.sample(halves[place % 2], 4)) for place in range(100)]


OPENINGS = ["ok", "Hey,", "hm,", "So", "Right.", "no wait,", "Thanks!", "Please"]

SYMBOLS = ["—", "–", "→", "·", "…", "✓", "✅", "×", "≤", "│", "└──", "⭐", "📌", "🔴", "🐛", "🚀", "🙂"]

CHAT = """
can you look at why the reader hangs when the file is still being written?
let's get the prompt under 2k for the small models, I don't care how.
that didn't work, it's the same error as before
I think we should keep flash attention on, it was faster on my laptop yesterday.
what does this function actually return if the database is gone?
please don't touch the migration files, somebody else is on those
run the tests again and tell me only what fails
nope, revert that. I liked the first version better.
Could you write a short summary of what we did today, so I can paste it into the ticket?
the build is green now but the page still shows yesterday's date…
why is there a sleep(5) in the middle of the upload loop??
I'd rather have one slow query than forty fast ones, honestly.
Rename it to something a new colleague would understand.
we'll ship on Friday, so nothing risky from here on.
The customer says it takes about 30 seconds, on a good day. I measured 12.
is it possible that the cache isn't invalidated when the user logs out?
yes go ahead, and commit when you're done
Just use the standard library for this, no new dependencies please!
show me the three worst offenders first, then we'll see whether it's worth it
it says "connection reset by peer" about once every hundred requests
Also check that it still works when HOME isn't set.
great, that's exactly what I meant :)
I'm going to lunch, carry on with the second half of the plan.
hold on, aren't we already doing that somewhere in the scheduler?
""".strip().splitlines()

CHINESE = """
我们需要先修复读取器的问题，然后再运行全部测试。
昨天的提交引入了一个错误，导致会话无法正确关闭。
请不要修改数据库迁移文件，其他同事正在处理。
这个函数在网络断开的时候会返回空值，调用方必须检查。
页面每两个小时更新一次，旧的内容会被移到归档里。
如果用户删除了一行，这一行以后就不应该再出现。
我觉得第一种方案更简单，也更容易维护。
今天天气很好，下班以后我们去公园散步吧。
服务器的内存不够用了，需要把缓存的大小减少一半。
他在会议上提出了三个建议，大家都表示同意。
请用简短的语言总结一下我们刚才做了什么。
登录接口的响应时间从三百毫秒降到了五十毫秒。
这本书讲的是一个年轻人离开家乡去大城市工作的故事。
配置文件里的路径写错了，所以程序找不到模型。
在合并之前，请先确认所有的测试都已经通过。
我们决定继续使用现有的框架，暂时不升级版本。
图书馆周末开放到晚上九点，可以带笔记本电脑进去。
为什么这里要等待五秒钟？能不能去掉？
客户反馈说导出的表格缺少最后一列数据。
春天来了，路边的花都开了，空气里有淡淡的香味。
把日志里的密码和令牌都替换掉，不要写进任何文件。
这个月的电费比上个月多了两成，可能是空调开得太久。
下一步是测量提示词的长度，看看能否控制在两千以内。
孩子们在操场上踢足球，老师站在旁边看着他们。
编译器在优化阶段会把冗余的分支剪掉，从而缩减指令数量。
索引采用倒排结构，词频与位置信息均压缩存放。
若锁被占用，则轮询至超时为止，并抛出异常。
调度器按优先级遍历队列，遇阻塞任务便暂时挂起。
暴雨冲垮了堤坝，邻近乡镇的稻田尽数淹没。
厨师把姜蒜爆香，再倒入酱油、醋与少许砂糖焖煮。
校验失败时须回滚事务，切勿留下残缺的记录。
序列化之前应剔除循环引用，否则栈会溢出。
增量同步依赖哈希比对，仅传输差异的字节块。
嵌套过深的括号令解析器递归过度，宜改为迭代。
""".strip().splitlines()

JAPANESE = """
昨日のコミットでセッションが正しく閉じられない問題が発生しました。
まずリーダーを修正してから、すべてのテストを実行してください。
データベースの移行ファイルには触らないでください。
この関数はネットワークが切れると空の値を返すので、呼び出し側で確認が必要です。
ページは二時間ごとに更新され、古い内容はアーカイブに移されます。
最初の案のほうが簡単で、保守もしやすいと思います。
今日は天気がいいので、仕事の後で公園を散歩しましょう。
サーバーのメモリが足りないため、キャッシュの大きさを半分にしました。
会議で彼は三つの提案をして、みんなが賛成しました。
さっき何をしたのか、短くまとめてもらえますか。
ログイン処理の応答時間が三百ミリ秒から五十ミリ秒に短くなりました。
この本は、故郷を離れて都会で働く若者の物語です。
設定ファイルのパスが間違っていたので、モデルが見つかりませんでした。
マージする前に、テストがすべて通ることを確認してください。
今のフレームワークを使い続けることにして、更新は見送りました。
図書館は週末も夜九時まで開いていて、パソコンを持ち込めます。
どうしてここで五秒も待つ必要があるのでしょうか。
お客様から、出力した表の最後の列が欠けていると連絡がありました。
春になって道の花が咲き、いい香りがします。
ログの中のパスワードとトークンは、どのファイルにも書かないでください。
今月の電気代は先月より二割も高くなりました。
次はプロンプトの長さを測って、二千以内に収まるか調べます。
子どもたちは校庭でサッカーをしていて、先生がそばで見ています。
エラーメッセージをもう少し分かりやすくしたいです。
コンパイラは最適化の段階で冗長な分岐を取り除き、命令数を削減します。
転置索引には語の頻度と位置を圧縮して格納している。
漁村の屋根は苔に覆われ、波が岩礁と杭を打ちつけていた。
祖父は彫刻が得意で、楠を削って鶴や麒麟の置物を窓辺に飾っていた。
検証に失敗した場合はトランザクションを巻き戻し、不完全な記録を残さないこと。
差分同期はハッシュの比較に基づき、異なるバイト列だけを転送する。
豪雨で堤防が決壊し、近隣の水田はことごとく浸水した。
入れ子が深すぎると構文解析器の再帰が溢れるため、反復に書き換えるべきだ。
""".strip().splitlines()

KOREAN = """
어제 커밋에서 세션이 제대로 닫히지 않는 문제가 생겼습니다.
먼저 리더를 고치고 나서 전체 테스트를 실행해 주세요.
데이터베이스 마이그레이션 파일은 건드리지 마세요.
이 함수는 네트워크가 끊기면 빈 값을 돌려주므로 호출하는 쪽에서 확인해야 합니다.
페이지는 두 시간마다 갱신되고 오래된 내용은 보관함으로 옮겨집니다.
첫 번째 방법이 더 간단하고 유지하기도 쉽다고 생각합니다.
오늘은 날씨가 좋으니 퇴근 후에 공원에서 산책합시다.
서버 메모리가 부족해서 캐시 크기를 절반으로 줄였습니다.
그는 회의에서 세 가지를 제안했고 모두가 동의했습니다.
방금 우리가 한 일을 짧게 정리해 줄 수 있나요?
로그인 응답 시간이 삼백 밀리초에서 오십 밀리초로 줄었습니다.
이 책은 고향을 떠나 도시에서 일하는 젊은이의 이야기입니다.
설정 파일의 경로가 잘못되어 모델을 찾을 수 없었습니다.
병합하기 전에 모든 테스트가 통과하는지 확인해 주세요.
지금 쓰는 프레임워크를 계속 사용하고 업그레이드는 미루기로 했습니다.
도서관은 주말에도 밤 아홉 시까지 열려 있어요.
왜 여기서 오 초나 기다려야 하는지 모르겠습니다.
고객이 내보낸 표에서 마지막 열이 빠졌다고 알려 왔습니다.
봄이 와서 길가에 꽃이 피고 좋은 향기가 납니다.
로그에 있는 비밀번호와 토큰은 어떤 파일에도 쓰지 마세요.
이번 달 전기 요금은 지난달보다 이 할이나 많이 나왔습니다.
다음 단계는 프롬프트 길이를 재서 이천 이내인지 확인하는 것입니다.
아이들은 운동장에서 축구를 하고 선생님은 옆에서 지켜봅니다.
오류 메시지를 조금 더 알기 쉽게 바꾸고 싶습니다.
""".strip().splitlines()

GERMAN = """
Bitte schau dir an, warum der Leser hängen bleibt, während die Datei noch geschrieben wird.
Die Prüfung schlägt fehl, weil der Schlüssel für die Übersetzung nicht gefunden wurde.
Wir müssen die Größe des Zwischenspeichers halbieren, sonst läuft der Rechner über.
Könntest du kurz zusammenfassen, was wir heute gemacht haben?
Das war nicht das, was ich meinte, mach es bitte rückgängig.
Die Kundin möchte die Rechnungen künftig nach Straße und Postleitzahl sortieren.
Am Wochenende fahren wir mit dem Zug in die Berge und kommen erst am Montag zurück.
Vor dem Zusammenführen müssen alle Änderungen geprüft und freigegeben sein.
""".strip().splitlines()

FRENCH = """
Peux-tu regarder pourquoi le lecteur se bloque quand le fichier est encore ouvert ?
La requête échoue parce que la clé de traduction n'a pas été trouvée.
Il faut réduire la taille du cache de moitié, sinon la mémoire déborde.
Résume brièvement ce que nous avons fait aujourd'hui, s'il te plaît.
Ce n'est pas ce que je voulais dire, annule cette modification.
La cliente souhaite désormais trier les factures par ville et par année.
Ce week-end, nous allons à la montagne et nous ne rentrons que lundi.
Vérifie que tous les tests passent avant de fusionner la branche.
""".strip().splitlines()

SPANISH = """
¿Puedes mirar por qué el lector se queda colgado mientras se escribe el archivo?
La petición falla porque no se encontró la clave de traducción.
Hay que reducir el tamaño de la caché a la mitad, si no se llena la memoria.
Resume brevemente lo que hemos hecho hoy, por favor.
Eso no es lo que quería decir, deshaz el último cambio.
La clienta quiere ordenar las facturas por ciudad y por año.
Este fin de semana vamos a la montaña y no volvemos hasta el lunes.
Comprueba que todas las pruebas pasan antes de fusionar la rama.
""".strip().splitlines()

RUSSIAN = """
Посмотри, пожалуйста, почему программа зависает, пока файл ещё записывается.
Запрос не проходит, потому что ключ перевода не найден.
Нужно уменьшить размер кэша вдвое, иначе не хватит памяти.
Кратко опиши, что мы сегодня сделали.
Я имел в виду не это, отмени последнее изменение.
Заказчик хочет сортировать счета по городу и по году.
В выходные мы едем в горы и вернёмся только в понедельник.
Перед слиянием проверь, что все тесты проходят.
""".strip().splitlines()

EUROPEAN = [GERMAN, FRENCH, SPANISH, RUSSIAN]
