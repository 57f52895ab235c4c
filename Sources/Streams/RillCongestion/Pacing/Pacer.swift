public import RillCore

/// Paces packets, so that a frame does not fill the queues of the network at once.
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
/// Packets leave by ``PacketPriority``. Within one priority the streams alternate, so that a large layer cannot
/// starve a small one. ``rate`` should exceed the estimate: a sender that paces at the estimate cannot detect
/// capacity that becomes available. The first packet after a pause leaves at once.
///
/// **Bursts.** With a ``burstLimit`` above 1, consecutive packets of one frame leave at one time, so that the driver
/// passes them to the system in one segmented message. They take their time at ``rate`` all the same: the next packet
/// waits until all of them would have left one by one, so the mean rate is kept. A burst has packets of one priority
/// and stream that were queued at one time, takes at most 12 ms at the pacing rate, and begins only above 1 Mbit/s.
/// The last packet of its queue leaves alone: the time from the first to the last packet stays that of a train without
/// bursts, and so does the share of a bottleneck that the train measures (`CapacityMeter`). Only frames form bursts. A
/// retransmission that is queued meanwhile ends one.
///
/// The pacer is full if its queue takes longer than ``queueLimit`` at the present rate (``isFull``). The caller then
/// skips frames before they are encoded. The pacer itself drops nothing.
///
/// It stores sizes and tokens only; the caller keeps the bytes. It is a value with one owner and no clock. It
/// allocates nothing per packet once its lanes have grown.
public struct Pacer: ~Copyable, Sendable {
    /// The next action.
    public enum Step: Equatable, Sendable {
        /// Send the packet with this token now.
        case send(Int)
        /// No packet may leave before this time; in the distant future while the queue is empty.
        case wait(until: MediaTime)
    }

    /// The pacing rate, with all headers.
    @inlinable public var rate: Bitrate { usualRate }
    /// The queue time above which the pacer is full.
    public let queueLimit: MediaDuration
    /// The most packets that leave together, 1 to ``maximumBurst``: 1, the default, for no bursts.
    public private(set) var burstLimit = 1
    /// The highest ``burstLimit``. Longer bursts would save few messages more, and lengthen the queue.
    public static var maximumBurst: Int { 4 }
    /// The number of queued packets.
    @inlinable public var count: Int { enqueuedCount &- goneCount }
    /// The queued bytes.
    @inlinable public var byteCount: Int { waitingByteCount }

    @usableFromInline var usualRate: Bitrate
    @usableFromInline var usualTransmission: TransmissionTime
    @usableFromInline var waitingByteCount = 0
    /// The lane of the last packet that was added or sent: the next packet often belongs to the same lane.
    @usableFromInline var lane = PacketLane(.deltaFrame, stream: 0, number: 0)
    /// The lanes of all other priorities and streams in use.
    private var otherLanes = OwnedList<PacketLane>()
    /// The number of packets that were added, and of those that were sent or discarded.
    @usableFromInline var enqueuedCount = 0
    @usableFromInline var goneCount = 0
    /// The end of the transmission of all sent packets at the pacing rate.
    @usableFromInline var freeTime = MediaTime(nanoseconds: .min)
    /// The packets of the present lane that still belong to the present burst.
    @usableFromInline var burstRest = 0
    /// ``burstLimit``, or 1 where the pacing rate is too low for bursts.
    @usableFromInline var usualBurst = 1

    /// The highest pacing rate without bursts.
    private static let burstRate = Bitrate.megabits(1)
    /// The longest time of a burst at the pacing rate, in nanoseconds: what it adds to the queue at the bottleneck.
    /// For a bitrate of 2 Mbit/s these are three packets.
    private static let burstTime: Int64 = 12_000_000

    /// Creates an empty pacer.
    ///
    /// - Parameters:
    ///   - rate: the pacing rate.
    ///   - queueLimit: the queue time above which the pacer is full; 250 ms by default.
    public init(rate: Bitrate, queueLimit: MediaDuration = .milliseconds(250)) {
        precondition(rate.bitsPerSecond > 0, "a pacer needs a rate above 0, not \(rate)")
        (usualRate, usualTransmission) = (rate, TransmissionTime(at: Double(rate.bitsPerSecond)))
        self.queueLimit = queueLimit
    }

    /// The time that the queued bytes need at the present rate.
    public var queueTime: MediaDuration { rate.duration(ofBytes: byteCount) }

    /// Whether the caller should skip the next frame.
    public var isFull: Bool { queueTime > queueLimit }

