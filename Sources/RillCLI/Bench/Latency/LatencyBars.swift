import RillPages

extension LatencyResult {
    /// At the 99th percentile Rill may add so much to the encoder's own time, in nanoseconds.
    static let mostAdded: Int64 = 1_000_000

    /// What is promised of a call on a machine that does nothing else, whether it may sleep or not.
    var bars: [Bar] { conditions.filter { $0.name != .busy }.flatMap { $0.bars(seconds: seconds) } }
}

extension LatencyResult.Condition {
    /// What is promised of a call, as this one kept it.
    func bars(seconds: Double) -> [Bar] {
        let added = layers.map { layer in
            Bar(
                name: "live, what Rill adds to \(layer.name) at the 99th percentile, \(name)",
                figure: layer.latency(.added).map { Double($0.percentile99) / 1e6 },
                limit: Double(LatencyResult.mostAdded) / 1e6, unit: "ms", note: machine?.text ?? "")
        }
        let lost = layers.reduce(0) { $0 + max(0, $1.framesLost) + max(0, $1.packetsLost) }
        return added + [
            Bar(
                name: "live, frames and datagrams lost in \(Decimal.text(seconds, decimals: 0)) s, \(name)",
                figure: framesCaptured > 0 ? Double(lost) : nil, limit: 0, unit: "",
                note: layers.flatMap(\.losses).joined(separator: ", "))
        ]
    }
}

extension LatencyResult.Machine {
    /// What no call can be better than: the wakes that every frame needs.
    fileprivate var text: String {
        "two threads that only wake: \(Decimal.text(Double(handed.percentile99) / 1e6, decimals: 3)) ms"
    }
}

extension LatencyResult.Layer {
    /// What of it did not come through, and why, as far as that is known.
    var losses: [String] {
        var losses: [String] = []
        if framesLost != 0 {
            let reasons = [
                (count("encoderBusy"), "gave way to a newer one"),
                (count("rateControl"), "left out by the rate control"), (framesSpared, "spared for want of time"),
                (count("decoded") - count("shown"), "overtaken at the receiver, decoded and not shown"),
            ].compactMap { $0.0 > 0 ? "\($0.0) \($0.1)" : nil }
            losses.append(
                "\(framesLost) of \(framesDue) frames of \(name)"
                    + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"))
        }
        if packetsLost != 0 {
            losses.append("\(packetsLost) \(packetsLost == 1 ? "datagram" : "datagrams") of \(name)")
        }
        return losses
    }
}
