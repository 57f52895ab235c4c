import Arguments
import Rill

/// The sending times of a trace's frames, for evaluating any receiver of the trace.
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
        /// RTP timestamps, and the sending times of the frames in nanoseconds.
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
    /// Evaluates a log of shown pictures, `LATENCY TIMESTAMP NANOSECONDS` in each line; returns a result for each
    /// latency.
    func judge(_ log: String) throws -> [Int: LayerResult] {
        let places = Dictionary(uniqueKeysWithValues: zip(timestamps, timestamps.indices))
        let interval = MediaDuration(nanoseconds: interval)
        let smallest = MediaDuration(nanoseconds: smallestDelay)
        var shown: [Int: ShownFrames] = [:]
        for line in log.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 3, let latency = Int(words[0]), let timestamp = UInt32(words[1]),
                let time = Int64(words[2]), let place = places[timestamp]
            else { throw WrongUse("not a line of a log: \(line)") }
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
