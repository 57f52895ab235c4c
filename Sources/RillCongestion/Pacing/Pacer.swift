public import RillCore

/// Spreads packets over time, so that a frame does not fill the queues of the network at once.
///
/// ```swift
/// pacer.enqueue(token, .deltaFrame, stream: 0, byteCount: datagram.count + 28, at: now)
/// sending: while true {
///     switch pacer.poll(at: now) {
///     case .send(let token): transmit(token)
///     case .wait(until: let time): wakeUp = time; break sending
///     }
/// }
/// ```
///
/// Packets leave by ``PacketPriority``, and within one priority the streams take turns, so that a large layer cannot starve a
/// small one. The rate is ``rate``: a factor above the estimate, since a sender that paces at the estimate itself cannot see
/// capacity that comes back. The first packet after a pause leaves at once.
///
/// A queue that needs longer than ``queueLimit`` at the present rate is full (``isFull``). The caller then leaves out frames before
/// they are encoded; the pacer drops nothing by itself.
///
/// It knows only sizes and tokens: the bytes stay with the caller. A value with one owner and no clock. Nothing is allocated
/// per packet once its lanes have grown.
public struct Pacer: ~Copyable, Sendable {
    /// What to do next.
    public enum Step: Equatable, Sendable {
        /// Send the packet of this token now.
        case send(Int)
        /// Nothing may leave before that time; in the distant future while nothing waits.
        case wait(until: MediaTime)
    }

    /// The rate at which packets leave: bytes of the path per second, as bits.
    @inlinable public var rate: Bitrate { usualRate }
    /// The longest time that what waits should need.
    public let queueLimit: MediaDuration
    /// The number of packets that wait.
    @inlinable public var count: Int { enqueuedCount &- goneCount }
    /// The bytes that wait.
    @inlinable public var byteCount: Int { waitingByteCount }

    @usableFromInline var usualRate: Bitrate
    @usableFromInline var usualTransmission: TransmissionTime
    @usableFromInline var waitingByteCount = 0
    /// The lane of the last packet that came or left: the next one is often of the same.
    @usableFromInline var lane = PacketLane(.deltaFrame, stream: 0, number: 0)
    /// One for each other priority and stream that was used.
    private var otherLanes = OwnedList<PacketLane>()
    /// The packets that came, and those that left or were taken back.
    @usableFromInline var enqueuedCount = 0
    @usableFromInline var goneCount = 0
    /// When the packets that left are paid for.
    @usableFromInline var freeTime = MediaTime(nanoseconds: .min)

    /// A pacer without packets.
    ///
    /// - Parameters:
    ///   - rate: the rate at which packets leave.
    ///   - queueLimit: the longest time that what waits should need; 250 ms by default.
    public init(rate: Bitrate, queueLimit: MediaDuration = .milliseconds(250)) {
        precondition(rate.bitsPerSecond > 0, "a pacer needs a rate above 0, not \(rate)")
        (usualRate, usualTransmission) = (rate, TransmissionTime(at: Double(rate.bitsPerSecond)))
        self.queueLimit = queueLimit
    }

    /// How long what waits needs at the present rate.
    public var queueTime: MediaDuration { rate.duration(ofBytes: byteCount) }

    /// Whether a further frame should be left out.
    public var isFull: Bool { queueTime > queueLimit }

    /// Changes the rate from now on. What already left is paid at the rate at which it left.
    @inlinable
    public mutating func setRate(_ rate: Bitrate) { if rate != usualRate { change(to: rate) } }

    @usableFromInline
    mutating func change(to rate: Bitrate) {
        precondition(rate.bitsPerSecond > 0, "a pacer needs a rate above 0, not \(rate)")
        (usualRate, usualTransmission) = (rate, TransmissionTime(at: Double(rate.bitsPerSecond)))
    }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - token: the caller's name for it, returned by `poll`.
    ///   - priority: its place in the order.
    ///   - stream: the number of its stream; packets of one stream and priority leave in order.
    ///   - byteCount: its size on the path in bytes.
    ///   - now: the current time.
    ///   - rate: the rate at which it leaves instead of ``rate``, as a packet of a probe; above 0.
    @inlinable
    public mutating func enqueue(
        _ token: Int, _ priority: PacketPriority, stream: Int, byteCount: Int, at now: MediaTime, rate: Bitrate? = nil
    ) {
        if !lane.holds(priority, stream) { goToLane(priority, stream) }
        lane.append(PacketLane.Packet(token: token, byteCount: byteCount, bitsPerSecond: rate?.bitsPerSecond ?? 0))
        enqueuedCount &+= 1
        waitingByteCount &+= byteCount
    }

    /// Says which packet leaves now, or when to ask again.
    @inlinable @inline(__always)
    public mutating func poll(at now: MediaTime) -> Step {
        guard count > 0 else { return .wait(until: .distantFuture) }
        guard freeTime <= now else { return .wait(until: freeTime) }
        if lane.count < count { goToFirstLane() }
        let packet = lane.removeFirst()
        goneCount &+= 1
        lane.turn = goneCount
        waitingByteCount &-= packet.byteCount
        // A pause earns no burst: time that was not used is gone.
        let transmission =
            packet.bitsPerSecond == 0 ? usualTransmission : TransmissionTime(at: Double(packet.bitsPerSecond))
        freeTime = now + MediaDuration(nanoseconds: transmission.of(packet.byteCount))
        return .send(packet.token)
    }

    /// Takes back all packets of a stream and priority, as a frame that is not waited for after a cut.
    ///
    /// - Returns: their tokens, in order.
    public mutating func discard(_ priority: PacketPriority, stream: Int) -> [Int] {
        goToLane(priority, stream)
        var tokens: [Int] = []
        while lane.count > 0 {
            let packet = lane.removeFirst()
            tokens.append(packet.token)
            goneCount &+= 1
            waitingByteCount &-= packet.byteCount
        }
        return tokens
    }

    // MARK: Lanes

    /// Makes the lane of a priority and stream the present one; adds it if it is new.
    @inline(never)
    @usableFromInline
    mutating func goToLane(_ priority: PacketPriority, _ stream: Int) {
        guard !lane.holds(priority, stream) else { return }
        for index in otherLanes.indices where otherLanes[index].holds(priority, stream) {
            swap(&lane, &otherLanes[index])
            return
        }
        var new = PacketLane(priority, stream: stream, number: otherLanes.count + 1)
        swap(&lane, &new)
        otherLanes.append(new)
    }

    /// Makes the lane with the earliest priority the present one, and of those the one that waits longest. One must wait.
    @inline(never)
    @usableFromInline
    mutating func goToFirstLane() {
        var best: Int?
        for index in otherLanes.indices where otherLanes[index].count > 0 {
            let isFirst =
                if let best { otherLanes[index].precedes(otherLanes[best]) } else {
                    lane.count == 0 || otherLanes[index].precedes(lane)
                }
            if isFirst { best = index }
        }
        if let best { swap(&lane, &otherLanes[best]) }
    }
}
