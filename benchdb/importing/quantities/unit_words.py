"""The names of units, in the languages and spellings that people publish in."""

from fractions import Fraction

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
