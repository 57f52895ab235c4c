import Rill
import RillCore

/// The log of a call: figures at regular intervals, and events. It stays below 1 MB however long the call lasts.
struct CallLog {
    /// The figures of one interval.
    struct Sample: Encodable {
        /// The end of the interval, in seconds since the start of the call.
        var time: Double
        /// The length of the interval, in seconds.
        var length: Double
        /// kbit/s, RTP with headers, and RTCP.
        var sent: Double
        var received: Double
        /// Frames per second of each layer.
        var framesEncoded: [Double]
        var framesShown: [Double]
        /// Lost packets of the other side, in percent.
        var lost: Double
        /// Our lost packets as reported by the other side, in percent.
        var lostThere: Double?
        /// Round-trip time in milliseconds.
        var roundTripTime: Double?
        /// Target playout delay in milliseconds.
        var playoutDelay: Double?
        var retransmitted: Int
        var freezes: Int
        /// The estimate of what the network carries, in kbit/s; `nil` without congestion control.
        var estimated: Double?
        /// The mean time that packets waited to leave, in milliseconds.
        var packetSendDelay: Double?
        /// The mean target of each layer's encoder, in kbit/s.
        var targets: [Double]
        /// How often the bitrate was cut because of overload.
        var cuts: Int
        /// Probes of the network.
        var probes: Int
    }

    /// An event.
    struct Note: Encodable {
        var time: Double
        var text: String
    }

    /// The direction of the streams.
    enum Way: String, Encodable { case both, sending, receiving }

    let way: Way
    /// The names of the layers, high first.
    let layers: [String]
    /// The names of the streams in reports: those of the layers, unless the other side names them otherwise.
    var titles: [String]
    private(set) var samples = CallSamples()
    private(set) var notes = CallNotes()
    private(set) var last: CallStatistics?
    /// The statistics at the start of the last sample.
    private var start: CallStatistics?
    /// The shortest sample, in seconds. A shorter rest at the end of a call has no meaningful rates, and is added to
    /// the sample before.
    private static let shortestLength = 0.25
    /// The reason why the call failed; `nil` if it did not.
    var failure: String?
    /// The reason why the source failed; `nil` if it did not.
    var sourceFailure: String?
    /// Whether the other side has answered.
    var hasMet = false
    /// Whether packets arrived that could not be decrypted: the other side has another key.
    var isUnreadable = false

    /// The frames that were decoded; `nil` if no packet of any arrived.
    var framesDecoded: Int? {
        let shown = last?.participants.first?.shown ?? []
        guard shown.contains(where: { $0.received.stream.packetsReceived > 0 }) else { return nil }
        return shown.reduce(0) { $0 + $1.received.decoder.framesDecoded }
    }

    init(_ way: Way, layers: [String]) { (self.way, self.layers, titles) = (way, layers, layers) }

    mutating func note(_ text: String, at time: Double) { notes.append(Note(time: time, text: text)) }

    /// Adds the present statistics.
    ///
    /// - Returns: the figures since the last call; `nil` for the first.
    @discardableResult
    mutating func add(_ now: CallStatistics) -> Sample? {
        defer { keep(now) }
        guard var begin = last, let them = now.participants.first else { return nil }
        if let start, (now.time - begin.time).seconds < CallLog.shortestLength {
            samples.removeLast()
            begin = start
        }
        let length = (now.time - begin.time).seconds
        guard length > 0 else { return nil }
        // Another participant, as after a new connection, began with nothing.
        let before = begin.participants.first { $0.name == them.name }
        start = begin
        func rate(_ value: (CallStatistics.Participant) -> Int) -> Double {
            Double(value(them) - (before.map(value) ?? 0)) / length
        }
        func shown(_ statistics: CallStatistics.Participant, _ layer: String) -> CallStatistics.Shown? {
            statistics.shown.first { $0.rid.description == layer }
        }
        let received = rate { $0.shown.reduce(0) { $0 + $1.received.stream.packetsReceived } } * length
        let lost = rate { $0.shown.reduce(0) { $0 + $1.received.stream.packetsLost } } * length
        let fractions = them.session.sending.compactMap { $0.stream.fractionLost }
        let sample = Sample(
            time: now.time.seconds, length: length, sent: rate { $0.session.transport.bytesSent } * 8 / 1000,
            received: rate { $0.session.transport.bytesReceived } * 8 / 1000,
            framesEncoded: layers.map { name in
                func frames(_ statistics: CallStatistics) -> Int {
                    statistics.layers.first { $0.rid.description == name }?.encoder.framesEncoded ?? 0
                }
                return Double(frames(now) - frames(begin)) / length
            },
            framesShown: layers.map { name in
                Double(
                    (shown(them, name)?.received.framesShown ?? 0)
                        - (before.flatMap { shown($0, name) }?.received.framesShown ?? 0))
                    / length
            },
            lost: received + lost > 0 ? 100 * max(0, lost) / (received + lost) : 0,
            lostThere: fractions.max().map { $0 * 100 },
            roundTripTime: them.session.roundTrip.roundTripTime.map(\.milliseconds),
            playoutDelay: shown(them, layers[0])?.received.stream.targetDelay.milliseconds,
            retransmitted: Int(
                rate { $0.session.sending.reduce(0) { $0 + $1.stream.retransmittedPacketsSent } } * length),
            freezes: Int(rate { $0.shown.reduce(0) { $0 + $1.received.freezes.freezeCount } } * length),
            estimated: them.session.congestion.map { Double($0.availableOutgoingBitrate) / 1000 },
            packetSendDelay: sendDelay(them, before),
            targets: layers.map { name in
                let layer = now.layers.first { $0.rid.description == name }
                return Double(layer?.targetBitrate ?? 0) / 1000
            },
            cuts: Int(rate { $0.session.congestion?.cuts ?? 0 } * length),
            probes: Int(rate { $0.session.congestion?.probes ?? 0 } * length))
        samples.append(sample)
        return sample
    }

    /// Keeps the newest statistics, and those of the last participant while there is none.
    private mutating func keep(_ now: CallStatistics) {
        var kept = now
        if kept.participants.isEmpty { kept.participants = last?.participants ?? [] }
        last = kept
    }

    /// The mean time that packets waited to leave, in milliseconds.
    private func sendDelay(_ now: CallStatistics.Participant, _ before: CallStatistics.Participant?) -> Double? {
        guard let congestion = now.session.congestion else { return nil }
        let seconds = congestion.totalPacketSendDelay - (before?.session.congestion?.totalPacketSendDelay ?? 0)
        let packets = now.session.transport.packetsSent - (before?.session.transport.packetsSent ?? 0)
        return packets > 0 ? 1000 * seconds / Double(packets) : 0
    }

    /// The log as JSON.
    var summary: Summary { Summary(samples: samples.all, events: notes.all, statistics: last) }

    struct Summary: Encodable {
        var samples: [Sample]
        var events: [Note]
        var statistics: CallStatistics?
    }
}
