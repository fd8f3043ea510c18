"""Every way people write that there is no figure, and the few reasons it comes down to.

What a word claims is kept, and no more is read into it: a dash is ``not printed``, a
cross says nothing but that it is a cross.
"""

import re
from collections.abc import Mapping

from benchdb.exchange.lines import Status
from benchdb.importing.quantities.characters import plain, visible
from benchdb.importing.quantities.quantity import Missing, UnreadableError

MEMORY = "out of memory"
FAILED = "failed"
TIMEOUT = "timed out"
UNSUPPORTED = "not supported"

_WORDS = {
    "not printed": (
        "/|//|\\|~|\"\"|''|()|[]|{}|'|\"|null|none|nil|(null)|<null>|(none)|<none>"
        "|undefined|blank|empty|なし|無し|無|无|없음|leer|vide|vacío|vacio|vazio"
        "|nessuno"
    ),
    "not available": (
        "n/a|n.a|na|n/v|n.v|<na>|n\\a|#n/a|k.a|k. a|k/a|s/o|s.o|n/d|nd|n.d|s/d|s.d"
        "|n. a|not available|not applicable|no data|unavailable|keine angabe"
        "|keine angaben|entfällt|nicht verfügbar|nicht vorhanden|non disponible"
        "|non applicable|sans objet|sin datos|no disponible|no aplica|sem dados"
        "|não disponível|não se aplica|non disponibile|해당 없음|해당없음|데이터 없음"
        "|データなし|該当なし|不适用|不適用|无数据|暂无|暂无数据|нет данных|н/д"
    ),
    "not known": (
        "?|??|???|unknown|unclear|not sure|unbekannt|unklar|inconnu|desconocido"
        "|desconhecido|sconosciuto|不明|未知|알 수 없음|неизвестно"
    ),
    "a cross": ("x|xx|×|❌|❎|✗|✘|☓|🚫|⛔|🔴"),
    "to be measured": (
        "tbd|t.b.d|tba|tbc|todo|to do|wip|pending|soon|coming soon|to be done"
        "|to be determined|to be measured|to be added|to be announced|in progress"
        "|running|work in progress|folgt|noch offen|à venir|pendiente|pendente|待测"
        "|待測|待定|待补充|待更新|测试中|計測中|測定中|未定|예정|측정 예정|측정예정"
        "|측정 중|⏳|⌛|🚧"
    ),
    "not measured": (
        "not measured|not tested|not run|not benchmarked|not done|untested|unmeasured"
        "|skipped|skip|didn't run|did not run|not yet|nicht gemessen|nicht getestet"
        "|ungetestet|non mesuré|non testé|no medido|no probado|não medido|não testado"
        "|未测|未測|未测试|未測定|未計測|측정 안함|측정 안 함|측정안함|미측정"
    ),
    "not a number": (
        "nan|-nan|+nan|nan%|nan ± nan|nan±nan|nans|1.#ind|-1.#ind|1.#qnan|#nan"
    ),
    "not finite": (
        "inf|-inf|+inf|infinity|-infinity|+infinity|∞|-∞|+∞|1.#inf|#div/0!|#div/0"
        "|#num!|unendlich|infini|infinito"
    ),
    MEMORY: (
        "oom|ooms|o.o.m|cuda oom|gpu oom|no memory|not enough memory|memory error"
        "|insufficient memory|out-of-memory|doesn't fit|does not fit"
        "|zu wenig speicher|nicht genug speicher|speicher voll|mémoire insuffisante"
        "|memoria insuficiente|sin memoria|sem memória|显存不足|内存不足|爆显存"
        "|爆内存|メモリ不足|メモリー不足|메모리 부족|메모리부족"
    ),
    TIMEOUT: (
        "timeout|timeouts|time-out|time out|timed out|t/o|tle|did not finish in time"
        "|too slow|too long|zeitüberschreitung|超时|逾時|タイムアウト|시간 초과"
        "|시간초과"
    ),
    UNSUPPORTED: (
        "not supported|unsupported|no support|not implemented|unimplemented"
        "|incompatible|not compatible|not possible|doesn't support|does not support"
        "|can't run|cannot run|nicht unterstützt|nicht möglich|non supporté"
        "|pas supporté|non pris en charge|no soportado|no compatible|não suportado"
        "|non supportato|不支持|不支援|未対応|非対応|サポート外|サポートなし|미지원"
        "|지원 안함|지원 안 함|지원되지 않음|не поддерживается"
    ),
    FAILED: (
        "failed|fail|fails|failure|error|errors|err|errored|exception|crash|crashed"
        "|crashes|crashing|segfault|segfaults|segmentation fault|sigsegv|sigabrt"
        "|sigkill|bus error|aborted|abort|killed|dnf|did not finish|broken|hang|hangs"
        "|hung|freeze|freezes|does not work|doesn't work|not working|kernel panic"
        "|kernel died|core dumped|diverged|did not converge|fehler|fehlgeschlagen"
        "|abgestürzt|absturz|abgebrochen|funktioniert nicht|erreur|échec|échoué"
        "|ne fonctionne pas|fallo|falló|no funciona|falha|falhou|não funciona|errore"
        "|fallito|失败|失敗|错误|錯誤|报错|崩溃|无法运行|エラー|クラッシュ|실패|오류"
        "|에러|ошибка|💥|☠|💀|⚠|#ref!|#value!|#name?|#error!"
    ),
}
REASONS = {
    word: reason for reason, words in _WORDS.items() for word in words.split("|")
}


