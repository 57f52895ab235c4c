import Rill
import RillCore
import RillLab
import RillPages

/// The longest freezes of a layer, each with the pictures before and after it.
struct FreezeCards {
    private let timeline: LayerTimeline

    init(_ timeline: LayerTimeline) {
        self.timeline = timeline
    }

    /// A heading and the cards; empty if there was no freeze.
    var html: [HTML] {
        let shown = timeline.picturedFreezes
        guard !shown.isEmpty else { return [] }
        let count = timeline.freezes.count + timeline.omittedFreezes
        let title =
            count > shown.count
            ? "\(timeline.rid): the \(shown.count) longest of \(count)" : "\(timeline.rid): all \(count)"
        return [
            .element("h3", [:], HTML(text: title)), .element("div", ["class": "cards"], shown.map(card)),
        ]
    }

    private func card(_ pictured: PicturedFreeze) -> HTML {
        let freeze = pictured.freeze
        let rules = [freeze.isFreeze ? "W3C" : nil, freeze.isLongGap ? "> 500 ms" : nil].compactMap(\.self)
        return .element(
            "div", ["class": "card"],
            .element(
                "p", [:],
                .element("b", [:], HTML(text: "\(Decimal.text(freeze.duration.milliseconds, decimals: 0)) ms")),
                HTML(text: " from \(text(freeze.start)) (\(rules.joined(separator: ", ")))")),
            .element(
                "div", ["class": "pair"], picture(pictured.before, "the frozen picture"),
                picture(pictured.after, "the first picture after the freeze")))
    }

    private func picture(_ thumbnail: Thumbnail, _ what: String) -> HTML {
        .element(
            "figure", [:],
            .element(
                "img",
                [
                    "src": DataURI.text(thumbnail.webP, type: "image/webp"), "width": "\(thumbnail.resolution.width)",
                    "height": "\(thumbnail.resolution.height)", "alt": what,
                ]),
            .element("figcaption", [:], HTML(text: "shown at \(text(thumbnail.time))")))
    }

    private func text(_ time: MediaTime) -> String {
        let seconds = time.seconds
        return Clock.text(seconds, decimals: 2) + (seconds < 59.995 ? " s" : "")
    }
}