    /// Changes the pacing rate from now on. Packets that have left count at their old rate.
    @inlinable
    public mutating func setRate(_ rate: Bitrate) { if rate != usualRate { change(to: rate) } }

    @usableFromInline
    mutating func change(to rate: Bitrate) {
        precondition(rate.bitsPerSecond > 0, "a pacer needs a rate above 0, not \(rate)")
        (usualRate, usualTransmission) = (rate, TransmissionTime(at: Double(rate.bitsPerSecond)))
        updateBurst()
    }

    /// Sets ``burstLimit`` from now on.
    ///
    /// - Parameter limit: the most packets that leave together, 1 to ``maximumBurst``.
    public mutating func setBurstLimit(_ limit: Int) {
        guard limit != burstLimit else { return }
        precondition((1...Pacer.maximumBurst).contains(limit), "bursts of 1 to \(Pacer.maximumBurst), not \(limit)")
        burstLimit = limit
        updateBurst()
    }

    private mutating func updateBurst() { usualBurst = usualRate > Pacer.burstRate ? burstLimit : 1 }

    /// Adds a packet.
    ///
    /// - Parameters:
    ///   - token: the caller's identifier of the packet, which `poll` returns.
    ///   - priority: its priority.
    ///   - stream: the number of its stream. Packets of one stream and priority leave in order.
    ///   - byteCount: its size on the path in bytes.
    ///   - now: the current time. Packets of one stream and priority with equal times are those of one frame.
    ///   - rate: its own pacing rate instead of ``rate``, for packets of a probe cluster; above 0.
    @inlinable
    public mutating func enqueue(
        _ token: Int, _ priority: PacketPriority, stream: Int, byteCount: Int, at now: MediaTime, rate: Bitrate? = nil
    ) {
        if !lane.holds(priority, stream) { goToLane(priority, stream) }
        lane.append(
            PacketLane.Packet(
                token: token, byteCount: byteCount, bitsPerSecond: rate?.bitsPerSecond ?? 0, time: now))
        enqueuedCount &+= 1
        waitingByteCount &+= byteCount
    }

    /// Returns the packet that leaves now, or the time of the next poll.
    @inlinable @inline(__always)
    public mutating func poll(at now: MediaTime) -> Step {
        guard count > 0 else { return .wait(until: .distantFuture) }
        if burstRest > 0 {
            burstRest &-= 1
        } else {
            guard freeTime <= now else { return .wait(until: freeTime) }
            if lane.count < count { goToFirstLane() }
            if usualBurst > 1 { beginBurst() }
        }
        let packet = lane.removeFirst()
        goneCount &+= 1
        lane.turn = goneCount
        waitingByteCount &-= packet.byteCount
        // There is no burst credit: unused time expires.
        let transmission =
            packet.bitsPerSecond == 0 ? usualTransmission : TransmissionTime(at: Double(packet.bitsPerSecond))
        freeTime = max(freeTime, now) + MediaDuration(nanoseconds: transmission.of(packet.byteCount))
        return .send(packet.token)
    }

    /// Removes all packets of a stream and priority, such as a frame that a cut made useless.
    ///
    /// - Returns: their tokens, in order.
    public mutating func discard(_ priority: PacketPriority, stream: Int) -> [Int] {
        goToLane(priority, stream)
        burstRest = 0
        var tokens: [Int] = []
        while lane.count > 0 {
            let packet = lane.removeFirst()
            tokens.append(packet.token)
            goneCount &+= 1
            waitingByteCount &-= packet.byteCount
        }
        return tokens
    }

    /// Begins a burst with the first packet of the present lane.
    @inline(never)
    @usableFromInline
    mutating func beginBurst() {
        guard lane.priority == .keyFrame || lane.priority == .deltaFrame else { return }
        burstRest = lane.burstLength(most: usualBurst, within: Pacer.burstTime, usualTransmission) - 1
    }

    // MARK: Lanes

    /// Makes the lane of a priority and stream the present one; adds it if it is new. A burst of another lane ends.
    @inline(never)
    @usableFromInline
    mutating func goToLane(_ priority: PacketPriority, _ stream: Int) {
        guard !lane.holds(priority, stream) else { return }
        burstRest = 0
        for index in otherLanes.indices where otherLanes[index].holds(priority, stream) {
            swap(&lane, &otherLanes[index])
            return
        }
        var new = PacketLane(priority, stream: stream, number: otherLanes.count + 1)
        swap(&lane, &new)
        otherLanes.append(new)
    }

    /// Makes the lane with the highest priority the present one; among equals, the one that was served longest ago.
    /// At least one lane must hold a packet.
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
