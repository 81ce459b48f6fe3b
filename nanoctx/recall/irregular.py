"""English words whose forms no stemmer brings together: `went` is found by `go`, `children` by `child`."""

from __future__ import annotations

# A basic form, then the forms that stand for it. Those that mean something else as often are left out.
_FORMS = """
arise arose arisen; awake awoke awoken; beat beaten; become became; begin began begun; bend bent
bite bitten; bleed bled; blow blew blown; break broke broken; bring brought; build built; burn burnt
buy bought; catch caught; choose chose chosen; come came; creep crept; deal dealt; dig dug; draw drew drawn
dream dreamt; drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed; feel felt
fight fought; find found; flee fled; fly flew flown; forbid forbade forbidden; forget forgot forgotten
forgive forgave forgiven; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown
hang hung; hear heard; hide hid hidden; hold held; keep kept; know knew known; lay laid; lead led; lean leant
leap leapt; learn learnt; leave left; lend lent; light lit; lose lost; make made; mean meant; meet met
mistake mistook mistaken; overcome overcame; override overrode overridden; overwrite overwrote overwritten
pay paid; prove proven; rebuild rebuilt; resend resent; rewrite rewrote rewritten; ride rode ridden
ring rang rung; rise risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; sew sewn
shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung; sink sank sunk
sit sat; sleep slept; slide slid; speak spoke spoken; speed sped; spell spelt; spend spent; spin spun
spring sprang sprung; stand stood; steal stole stolen; stick stuck; sting stung; strike struck
swear swore sworn; sweep swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught
tear tore torn; tell told; think thought; throw threw thrown; understand understood
undertake undertook undertaken; undo undid undone; wake woke woken; wear wore worn; weave wove woven
weep wept; win won; withdraw withdrew withdrawn; write wrote written
analysis analyses; axis axes; child children; criterion criteria; foot feet; goose geese; half halves
index indices; knife knives; man men; matrix matrices; mouse mice; person people; shelf shelves; tooth teeth
vertex vertices; wife wives; wolf wolves; woman women
"""
BASIC = {
    form: basic
    for group in _FORMS.replace("\n", ";").split(";")
    if group.strip()
    for basic, *forms in [group.split()]
    for form in forms
}
