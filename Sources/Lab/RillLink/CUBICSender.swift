internal import DequeModule
import RillCore

/// The sender of a ``CUBICFlow``: what it has in flight, what it has lost, and when it does something next.
struct CUBICSender {
    private let flow: CUBICFlow
    private var window = CUBICWindow()
    private var roundTrip = SmoothedRoundTrip()
    /// What passes the queue, in order: its acknowledgements are known in advance.
    private var passing = Deque<Segment>()
    /// The numbers of what the queue has dropped, in order, until the sender notices.
    private var dropped = Deque<Int>()
    private var nextNumber = 0
    /// The last segment that was sent before the window was reduced: what is lost up to it reduces it no further.
    private var recoveryEnd = -1
    /// When the sender last had news.
    private var latest: MediaTime
    private let end: MediaTime

    private struct Segment {
        var number: Int
        var sent: MediaTime
        var acknowledgement: MediaTime
    }

    /// After so many later acknowledgements a segment counts as lost (RFC 5681, section 3.2).
    private static let reorderingThreshold = 3

    init(_ flow: CUBICFlow) {
        self.flow = flow
        latest = flow.start
        end = flow.end ?? .zero + LinkSettings.longestTime
    }

    /// When it does something next; `.distantFuture` if it never does.
    var next: MediaTime {
        if let first = passing.first { return first.acknowledgement }
        if nextNumber == 0 { return latest < end ? latest : .distantFuture }
        // Nothing can be acknowledged any more: it times out.
        return dropped.isEmpty ? .distantFuture : latest + roundTrip.timeout
    }

    /// Does what is due at ``next``.
    mutating func act(through queue: inout BottleneckQueue, _ statistics: inout CUBICFlowStatistics) {
        let now = next
        latest = now
        if let segment = passing.popFirst() {
            acknowledge(segment, at: now, &statistics)
            // An acknowledgement clocks out two segments at most, so that many losses at once do not cause a burst.
            send(atMost: 2, at: now, through: &queue, &statistics)
        } else if nextNumber == 0 {
            send(atMost: Int(window.segments), at: now, through: &queue, &statistics)
        } else {
            timeOut(&statistics)
            send(atMost: 1, at: now, through: &queue, &statistics)
        }
        statistics.window = window.segments
    }

    private mutating func acknowledge(_ segment: Segment, at now: MediaTime, _ statistics: inout CUBICFlowStatistics) {
        roundTrip.update(now - segment.sent)
        while let number = dropped.first, number + Self.reorderingThreshold <= segment.number {
            dropped.removeFirst()
            guard number > recoveryEnd else { continue }
            window.reduce()
            statistics.reductions += 1
            recoveryEnd = nextNumber - 1
        }
        // The window does not grow in fast recovery.
        if segment.number > recoveryEnd { window.acknowledge(at: now, roundTrip: roundTrip.smoothed) }
    }

    private mutating func timeOut(_ statistics: inout CUBICFlowStatistics) {
        window.timeOut()
        roundTrip.backOff()
        statistics.timeouts += 1
        dropped.removeAll(keepingCapacity: true)
        recoveryEnd = nextNumber - 1
    }

    private mutating func send(
        atMost count: Int, at now: MediaTime, through queue: inout BottleneckQueue,
        _ statistics: inout CUBICFlowStatistics
    ) {
        guard now < end else { return dropped.removeAll() }
        for _ in 0..<count where passing.count + dropped.count < Int(window.segments) {
            statistics.sent += 1
            switch queue.enqueue(byteCount: CUBICFlow.segmentByteCount, at: now) {
            case .passes(let passage):
                statistics.acceptedBytes += CUBICFlow.segmentByteCount
                passing.append(
                    Segment(number: nextNumber, sent: now, acknowledgement: passage.departure + flow.roundTrip))
            case .full:
                statistics.dropped += 1
                dropped.append(nextNumber)
            }
            nextNumber += 1
        }
    }
}

/// The round trip and the retransmission timeout of RFC 6298, section 2.
private struct SmoothedRoundTrip {
    private(set) var smoothed = MediaDuration.zero
    private var variation = MediaDuration.zero
    private var backOffs = 0

    private static let shortest = MediaDuration.seconds(1)
    private static let longest = MediaDuration.seconds(60)

    var timeout: MediaDuration {
        let timeout = max(Self.shortest, smoothed + variation * 4)
        return min(timeout * (1 << backOffs), Self.longest)
    }

    mutating func update(_ sample: MediaDuration) {
        backOffs = 0
        if smoothed == .zero {
            smoothed = sample
            variation = sample / 2
        } else {
            let difference = sample > smoothed ? sample - smoothed : smoothed - sample
            variation = (variation * 3 + difference) / 4
            smoothed = (smoothed * 7 + sample) / 8
        }
    }

    /// Section 5.5.
    mutating func backOff() { backOffs = min(backOffs + 1, 6) }
}
