import RillCore

/// The queue of a bottleneck: datagrams pass it one after the other, first in, first out, at a rate or at the
/// opportunities of a trace. A datagram that finds it full is dropped at its tail.
struct BottleneckQueue {
    private var server: Server
    private let limit: QueueLimit?

    private enum Server {
        case rate(RateServer)
        case trace(TraceServer)
    }

    /// By default, up to this many bytes may wait, whatever time they take …
    static let defaultByteLimit = 64_000
    /// … or what takes no longer than this, whichever is more.
    static let defaultTimeLimit = MediaDuration.milliseconds(300)

    enum Outcome: Equatable {
        case passes(BottleneckPassage)
        /// Its first bit would have waited this long.
        case full(wait: MediaDuration)
    }

    /// Creates the queue of a bottleneck; `nil` if the settings have none.
    init?(_ settings: LinkSettings) {
        if let rate = settings.rate {
            server = .rate(RateServer(rate))
        } else if let trace = settings.trace {
            server = .trace(TraceServer(trace))
        } else {
            return nil
        }
        limit = settings.queueLimit
    }

    /// Enqueues a datagram at `now`, which must not go back. An empty queue takes one of any size.
    mutating func enqueue(byteCount: Int, at now: MediaTime) -> Outcome {
        switch server {
        case .rate(var rate):
            defer { server = .rate(rate) }
            return enqueue(byteCount, at: now, on: &rate)
        case .trace(var trace):
            defer { server = .trace(trace) }
            return enqueue(byteCount, at: now, on: &trace)
        }
    }

    private func enqueue(_ byteCount: Int, at now: MediaTime, on server: inout some BottleneckServer) -> Outcome {
        server.advance(to: now)
        let wait = server.wait(at: now)
        let isFull =
            switch limit {
            case .time(let most): wait > most
            case .bytes(let most): server.holds(moreThan: most, at: now)
            case .drain(let most): server.drainsLate(with: byteCount, limit: most, at: now)
            case nil: wait > Self.defaultTimeLimit && server.holds(moreThan: Self.defaultByteLimit, at: now)
            }
        guard !isFull else { return .full(wait: wait) }
        let start = server.transmissionStart
        let departure = server.serve(byteCount)
        // An empty datagram departs with the last byte before it.
        return .passes(BottleneckPassage(wait: min(start, departure) - now, departure: departure))
    }
}

/// The server of a ``BottleneckQueue``. It keeps no list of what waits: the departure of each datagram is known when it
/// is enqueued.
protocol BottleneckServer {
    /// Advances to `now`, which must not go back; called before each of the others.
    mutating func advance(to now: MediaTime)
    /// How long everything that is queued keeps the server busy.
    func wait(at now: MediaTime) -> MediaDuration
    /// When the next datagram's first bit passes, in whole nanoseconds, rounded down.
    var transmissionStart: MediaTime { get }
    /// The bits that have not passed yet, in billionths.
    func held(at now: MediaTime) -> Int128
    /// The present capacity in bit/s.
    func capacity(at now: MediaTime) -> Int
    /// Enqueues a datagram, and returns when its last bit passes, rounded up to a whole nanosecond.
    mutating func serve(_ byteCount: Int) -> MediaTime
}

extension BottleneckServer {
    /// Bits are counted in billionths: a rate in bits per second is as many of those per nanosecond.
    static var unitsPerByte: Int64 { 8_000_000_000 }

    /// Whether more than `byteCount` bytes have not passed yet.
    func holds(moreThan byteCount: Int, at now: MediaTime) -> Bool {
        held(at: now) > Int128(byteCount) * Int128(Self.unitsPerByte)
    }

    /// Whether something waits, and takes, with `byteCount` more bytes, longer than `limit` at the present capacity.
    func drainsLate(with byteCount: Int, limit: MediaDuration, at now: MediaTime) -> Bool {
        let held = held(at: now)
        guard held > 0 else { return false }
        return held + Int128(byteCount) * Int128(Self.unitsPerByte)
            > Int128(limit.nanoseconds) * Int128(capacity(at: now))
    }
}
