"""What headers speak of, in the languages people publish in.

A header is a set of ideas: ``Peak Power GPU`` is {peak, power, gpu}. What a column then
holds follows from its ideas and its cells.
"""

import re
import unicodedata
from functools import lru_cache

Ideas = frozenset[str]
_LIMIT = 200  # characters of a header that are looked at

# Words by idea; ``*`` stands for more letters, as German joins words. Korean, Chinese
# and Japanese words are found anywhere, others as whole words.
_WORDS: dict[str, str] = {
    "throughput": "throughput durchsatz débit debit rendimiento speed "
    "geschwindigkeit vitesse velocidad 처리량 처리속도 속도 吞吐 吞吐量 速度 "
    "スループット perf performance",
    "time": "time times duration runtime elapsed wall walltime secs seconds sec s "
    "zeit *zeit *dauer dauer sekunden temps durée duree secondes tiempo tempo 시간 "
    "소요 초 时间 耗时 用时 秒 時間 所要時間 ms milliseconds",
    "user": "user benutzer utilisateur",
    "system": "system sys",
    "epoch": "epoch epochs epoche epochen epochen* époque époques epoque época "
    "épocas 에폭 에포크 轮 轮次 轮数 輪 エポック",
    "step": "step steps iteration iterations iter iters it batch batches schritt "
    "schritte étape pas paso 스텝 步 步数 迭代 ステップ",
    "batchsize": "batchsize bs stapelgröße stapelgrösse batchgröße batchgrösse "
    "losgröße tailledelot tailledebatch 배치 배치크기 배치사이즈 批大小 批次大小 "
    "批量 批量大小 バッチサイズ バッチ",
    "sample": "samples sample images image img imgs sequences seq examples bilder "
    "exemples 이미지 图片 样本",
    "token": "token tokens tok 토큰 トークン",
    "power": "power watt watts leistung leistungsaufnahme stromverbrauch puissance "
    "consommation potencia consumo 전력 소비전력 功耗 功率 電力 消費電力",
    "energy": "energy joule joules energie énergie energía 에너지 能耗 能量",
    "peak": "peak max maximum maximal maximale spitze spitzen* pic crête 최대 피크 "
    "峰值 最大 ピーク",
    "mean": "mean avg average mittel mittlere durchschnitt* moyenne moyen media "
    "평균 平均",
    "idle": "idle leerlauf repos 유휴 空闲 待机",
    "memory": "memory mem vram speicher speicherverbrauch *speicher mémoire "
    "memoire memoria 메모리 显存 内存 記憶 メモリ メモリー",
    "ram": "ram arbeitsspeicher hauptspeicher 램",
    "used": "usage used use footprint consumption verbrauch speicherverbrauch "
    "belegt utilisée utilisation 사용량 占用 使用 使用量",
    "flops": "tflops gflops flops tflop gflop teraflops gigaflops",
    "bandwidth": "bandwidth bandbreite *bandbreite 대역폭 带宽 帯域",
    "score": "score scores punkte punktzahl points puntuación 점수 得分 分数 跑分 "
    "スコア",
    "ratio": "speedup speedups faster ratio relative factor beschleunigung faktor "
    "accélération acceleration facteur aceleración improvement gain 속도향상 개선률 "
    "개선율 배율 加速比 加速 提升 倍率 高速化",
    "accuracy": "accuracy acc genauigkeit précision* exactitude 정확도 准确率 正解率",
    "loss": "loss verlust perte 손실 损失 損失",
    "latency": "latency latenz latence latencia 지연 지연시간 延迟 レイテンシ",
    "median": "median p50",
    "p90": "p90",
    "p99": "p99",
    "first": "first erste erster premier première 첫",
    "ttft": "ttft",
    "compile": "compile compilation kompilier* compilación 컴파일 编译 コンパイル",
    "load": "load loading laden chargement 로딩 加载",
    "fps": "fps",
    "utilisation": "util utilization utilisation auslastung mfu 사용률 利用率",
    "model": "model models modell modelle modèle modele modelo modello 모델 모형 "
    "模型 モデル",
    "network": "network netz netzwerk net architecture architektur réseau 네트워크 "
    "网络 ネットワーク",
    "workload": "workload benchmark benchmarks task test tests script skript name "
    "experiment aufgabe tâche tarea dataset datensatz 벤치마크 작업 테스트 任务 "
    "测试 测试项目 基准 ベンチマーク タスク",
    "machine": "machine computer rechner gerät geraet hardware host laptop mac "
    "system plattform platform maschine ordinateur appareil matériel equipo máquina "
    "기기 장비 컴퓨터 머신 맥 机器 设备 电脑 硬件 機種 マシン",
    "chip": "chip soc prozessor processor processeur procesador cpu/gpu chipset 칩 "
    "프로세서 芯片 处理器 プロセッサ チップ",
    "gpu": "gpu gpus grafikkarte graphics card *grafik graphique 그래픽카드 그래픽 "
    "显卡 グラフィック",
    "cpu": "cpu cpus",
    "soc": "soc package",
    "cores": "cores core kerne kern coeurs cœurs núcleos 코어 核心 核心数 コア",
    "os": "os macos betriebssystem osversion système sistema 운영체제 操作系统 系统 OS",
    "framework": "framework frameworks library bibliothek backend software "
    "프레임워크 라이브러리 框架 后端 フレームワーク",
    "version": "version ver 버전 版本 バージョン",
    "device": "device devices backend accelerator 디바이스 장치 后端 デバイス",
    "metal": "metal mps",
    "precision": "precision dtype datatype format quant quantization quantisation "
    "genauigkeit datentyp 정밀도 자료형 精度 数据类型 量化 データ型",
    "date": "date datum day fecha 날짜 일자 日期 日付",
    "compiler": "compiler xla jit compiled",
    "python": "python",
    "rank": "rank # no nr number pos position platz rang 순위 번호 排名 序号 编号 順位",
    "note": "note notes comment comments remark remarks bemerkung bemerkungen "
    "anmerkung anmerkungen kommentar hinweis remarque remarques commentaire notas "
    "contributor contributors author authors submitter tester autor auteur 贡献者 "
    "提交者 作者 投稿者 기여자 "
    "comentarios observaciones 비고 참고 메모 备注 说明 備考",
    "link": "link links url source quelle lien reference 링크 출처 链接 来源 リンク",
}
_JOINED = re.compile(r"(?<=[a-zäöüß])(?=[A-Z])")
_MARKS = re.compile(r"[_\-.:,;()\[\]/|*]+")
_LETTERS = "a-z0-9äöüßéèêàâçîïôûñáíóúœ"


