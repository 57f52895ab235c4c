import RillPages

/// Whether a bar is met, of a call on a machine that does nothing else.
struct LatencyVerdict: Codable, Equatable, Sendable {
    /// What was asked.
    var question: String
    /// What was found; empty where the question says it.
    var finding: String
    var isMet: Bool

    /// `what Rill adds to high at the 99th percentile, idle: 0.41 ms, at most 1 ms: met`
    var text: String { "\(sentence): \(isMet ? "met" : "missed")" }
    /// The same without the verdict.
    var sentence: String { finding.isEmpty ? question : "\(question): \(finding)" }

    /// At the 99th percentile Rill may add so much to the encoder's own time, in nanoseconds.
    static let mostAdded: Int64 = 1_000_000

    static func all(of condition: LatencyResult.Condition, seconds: Double) -> [LatencyVerdict] {
        let added = condition.layers.map { layer -> LatencyVerdict in
            let value = layer.latency(.added)?.percentile99
            let found = value.map { "\(LatencyText.exactMilliseconds($0)) ms" } ?? "nothing was sent"
            return LatencyVerdict(
                question: "what Rill adds to \(layer.name) at the 99th percentile, \(condition.name)",
                finding: "\(found), at most \(mostAdded / 1_000_000) ms", isMet: value.map { $0 <= mostAdded } ?? false)
        }
        let losses = condition.layers.flatMap(\.losses)
        let lost = LatencyVerdict(
            question: "nothing lost in \(Decimal.text(seconds, decimals: 0)) s, \(condition.name)",
            finding: losses.joined(separator: ", "),
            isMet: losses.isEmpty && condition.framesCaptured > 0)
        return added + [lost]
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
