import RillCore

/// The bottleneck of a link: datagrams pass it one after the other, first in, first out, at a rate or at the
/// opportunities of a trace. A datagram that would wait too long is dropped at the queue's tail.
struct Bottleneck {
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
        /// The last bit passes at this time (rounded up to a whole nanosecond).
        case passes(at: MediaTime)
        /// Its first bit would have waited this long.
        case full(wait: MediaDuration)
    }

    /// Creates the bottleneck of a link; `nil` if it has none.
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
            case nil: wait > Self.defaultTimeLimit && server.holds(moreThan: Self.defaultByteLimit, at: now)
            }
        return isFull ? .full(wait: wait) : .passes(at: server.serve(byteCount))
    }
}

/// The server of a ``Bottleneck``'s queue. It keeps no list of what waits: the departure of each datagram is known
/// when it is enqueued.
protocol BottleneckServer {
    /// Advances to `now`, which must not go back; called before each of the others.
    mutating func advance(to now: MediaTime)
    /// How long the next datagram's first bit would wait.
    func wait(at now: MediaTime) -> MediaDuration
    /// Whether more than `byteCount` bytes have not passed yet.
    func holds(moreThan byteCount: Int, at now: MediaTime) -> Bool
    /// Enqueues a datagram, and returns when its last bit passes, rounded up to a whole nanosecond.
    mutating func serve(_ byteCount: Int) -> MediaTime
}
