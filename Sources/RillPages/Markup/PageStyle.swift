/// The appearance of pages, in light and dark mode, wide and narrow, and their behavior under a pointer.
enum PageStyle {
    /// The colors for light and dark mode.
    static let colours = """
        :root { color-scheme: light dark;
          --paper: #fff; --text: #1c1f24; --soft: #5c6470; --grid: #e4e7eb; --rule: #aab1ba; --head: #f4f6f8;
          --shade: #d5510022; --blue: #0b62ad; --orange: #c96a00; --green: #00795a; --red: #bf2600; --purple: #82388c;
          --grey: #6d7580; }
        @media (prefers-color-scheme: dark) { :root {
          --paper: #14171b; --text: #e6e9ed; --soft: #9aa4b0; --grid: #2a3038; --rule: #56606c; --head: #1e232a;
          --shade: #ff7b4a33; --blue: #6cb6ff; --orange: #ffa94d; --green: #4fd1a5; --red: #ff7a5c; --purple: #d9a0e6;
          --grey: #98a2ae; } }

        """

    /// The style of plots.
    static let drawings = """
        svg text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums; }
        svg .strip { fill: var(--soft); } svg .strip .name { fill: var(--text); font-weight: 600; }
        .grid { stroke: var(--grid); } .axis { stroke: var(--rule); }
        .line, .dots, .tick { fill: none; stroke: currentColor; stroke-width: 1.6; vector-effect: non-scaling-stroke;
          stroke-linejoin: round; }
        .tick { stroke-width: 2; } .dots { stroke-width: 4; stroke-linecap: round; }
        .large { stroke-width: 8; } .dashed { stroke-dasharray: 5 4; }
        .band { fill: currentColor; fill-opacity: .22; } .bar { fill: currentColor; } .shade { fill: var(--shade); }
        .whisker { fill: none; stroke: var(--text); stroke-width: 1.4; vector-effect: non-scaling-stroke; }
        .level-band { fill: var(--grid); }
        .ratios text { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
        .one { stroke: var(--text); stroke-width: 1.5; } svg .heading { fill: var(--text); font-weight: 700; }
        .ink-blue { color: var(--blue); } .ink-orange { color: var(--orange); } .ink-green { color: var(--green); }
        .ink-red { color: var(--red); } .ink-purple { color: var(--purple); } .ink-grey { color: var(--grey); }

        """

    /// The additional style of a plot in its own file.
    static let file = """
        text { font-family: system-ui, "DejaVu Sans", sans-serif; } .paper { fill: var(--paper); }
        svg .heading { fill: var(--text); font-size: 14px; font-weight: 700; }

        """

