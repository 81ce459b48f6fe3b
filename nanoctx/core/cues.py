"""The words by which people and agents show what they mean. English first; structure does most."""

from __future__ import annotations

import re

from nanoctx.core.cue import Cue
from nanoctx.core.prose import without_start


def without_filler(text: str) -> str:
    """A person's words without the "can you please" before them."""
    return without_start(_FILLER, text)


def without_offer(text: str) -> str:
    """An agent's question as what it offers: without the "would you like me to" before it."""
    return without_filler(without_start(_OFFERS, without_filler(text)))


def _any(*words: str, signs: str = "") -> Cue:
    """Whole words; `signs` are of scripts that do not part words, and are sought anywhere."""
    return Cue(_words(*words), signs)


def _start(*words: str, signs: str = "") -> Cue:
    return Cue(r"^\W*(?:" + "|".join(words) + r")\b", signs)


def _words(*words: str) -> str:
    return r"\b(?:" + "|".join(words) + r")\b"


# -- what an agent says ------------------------------------------------------------------------------------

INTENT = _start(
    r"(?:now,? |first,? |next,? |then,? )?(?:let me|let's|i'?ll|i will|i'?m going to|i am going to"
    r"|i need to|i should|i want to)",
    r"now (?:let me|i'?ll|i need|i will|i can|run|update|add|check|create|fix|write|the)",
    r"i'?m (?:checking|reading|looking|running|going|using|now|about)",
    "(?:checking|running|looking|reading|updating|adding|fixing|creating|starting|searching)",
    "(?:ich werde|lass mich|je vais|voy a)",
    signs="^(?:接下来|现在|首先|下面)?[,，]?我(?:将|会|先|准备|来|打算|正在|需要)|^让我|^これから|^まず",
)
POINTS_BACK = Cue(r"^(?:it|this|that|they|these|those|plus|or|same)\b")
NONE = Cue(r"^[\W_]*(?:none|nothing|no\b(?! longer)|n/a|keine?|aucune?|ninguna?)")
ANNOUNCED = _any(r"i'?ll|i will|let me|let's|i need to|i'?m going to|i should|i want to|we need to|i can now")
PROGRESS = Cue(
    r"^\W*(?:still |now |currently )?(?:i'?m|i am|we'?re|we are)"
    r" (?:\w+ing\b|about to|in the middle|now|also|still)"
    r"|^\W*(?:still (?:\w+ing|in|on|at)|in the middle of|waiting (?:on|for)|i'?ll|i will|i have enough)\b"
)
# The same behind something that was found out.
GOING_ON = Cue(
    r"[.;,:]? (?:so |next,? |now,? |and )?i'?m (?!seeing|getting|hitting|missing|having)"
    r"(?:now |also )?\w+ing\b"
)
# A sentence that begins with what is being done.
ONGOING = Cue(
    r"^\W*(?!nothing|everything|anything|something|string|missing|existing|remaining|following|warning|during)"
    r"\w{2,}ing (?:the|a|an|for|to|through|with|on|up|at|if|that|what|how|whether|because|so|now|it|this)\b"
)
# An agent that thinks aloud.
MUSES = _start("actually|hmm+|wait|oh|ah|interesting(?:ly)?|looking at|let'?s see|maybe|perhaps")
LEAD_IN = Cue(
    r"^(?:here(?:'s| is| are)|below is|this is|in summary|summary|to summari[sz]e|what (?:i|was|we"
    r"|changed)|changes(?: made)?|done|verification|results?"
    r"|details|notes?|overview|key (?:changes|points)|files?(?: changed| modified| created)?"
    r"|(?:make|apply) (?:these|the following))\b[^:]{0,60}:?$"
)
# What comes next is not done yet, if it ever will be.
PROPOSES = Cue(
    r"^\W*(?:(?:this|that|it|we|i) (?:involves|will|would|could|can|means? (?:changing|adding|that we))"
    r"|something like|for example|e\.g|proposed|suggested|my (?:plan|proposal|suggestion)|the plan\b)"
)
# What it is to do, or the person may do now, is no outcome.
TELLS_THEM = _start(
    r"(?:it|this|that|these|they)(?:'ll| will)|you(?:'re| are) all set|you (?:can|may|should) now"
    r"|you now have|let me know|feel free"
)
DULL_HEADING = Cue(
    r"^(?:quality|verification|verified|current .*|files?.*|notes?|status|tests?|details|overview"
    r"|commit|docs|reasoning|why.*|summary.*|changes.*|"
    r"what (?:changed|i did|was done|it means)|key .*|result.*|implementation.*|analysis|findings?"
    r"|explanation|answer|conclusion|options?)$"
)
DONE = _any(
    r"add(?:ed|s)",
    r"fix(?:ed|es)",
    r"remov(?:ed|es)",
    r"implement(?:ed|s)",
    r"creat(?:ed|es)",
    r"updat(?:ed|es)",
    r"chang(?:ed|es)",
    r"refactor(?:ed|s)",
    r"renam(?:ed|es)",
    r"mov(?:ed|es)",
    r"commit(?:ted|s)",
    r"push(?:ed|es)",
    r"merg(?:ed|es)",
    r"delet(?:ed|es)",
    r"replac(?:ed|es)",
    r"extend(?:ed|s)",
    r"rewr(?:ote|itten)",
    "wrote|written|built|passes|passed|passing|green|works|completed?|done|resolved|extracted|confirmed"
    "|verified|switched|configured|installed",
    "deployed|released|tested|converted|migrated|split|reduced|simplified|published|reverted|enabled"
    "|disabled",
    r"now (?:uses?|shows?|returns?|has|have|supports?|works?|reads?|writes?)",
    r"(?:is|are) now",
    "no longer",
    "hinzugefügt|behoben|entfernt|erstellt|geändert|aktualisiert|umgestellt|erledigt|fertig",
    "ajoutée?s?|corrigée?s?|supprimée?s?|créée?s?|modifiée?s?|terminée?s?|mise? à jour",
    "añadid[oa]s?|corregid[oa]s?|eliminad[oa]s?|cread[oa]s?|actualizad[oa]s?|terminad[oa]s?",
    signs="已(?!知|有)|完成了|修复了|通过了|(?:追加|修正|削除|更新|作成|変更|完了)(?:しました|済み)|(?:추가|수정|삭제|생성|변경|완료|구현)(?:했|됐|되었|하였)",
)
FAILED = _any(
    r"fail(?:s|ed|ing)",
    r"errors? (?:in|from|when|because|is|was)",
    r"broke|broken|crash\w*",
    r"(?:didn'?t|doesn'?t|does not|did not) (?:work|help|exist|match|compile|support|reach|find|see"
    r"|have|run)",
    r"couldn'?t|could not|cannot|can'?t|unable|wrong|incorrect",
    r"not (?:found|working|correct|usable|available|possible)",
    r"(?:issue|problem|bug) (?:is|was)",
    r"root cause|rejected|hangs?|hanging|timed out|no longer works",
    r"fehlgeschlagen|fehler|funktioniert nicht|échoué|erreur|ne (?:marche|fonctionne) pas|falló|no funciona",
    signs="失败|报错|无法|失敗|エラー|できません|실패|오류|에러",
)
# Something was tried in vain, rather than only not there.
IN_VAIN = _any(
    r"fail(?:s|ed|ing|ures?)?|errors?|broke|broken|crash\w*|rejected|hangs?|hanging|timed out|refused|denied",
    r"(?:didn'?t|doesn'?t|does not|did not|won'?t|would not)"
    r" (?:work|help|match|compile|run|build|start|load|pass)",
    r"couldn'?t|could not|cannot|can'?t|unable|in vain|no longer works|not working|gave up",
    r"fehlgeschlagen|fehler|funktioniert nicht|échoué|erreur|ne (?:marche|fonctionne) pas|falló|no funciona",
    signs="失败|报错|无法|失敗|エラー|できません|실패|오류|에러",
)
# A fault as it stands: once something was edited, nobody knows that it still does.
FAULT = _any(
    r"(?:is|are) (?:missing|wrong|broken|incorrect|failing|not (?:set|saved|used|found|handled))",
    r"(?:doesn'?t|does not|don'?t|do not) (?:have|exist|match|work|handle|include|support|set|know)",
    r"fails|bug|only covers|no longer exists?|the (?:problem|issue|bug) is",
    r"needs? to (?:be )?(?:update|fix|change|add)\w*",
    r"(?:is|are) still (?:present|there|missing|failing|broken)",
)
SETTLED = _any(
    r"fix(?:ed|es)|add(?:ed|s)|now|resolved|repaired|pass(?:es|ed)?|updated|changed",
    r"the (?:bug|issue|problem) was",
)
REPAIRED = _any(r"fix(?:ed|es)", "pass(?:es|ed|ing)?", "resolved", "addressed", "repaired")
REASON = _any(
    r"instead of|rather than|because|decid\w+|chose|choose|prefer\w*|recommend\w*|root cause|key insight",
    r"the (?:reason|trick|fix|simplest|right|best|cleanest)|so that|keep(?:ing|s)?|avoid\w*|legitimate"
    r"|valid|approach|design|therefore|means that",
)
DECISION = _any(r"decided|decision|chose|chosen|going with|went with|agreed|settled on|opted")
GUESS = _any(
    r"likely|probably|perhaps|maybe|might|may be|could be|should (?:be|work|fix)|i (?:think|suspect"
    r"|believe|guess)|seems? to|would|appears? to|presumably"
)
NEXT_HEADING = _any(
    r"next(?: steps?)?|remaining|to ?do|follow[- ]?ups?|still (?:to do|needed|open|pending)"
    r"|not (?:yet )?(?:done|verified)|pending|what'?s (?:next|left)",
    "nächste schritte|offen|prochaines étapes|próximos pasos",
    signs="下一步|后续|待办|建议|次のステップ|残り|다음 단계|남은",
)
NEXT_LEAD = re.compile(r"^(?:\w+ )?next(?: steps?| up)?\b[^:;.]{0,40}:\s+", re.IGNORECASE)
OFFER = _any(
    r"want me to|should i|shall i|if you (?:want|like|prefer|need)|let me know",
    r"would you like|you (?:can|could|may)|feel free"
    r"|happy to|options?|alternatives?|optional(?:ly)?",
    signs="需要我|要不要|是否需要|如果你?(?:需要|愿意|同意)|如需|ご希望|しましょうか|원하시면|할까요",
)
NEXT = _any(
    r"next(?: step)?,? (?:i|we|you|is)|still (?:need|needs|has to|have to|left|to do|missing)"
    r"|remains? to|remaining (?:work|steps?|tasks?|items?|issues?|parts?)",
    r"needs? to be|(?:you|we)(?:'ll| will)? (?:need|must|have) to",
    r"not yet|todo|follow[- ]?up|before (?:merging|release)|pending|waiting (?:for|on)"
    r"|ready (?:for (?:review|approval|merge))",
    r"als nächstes|noch (?:offen|zu tun|nicht)|muss noch|reste à|prochaine étape|falta(?:n)?|pendientes?",
    signs="下一步|尚未|还需|仍需|待办|次に|未実装|残り|다음 단계|아직|남은",
)
WAITING = re.compile(
    r"((?:waiting (?:for|on)|awaiting|(?:PR|pull|MR)[^.;]{0,40}ready (?:for|to) (?:approval|review"
    r"|merge)|ready for (?:your )?(?:approval|review|merge)|blocked (?:by|on|until))[^.;\n]*)",
    re.IGNORECASE,
)
IF_WANTED = Cue(
    r"^\W*(?:if you(?:'d| would)? (?:want|like|prefer)|(?:wenn|falls) du (?:willst|magst|möchtest)"
    r"|si tu veux|si quieres)\b"
    r"|^如果?你?(?:需要|愿意|同意|想)|^如需|^ご希望|^원하시면"
)
# What they may do themselves: "if you prefer mamba, replace conda".
ADVICE = Cue(
    r"^[^,]*,\s*(?:just |simply |then |you (?:can|could|should|may) )*(?:use|replace|run|set|add|change|try"
    r"|install|pass|open|see|check|edit|remove|delete|pick|choose|start|call|put|make sure)\b"
)
COURTESY = _any(
    r"anything else|what'?s next|what next|how can i help",
    r"what (?:would|do) you (?:like|want)(?: me)? to (?:do|work)",
    r"ready (?:to|for the) next|sound good|does that (?:help|make sense)|noch etwas|autre chose|algo más",
)
# An agent that tells another one what to do: none of it is done.
INSTRUCTS = _start(
    r"(?:please )?(?:make|apply|implement) (?:these|the following) (?:[\w-]+ ){0,2}"
    r"(?:changes?|edits?|updates?|fix(?:es)?)"
)
# An agent that says hello, or who it is.
GREETING = Cue(
    r"^\W*(?:i'?m doing (?:great|well|good|fine)|hello|hi|hey|thanks for asking"
    r"|i'?m [\w .-]{2,40}, (?:powered|an|your|here|ready)\b)"
)
REPORTED = _start(r"comment \d|suggests?|reviewer|the review(?:er)?|copilot|bugbot|coderabbit|feedback")

