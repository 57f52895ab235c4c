"""Curves of quality against bitrate, and of freezes against delay, as pictures."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.ticker import ScalarFormatter

# Ours is the one that stands out.
STYLES = {
    "Rill": {"color": "#0b6e4f", "marker": "o", "linewidth": 2.6, "zorder": 3},
    "FFmpeg": {"color": "#c8553d", "marker": "s", "linewidth": 1.4, "linestyle": "--", "zorder": 2},
    "GStreamer": {"color": "#4a6fa5", "marker": "^", "linewidth": 1.4, "linestyle": ":", "zorder": 2},
}
AXES = {"psnr": "PSNR of luma, dB", "ssim": "SSIM of luma"}


def draw(path: Path, title: str, panels: list) -> None:
    """One column for each panel, PSNR above SSIM."""
    figure, grid = plt.subplots(2, len(panels), figsize=(5.6 * len(panels), 8.4), squeeze=False)
    for column, panel in enumerate(panels):
        for row, (value, axis_title) in enumerate(AXES.items()):
            axes = grid[row][column]
            for curve in panel.curves:
                points = sorted((point.kilobits, getattr(point, value)) for point in curve.points)
                label = curve.recipe.name
                if curve.instructions is not None:
                    label += f" ({curve.instructions / 1e6:.1f} M instructions a frame)"
                axes.plot(*zip(*points), label=label, markersize=5.5, **STYLES[curve.recipe.name])
            axes.set_xscale("log")
            ticks = [point.target for point in panel.curves[0].points]
            axes.set_xticks(ticks, labels=[str(tick) for tick in ticks])
            axes.minorticks_off()
            axes.yaxis.set_major_formatter(ScalarFormatter(useOffset=False))
            axes.set_xlabel("actual bitrate, kbit/s")
            axes.set_ylabel(axis_title)
            axes.grid(alpha=0.3)
            if row == 0:
                layer = panel.layer
                axes.set_title(f"{layer.name} layer: {layer.width}x{layer.height}, {layer.rate} frames a second")
            if row == 0:
                # Room for the legend below the curves.
                low, high = axes.get_ylim()
                axes.set_ylim(low - 0.3 * (high - low), high)
                axes.legend(loc="lower right", fontsize=9)
    figure.suptitle(title, fontsize=14)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_rivals(path: Path, panels: list, ours: str) -> None:
    """Freezes a minute against the 95th percentile of the delay: one panel for each network and layer."""
    columns = 4
    rows = -(-len(panels) // columns)
    figure, grid = plt.subplots(rows, columns, figsize=(3.9 * columns, 3.1 * rows), squeeze=False)
    for axes, panel in zip(grid.flat, panels):
        theirs = [(name, cell) for name, cell in panel.cells.items() if name != ours]
        points = [(cell.high_delay, cell.freezes_per_minute) for _, cell in theirs]
        axes.plot(*zip(*points), label="GStreamer, by latency", markersize=5, **STYLES["GStreamer"])
        for (name, _), point in zip(theirs, points):
            axes.annotate(name.split()[-1], point, textcoords="offset points", xytext=(4, 4), fontsize=7.5)
        cell = panel.cells[ours]
        style = STYLES[ours] | {"linestyle": "none", "marker": "*"}
        axes.plot([cell.high_delay], [cell.freezes_per_minute], label=ours, markersize=13, **style)
        axes.set_title(f"{panel.network.name}, {panel.layer} layer", fontsize=9.5)
        right = max([x for x, _ in points] + [cell.high_delay])
        axes.set_xlim(-0.05 * right, 1.12 * right)
        top = max([y for _, y in points] + [cell.freezes_per_minute, 1])
        axes.set_ylim(-0.06 * top, 1.2 * top)
        axes.grid(alpha=0.3)
    for axes in grid[-1]:
        axes.set_xlabel("95 % of added delays, ms")
    for axes in grid[:, 0]:
        axes.set_ylabel("freezes a minute")
    grid[0][0].legend(fontsize=8)
    figure.suptitle("Freezes against delay without repair: down and to the left is better", fontsize=14)
    figure.tight_layout()
    figure.savefig(path, dpi=100)
    plt.close(figure)
