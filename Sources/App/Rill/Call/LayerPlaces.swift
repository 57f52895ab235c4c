import RillPeer
import RillRTP
import RillSession

/// The streams of a participant's layers, each in its place. A place stays that of its layer for the whole call.
struct LayerPlaces {
    /// What each layer is, also while it has no stream.
    private(set) var descriptions: [StreamDescription]
    /// The stream of each layer; `nil` for one that cannot be received, or whose section is gone.
    private(set) var streams: [ReceivingStreamID?]

    /// The places so far. Layers without a stream are at the end.
    init(_ descriptions: [StreamDescription], _ streams: [ReceivingStreamID?]) {
        self.descriptions = descriptions
        self.streams = streams + Array(repeating: nil, count: descriptions.count - streams.count)
    }

    /// Takes the streams that there are now: each has its former place, or that of a layer with its description or name
    /// whose stream is gone, or a new one.
    ///
    /// - Returns: the places that have another stream now.
    mutating func take(_ current: [PeerReceivingStream]) -> [Int] {
        for (place, stream) in streams.enumerated() where !current.contains(where: { $0.id == stream }) {
            streams[place] = nil
        }
        var changed: [Int] = []
        for stream in current {
            if let known = streams.firstIndex(of: stream.id) {
                descriptions[known] = stream.description
                continue
            }
            let free = streams.indices.filter { streams[$0] == nil }
            let place =
                free.first { descriptions[$0] == stream.description }
                ?? free.first { descriptions[$0].rid == stream.description.rid } ?? streams.count
            if place == streams.count {
                descriptions.append(stream.description)
                streams.append(stream.id)
            } else {
                (descriptions[place], streams[place]) = (stream.description, stream.id)
            }
            changed.append(place)
        }
        return changed
    }
}
