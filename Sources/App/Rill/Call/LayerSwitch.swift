import RillCore
import RillSession

/// The layer that a sent stream carries, out of several.
///
/// A stream carries one layer. It changes to another with a key frame of that one, and its frames are numbered on as if
/// one encoder had made them.
struct LayerSwitch {
    let id: SendingStreamID
    /// The layers that it can carry, by their places.
    let layers: [Int]
    /// The layer that it is to carry, if the network allows that.
    var wanted: Int
    /// The layers that the network allows.
    private var allowed = LayerSet.all
    /// The layer of the last frame; `nil` before the first key frame.
    private(set) var current: Int?
    /// What is added to the numbers of the current layer's frames.
    private var offset: Int64 = 0
    private var newest: (number: Int64, captureTime: MediaTime)?

    /// Precondition: there is a layer.
    init(_ id: SendingStreamID, of layers: [Int]) {
        (self.id, self.layers) = (id, layers)
        wanted = layers[0]
    }

    /// The layer that it is to carry now: the wanted one, or the next of its layers that is allowed.
    var target: Int? {
        let place = layers.firstIndex(of: wanted) ?? 0
        return layers[place...].first { allowed.contains(layer: $0) }
    }

    /// Limits the layers. One that is not allowed ends at once.
    mutating func limit(to allowed: LayerSet) {
        self.allowed = allowed
        if let current, !allowed.contains(layer: current) { self.current = nil }
    }

    /// Begins again with a key frame.
    mutating func interrupt() { current = nil }

    /// What becomes of a frame.
    enum Taken {
        /// It is sent, as this frame.
        case frame(EncodedFrame, on: SendingStreamID)
        /// It is not sent.
        case nothing
        /// It is a key frame that came too late to begin with: its layer must make another.
        case needsKeyFrame
    }

    /// Takes the frame, numbered as the stream sends it: not the frames before the first key frame, and those of
    /// other layers.
    mutating func take(_ frame: EncodedFrame, of layer: Int) -> Taken {
        if layer != current {
            guard layer == target, frame.isKey else { return .nothing }
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

extension [LayerSwitch] {
    /// Takes a frame of a layer: it is sent on at most one stream.
    mutating func take(_ frame: EncodedFrame, of layer: Int) -> LayerSwitch.Taken {
        guard let index = firstIndex(where: { $0.layers.contains(layer) }) else { return .nothing }
        return self[index].take(frame, of: layer)
    }

    /// Carries a layer instead of those that share a stream with it, from its next key frame on.
    ///
    /// - Returns: whether that is a change; `nil` if no stream can carry it.
    mutating func want(_ layer: Int) -> Bool? {
        guard let index = firstIndex(where: { $0.layers.contains(layer) }) else { return nil }
        defer { self[index].wanted = layer }
        return self[index].wanted != layer
    }

    /// The stream that is to carry a layer, or carries it until the wanted one begins.
    func stream(of layer: Int) -> SendingStreamID? {
        first { $0.target == layer || ($0.current == layer && $0.layers.contains(layer)) }?.id
    }

    /// The layer that a stream is to carry.
    func layer(of stream: SendingStreamID) -> Int? { first { $0.id == stream }?.target }
}
