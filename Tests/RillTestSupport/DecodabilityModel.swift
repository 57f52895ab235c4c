public import RillCore

/// The reference for a jitter buffer: which frames of a stream are decoded and shown, when, and when key frames are
/// asked for, told from the sender's list of frames and the times at which their packets came.
///
/// It is written to be believed, not to be fast: it knows all frames, looks at all of them each time, and shares
/// nothing with `RillReceive`. The stream is VP8 without temporal layers: each delta frame refers to the frame right
/// before it.
///
/// Time goes from instant to instant. At each one the packets of that instant are taken first, in the order in which
/// they were sent; then everything is done that can be done. A driver that is to be compared does the same.
public struct DecodabilityModel {
    /// A frame as it was sent.
    public struct Frame {
        /// 90 kHz ticks, without wraparound.
        public var timestamp: Int64
        /// Decodable by itself.
        public var isKey: Bool
        /// When each of its packets first came; `nil` for one that never did.
        public var arrivals: [MediaTime?]

        /// A frame of these properties; `arrivals` has as many elements as it has packets.
        public init(timestamp: Int64, isKey: Bool, arrivals: [MediaTime?]) {
            self.timestamp = timestamp
            self.isKey = isKey
            self.arrivals = arrivals
        }
    }

    /// A frame that was decoded.
    public struct Release: Equatable, Sendable {
        /// Index in the list of frames sent.
        public var frame: Int
        /// When it was given to the decoder.
        public var time: MediaTime
        /// Whether it was to be shown; else it only served those after it.
        public var isShown: Bool

        /// A release of these properties.
        public init(frame: Int, time: MediaTime, isShown: Bool) {
            self.frame = frame
            self.time = time
            self.isShown = isShown
        }
    }

    /// The frames decoded, in order.
    public private(set) var releases: [Release] = []
    /// The times at which a key frame was asked for.
    public private(set) var requests: [MediaTime] = []

    private let frames: [Frame]
    private let playoutDelay: MediaDuration
    private let roundTripTime: MediaDuration
    private var arrived: [Int]
    /// When the newest packet of each frame came.
    private var newestArrival: [MediaTime]
    /// When each whole frame is to be played out.
    private var playout: [MediaTime?]
    private var smallestTransit: MediaDuration?
    /// Requests since the last key frame that was released, that included which followed it; and whether one was since
    /// the last.
    private var unanswered = 0
    private var isAnswered = false
    private var lastArrival = MediaTime(nanoseconds: .min)
    private var firstTransit: MediaDuration?
    private var frameInterval = MediaDuration.zero
    /// The first frame that is still of interest.
    private var base = 0

    /// Plays the stream until `end`.
    public init(_ frames: [Frame], playoutDelay: MediaDuration, roundTripTime: MediaDuration, until end: MediaTime) {
        self.frames = frames
        self.playoutDelay = playoutDelay
        self.roundTripTime = roundTripTime
        arrived = frames.map { _ in 0 }
        newestArrival = frames.map { _ in MediaTime(nanoseconds: .min) }
        playout = frames.map { _ in nil }

        var packets: [(time: MediaTime, frame: Int)] = []
        for (index, frame) in frames.enumerated() {
            for case .some(let time) in frame.arrivals { packets.append((time, index)) }
        }
        // Stable: packets of one instant stay in the order in which they were sent.
        packets = packets.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(
            \.element)

        var next = 0
        var now = MediaTime(nanoseconds: .min)
        while true {
            let wake = moments.filter { $0 > now }.min() ?? .distantFuture
            now = min(wake, next < packets.count ? packets[next].time : .distantFuture)
            guard now <= end, now < .distantFuture else { return }
            while next < packets.count, packets[next].time == now {
                take(packetOf: packets[next].frame, at: now)
                next += 1
            }
            look(at: now)
        }
    }

    /// A frame's packet comes.
    private mutating func take(packetOf index: Int, at now: MediaTime) {
        lastArrival = now
        guard index >= base else { return }  // too late
        let frame = frames[index]
        let transit = now - MediaTime(ticks: frame.timestamp, rate: 90_000)
        if firstTransit == nil { firstTransit = transit }
        arrived[index] += 1
        newestArrival[index] = now
        guard arrived[index] == frame.arrivals.count else { return }
        smallestTransit = min(transit, smallestTransit ?? transit)
        playout[index] = due(index)
        if index > 0, playout[index - 1] != nil {
            frameInterval = MediaTime(ticks: frame.timestamp - frames[index - 1].timestamp, rate: 90_000) - .zero
        }
    }

    /// Does everything that can be done.
    private mutating func look(at now: MediaTime) {
        while let first = frames.indices.first(where: { $0 >= base && arrived[$0] > 0 }) {
            if isDecodable(first) {
                guard due(first) <= now else { return }
                // Only the last of several that are due at once is shown.
                if let last = releases.last, last.time == now { releases[releases.count - 1].isShown = false }
                releases.append(Release(frame: first, time: now, isShown: true))
                isAnswered = isAnswered || frames[first].isKey
                base = first + 1
                continue
            }
            let isBroken = breaks(first) <= now
            if let key = frames.indices.first(where: { $0 > first && frames[$0].isKey && playout[$0] != nil }) {
                guard isBroken || due(key) <= now else { return }
                base = key
                continue
            }
            if isBroken, now >= nextRequest {
                requests.append(now)
                (unanswered, isAnswered) = (isAnswered ? 1 : unanswered + 1, false)
            }
            return
        }
    }

    private func isDecodable(_ index: Int) -> Bool {
        guard playout[index] != nil else { return false }
        return frames[index].isKey || (index > 0 && releases.last?.frame == index - 1)
    }

    /// When a frame is to be played out; as far as is known now, if it is not whole.
    private func due(_ index: Int) -> MediaTime {
        if let fixed = playout[index] { return fixed }
        let media = MediaTime(ticks: frames[index].timestamp, rate: 90_000)
        return media + (smallestTransit ?? firstTransit ?? .zero) + playoutDelay
    }

    /// When a frame that cannot be decoded is given up: one that is not whole has 20 ms after its newest packet.
    private func breaks(_ index: Int) -> MediaTime {
        playout[index] ?? max(due(index), newestArrival[index] + .milliseconds(20))
    }

    private var nextRequest: MediaTime {
        guard let last = requests.last else { return MediaTime(nanoseconds: .min) }
        // Once more after it has stopped.
        guard last < lastArrival + .seconds(2) else { return .distantFuture }
        let usual = max(.milliseconds(300), roundTripTime, frameInterval * 3)
        // The first two repetitions come soon.
        let doublings = isAnswered ? 0 : min(max(unanswered - 2, 0), 4)
        return last + max(usual, min(usual * (1 << doublings), .seconds(4)))
    }

    /// All times at which something may happen without a packet, and many at which nothing does.
    private var moments: [MediaTime] {
        frames.indices.filter { $0 >= base && arrived[$0] > 0 }.flatMap { [due($0), breaks($0)] } + [nextRequest]
    }
}
