import Rill
import RillCore
import RillFiles

/// The packets of many participants as they come from a conference's server, made of one recording of each layer: every
/// stream has a source and a phase of its own.
struct ParticipantStreams {
    private let high: [Packet]
    private let low: [Packet]

    private struct Packet {
        var time: MediaTime
        var bytes: [UInt8]
    }

    /// Reads the recordings, which are in rtpdump.
    init(high: String, low: String) throws(FileError) {
        self.high = try ParticipantStreams.read(high)
        self.low = try ParticipantStreams.read(low)
    }

    private static func read(_ path: String) throws(FileError) -> [Packet] {
        let file = try RTPDumpReader(path: path)
        var packets: [Packet] = []
        var bytes: [UInt8] = []
        while let record = try file.next(into: &bytes) {
            if record.kind == .rtp { packets.append(Packet(time: record.time, bytes: bytes)) }
        }
        return packets
    }

    /// How long it takes until the last stream has begun: key frames do not come all at once.
    static let entry = MediaDuration.seconds(1)

    /// Writes streams at full size, sources 1 and on, and thumbnails behind them, all in the order of their times.
    func write(high highCount: Int, low lowCount: Int, to path: String) throws(FileError) {
        struct Event {
            var time: MediaTime
            var source: Int
            var index: Int
        }
        var events: [Event] = []
        func add(_ packets: [Packet], _ sources: Range<Int>) {
            for source in sources {
                let phase = ParticipantStreams.entry * (source - sources.lowerBound) / sources.count
                for (index, packet) in packets.enumerated() {
                    events.append(Event(time: packet.time + phase, source: source, index: index))
                }
            }
        }
        add(high, 0..<highCount)
        add(low, highCount..<highCount + lowCount)
        events.sort { ($0.time, $0.source, $0.index) < ($1.time, $1.source, $1.index) }
        let file = try RTPDumpWriter(path: path)
        for event in events {
            var bytes = (event.source < highCount ? high : low)[event.index].bytes
            // The source stands in bytes 8 to 11 (RFC 3550 §5.1).
            let ssrc = UInt32(event.source) + 1
            for place in 0..<4 { bytes[8 + place] = UInt8(truncatingIfNeeded: ssrc >> (24 - 8 * place)) }
            try file.write(bytes.span, .rtp, at: event.time)
        }
        try file.finish()
    }
}
