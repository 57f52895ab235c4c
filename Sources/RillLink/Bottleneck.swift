import RillCore

/// The slowest piece of a link: datagrams pass it one after the other, first in, first out, each when its turn has come,
/// at a rate or in the opportunities of a trace. What would have to wait too long is dropped at the queue's tail.
struct Bottleneck {
    private var server: Server
    private let limit: QueueLimit?

    private enum Server {
        case rate(RateServer)
        case trace(TraceServer)
    }

    /// So many bytes may wait where the settings say nothing of it, whatever time they take …
    static let defaultByteLimit = 64_000
    /// … or what takes no longer than this, whichever is more.
    static let defaultTimeLimit = MediaDuration.milliseconds(300)

    enum Outcome: Equatable {
        /// The last bit is through at this time (rounded up to a whole nanosecond).
        case passes(at: MediaTime)
        /// It would have had to wait this long for its first bit to go.
        case full(wait: MediaDuration)
    }

    /// `nil` for a link that has none.
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

    /// Puts a datagram into the queue at `now`, which never goes back. An empty queue takes one of any size.
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
            case nil: wait > Self.defaultTimeLimit && server.holds(moreThan: Self.defaultByteLimit, at: now)
            }
        return isFull ? .full(wait: wait) : .passes(at: server.serve(byteCount))
    }
}

/// What serves the queue of a ``Bottleneck``. It keeps no list of what waits: what will become of each datagram is plain
/// when it is put behind the others.
protocol BottleneckServer {
    /// Makes `now`, which never goes back, the present; called before each of the others.
    mutating func advance(to now: MediaTime)
    /// How long the next datagram would wait for its first bit to go.
    func wait(at now: MediaTime) -> MediaDuration
    /// Whether more than so many bytes are not yet through.
    func holds(moreThan byteCount: Int, at now: MediaTime) -> Bool
    /// Puts a datagram behind what is queued, and says when its last bit is through, rounded up to a whole nanosecond.
    mutating func serve(_ byteCount: Int) -> MediaTime
}
