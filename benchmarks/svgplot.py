"""A plot of a few curves as SVG, without a library: it reads well on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT = 640, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 40, 50
_COLOURS = ("#2a78b8", "#c0562b", "#3d9150", "#8a5bb0")  # told apart by most eyes on white and on black


@dataclass(frozen=True)
class Curve:
    name: str
    points: Sequence[tuple[float, float]]
    mark: tuple[float, float] | None = None  # the point that is in use
    dashed: bool = False
    colour: int = 0


@dataclass(frozen=True)
class Axes:
    title: str
    x: str
    y: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_goal: float | None = None
    y_goal: float | None = None


def write_plot(file: Path, axes: Axes, curves: Sequence[Curve]) -> None:
    file.write_text("\n".join(_lines(axes, curves)) + "\n", encoding="utf-8")


def _lines(axes: Axes, curves: Sequence[Curve]) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
        'font-size="12" fill="#777" stroke="none">'
    )
    yield f'<text x="{_LEFT}" y="20" font-size="14">{escape(axes.title)}</text>'
    yield from _grid(axes)
    for number, curve in enumerate(curves):
        colour = _COLOURS[curve.colour % len(_COLOURS)]
        inside = [p for p in curve.points if axes.x_range[0] <= p[0] <= axes.x_range[1]]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (_at(axes, *point) for point in inside))
        dashes = ' stroke-dasharray="5 4"' if curve.dashed else ""
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'
        if curve.mark is not None:
            x, y = _at(axes, *curve.mark)
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>'
        y = _HEIGHT - _BOTTOM + 6 - 18 * (len(curves) - number)
        sample = f'x1="{_LEFT + 12}" x2="{_LEFT + 36}" y1="{y}" y2="{y}"'
        yield f'<line {sample} stroke="{colour}" stroke-width="2"{dashes}/>'
        yield f'<text x="{_LEFT + 42}" y="{y + 4}">{escape(curve.name)}</text>'
    yield "</svg>"


def _grid(axes: Axes) -> Iterator[str]:
    for step in range(6):
        x_value = axes.x_range[0] + step / 5 * (axes.x_range[1] - axes.x_range[0])
        y_value = axes.y_range[0] + step / 5 * (axes.y_range[1] - axes.y_range[0])
        x, y = _at(axes, x_value, y_value)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="#8884"/>'
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8884"/>'
        yield f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{x_value:.2f}</text>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{y_value:.2f}</text>'
    if axes.x_goal is not None:
        x, _ = _at(axes, axes.x_goal, axes.y_range[0])
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="#777" stroke-width="1.5"/>'
    if axes.y_goal is not None:
        _, y = _at(axes, axes.x_range[0], axes.y_goal)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#777" stroke-width="1.5"/>'
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    yield f'<text x="{middle}" y="{_HEIGHT - 12}" text-anchor="middle">{escape(axes.x)}</text>'
    yield f'<text transform="translate(16 {_HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(axes.y)}</text>'


def _at(axes: Axes, x: float, y: float) -> tuple[float, float]:
    (x0, x1), (y0, y1) = axes.x_range, axes.y_range
    across = (x - x0) / (x1 - x0) * (_WIDTH - _LEFT - _RIGHT)
    up = (y - y0) / (y1 - y0) * (_HEIGHT - _TOP - _BOTTOM)
    return _LEFT + across, _HEIGHT - _BOTTOM - up
