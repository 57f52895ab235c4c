import Arguments
import Rill

/// What has to be known of a trace to judge whoever played it: which frames were sent when.
struct RivalTrace: Codable {
    var layers: [Layer]

    struct Layer: Codable {
        var name: String
        var ssrc: UInt32
        var payloadType: UInt8
        /// Nanoseconds.
        var interval: Int64
        /// Nanoseconds.
        var smallestDelay: Int64
        /// RTP timestamps, and when the frames were sent, in nanoseconds.
        var timestamps: [UInt32]
        var sentAt: [Int64]
    }

    init(_ log: CallLog) {
        layers = log.layers.indices.map { index in
            let (layer, frames) = (log.layers[index], log.layers[index].frames)
            return Layer(
                name: Layers.names[index], ssrc: layer.stream.ssrc.rawValue,
                payloadType: layer.stream.payloadType.rawValue,
                interval: Layers.settings()[index].frameRate.interval.nanoseconds,
                smallestDelay: log.path.smallestDelay.nanoseconds, timestamps: frames.map(\.timestamp.rawValue),
                sentAt: frames.map(\.sentAt.nanoseconds))
        }
    }
}

extension RivalTrace.Layer {
    /// Judges a log of pictures shown, `LATENCY TIMESTAMP NANOSECONDS` in each line; a result for each latency.
    func judge(_ log: String) throws -> [Int: LayerResult] {
        let places = Dictionary(uniqueKeysWithValues: zip(timestamps, timestamps.indices))
        let interval = MediaDuration(nanoseconds: interval)
        let smallest = MediaDuration(nanoseconds: smallestDelay)
        var shown: [Int: ShownFrames] = [:]
        for line in log.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let latency = Int(words[0]), let timestamp = UInt32(words[1]),
                let time = Int64(words[2]), let place = places[timestamp]
            else { throw WrongUse("no line of a log: \(line)") }
            if shown[latency] == nil {
                var frames = ShownFrames(interval: interval, smallestDelay: smallest)
                frames.frames = sentAt.map { .init(sentAt: MediaTime(nanoseconds: $0)) }
                shown[latency] = frames
            }
            shown[latency]?.shown.append((place, MediaTime(nanoseconds: time)))
        }
        return shown.mapValues { $0.result() }
    }
}
