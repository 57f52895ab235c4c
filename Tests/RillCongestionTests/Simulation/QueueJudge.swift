import RillCongestion
import RillCore

/// The path of one packet through the bottleneck.
struct Trip {
    /// The number of its flow; -1 for cross traffic.
    var flow: Int
    /// The number of its frame; -1 for padding and cross traffic.
    var frame: Int
    var sent: MediaTime
    var byteCount: Int
    /// The time in the queue before its own transmission; `nil` where the queue dropped it.
    var wait: MediaDuration?
    /// When the bottleneck had sent it.
    var end: MediaTime?
    var isDropped = false
}

/// Follows the bottleneck's queue. The link itself does not report it.
struct QueueJudge {
    private(set) var trips: [Trip] = []
    private var capacity: (MediaTime) -> Double
    private var time = MediaTime.zero
    /// The queued packets, as indices into `trips`. Those before `head` have left.
    private var queue: [Int] = []
    private var head = 0
    /// The remaining bits of the packet at the head.
    private var remaining = 0.0
    /// The queued bits, with the remaining ones of the packet at the head.
    private(set) var backlog = 0.0

    init(capacity: @escaping (MediaTime) -> Double) { self.capacity = capacity }

    mutating func add(_ trip: Trip, isDropped: Bool, at now: MediaTime) {
        advance(to: now)
        var trip = trip
        trip.isDropped = isDropped
        trips.append(trip)
        guard !isDropped else { return }
        queue.append(trips.count - 1)
        backlog += Double(trip.byteCount * 8)
        if head == queue.count - 1 { begin() }
    }

    mutating func advance(to now: MediaTime) {
        while head < queue.count, time < now {
            let rate = max(capacity(time), 1)
            let seconds = remaining / rate
            guard seconds < (now - time).seconds else {
                let served = (now - time).seconds * rate
                remaining -= served
                backlog -= served
                break
            }
            time = time + .seconds(seconds)
            backlog -= remaining
            trips[queue[head]].end = time
            head += 1
            if head < queue.count { begin() }
        }
        time = max(time, now)
    }

    /// Changes the bottleneck. Queued packets are lost.
    mutating func change(to capacity: Double, at now: MediaTime) {
        advance(to: now)
        self.capacity = { _ in capacity }
        (head, backlog) = (queue.count, 0)
    }

    private mutating func begin() {
        let place = queue[head]
        remaining = Double(trips[place].byteCount * 8)
        trips[place].wait = max(time - trips[place].sent, .zero)
    }
}
