import RillCore
import RillLink
import RillRTP
import RillReceive
import RillSend
import RillSession

/// Calls in virtual time whose ends adapt to the network.
enum AdaptiveCall {
    static func stream(
        seed: UInt64, _ feedback: StreamDescription.CongestionFeedback? = .transportWide
    ) -> RTPStreamSettings {
        var stream = Call.stream(seed: seed)
        if feedback != .byStream { stream.headerExtensions = Call.extensions }
        return stream
    }

    static func receiving(
        _ stream: RTPStreamSettings, _ feedback: StreamDescription.CongestionFeedback? = .transportWide
    ) throws -> StreamReceiverSettings {
        var receiving = try Call.receiving(stream)
        receiving.congestionFeedback = feedback
        return receiving
    }

    static func settings(
        seed: UInt64, maximum: Bitrate = .kilobits(2500),
        _ feedback: StreamDescription.CongestionFeedback? = .transportWide
    ) -> RTPSessionSettings {
        var settings = RTPSessionSettings(canonicalName: "end-\(seed)", seed: seed)
        settings.usesReducedSizeRTCP = true
        var congestion = CongestionSettings(bitrates: .kilobits(30)...maximum)
        congestion.feedback = feedback
        settings.congestion = congestion
        return settings
    }

    /// Two ends, of which the first or both send one stream.
    static func make(
        over network: String, bothWays: Bool = false, maximum: Bitrate = .kilobits(2500), seed: UInt64 = 1,
        _ feedback: StreamDescription.CongestionFeedback? = .transportWide, fec: FECSettings? = nil,
        hasCircuitBreaker: Bool = true
    ) throws -> (Call, PathLog) {
        let ends = [seed, seed + 1000].map { seed in
            var settings = settings(seed: seed, maximum: maximum, feedback)
            settings.hasCircuitBreaker = hasCircuitBreaker
            return Endpoint(settings)
        }
        for (sender, receiver, seed) in [(ends[0], ends[1], 11), (ends[1], ends[0], 12)]
            as [(Endpoint, Endpoint, UInt64)]
        {
            guard sender === ends[0] || bothWays else { continue }
            var stream = stream(seed: seed, feedback)
            stream.fec = fec
            sender.addCamera(try sender.session.send(stream))
            _ = try receiver.session.receive(try receiving(stream, feedback), at: .zero)
        }
        let call = try Call(ends[0], ends[1], over: network, seed: seed)
        let log = PathLog()
        call.observer = { log.add($0, $1, $2, $3) }
        return (call, log)
    }
}

/// What left towards a receiver, and whether the network took it.
final class PathLog {
    struct Packet {
        var time: MediaTime
        var byteCount: Int
        /// The transport-wide sequence number of an RTP packet.
        var number: SequenceNumber?
        var timestamp: UInt32
        var isLost: Bool
        /// The wait in the queue; `nil` if that dropped it.
        var wait: MediaDuration?
    }

    private(set) var packets: [Packet] = []

    func add(_ datagram: Span<UInt8>, _ time: MediaTime, _ outcome: SendOutcome, _ passage: BottleneckPassage?) {
        let isLost = if case .lost = outcome { true } else { false }
        let number = TransportSequenceNumber(id: 4, inRTP: datagram)?.number
        let timestamp = number == nil ? 0 : (4..<8).reduce(UInt32(0)) { $0 << 8 | UInt32(datagram[$1]) }
        packets.append(
            Packet(
                time: time, byteCount: datagram.count, number: number, timestamp: timestamp, isLost: isLost,
                wait: passage?.wait))
    }

    private func window(_ from: Double, _ to: Double) -> [Packet] {
        packets.filter { $0.time >= .seconds(from) && $0.time < .seconds(to) }
    }

    func share(_ from: Double, _ to: Double, of capacity: Double) -> Double {
        Double(window(from, to).reduce(0) { $0 + ($1.isLost ? 0 : $1.byteCount * 8) }) / capacity / (to - from)
    }

    /// The mean wait of packets in the queue.
    func meanWait(_ from: Double, _ to: Double) -> MediaDuration {
        let waits = window(from, to).compactMap(\.wait)
        let sum = waits.reduce(0) { $0 + $1.nanoseconds }
        return MediaDuration(nanoseconds: sum / Int64(max(1, waits.count)))
    }

    func lossShare(_ from: Double, _ to: Double) -> Double {
        let all = window(from, to)
        return Double(all.count(where: \.isLost)) / Double(max(1, all.count))
    }
}
