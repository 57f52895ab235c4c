"""Curves of quality against bitrate, as a picture."""

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
