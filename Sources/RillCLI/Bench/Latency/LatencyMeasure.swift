/// A stretch of a frame's way.
enum LatencyMeasure: String, Codable, CaseIterable, Sendable {
    /// From the moment the frame is due to its last packet's being with the system.
    case captureToSent
    /// The encoder's own call.
    case encode
    /// What is left of the way to the last packet without the encoder's call: what Rill adds.
    case added
    /// From the preprocessed picture to the layer's thread's having it in the layer's size.
    case handoff
    /// From the coded frame to its last packet's being with the system.
    case packetize
    /// From the first packet's arrival to the sink.
    case firstPacketToShown
    /// From the last packet's arrival to the sink.
    case lastPacketToShown
    /// From the jitter buffer to the picture.
    case decode
    /// From the moment the frame is due to the sink.
    case captureToShown

    /// For tables and plots.
    var title: String {
        switch self {
        case .captureToSent: "captured → last packet sent"
        case .encode: "of it the encoder's call"
        case .added: "of it what Rill adds"
        case .handoff: "waking the layer's thread, scaling"
        case .packetize: "packets, cut and sent"
        case .firstPacketToShown: "first packet → picture shown"
        case .lastPacketToShown: "last packet → picture shown"
        case .decode: "of it the decoder's call"
        case .captureToShown: "captured → picture shown"
        }
    }

    /// Parts of the measure above stand further in.
    var depth: Int {
        switch self {
        case .captureToSent, .firstPacketToShown, .lastPacketToShown, .captureToShown: 0
        case .encode, .added, .decode: 1
        case .handoff, .packetize: 2
        }
    }

    /// How long each frame took, in nanoseconds; frames that did not go the whole stretch are not there.
    func values(of layer: LatencyRecord.Layer) -> [Int64] {
        layer.sent.compactMap { sent in
            let shown = layer.shown[sent.timestamp]
            return switch self {
            case .captureToSent: sent.sent - sent.captured
            case .encode: sent.encoded - sent.scaled
            case .added: sent.sent - sent.captured - (sent.encoded - sent.scaled)
            case .handoff: sent.scaled - sent.preprocessed
            case .packetize: sent.sent - sent.encoded
            case .firstPacketToShown: shown.map { $0.shown - $0.arrived }
            case .lastPacketToShown: shown.map { $0.shown - $0.assembled }
            case .decode: shown.map { $0.decoded - $0.released }
            case .captureToShown: shown.map { $0.shown - sent.captured }
            }
        }
    }
}
