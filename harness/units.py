"""The only code that turns numbers with a unit into text."""

MILLISECOND = 1e-3
KIB = 1024.0


def seconds(value: float) -> str:
    """Write a duration of *value* seconds with the unit a person would choose."""
    if value < 1:
        return f"{value / MILLISECOND:.0f} ms"
    if value < 120:
        return f"{value:.1f} s"
    return f"{int(value // 60)} min {value % 60:.0f} s"


def size(value: float) -> str:
    """Write an amount of *value* bytes in binary units."""
    for unit in ("B", "KiB", "MiB"):
        if value < KIB:
            return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"
        value /= KIB
    return f"{value:.1f} GiB"