# -- what a person says ------------------------------------------------------------------------------------

_FILLER = re.compile(
    r"^(?:(?:please|can you|could you|can we|could we|would you|let'?s go|let'?s|lets|i want you to|i want to"
    r"|i would like (?:you )?to|i'd like (?:you )?to|i want|i need you to|i need to|help me(?: to)?"
    r"|couldn'?t we(?: not)?(?: simply)?|can'?t we|hmm+|oh|ok(?:ay)?|so|now|then|also|and|but|yes|no"
    r"|nope|wait|hey|hi|hello|cool|great|perfect|thanks|go ahead and|indeed|just|maybe|i think(?: that)?"
    r"|(?:think|look|see) (?:about )?(?:how|whether|if) (?:we|you|i)(?: can| could| should)?"
    r"|(?:is it|would it be|(?:do )?you think (?:it'?s|it is|it would be)) possible(?: based on \w+)? to"
    r"|we (?:need to|should|have to)|you should|if you want,? (?:next )?i can|now that|next)\b[\s,.:!-]*)+",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    r"^(?:would you like me to|do you want me to|should i|shall i|want me to)\b[\s,.:!-]*", re.IGNORECASE
)
SMALL_WORDS = re.compile(
    r"\b(?:the|an?|please|just|really|also|very|actually|basically|some|any|(?:that|if|so that) (?:we"
    r"|you|it)(?: are| is| can)?|make sure(?: you| that| to| we)?|there(?:'s| is| are)"
    r"|i'?d like to|i would like to|i want to|in order to|as well|though|still|then|now)\s+",
    re.IGNORECASE,
)
APPROVAL = Cue(
    r"^\W*(?:y|k|c|yes|yep|yeah|yup|ok|okay|sure|go|go ahead|go for it|go on|proceed|continue|approved?"
    r"|do it|do that|do all|do both|lgtm|sounds good|looks good|perfect|great|good|nice|please do"
    r"|please|lets? go|let'?s do (?:it|that|this)|ok lets? do(?:e)? that|correct|right|exactly|agreed"
    r"|fine|cool|ship it|\d|[a-d]\)?|all|all of them|fix all|both|the first|the second|first one"
    r"|second one"
    r"|ja|weiter|oui|si|sí|はい|네|응|계속|继续|好|好的|是|可以)\b"
    r"(?:[\s,.!]*(?:please|continue|proceed|go ahead|do it|do that|with it|with that|that|this|it|all|\d"
    r"|then|thanks|thank you|now|yes|(?:with )?(?:all |both )?(?:of )?(?:the |your |these |those )?"
    r"(?:recommend(?:ed|ations?)|suggest(?:ed|ions?)|proposed|changes|fixes|improvements|steps|plan)))*[\s.!]*$"
)
ASSENT = Cue(
    r"^\W*(?:yes|yep|yeah|yup|ok|okay|sure|great|perfect|good|right|fine|cool|ja|oui|sí|si|はい|네|응|可以|好的|好|是|行)"
    r"(?![\w'])[\s,.!，。！]*|^(?:可以|好的|好|是的|行)[\s,，。！]*"
)
YES = _start("yes", "yeah", "yep", "yup", "ja", "oui", "네", "응", "对", "是的")
CHORE = Cue(
    r"^\W*(?:(?:please|ok|okay|yes|now|and|then|great|perfect|can you|could you|let'?s|lets"
    r"|go ahead and|also|just)[\s,]+)*"
    r"(?:commite?|commit (?:it|this|and push)|push|pull|merge|rebase|stage|run (?:the |all )?(?:tests?"
    r"|lint\w*|build|ci)|(?:open|make|create) (?:a |the )?(?:pr|pull request)"
    r"|are (?:all )?(?:the )?tests passing)\b"
)
_ORDERS = _words(
    r"add|try|fix|make|create|implement|write|refactor|review|update|remove|build|change|use|move"
    r"|set ?up|configure|enable|disable|investigate|design|improve|rename|resolve|address|apply|install",
    r"deploy|debug|convert|migrate|clean|compare|analy[sz]e|generate|draft|plan|consolidate|separate"
    r"|reorder|support|replace|integrate|extract|check|need to|want|should|failed|broken|bug|error"
    r"|feature|issue",
    r"prüf\w*|füge|erstelle|ändere|behebe|ajoute|corrige|crea|añade|arregla",
)
_ORDERED = (
    "请|帮我|应该|需要|添加|修改|修复|完成|实现|改成|改为|删除|更新|检查|ください|すべき"
    "|해줘|해주세요|고쳐|추가|수정"
)
_IMPERATIVE = rf"(?:{_ORDERS}|{_ORDERED})"
IMPERATIVE = Cue(_IMPERATIVE)
# Verbs that order something where they stand first, and are common words elsewhere.
ORDERS = Cue(
    rf"\W*(?:{_IMPERATIVE}|(?:align|allow|begin|bring|bump|close|continue|copy|cut|delete|describe|display|document"
    r"|drop|ensure|explain|explore|expose|figure|find|finish|get|give|go|handle|hide|hook|include|inspect|investigate"
    r"|keep|let|list|load|log|look|merge|open|optimi[sz]e|polish|port|print|profile|provide|publish|put|read|rebase"
    r"|redo|reduce|release|rerun|reset|restore|revert|rework|run|save|scaffold|search|send|show|simplify|sort|split"
    r"|start|stop|summari[sz]e|switch|tell|test|translate|turn|tweak|upgrade|validate|verify|walk|wire|wrap)\b)"
)
# However the thing asked for is called: more verbs are used for orders than any list has.
ASKS_FOR = _start(
    r"(?:(?:also|and|then|ok(?:ay)?|so|now|well)\W+)*(?:please|(?:can|could) (?:you|we)|let'?s"
    r"|(?:we|you) (?:should|need to|must|have to)|i (?:want|need)|i'?d like|i would like)"
)
WISH = Cue(rf"^{_IMPERATIVE}|(?:[.!?]\s+){_IMPERATIVE}|\b(?:should|need|want|i'?d like|must)\b")
STANDING = _any(
    "always",
    "never",
    r"from now on",
    r"every time|whenever|each time",
    r"each (?:commit|test|file|function|sentence|change|pr)",
    r"when(?:ever)? possible|in general|as a rule|at all times|going forward|in (?:the )?future",
    r"(?:do not|don'?t|dont|must not|mustn'?t|shouldn'?t|should not|no) (?:ever|use|add|commit|push"
    r"|write|create|put|include|make|touch|mock|skip|change|run|start|guess|assume|leave|forget|break)",
    r"(?:must|should) (?:always|never|only)",
    r"prefer|avoid|(?:make|be) sure|be (?:mindful|careful)|remember(?: to| that)?|stick (?:to|with)"
    r"|keep (?:each|every|commits?|it simple)",
    r"(?:don'?t|do not|never) want|no longer (?:use|want|need)",
    r"i (?:always|never|prefer|like|hate|don'?t like|want you to always)|we (?:always|never|use"
    r"|don'?t use|prefer)",
    r"immer|nie(?:mals)?|toujours|jamais|siempre|nunca",
)
# Said for ever wherever it stands; the other standing words say so only at the head of their sentence, as
# "write the plan, don't commit" is an order for once.
FOR_EVER = _any(
    r"always|never|from now on|every time|whenever|each time|as a rule|at all times|going forward",
    r"each (?:commit|test|file|function|sentence|change|pr)|when(?:ever)? possible",
    r"in (?:general|(?:the )?future)|(?:not|n't) (?:\S+ ){1,6}ever",
    r"immer|nie(?:mals)?|toujours|jamais|siempre|nunca",
)
# How things are to be: what people say so is what they decided.
NORM = _any(
    r"should|must|(?:make|be) sure|ignore|regardless|(?:don'?t|do not) want|no longer|let'?s not|supposed to",
    r"soll(?:te|en)?|muss|doit|debe",
)
# A guess about what is going on: it opens nothing.
SUPPOSES = Cue(
    r"^\W*(?:(?:maybe|perhaps|probably|i (?:think|guess)) )?(?:it|that|this)"
    r" (?:(?:might|may|could|must) be|is (?:probably|maybe|perhaps)|(?:seems|looks))\b"
)
CORRECTION = Cue(
    r"^\W*(?:no\b|nope|not\b|wrong|actually|wait|stop|that'?s (?:not|wrong)|i (?:meant|mean|don'?t see"
    r"|did ?n'?t)|why (?:is|are|did|does|do) (?:you|it|this|that|we|i))"
    r"|\b(?:not correct|is wrong|that'?s not|didn'?t work|doesn'?t work|does not work|still (?:fail"
    r"|broken|not|see|get)|i don'?t see|not what i|i meant|you (?:forgot|missed|broke)|revert|undo)\b"
)
# How a check ended, before what was done is told.
VERDICT = Cue(
    r"^\W*(?:all|everything|(?:the )?(?:build|lint(?:er|ing)?|tests?)|both)\b[^:;]{0,90}"
    r"\b(?:clean|pass(?:es|ed|ing)?|green|succeed\w*)\b[^:;]*(?:[:;]\s*|$)"
)
# An agent's request for an answer that has no question mark.
CONFIRM = Cue(
    r"\b(?:please (?:confirm|choose|pick|decide|tell me|reply|answer|provide)"
    r"|which (?:one )?(?:do|would|should) (?:you|i|we)"
    r"|let me know (?:which|whether|if you(?:'d| would) (?:like|prefer)|how you))\b"
)
# A question that names nothing: whoever says yes to it agrees to what stands above it.
ASKS_LEAVE = Cue(
    r"^\W*(?:(?:does|do|is|are|did) (?:this|that|it|these|those|everything|all)\b"
    r"|(?:any|do you have(?: any)?) (?:concerns?|questions?|thoughts?|objections?|feedback)\b"
    r"|(?:looks?|sounds?) (?:good|right|ok(?:ay)?)\b|(?:what do you|how does (?:this|that|it)|thoughts)\b"
    r"|(?:ready|ok(?:ay)?|shall we|should we|can we) (?:to |for me to )?"
    r"(?:continue|proceed|go on|move on|go ahead|start)\b"
    r"|(?:continue|proceed|go ahead)\?|(?:please )?confirm\b)"
    r"|^请?确认|^是否(?:同意|确认|授权|继续)|^可以吗|^よろしいですか|^괜찮"
)
# What the agent had answered was not what it was asked.
MISREAD = Cue(
    r"^\W*(?:(?:no|sorry|oh|ah|ok|okay)\b\W*)?i(?: meant| mean|(?: was| am|'m) (?:talking|asking) about)\b"
    r"|\b(?:not what i (?:meant|asked|am asking|was asking)|(?:you(?:'ve| have)? )?misunder\w+)\b"
)
REFUTATION = Cue(
    r"\b(?:wrong|incorrect|not correct|(?:didn'?t|doesn'?t|does not|did not|not) work(?:ing)?"
    r"|still (?:fail\w*|broken)"
    r"|not what i|you broke|(?:revert|undo) (?:it|this|that|your|the|all|everything))\b"
)
DEICTIC = Cue(r"\b(?:it|this|that|these|those|them|above|same|again|both|1|2|3)\b")
FIRST_PERSON_REPORT = Cue(
    r"^\W*(?:i|i'?m|i am|i'?ve|it|there|explain|wait|what|why|how|is|are|does|do you|did|can|could|would)\b"
)
OWN_HABIT = Cue(
    r"\W*i (?:(?:always|never) (?!get|got|see|saw|have|had|hear|find|found|know|knew)|prefer"
    r"|no longer (?:use|want|need)|(?:don'?t|do not) want|want you to always)"
)
ONE_OFF = Cue(
    r"\b(?:for now|this time|just now|yet|right now|first|alternatively|maybe|perhaps"
    r"|before (?:you|we)|in this (?:pr|commit|branch"
    r"|file|test)|just let me know|don'?t change anything|do not change anything)\b"
)
PLAN_TEMPLATE = Cue(r"^\s*implement the following plan:?\s*")