_LIMIT = 2000  # characters: messages of errors stand in cells, whole logs do not

_MEMORY_ANYWHERE = re.compile(
    r"out[ -]of[ -](?:device |gpu |host |video )?memory|\boom\b|memoryallocation"
    r"|memoryerror|bad_alloc|resource_?exhausted|outofmemory"
)
_STARTS = tuple(
    (reason, re.compile(pattern))
    for reason, pattern in (
        (UNSUPPORTED, r"notimplemented|not (?:yet )?(?:supported|implemented)\b"),
        (UNSUPPORTED, r"unsupported\b|no \w{1,20} support\b|requires? [a-z]"),
        (TIMEOUT, r"time[d -]{0,2}out\b|time limit\b"),
        (FAILED, r"\w{0,40}(?:error|exception)\b|fail(?:ed|s|ure)?\b|crash\w{0,4}\b"),
        (FAILED, r"segmentation fault|segfault|abort(?:ed)?\b|killed\b|traceback\b"),
        ("not measured", r"not (?:yet )?(?:measured|tested|run)\b"),
        ("not available", r"n/a\b|not (?:yet )?(?:available|applicable)\b"),
    )
)
_FIGURE_FIRST = re.compile(r"[-+~<>=(]{0,3} ?[.,]?\d")
_REMARK = re.compile(r"[ ]?[(\[][^()\[\]]{1,200}[)\]]$")
_FOOTNOTE = re.compile(r"(?<=[\w.!/)])[ ]?[*†‡§¶#¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}$")
_ORNAMENTS = "❌❎✗✘🚫⛔⚠💥☠💀🔴⏳⌛🚧 "
_BLANKS = frozenset("-. ·…_=*")
_STATUSES: dict[str, Status] = {
    MEMORY: "oom",
    FAILED: "failed",
    TIMEOUT: "failed",
    UNSUPPORTED: "unsupported",
}


def missing(text: str, extra: Mapping[str, str]) -> Missing | None:
    """Return why *text* is no figure, if it says so; *extra* are the source's words."""
    if len(text) > _LIMIT:
        return None
    try:
        seen = visible(text)
    except UnreadableError:
        return None
    for word, reason in extra.items():
        if word.strip().casefold() in (seen.casefold(), text.strip().casefold()):
            return Missing(reason, seen)
    if not seen:
        return Missing("not printed", "")
    if len(seen) > 4 and seen.startswith("~~") and seen.endswith("~~"):
        return Missing("struck out", seen)
    told = _reason(_folded(seen))
    return Missing(told, seen) if told else None


def status_of(found: Missing) -> Status:
    """Return the outcome that a reason tells; ``not-measured`` where it tells none.

    A reason that a map gives in its own words (``crashed``) is read like a cell.
    """
    reason = _reason(_folded(found.reason)) or found.reason
    return _STATUSES.get(reason, "not-measured")


def _folded(text: str) -> str:
    return " ".join(plain(text).casefold().split())


def _reason(words: str) -> str | None:
    bare = words.lstrip(_ORNAMENTS) or words
    for form in (words, bare, _FOOTNOTE.sub("", bare), _REMARK.sub("", bare)):
        if exact := REASONS.get(form) or REASONS.get(form.rstrip(" .!:;,")):
            return exact
    if words and _BLANKS.issuperset(words):
        return "not printed"
    if _FIGURE_FIRST.match(bare):
        return None
    if _MEMORY_ANYWHERE.search(bare):
        return MEMORY
    return next((reason for reason, one in _STARTS if one.match(bare)), None)
