// Feedback and limits with their names in session descriptions.

extension StreamDescription.Feedback {
    private static let names: [(Self, RTCPFeedback)] = [
        (.nack, .nack), (.pictureLossIndication, .pictureLossIndication), (.fullIntraRequest, .fullIntraRequest),
        (.receiverEstimatedMaximumBitrate, .receiverEstimatedMaximumBitrate),
        (.transportWideCongestionControl, .transportWideCongestionControl), (.pause, RTCPFeedback("ccm", "pause")),
        (.congestionControlFeedback, .congestionControlFeedback),
    ]
    /// The kinds that belong to no payload type: they are written for all, as `*` (RFC 8888 §6).
    package static let wildcard: Self = [.congestionControlFeedback]

    /// The known kinds among `messages`; ignores others.
    package init(_ messages: [RTCPFeedback]) {
        self = []
        for (kind, message) in Self.names where messages.contains(message) { insert(kind) }
    }

    /// The feedback as in a=rtcp-fb.
    package var messages: [RTCPFeedback] { Self.names.filter { contains($0.0) }.map(\.1) }
}

extension StreamDescription.Limits {
    /// The limits in the restrictions of a=rid (RFC 8851 §5). Ignores values that are not positive numbers.
    package init(_ restrictions: [RTPFormat.Parameter]) {
        func number(_ name: String) -> Int? {
            restrictions.first { $0.name == name }?.value.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        }
        width = number("max-width")
        height = number("max-height")
        pixelsPerFrame = number("max-fs")
        pixelsPerSecond = number("max-pps")
        bitsPerSecond = number("max-br")
        let rate = restrictions.first { $0.name == "max-fps" }?.value.flatMap { Double($0) }
        framesPerSecond = rate.flatMap { $0 > 0 && $0 < .infinity ? $0 : nil }
    }

    /// The limits as in a=rid.
    package var restrictions: [RTPFormat.Parameter] {
        let numbers = [
            ("max-width", width), ("max-height", height), ("max-fs", pixelsPerFrame), ("max-pps", pixelsPerSecond),
            ("max-br", bitsPerSecond),
        ]
        var found = numbers.compactMap { name, value in value.map { RTPFormat.Parameter(name, "\($0)") } }
        if let framesPerSecond { found.insert(RTPFormat.Parameter("max-fps", "\(framesPerSecond)"), at: 0) }
        return found
    }
}
