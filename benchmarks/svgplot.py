"""A plot of a few curves or points as SVG, without a library: it reads well on a light and on a dark page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

_WIDTH, _HEIGHT = 640, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 40, 50
_LINE = 15  # a line of text
_COLOURS = ("#2a78b8", "#c0562b", "#3d9150", "#8a5bb0")  # told apart by most eyes on white and on black


@dataclass(frozen=True)
class Curve:
    name: str
    points: Sequence[tuple[float, float]]
    mark: tuple[float, float] | None = None  # the point that is in use
    dashed: bool = False
    colour: int = 0


@dataclass(frozen=True)
class Point:
    name: str
    at: tuple[float, float]


@dataclass(frozen=True)
class Axes:
    title: str
    x: str
    y: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_goal: float | None = None
    y_goal: float | None = None
    x_steps: Sequence[float] = ()  # marks of a logarithmic axis; without them it is linear


def write_plot(file: Path, axes: Axes, curves: Sequence[Curve] = (), points: Sequence[Point] = ()) -> None:
    file.write_text("\n".join(_lines(axes, curves, points)) + "\n", encoding="utf-8")


def _lines(axes: Axes, curves: Sequence[Curve], points: Sequence[Point]) -> Iterator[str]:
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
    yield from _named(axes, points)
    yield "</svg>"


def _named(axes: Axes, points: Sequence[Point]) -> Iterator[str]:
    """Each point with its name at its right, or at its left where another point or the frame is in the way."""
    places = [_at(axes, *point.at) for point in points]
    for number, (point, (x, y)) in enumerate(zip(points, places, strict=True)):
        room = min((at - x for at, height in places if at > x and abs(height - y) < _LINE), default=_WIDTH)
        right = 12 + 7 * len(point.name) < min(room, _WIDTH - x)  # a letter is some 7 wide
        aside, anchor = (12, "start") if right else (-12, "end")
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{_COLOURS[number % len(_COLOURS)]}"/>'
        yield f'<text x="{x + aside:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">{escape(point.name)}</text>'


def _grid(axes: Axes) -> Iterator[str]:
    for value in axes.x_steps or _steps(axes.x_range):
        x, _ = _at(axes, value, axes.y_range[0])
        shown = f"{value:g}" if axes.x_steps else f"{value:.2f}"
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="#8884"/>'
        yield f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{shown}</text>'
    for y_value in _steps(axes.y_range):
        _, y = _at(axes, axes.x_range[0], y_value)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#8884"/>'
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


def _steps(ends: tuple[float, float]) -> list[float]:
    return [ends[0] + step / 5 * (ends[1] - ends[0]) for step in range(6)]


def _at(axes: Axes, x: float, y: float) -> tuple[float, float]:
    (x0, x1), (y0, y1) = axes.x_range, axes.y_range
    if axes.x_steps:
        x0, x1, x = math.log(x0), math.log(x1), math.log(x)
    across = (x - x0) / (x1 - x0) * (_WIDTH - _LEFT - _RIGHT)
    up = (y - y0) / (y1 - y0) * (_HEIGHT - _TOP - _BOTTOM)
    return _LEFT + across, _HEIGHT - _BOTTOM - up
