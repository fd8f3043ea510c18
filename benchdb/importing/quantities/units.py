"""Units as written in a header or a cell: ``img/sec``, ``s/epoch``, ``GiB``, ``초``."""

import re
import unicodedata
from fractions import Fraction
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from benchdb.importing.quantities.characters import plain

_MINUTE, _HOUR, _DAY = 60, 3600, 86400

# Seconds by name. Names of one or two letters are in ``EXACT``: there, case tells.
TIMES: dict[str, Fraction] = {
    name: Fraction(seconds)
    for names, seconds in (
        (
            "nsec nsecs nanosecond nanoseconds nanosekunde nanosekunden nanoseconde "
            "nanosecondes nanosegundo nanosegundos 纳秒 奈秒 ナノ秒 나노초",
            "1e-9",
        ),
        (
            "usec usecs µsec µsecs microsecond microseconds mikrosekunde mikrosekunden "
            "microseconde microsecondes microsegundo microsegundos 微秒 マイクロ秒 "
            "마이크로초",
            "1e-6",
        ),
        (
            "msec msecs msek millisec millis millisecond milliseconds millisekunde "
            "millisekunden milliseconde millisecondes milisegundo milisegundos "
            "millisecondo millisecondi мс 毫秒 ミリ秒 밀리초",
            "1e-3",
        ),
        (
            "sec secs second seconds sek sekunde sekunden seconde secondes seg segs "
            "segundo segundos secondo secondi sekund sekunder sekundy "
            "сек секунд секунда секунды \u0441 秒 秒钟 秒鐘 秒間 초",
            1,
        ),
        (
            "min mins minute minutes minuto minutos minuti minuten minut minuter "
            "мин минут минута минуты 分 分钟 分鐘 分間 분",
            _MINUTE,
        ),
        (
            "hr hrs hour hours std stunde stunden heure heures hora horas ora ore "
            "timme timmar timer godz godzin час часа часов ч 时 小时 小時 時間 시간",
            _HOUR,
        ),
        (
            "day days tag tage jour jours día días dia dias giorno giorni "
            "дней день 天 日 일",
            _DAY,
        ),
    )
    for name in names.split()
}

# What counts: the word that ``Quantity.per`` has for it. All in lower case.
NOUNS: dict[str, str] = {
    name: per
    for per, names in {
        "img": "img imgs image images pic pics picture pictures bild bilder bildern "
        "imagen imágenes imagenes imagem imagens immagine immagini afbeeldingen "
        "изображений 张 張 枚 图 图片 图像 圖片 画像 장 이미지",
        "seq": "seq seqs sequence sequences sequenz sequenzen séquence séquences "
        "sequences secuencia secuencias sequência sequências 序列 系列 시퀀스",
        "token": "token tokens tok toks tk tks tokeny 토큰 词元 トークン",
        "sample": "sample samples smpl example examples exemple exemples beispiel "
        "beispiele beispielen stichprobe stichproben échantillon échantillons muestra "
        "muestras amostra amostras campione campioni instance instances 样本 樣本 样例 "
        "サンプル 샘플",
        "step": "step steps schritt schritte schritten étape étapes paso pasos passo "
        "passos passi 步 ステップ 스텝",
        "epoch": "epoch epochs epoche epochen époque époques epoque epoques época "
        "épocas epoca epocas epoche 轮 輪 轮次 エポック 에포크 에폭",
        "it": "it its iter iters iteration iterations iterationen itération itérations "
        "iteración iteraciones iteração iterações iterazioni 迭代 次迭代 反復 "
        "イテレーション 이터레이션",
        "batch": "batch batches batchs lot lots lote lotes 批 批次 バッチ 배치",
        "frame": "frame frames 帧 幀 フレーム 프레임",
        "sentence": "sentence sentences sent satz sätze phrase phrases 句",
        "word": "word words wort wörter mot mots palabra palabras 词",
        "char": "char chars character characters zeichen",
        "query": "query queries anfrage anfragen requête requêtes",
        "request": "req reqs request requests",
        "op": "op ops operation operations call calls aufruf aufrufe",
        "loop": "loop loops",
        "run": "run runs lauf läufe",
        "inference": "inference inferences infer",
        "param": "param params parameter parameters parametern paramètres parámetros "
        "parâmetros 参数 參數 パラメータ 파라미터",
        "item": "item items",
        "row": "row rows zeile zeilen",
        "transaction": "transaction transactions txn txns",
    }.items()
    for name in names.split()
}

SHARES: dict[str, str] = {
    name: unit
    for unit, names in {
        "x": "x × times fold -fold fach -fach fois veces vezes volte 倍 배",
        "%": "% percent pct prozent pourcent pourcents porcento 퍼센트",
    }.items()
    for name in names.split()
}