def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    made = []
    for idea, words in _WORDS.items():
        whole = [_spelt(word) for word in words.split()]
        made.append((idea, re.compile("|".join(whole))))
    return tuple(made)


def _spelt(word: str) -> str:
    folded = unicodedata.normalize("NFKC", word).casefold()
    if any(char >= "\u3040" for char in folded):
        return re.escape(folded)
    letters = re.escape(folded).replace(r"\*", f"[{_LETTERS}]{{1,20}}")
    return f"(?<![{_LETTERS}]){letters}(?![{_LETTERS}])"


_PATTERNS = _patterns()
_SIZES = re.compile(
    r"batch ?(?:size|größe|grösse)|taille (?:de |du )?(?:lot|batch)|tamaño de lote"
    r"|배치 ?(?:크기|사이즈)|批(?:次|量)?大小"
)
_LESS = re.compile(
    r"(?:lower|smaller|less|fewer) (?:is|are|=) better|(?:kleiner|niedriger|weniger) "
    r"(?:ist|=) besser|plus (?:bas|petit) est (?:le )?mieux"
    r"|menos es mejor|낮을수록 좋|작을수록 좋|越低越好|越小越好|低いほど良|小さいほど良"
)


@lru_cache(maxsize=1024)
def ideas(header: str) -> Ideas:
    """Return what *header* speaks of."""
    plain = folded(header)
    found = {idea for idea, pattern in _PATTERNS if pattern.search(plain)}
    if _SIZES.search(plain) or plain in ("batch", "batches", "b"):
        found = (found - {"step"}) | {"batchsize"}
    if "speed up" in plain:
        found = (found - {"throughput"}) | {"ratio"}
    if _LESS.search(plain):
        found.add("lower")
    if plain == "#":
        found.add("rank")
    return frozenset(found)


def folded(header: str) -> str:
    """Return *header* in lower case, its words apart: ``BatchSize``, ``batch_size``."""
    apart = _JOINED.sub(" ", unicodedata.normalize("NFKC", header[:_LIMIT]))
    return " ".join(_MARKS.sub(" ", apart.casefold()).split())
