import RillCore
import RillRTP
import RillSend
import RillSession

/// Which of our layers a participant is sent, and on which streams.
///
/// A stream carries one layer. It changes to another with a key frame of that one, and its frames are numbered on as if
/// one encoder had made them.
struct SentLayers {
    private(set) var streams: [Stream] = []

    struct Stream {
        let id: SendingStreamID
        /// What was negotiated; `nil` if nothing was.
        let agreed: StreamDescription?
        /// The layers that it can carry, by their places.
        let layers: [Int]
        /// The layer that it is to carry.
        var wanted: Int
        /// The layer of the last frame; `nil` before the first key frame.
        fileprivate(set) var current: Int?
        /// What is added to the numbers of the current layer's frames.
        private var offset: Int64 = 0
        private var newest: (number: Int64, captureTime: MediaTime)?

        init(_ id: SendingStreamID, _ agreed: StreamDescription?, of layers: [Int]) {
            (self.id, self.agreed, self.layers) = (id, agreed, layers)
            wanted = layers[0]
        }

        /// Takes the frame, numbered as the stream sends it: not the frames before the first key frame, and those of
        /// other layers.
        fileprivate mutating func take(_ frame: EncodedFrame, of layer: Int) -> Taken {
            if layer != current {
                guard layer == wanted, frame.isKey else { return .nothing }
                // A receiver cannot show a picture that is not newer than the last one.
                guard frame.captureTime > newest?.captureTime ?? MediaTime(nanoseconds: .min) else {
                    return .needsKeyFrame
                }
                current = layer
                offset = newest.map { $0.number + 1 - frame.number } ?? 0
            }
            var frame = frame
            if offset != 0 { frame.renumber(by: offset) }
            newest = (frame.number, frame.captureTime)
            return .frame(frame, on: id)
        }
    }

    /// What becomes of a frame.
    enum Taken {
        /// It is sent, as this frame.
        case frame(EncodedFrame, on: SendingStreamID)
        /// It is not sent.
        case nothing
        /// It is a key frame that came too late to begin with: its layer must make another.
        case needsKeyFrame
    }

    /// Adds a stream.
    mutating func add(_ id: SendingStreamID, _ agreed: StreamDescription? = nil, of layers: [Int]) {
        streams.append(Stream(id, agreed, of: layers))
    }

    /// Takes a frame of a layer: it is sent on at most one stream.
    mutating func take(_ frame: EncodedFrame, of layer: Int) -> Taken {
        guard let index = streams.firstIndex(where: { $0.layers.contains(layer) }) else { return .nothing }
        return streams[index].take(frame, of: layer)
    }

    /// Carries a layer instead of those that share a stream with it, from its next key frame on.
    ///
    /// - Returns: whether that is a change; `nil` if no stream can carry it.
    mutating func want(_ layer: Int) -> Bool? {
        guard let index = streams.firstIndex(where: { $0.layers.contains(layer) }) else { return nil }
        defer { streams[index].wanted = layer }
        return streams[index].wanted != layer
    }

    /// The stream that is to carry a layer, or carries it until the wanted one begins.
    func stream(of layer: Int) -> SendingStreamID? {
        streams.first { $0.wanted == layer || ($0.current == layer && $0.layers.contains(layer)) }?.id
    }

    /// The layer that a stream is to carry.
    func layer(of stream: SendingStreamID) -> Int? { streams.first { $0.id == stream }?.wanted }
}

extension SentLayers {
    /// Adds the streams that a participant is sent to their session: the negotiated ones, or one for each layer.
    init(
        _ participant: ParticipantSettings, _ layers: [LayerSettings], _ send: SendSettings, on session: SharedSession
    ) throws {
        // Not from a seed: a key must never be used twice with the same SSRC and sequence number.
        var random = SystemRandomNumberGenerator()
        for agreed in participant.sent ?? [] {
            try add(agreed, layers, send, on: session, using: &random)
        }
        guard participant.sent == nil else { return }
        for (index, layer) in layers.enumerated() where participant.layers?.contains(layer.rid) ?? true {
            var stream = send.stream(of: layer, using: &random)
            stream.rid = StreamIdentifier(layer.rid.description)
            add(try LayerStream(stream, on: session).id, of: [index])
        }
    }

    /// Adds a negotiated stream. What signaling does not tell is as our settings have it.
    mutating func add(
        _ agreed: SentStream, _ layers: [LayerSettings], _ send: SendSettings, on session: SharedSession,
        using random: inout some RandomNumberGenerator
    ) throws {
        let places = try agreed.layers.map { rid throws(CallError) in
            guard let place = layers.firstIndex(where: { $0.rid == rid }) else {
                throw .noSuchLayer(rid, sent: layers.map(\.rid))
            }
            return place
        }
        var stream: RTPStreamSettings
        do throws(StreamDescriptionError) { stream = try RTPStreamSettings(agreed.description, using: &random) } catch {
            throw CallError.invalidDescription(error)
        }
        stream.temporalLayerCount = places.map { layers[$0].encoder.temporalPattern.layerCount }.max() ?? 1
        stream.maximumPacketByteCount = send.maximumPacketSize
        stream.vp9Mode = send.vp9Mode
        if let percentage = send.fec?.percentage { stream.fec?.percentage = percentage }
        let id = try LayerStream(stream, on: session).id
        add(id, agreed.description, of: places)
        if agreed.description.isPaused { session.look { $0.setPaused(true, of: id, at: .zero) } }
    }
}

extension EncodedFrame {
    /// Moves the frame's number, and those that it refers to.
    fileprivate mutating func renumber(by offset: Int64) {
        number += offset
        var moved = FrameReferences()
        for index in 0..<references.count { moved.append(references[index] + offset) }
        references = moved
    }
}