# Where case tells: mW is not MW, ms is not Ms.
EXACT: dict[str, tuple[str, Fraction]] = {
    name: (base, Fraction(factor))
    for name, base, factor in (
        ("ns", "s", "1e-9"),
        ("NS", "s", "1e-9"),
        ("us", "s", "1e-6"),
        ("µs", "s", "1e-6"),
        ("ms", "s", "1e-3"),
        ("MS", "s", "1e-3"),
        ("s", "s", 1),
        ("S", "s", 1),
        ("h", "s", _HOUR),
        ("H", "s", _HOUR),
        ("d", "s", _DAY),
        ("µW", "W", "1e-6"),
        ("uW", "W", "1e-6"),
        ("mW", "W", "1e-3"),
        ("W", "W", 1),
        ("w", "W", 1),
        ("kW", "W", 1000),
        ("KW", "W", 1000),
        ("MW", "W", 10**6),
        ("µJ", "J", "1e-6"),
        ("uJ", "J", "1e-6"),
        ("mJ", "J", "1e-3"),
        ("J", "J", 1),
        ("kJ", "J", 1000),
        ("KJ", "J", 1000),
        ("MJ", "J", 10**6),
        ("µWh", "J", Fraction(_HOUR, 10**6)),
        ("mWh", "J", Fraction(_HOUR, 1000)),
        ("Wh", "J", _HOUR),
        ("kWh", "J", 1000 * _HOUR),
        ("KWh", "J", 1000 * _HOUR),
        ("MWh", "J", 10**6 * _HOUR),
        ("Ws", "J", 1),
        ("1", "1", 1),
    )
}

# Where it does not: nobody means millihertz.
FOLDED: dict[str, tuple[str, Fraction]] = {
    name: (base, Fraction(factor))
    for names, base, factor in (
        ("hz hertz", "Hz", 1),
        ("khz kilohertz", "Hz", 10**3),
        ("mhz megahertz", "Hz", 10**6),
        ("ghz gigahertz", "Hz", 10**9),
        ("watt watts ватт вт", "W", 1),
        ("milliwatt milliwatts", "W", "1e-3"),
        ("kilowatt kilowatts", "W", 1000),
        ("joule joules", "J", 1),
        ("kilojoule kilojoules", "J", 1000),
        ("wh watt-hour watt-hours watthours wattstunden", "J", _HOUR),
        ("kwh", "J", 1000 * _HOUR),
        ("byte bytes octet octets octetos バイト 바이트 字节", "B", 1),
        ("kilobyte kilobytes kbyte kbytes кб ko", "B", 10**3),
        ("megabyte megabytes mbyte mbytes мб mo", "B", 10**6),
        ("gigabyte gigabytes gbyte gbytes \u0433\u0431 go", "B", 10**9),
        ("terabyte terabytes tbyte tbytes", "B", 10**12),
        ("kibibyte kibibytes", "B", 2**10),
        ("mebibyte mebibytes", "B", 2**20),
        ("gibibyte gibibytes", "B", 2**30),
        ("tebibyte tebibytes", "B", 2**40),
        ("bit bits", "B", Fraction(1, 8)),
        ("kbit kbits kilobit kilobits", "B", Fraction(10**3, 8)),
        ("mbit mbits megabit megabits", "B", Fraction(10**6, 8)),
        ("gbit gbits gigabit gigabits", "B", Fraction(10**9, 8)),
    )
    for name in names.split()
}