    /// The complete style sheet of a page.
    static let sheet =
        colours + drawings + """
            * { box-sizing: border-box; }
            body { margin: 0; background: var(--paper); color: var(--text);
              font: 15px/1.45 system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif; }
            main { max-width: 1400px; margin: 0 auto; padding: 20px 24px 48px; }
            h1 { font-size: 26px; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
            h2 { font-size: 19px; margin: 36px 0 8px; padding-top: 14px; border-top: 1px solid var(--rule); }
            h3 { font-size: 15px; margin: 20px 0 4px; }
            .subtitle { margin: 0 0 16px; color: var(--soft); overflow-wrap: anywhere; }
            .text { max-width: 80ch; } .note { max-width: 110ch; color: var(--soft); font-size: 13px; margin: 2px 0 0; }
            .columns { display: flex; flex-wrap: wrap; gap: 8px 48px; align-items: flex-start; }
            .columns > * { flex: 1 1 420px; min-width: 0; }
            .scroll { overflow-x: auto; max-width: 100%; }
            .scroll:focus-visible { outline: 2px solid var(--blue); outline-offset: 2px; }
            .scroll.wide::before { content: "scrolls sideways →"; position: sticky; left: 0; display: block; width: 0;
              white-space: nowrap; color: var(--soft); font-size: 12px; }
            table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; margin: 6px 0; }
            th, td { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; }
            th { font-weight: 500; color: var(--soft); }
            thead th { color: var(--text); font-weight: 700; border-bottom: 1px solid var(--rule); white-space: nowrap; }
            tbody tr { border-bottom: 1px solid var(--grid); }
            .numbers td, .numbers thead th + th { text-align: right; padding-left: 16px; white-space: nowrap; }
            .numbers tbody th { min-width: 9em; }
            .words td { overflow-wrap: anywhere; } .words th { white-space: nowrap; }
            .detail th { padding-left: 16px; } .group th { padding-top: 12px; color: var(--text); font-weight: 700; }
            figure { margin: 18px 0 0; }
            figcaption { font-size: 14px; margin-bottom: 4px; }
            .legend { margin-left: 16px; color: var(--soft); } .key { margin-right: 14px; white-space: nowrap; }
            .key svg { vertical-align: middle; margin-right: 5px; }
            .whole img { display: block; max-width: 100%; height: auto; border-radius: 3px; background: var(--grid); }
            .drawing { padding: 6px 12px 0 56px; position: relative; }
            .drawing .outer { display: block; overflow: visible; }
            .cards { display: flex; flex-wrap: wrap; gap: 16px 20px; margin: 10px 0; }
            .card { border: 1px solid var(--grid); border-radius: 6px; padding: 8px 10px 10px; background: var(--head); }
            .card p { margin: 0 0 6px; font-size: 13px; } .card .pair { display: flex; gap: 8px; }
            .card figure { margin: 0; } .card figcaption { font-size: 12px; color: var(--soft); margin: 3px 0 0; }
            .card img { display: block; border-radius: 3px; background: var(--grid); }
            .cursor { position: absolute; top: 6px; bottom: 18px; width: 1px; background: var(--text); opacity: .55;
              pointer-events: none; }
            .cursor span { position: absolute; top: -16px; left: 4px; font-size: 11px; background: var(--paper);
              padding: 0 3px; white-space: nowrap; }
            .ratios { padding-left: 0; padding-right: 0; }
            @media (min-width: 900px) { .ratios { padding-left: 420px; }
              .ratios .group { transform: translate(-420px, 8px); }
              .ratios .label { transform: translate(-420px, 13px); } }
            .histogram { display: grid; grid-template-columns: 360px minmax(0, 1fr); gap: 0 16px; margin-top: 10px; }
            .histogram .words { font-size: 13px; line-height: 1.35; } .histogram .name { font-weight: 600; }
            .histogram .series { font-variant-numeric: tabular-nums; } .histogram .outer { display: block; }
            .mark { stroke: currentColor; stroke-width: 1.6; stroke-dasharray: 4 3; }
            .limit { stroke: var(--text); stroke-width: 1.5; }
            svg .limit-label { fill: var(--text); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
            @media (max-width: 899px) { .histogram { grid-template-columns: minmax(0, 1fr); } }
            .headline { font-size: 18px; max-width: 80ch; margin: 8px 0 4px; }
            .rating { font-weight: 600; white-space: nowrap; } .ahead { color: var(--green); }
            .behind { color: var(--red); } .level { color: var(--soft); }
            pre { font-size: 12px; background: var(--head); padding: 8px 10px; border-radius: 6px; overflow-x: auto;
              white-space: pre-wrap; overflow-wrap: anywhere; margin: 4px 0 12px; }
            @media (max-width: 640px) { main { padding: 14px 12px 32px; } .fine text { display: none; }
              .drawing { padding-left: 48px; padding-right: 8px; } .legend { margin-left: 0; display: block; }
              th, td { padding-right: 8px; } .numbers td, .numbers thead th + th { padding-left: 8px; } }

            """

    /// The script of a page. A line under the pointer marks the same time in all plots of a stack, and tables that
    /// scroll are labeled. The page is complete without it.
    static let script = """
        const scrolls = new ResizeObserver(entries => {
          for (const { target } of entries) target.classList.toggle("wide", target.scrollWidth > target.clientWidth + 1);
        });
        document.querySelectorAll(".scroll").forEach(table => scrolls.observe(table));
        for (const stack of document.querySelectorAll(".stack")) {
          const from = +stack.dataset.from, to = +stack.dataset.to;
          const drawings = [...stack.querySelectorAll(".drawing")];
          const clear = () => stack.querySelectorAll(".cursor").forEach(cursor => cursor.remove());
          stack.addEventListener("pointermove", event => {
            clear();
            for (const drawing of drawings) {
              const box = drawing.querySelector("svg").getBoundingClientRect();
              const share = (event.clientX - box.left) / box.width;
              if (Math.abs(share - 0.5) > 0.5) continue;
              const cursor = document.createElement("div"), label = document.createElement("span");
              cursor.className = "cursor";
              cursor.style.left = (box.left - drawing.getBoundingClientRect().left + share * box.width) + "px";
              label.textContent = (from + share * (to - from)).toFixed(2) + " s";
              if (share > 0.9) label.style.left = "-56px";
              cursor.append(label);
              drawing.append(cursor);
            }
          });
          stack.addEventListener("pointerleave", clear);
        }

        """
}

extension HTML {
    /// Stacks plots with a common time axis in seconds, one below the other. A pointer over one marks its time in
    /// all.
    public static func stack(_ plots: [HTML], over time: ClosedRange<Double>) -> HTML {
        .element(
            "div",
            [
                "class": "stack", "data-from": Decimal.text(time.lowerBound, decimals: 3),
                "data-to": Decimal.text(time.upperBound, decimals: 3),
            ], plots)
    }
}
