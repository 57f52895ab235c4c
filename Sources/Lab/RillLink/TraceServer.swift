import RillCore

/// A queue that is served at the opportunities of a trace, like mahimahi's `mm-link`: each takes up to 1500 bytes
/// from the head of the queue, several small datagrams or a piece of a large one. What it has left when the queue is
/// empty is unused. A datagram passes with the opportunity that takes its last byte.
struct TraceServer: BottleneckServer {
    private let trace: DeliveryTrace
    /// The opportunity that takes the last byte of the queue, counted from zero at the clock's zero.
    private var last: Int64 = -1
    private var lastTime = MediaTime(nanoseconds: .min)
    /// The bytes that it has left.
    private var bytesLeft = 0
    /// The first opportunity after the present.
    private var next: Int64 = 0

    init(_ trace: DeliveryTrace) {
        self.trace = trace
    }

    mutating func advance(to now: MediaTime) {
        seek(now)
        guard lastTime <= now else { return }
        // Everything queued has passed. A datagram that arrives with an opportunity is too late for it.
        last = next - 1
        lastTime = now
        bytesLeft = 0
    }

    func wait(at now: MediaTime) -> MediaDuration {
        // An empty queue takes any datagram, however long it then takes.
        guard last >= next else { return .zero }
        return (bytesLeft > 0 ? lastTime : time(of: last + 1)) - now
    }

    var transmissionStart: MediaTime { last >= next && bytesLeft > 0 ? lastTime : time(of: last + 1) }

    func capacity(at now: MediaTime) -> Int { trace.recentRate(at: now).bitsPerSecond }

    func held(at now: MediaTime) -> Int128 {
        // While something waits each opportunity is used up, except for what the last one has left.
        let opportunities = Int128(last - next + 1)
        let byteCount = opportunities * Int128(DeliveryTrace.bytesPerOpportunity) - Int128(bytesLeft)
        return byteCount * Int128(Self.unitsPerByte)
    }

    mutating func serve(_ byteCount: Int) -> MediaTime {
        var needed = byteCount
        while needed > bytesLeft || last < next {
            needed -= bytesLeft
            bytesLeft = DeliveryTrace.bytesPerOpportunity
            last += 1
        }
        bytesLeft -= needed
        lastTime = time(of: last)
        return lastTime
    }

    /// Finds the first opportunity after `now`.
    private mutating func seek(_ now: MediaTime) {
        guard time(of: next) <= now else { return }
        let count = Int64(trace.milliseconds.count)
        let (period, now) = (trace.period.nanoseconds, max(now, .zero).nanoseconds)
        let round = now / period
        let inRound = now % period
        // The first of the round that is after the elapsed part; there is one, since the last is at its end.
        var (low, high) = (0, trace.milliseconds.count)
        while low < high {
            let middle = (low + high) / 2
            if Int64(trace.milliseconds[middle]) * 1_000_000 <= inRound { low = middle + 1 } else { high = middle }
        }
        next = round * count + Int64(low)
    }

    /// The time of an opportunity, counted from the clock's zero.
    private func time(of opportunity: Int64) -> MediaTime {
        let count = Int64(trace.milliseconds.count)
        let offset = Int64(trace.milliseconds[Int(opportunity % count)]) * 1_000_000
        return MediaTime(nanoseconds: opportunity / count * trace.period.nanoseconds + offset)
    }
}