PREFIXES = {"": 0, "k": 3, "K": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
for _letter, _power in PREFIXES.items():
    EXACT[f"{_letter}B"] = ("B", Fraction(10**_power))
    if _letter:  # in lower case everybody means bytes; Mb and Gb are doubtful
        EXACT[f"{_letter.lower()}b"] = ("B", Fraction(10**_power))
        EXACT[f"{_letter.upper()}iB"] = ("B", Fraction(2 ** (_power // 3 * 10)))
        EXACT[f"{_letter.upper()}i"] = ("B", Fraction(2 ** (_power // 3 * 10)))
    for _spelt in ("FLOPS", "flops", "Flops", "FLOP/s", "FLOPs/s", "flop/s", "Flop/s"):
        EXACT[f"{_letter}{_spelt}"] = ("FLOP/s", Fraction(10**_power))
    EXACT[f"{_letter.lower()}flops"] = ("FLOP/s", Fraction(10**_power))
    EXACT[f"{_letter.lower()}flop/s"] = ("FLOP/s", Fraction(10**_power))

# Before a noun (6.74 B params, 12k tok/s), a count; alone, only with a unit beside it.
MULTIPLES: dict[str, Fraction] = {
    name: Fraction(factor)
    for names, factor in (
        ("k K thousand Tsd Tsd. mil 千 천", 10**3),
        ("万 萬 만", 10**4),
        ("M million millions Mio Mio. mln Million Millionen millones milhões", 10**6),
        ("亿 億 억", 10**8),
        ("B bn billion billions Billion Mrd Mrd. mrd Milliarden milliards", 10**9),
    )
    for name in names.split()
}
CLEAR_MULTIPLES = frozenset(name for name in MULTIPLES if name not in "kKMB")

# What cannot be told apart, and what it may mean.
DOUBTS: dict[str, tuple[str, ...]] = {
    "m": ("minutes", "metres", "millions"),
    "k": ("thousands", "kilobytes"),
    "K": ("thousands", "kilobytes"),
    "M": ("millions", "megabytes"),
    "G": ("billions", "gigabytes"),
    "T": ("trillions", "terabytes"),
    "B": ("bytes", "billions"),
    "b": ("bits", "bytes", "billions"),
    "t": ("tokens", "tonnes"),
    "Ms": ("milliseconds", "megaseconds"),
    "mS": ("milliseconds", "millisiemens"),
    "US": ("microseconds", "dollars"),
    "mw": ("milliwatts", "megawatts"),
    "mj": ("millijoules", "megajoules"),
    "tps": ("tokens/s", "transactions/s"),
    "TPS": ("tokens/s", "transactions/s"),
    "ips": ("images/s", "iterations/s"),
    "IPS": ("images/s", "iterations/s"),
    "sps": ("samples/s", "steps/s"),
    "SPS": ("samples/s", "steps/s"),
    **{f"{one}b": ("bits", "bytes") for one in "KMGT"},
    **{f"{one}b/s": ("bits/s", "bytes/s") for one in "kmgtKMGT"},
    **{f"{one}FLOPs": ("operations", "operations/s") for one in ("", *"kKMGTPE")},
}
SHORT_RATES = {"fps": "frame", "qps": "query", "rps": "request"}


_LIMIT = 60  # characters; "images per second per watt" has 26
_PER = re.compile(r"\s*/\s*|\s+(?:per|pro|par|por|je|(?:in )?an?)\s+", re.IGNORECASE)
_INVERSE = re.compile(r"[ ·*]?([A-Za-zµ]+)(?:⁻¹|\^[({]?-1[)}]?|\*\*-1)$")
_BYTES_A_SECOND = re.compile(r"([kKMGT])(B|b|bit)ps")
_OPERATIONS = re.compile("([kKMGTPE]?)(?:FLOPs?|flops?|Flops?)")
_GLUED = re.compile(r"([kKM])([^\W\d_].*/.*)")


class Unit(msgspec.Struct, frozen=True):
    """A unit: *factor* of the base unit of ``Quantity``, and what it counts *per*."""

    base: str
    per: str | None = None
    factor: Fraction = Fraction(1)


def understood(text: str) -> Unit | None:
    """Return the unit that *text* is; ``None`` for other texts, and where in doubt."""
    return _understood(text) if len(text) <= _LIMIT else None


@lru_cache(maxsize=2048)
def _understood(text: str) -> Unit | None:
    tidied = _tidied(text)
    if not tidied or (tidied in DOUBTS and tidied not in EXACT):
        return None
    return _unit(tidied) or _multiple(tidied)


def doubt(text: str) -> tuple[str, ...]:
    """Return what *text* may mean, where it is a unit that cannot be told."""
    return DOUBTS.get(_tidied(text), ())


def clarified(text: str, column: Unit) -> Unit | None:
    """Return what the doubtful *text* means in a column whose unit is *column*.

    A letter such as ``k``, ``M`` or ``G`` multiplies it, ``m`` are minutes among times;
    ``None`` where the doubt stays.
    """
    tidied = _tidied(text)
    if column.base == "s":
        return replace(column, factor=Fraction(60)) if tidied == "m" else None
    if tidied.endswith("FLOPs"):
        return _unit(tidied.upper()) if column.base == "FLOP/s" else None
    if tidied == "B":
        if column.base == "B":
            return Unit("B")
        return _multiplied(column, 9) if column.base == "1" else None
    if tidied in PREFIXES:
        return _multiplied(column, PREFIXES[tidied])
    candidates = filter(None, map(_unit, DOUBTS.get(tidied, ())))
    fitting = [
        one
        for one in candidates
        if one.base == column.base and column.per in (None, one.per)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _multiplied(column: Unit, power: int) -> Unit | None:
    """Return *column* with a prefix; 8G in a column of GiB are 8 GiB."""
    if column.base in _COUNTS:
        if column.factor > 1:  # M in a column of thousands
            return None
        return replace(column, factor=column.factor * 10**power)
    if column.base == "B" and column.factor in _BINARY:
        own = 2 ** (power // 3 * 10)
        return column if own == column.factor else None
    if column.base in _PREFIXED:
        return replace(column, factor=Fraction(10**power))
    return None


_COUNTS = ("1", "1/s", "1/h", "1/J")
_PREFIXED = ("B", "B/s", "FLOP/s", "W", "J", "Hz")
_BINARY = tuple(2 ** (10 * power) for power in range(1, 7))


def _tidied(text: str) -> str:
    if len(text) > _LIMIT:
        return ""
    one = unicodedata.normalize("NFC", plain(text))
    one = "".join(
        unicodedata.normalize("NFKC", char) if "\u3300" <= char <= "\u33ff" else char
        for char in one
    )
    one = " ".join(one.replace("μ", "µ").split())
    if one[:1] + one[-1:] in ("()", "[]"):
        one = one[1:-1].strip()
    return one.removeprefix("in ").rstrip(".").strip()


def _unit(text: str) -> Unit | None:
    if text in EXACT:
        base, factor = EXACT[text]
        return Unit(base, None, factor)
    if rate := _BYTES_A_SECOND.fullmatch(text):
        size = Fraction(10 ** PREFIXES[rate[1]], 1 if rate[2] == "B" else 8)
        return Unit("B/s", None, size)
    if inverse := _INVERSE.search(text):
        text = f"{text[: inverse.start()].strip() or '1'}/{inverse[1]}"
    parts = [part.strip() for part in _PER.split(text)]
    match parts:
        case [one]:
            return _simple(one)
        case [over, under]:
            return _quotient(over, under)
        case [over, middle, under]:
            return _double_quotient(over, middle, under)
    return None


def _simple(text: str) -> Unit | None:
    text = text.rstrip(".")
    folded = text.casefold()
    if found := EXACT.get(text) or FOLDED.get(folded):
        return Unit(found[0], None, found[1])
    if folded in TIMES:
        return Unit("s", None, TIMES[folded])
    if folded in NOUNS:
        return Unit("1", NOUNS[folded])
    if folded in SHORT_RATES:
        return Unit("1/s", SHORT_RATES[folded])
    return Unit(SHARES[folded]) if folded in SHARES else None


def _quotient(over: str, under: str) -> Unit | None:
    """Return ``img/s``, ``s/step``, ``GB/s``, ``samples/J``."""
    above, below = _counted(over), _simple(under)
    if above is None or below is None:
        return None
    match above.base, below.base:
        case (("s" | "J" | "B"), "1") if below.per:
            return replace(above, per=below.per)
        case _, "s":
            return _rate(above, below)
        case ("1", "J") | ("1/s", "W"):
            return Unit("1/J", above.per, above.factor / below.factor)
    return None


def _counted(text: str) -> Unit | None:
    """Return what stands over a quotient's line; there, a lone ``t`` are tokens."""
    if text in ("", "1", "#"):
        return Unit("1")
    if text == "t":
        return Unit("1", "token")
    if operations := _OPERATIONS.fullmatch(text):
        return Unit("FLOP", None, Fraction(10 ** PREFIXES[operations[1]]))
    return _simple(text)


def _rate(above: Unit, time: Unit) -> Unit | None:
    if above.base == "1" and (above.per == "epoch" or _is_long(above, time)):
        return Unit("1/h", above.per, above.factor * 3600 / time.factor)
    base = {"1": "1/s", "B": "B/s", "FLOP": "FLOP/s"}.get(above.base)
    return Unit(base, above.per, above.factor / time.factor) if base else None


def _is_long(above: Unit, time: Unit) -> bool:
    """Tell whether a bare ``1/h`` is meant; images per hour are kept per second."""
    return above.per is None and time.factor >= 3600


def _double_quotient(over: str, middle: str, under: str) -> Unit | None:
    """Return ``img/s/W``: what is done for each joule."""
    rate, below = _quotient(over, middle), _simple(under)
    if rate is None or below is None or (rate.base, below.base) != ("1/s", "W"):
        return None
    return Unit("1/J", rate.per, rate.factor / below.factor)


def _multiple(text: str) -> Unit | None:
    """Return ``M tokens``, ``k img/s``, ``ktok/s``, ``万``: a multiple of a count."""
    word, _, rest = text.partition(" ")
    if text in CLEAR_MULTIPLES:
        return Unit("1", None, MULTIPLES[text])
    if word not in MULTIPLES:
        glued = _GLUED.fullmatch(text)
        if glued is None:
            return None
        word, rest = glued[1], glued[2]
    one = _unit(rest)
    if one is None or one.base not in ("1", "1/s", "1/h", "1/J") or one.per is None:
        return None
    return replace(one, factor=one.factor * MULTIPLES[word])
