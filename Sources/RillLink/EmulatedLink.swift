internal import HeapModule
public import RillCore

/// One direction of a network that is not there: datagrams go in, and come out later, or not, as its settings say.
///
/// Feed it with ``send(_:at:)``, then poll with ``poll(at:into:)`` until it says `nil`; ``nextArrival`` says when to
/// poll again. It has no clock and no thread: time is an argument, all chance follows from the seed, so the same calls
/// give the same outcomes on every machine.
///
///     let link = EmulatedLink(try LinkSettings(notation: "loss=2%,delay=40ms,seed=7"))
///     link.send(packet, at: now)
///     while let delivery = link.poll(at: now, into: &datagram) {
///         receiver.insert(datagram.span, at: delivery.arrival)
///     }
///
/// A datagram passes, in this order:
///
/// 1. the *bottleneck*, where the settings give a rate or a trace: a first-in-first-out queue that takes each bit its
///    time, at the rate of that moment, or lets bytes through when the trace does, and drops at its tail;
/// 2. the *wireless hop*: what waits for the channel at the same time goes out together;
/// 3. *loss*: in a blackout, in bursts, each datagram for itself; the first of these that strikes is the reason. What is
///    lost has used up its share of the rate and its place in the air;
/// 4. *spikes*: for as long as one lasts nothing gets on, then all at once;
/// 5. *delay* with *jitter*, where none overtakes the one before it, but arrives with it at the earliest; unless the order
///    is by delay;
/// 6. *reordering*: some are held back for a fixed time more, and do not hold up those behind them;
/// 7. *corruption*: of some, bits are flipped;
/// 8. *duplication*: of some a second copy arrives after the first, equal to it.
///
/// What arrives at the same time arrives in the order of sending. Times in the settings (of rates, traces, blackouts) count
/// from the clock's zero, so that a link and the one for the way back live in the same time.
///
/// Threading: one owner, one thread at a time. Cost: two copies of the bytes and a heap operation each way; nothing is
/// allocated once the link has held as many datagrams as it ever holds (of up to 2048 bytes). Not modelled: cross
/// traffic, queues that drop early.
public final class EmulatedLink {
    /// How the link treats what is sent over it.
    public let settings: LinkSettings
    /// What it has done so far.
    public private(set) var statistics = LinkStatistics()

    private var bottleneck: Bottleneck?
    private var impairments: Impairments
    private var store = DatagramStore()
    private var arrivals = Heap<Arrival>()
    private var arrivalCount: Int64 = 0
    /// The time of the latest `send`.
    private var now = MediaTime(nanoseconds: .min)
    /// When the latest of those that are not held back arrives: none behind it arrives earlier.
    private var frontier = MediaTime(nanoseconds: .min)

    /// The largest datagram that a link takes, in bytes: the most that UDP over IPv4 carries.
    public static let maximumDatagramSize = 65_507

    /// A link on which nothing is yet.
    public init(_ settings: LinkSettings) {
        self.settings = settings
        impairments = Impairments(settings)
        bottleneck = Bottleneck(settings)
    }

    /// Sends a datagram at `now` and says what will become of it. The bytes are copied.
    ///
    /// Time does not go back: a `now` before that of an earlier call is taken as that one.
    @discardableResult
    public func send(_ datagram: Span<UInt8>, at now: MediaTime) -> SendOutcome {
        self.now = max(self.now, now)
        let sequence = statistics.sent
        statistics.sent += 1
        statistics.sentBytes += datagram.count
        // Drawn even for what is dropped, so that each datagram's fate hangs on its number alone.
        let draw = impairments.draw()

        guard datagram.count <= EmulatedLink.maximumDatagramSize else {
            return lose(.tooLarge(byteCount: datagram.count))
        }
        guard store.hasRoom(for: draw.isDuplicated ? 2 : 1, byteCount: datagram.count) else { return lose(.linkFull) }
        var time = self.now
        switch bottleneck?.enqueue(byteCount: datagram.count, at: time) ?? .passes(at: time) {
        case .passes(let departure): time = departure
        case .full(let wait): return lose(.queueFull(wait: wait))
        }
        time = impairments.passWiFi(draw, at: time)
        if let reason = impairments.loss(draw, at: time) { return lose(reason) }
        time = impairments.passSpikes(at: time)

        time += draw.delay
        if settings.order == .kept {
            frontier = max(frontier, time)
            time = frontier
        }
        if draw.isHeldBack { time += settings.reorderDelay }
        return queue(datagram, draw, sequence, arrival: time)
    }

    /// Puts a datagram that will arrive, and its copy, on the way.
    private func queue(
        _ datagram: Span<UInt8>, _ draw: Impairments.Draw, _ sequence: Int, arrival: MediaTime
    ) -> SendOutcome {
        if draw.isHeldBack { statistics.heldBack += 1 }
        let corruption = datagram.isEmpty ? nil : draw.corruption
        if corruption != nil { statistics.corrupted += 1 }
        let smallestDelay = statistics.smallestDelay ?? (arrival - now)
        statistics.smallestDelay = min(smallestDelay, arrival - now)

        var delivery = Delivery(
            sequence: sequence, sendTime: now, arrival: arrival, isCopy: false, isHeldBack: draw.isHeldBack,
            isCorrupted: corruption != nil)
        schedule(datagram, delivery, corruption)
        guard draw.isDuplicated else {
            return .queued(arrival: arrival, copyArrival: nil, isCorrupted: delivery.isCorrupted)
        }
        statistics.copied += 1
        delivery.arrival = arrival + settings.duplicateDelay
        delivery.isCopy = true
        schedule(datagram, delivery, corruption)
        return .queued(arrival: arrival, copyArrival: delivery.arrival, isCorrupted: delivery.isCorrupted)
    }

    private func lose(_ reason: LossReason) -> SendOutcome {
        statistics.count(reason)
        return .lost(reason)
    }

    /// When the next datagram arrives; `nil` while nothing is on its way.
    public var nextArrival: MediaTime? { arrivals.min?.time }

    /// Datagrams that are on their way, copies included.
    public var countOnTheWay: Int { store.count }

    /// The next datagram that has arrived by `now`, in the order of arrival; `nil` when there is none.
    ///
    /// Its bytes replace those in `datagram`, whose memory is used again: it grows to the largest datagram once.
    public func poll(at now: MediaTime, into datagram: inout [UInt8]) -> Delivery? {
        guard let next = arrivals.min, next.time <= now else { return nil }
        arrivals.removeMin()
        statistics.delivered += 1
        let delivery = store.remove(next.slot, into: &datagram)
        statistics.deliveredBytes += datagram.count
        return delivery
    }

    private func schedule(_ datagram: Span<UInt8>, _ delivery: Delivery, _ corruption: Corruption?) {
        let slot = store.insert(datagram, delivery)
        if let corruption { store.damage(slot, corruption) }
        arrivals.insert(Arrival(time: delivery.arrival, order: arrivalCount, slot: slot))
        arrivalCount += 1
    }
}

/// A place in the order of arrival. Datagrams of the same time keep the order in which they were sent: a heap alone
/// would not see to that.
private struct Arrival: Comparable {
    let time: MediaTime
    let order: Int64
    let slot: Int

    static func < (a: Arrival, b: Arrival) -> Bool {
        (a.time, a.order) < (b.time, b.order)
    }
}
