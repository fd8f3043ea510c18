"""One example of every kind of chart on two axes; figures made up for their shape."""

from benchdb.report.charts.spec import (
    Chart,
    Key,
    Look,
    Panel,
    Point,
    Row,
    Rows,
    Scale,
    Stroke,
    Tick,
)


def scatter() -> Chart:
    """Return throughput against power, with lines of equal efficiency."""
    made: tuple[tuple[Look, tuple[tuple[float, float, str], ...]], ...] = (
        ("0", ((36.1, 55.8, "ResNet-50"), (32.8, 72.8, ""))),
        ("0", ((31.7, 174.7, "MobileNetV2"), (29.4, 181.5, ""))),
        ("1", ((42.0, 140.0, "ResNet-50"), (37.0, 352.0, "MobileNetV2"))),
        ("reference", ((360, 1100, "ResNet-50"), (370, 1185, ""))),
        ("reference", ((340, 2001, "MobileNetV2"), (350, 2197, ""))),
    )
    points = tuple(
        Point(x, y, look, label, run=f"{x}{y}", hollow=look == "reference")
        for look, rows in made
        for x, y, label in rows
    )
    guides = tuple(
        Stroke(((20, 20 * n), (500, 500 * n)), "quiet", f"{n} img/J", guide=True)
        for n in (1, 2, 5, 10)
    )
    panel = Panel(
        "",
        Scale(
            20, 500, _ticks(20, 50, 100, 200, 500, unit=" W", minor=(50, 200)), "Power"
        ),
        Scale(40, 3000, _ticks(50, 100, 200, 500, 1000, 2000), "Images per second"),
        points,
        guides,
    )
    keys = (
        Key("0", "M1 Pro"),
        Key("1", "M1 Max"),
        Key("reference", "RTX 3090", hollow=True),
    )
    return Chart(
        "efficiency", "Throughput and power", "M1 Max: 9.5 img/J", (panel,), keys
    )


def slopes() -> Chart:
    """Return ratios at two batch sizes, the steep ones highlighted."""
    made: tuple[tuple[str, float, float, Look], ...] = (
        ("VGG-16", 5.2, 6.1, "quiet"),
        ("AlexNet", 3.4, 3.6, "quiet"),
        ("ResNet-18", 2.3, 6.1, "1"),
        ("MobileNetV2", 4.9, 25.5, "1"),
        ("EfficientNet-B0", 3.4, 19.2, "1"),
    )
    panel = Panel(
        "M1 Max",
        Scale(2.5, 64, _ticks(4, 64), "Batch size"),
        Scale(2, 30, _ticks(2, 4, 8, 16, unit="×"), "Metal against CPU"),
        tuple(
            point
            for _, low, high, look in made
            for point in (Point(4, low, look, f"{low}×"), Point(64, high, look))
        ),
        tuple(
            Stroke(((4, low), (64, high)), look, f"{high}× {name}")
            for name, low, high, look in made
        ),
    )
    return Chart("batches", "Batch size", "MobileNetV2 from 4.9× to 25.5×", (panel,))


def sweep(panels: int = 4) -> Chart:
    """Return lines of TFLOPS against size, with the peak of a chip."""
    sizes = (256, 512, 1024, 2048, 4096, 8192, 16384)
    tops: tuple[tuple[str, float, Look], ...] = (
        ("H200 · CUDA", 52, "reference"),
        ("M1 Max · Metal", 9.5, "1"),
        ("Xeon · CPU", 3.1, "2"),
        ("M1 Pro · Metal", 4.8, "0"),
    )
    made = []
    for title in ("fp32", "tf32", "bf16", "fp16")[:panels]:
        lines = [
            (name, look, tuple((m, top * m / (m + 900)) for m in sizes))
            for name, top, look in tops
        ]
        made.append(
            Panel(
                title,
                Scale(256, 16384, _ticks(*sizes, minor=sizes[1::2]), "Size M"),
                Scale(0, 70, _ticks(0, 20, 40, 60), "TFLOPS", log=False),
                tuple(
                    Point(x, y, look, low=y * 0.93, high=y * 1.07)
                    for _, look, line in lines
                    for x, y in line
                ),
                (
                    *(Stroke(line, look, name) for name, look, line in lines),
                    Stroke(
                        ((256, 67), (16384, 67)), "reference", "Peak H200", guide=True
                    ),
                ),
            )
        )
    keys = tuple(Key(look, name) for name, _, look in tops)
    return Chart("sweep", "Matmul sweep", "H200 reaches 49 TFLOPS", tuple(made), keys)


def scaling() -> Chart:
    """Return throughput against GPU cores, with perfect scaling."""
    points = [
        (8, 60, "M1"),
        (16, 110, "M1 Pro"),
        (32, 190, "M1 Max"),
        (64, 320, "Ultra"),
    ]
    panel = Panel(
        "",
        Scale(7, 72, _ticks(8, 16, 32, 64), "GPU cores"),
        Scale(50, 600, _ticks(50, 100, 200, 500), "Images per second"),
        tuple(Point(x, y, "0", name) for x, y, name in points),
        (Stroke(((8, 60), (64, 480)), "quiet", "perfect scaling", guide=True),),
    )
    keys = (Key("0", "ResNet-50, cores^0.8"), Key("quiet", "perfect scaling"))
    return Chart("scaling", "Scaling", "cores^0.8", (panel,), keys)


def strips() -> Chart:
    """Return all runs of the same work on a chip, one row each, mine marked."""
    rows = (
        "ResNet-50 · batch 64 · M1 Max · Metal",
        "LSTM · batch 128 · M1 Pro · Metal",
    )
    points = [
        Point(50 + 3.1 * n + 11 * row + n * n % 5, row, "quiet")
        for row in range(2)
        for n in range(11)
    ]
    mine = Point(71, 0, "mine", "this machine")
    medians = tuple(
        Stroke(((66 + 11 * k, k + 0.3), (66 + 11 * k, k - 0.3)), "0") for k in range(2)
    )
    panel = Panel(
        "",
        Scale(40, 110, _ticks(40, 60, 80, 110, unit=" img/s"), "Throughput"),
        Rows(tuple(map(Row, rows))),
        (*points, mine),
        medians,
    )
    keys = (Key("mine", "this machine"), Key("quiet", "others"), Key("0", "median"))
    return Chart("normal", "Is it normal?", "Slower than 8 of 11", (panel,), keys)


def _ticks(
    *values: float, unit: str = "", minor: tuple[float, ...] = ()
) -> tuple[Tick, ...]:
    return tuple(Tick(v, f"{v:,}{unit}", minor=v in minor) for v in values)


KINDS = {
    "scatter": scatter(),
    "slopes": slopes(),
    "sweep": sweep(),
    "scaling": scaling(),
    "strips": strips(),
}
