import Rill
import RillCore
import RillPages

/// What a call was like: figures at regular times, and what happened.
struct CallLog {
    /// The figures of one interval.
    struct Sample: Encodable {
        /// Seconds since the call began.
        var time: Double
        /// How long it is, in seconds.
        var length: Double
        /// kbit/s, RTP with its headers and RTCP.
        var sent: Double
        var received: Double
        /// Pictures a second.
        var framesEncoded: [Double]
        var framesShown: [Double]
        /// Packets of the other side's that were missing, in percent.
        var lost: Double
        /// Of our packets, as the other side says, in percent.
        var lostThere: Double?
        /// Milliseconds to the other side and back.
        var roundTripTime: Double?
        /// Milliseconds that frames are held back.
        var playoutDelay: Double?
        var retransmitted: Int
        var freezes: Int
    }

    /// Something that happened.
    struct Note: Encodable {
        var time: Double
        var text: String
    }

    /// Which way streams go.
    enum Way { case both, sending, receiving }

    let way: Way
    /// The names of the layers, high first.
    let layers: [String]
    private(set) var samples: [Sample] = []
    private(set) var notes: [Note] = []
    private(set) var last: CallStatistics?
    /// What was known where the last sample begins.
    private var start: CallStatistics?
    /// Seconds. What is shorter, as the end of a call mostly is, has no rates worth the name: it lengthens the sample before.
    private static let shortestLength = 0.25
    /// Why the call ended before its time.
    var failure: String?
    /// Why no more frames came of what is sent.
    var sourceFailure: String?
    /// The other side has answered.
    var hasMet = false
    /// Packets came that could not be opened: the other side has another key.
    var isUnreadable = false

    init(_ way: Way, layers: [String]) { (self.way, self.layers) = (way, layers) }

    mutating func note(_ text: String, at time: Double) { notes.append(Note(time: time, text: text)) }

    /// Takes what is known now.
    ///
    /// - Returns: the figures since the last time; `nil` for the first.
    @discardableResult
    mutating func add(_ now: CallStatistics) -> Sample? {
        defer { last = now }
        guard var begin = last, let them = now.participants.first else { return nil }
        if let start, (now.time - begin.time).seconds < CallLog.shortestLength {
            samples.removeLast()
            begin = start
        }
        let length = (now.time - begin.time).seconds
        guard length > 0, let before = begin.participants.first else { return nil }
        start = begin
        func rate(_ value: (CallStatistics.Participant) -> Int) -> Double {
            Double(value(them) - value(before)) / length
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
                    (shown(them, name)?.received.framesShown ?? 0) - (shown(before, name)?.received.framesShown ?? 0))
                    / length
            },
            lost: received + lost > 0 ? 100 * max(0, lost) / (received + lost) : 0,
            lostThere: fractions.max().map { $0 * 100 },
            roundTripTime: them.session.roundTrip.roundTripTime.map(\.milliseconds),
            playoutDelay: shown(them, layers[0])?.received.stream.targetDelay.milliseconds,
            retransmitted: Int(
                rate { $0.session.sending.reduce(0) { $0 + $1.stream.retransmittedPacketsSent } } * length),
            freezes: Int(rate { $0.shown.reduce(0) { $0 + $1.received.freezes.freezeCount } } * length))
        samples.append(sample)
        return sample
    }

    /// What a machine is told.
    var summary: Summary { Summary(samples: samples, events: notes, statistics: last) }

    struct Summary: Encodable {
        var samples: [Sample]
        var events: [Note]
        var statistics: CallStatistics?
    }
}
