internal import HeapModule
public import RillCore

/// One direction of an emulated network: datagrams go in, and come out later, or not, according to its settings.
///
/// Call ``send(_:at:)``, then ``poll(at:into:)`` until it returns `nil`; ``nextArrival`` is when to poll again. It
/// has no clock and no thread. Time is an argument and all randomness follows from the seed, so the same calls give
/// the same outcomes on every machine.
///
/// ```swift
/// let link = EmulatedLink(try LinkSettings(notation: "loss=2%,delay=40ms,seed=7"))
/// link.send(packet, at: now)
/// while let delivery = link.poll(at: now, into: &datagram) {
///     receiver.insert(datagram.span, at: delivery.arrival)
/// }
/// ```
///
/// A datagram passes, in this order:
///
/// 1. the *bottleneck*, if the settings have a rate or a trace: a first-in, first-out queue that takes each bit its
///    time at the current rate, or lets bytes through when the trace does, and drops at its tail. Other links, cross
///    traffic and TCP flows may share it (``Bottleneck``);
/// 2. the *wireless hop*: datagrams that wait for the channel at the same time are sent together;
/// 3. *loss*: in a blackout, in bursts, or individually; the first cause that applies is the reason. A lost datagram
///    has used its share of the rate and its air time;
/// 4. *spikes*: during a spike nothing continues, then everything at once;
/// 5. *delay* with *jitter*: no datagram overtakes the previous one, but arrives with it at the earliest, unless the
///    order is by delay;
/// 6. *reordering*: some are held back for an additional fixed time, and do not hold up later ones;
/// 7. *corruption*: bits of some are flipped;
/// 8. *duplication*: for some an identical second copy arrives after the first.
///
/// Datagrams with the same arrival time arrive in the order of sending. Times in the settings (of rates, traces,
/// blackouts) count from the clock's zero, so that a link and the one of the return path share the same time.
///
/// Threads: one owner, one thread at a time. Cost: one copy of the bytes and one heap operation for each of `send` and
/// `poll`; nothing is allocated once the link has held as many datagrams as it ever holds (of up to 2048 bytes). Not
/// modelled: queues that drop early.
public final class EmulatedLink {
    /// The settings of the link.
    public let settings: LinkSettings
    /// The statistics so far.
    public private(set) var statistics = LinkStatistics()

    /// The bottleneck, its own or one that it shares; `nil` if it has none.
    public let bottleneck: Bottleneck?
    /// How the datagram of the latest `send` passes the bottleneck, even if it is lost after that; `nil` if the queue
    /// dropped it or the link refused it. Without a bottleneck it passes at once.
    public private(set) var lastPassage: BottleneckPassage?

    private var impairments: Impairments
    private var store = DatagramStore()
    private var arrivals = Heap<Arrival>()
    private var arrivalCount: Int64 = 0
    /// The time of the latest `send`.
    private var now = MediaTime(nanoseconds: .min)
    /// The latest arrival of a datagram that is not held back: no later one arrives earlier.
    private var frontier = MediaTime(nanoseconds: .min)

    /// The largest datagram that a link takes, in bytes: the most that UDP over IPv4 carries.
    public static let maximumDatagramSize = 65_507

    /// Creates an idle link, behind a bottleneck that it shares with others, or else with one of its own if the
    /// settings have a rate or a trace.
    ///
    /// - Parameters:
    ///   - settings: the properties of the link. Those of a bottleneck are not used with a shared one, which has its
    ///     own.
    ///   - shared: the shared bottleneck; `nil` by default.
    public init(_ settings: LinkSettings, through shared: Bottleneck? = nil) {
        self.settings = settings
        impairments = Impairments(settings)
        bottleneck = shared ?? Bottleneck(settings)
    }

    /// Sends a datagram at `now`. The bytes are copied.
    ///
    /// Time must not go back: an earlier `now` than in a previous call, also one of a link with the same bottleneck,
    /// counts as that one.
    ///
    /// - Parameters:
    ///   - datagram: the datagram.
    ///   - now: the current time.
    /// - Returns: the datagram's outcome.
    @discardableResult
    public func send(_ datagram: Span<UInt8>, at now: MediaTime) -> SendOutcome {
        self.now = max(self.now, now)
        let sequence = statistics.sent
        statistics.sent += 1
        statistics.sentBytes += datagram.count
        // Drawn even for dropped datagrams, so that each datagram's outcome depends only on its number.
        let draw = impairments.draw()
        lastPassage = nil

        guard datagram.count <= EmulatedLink.maximumDatagramSize else {
            return lose(.tooLarge(byteCount: datagram.count))
        }
        guard store.hasRoom(for: draw.isDuplicated ? 2 : 1, byteCount: datagram.count) else { return lose(.linkFull) }
        var passage = BottleneckPassage(wait: .zero, departure: self.now)
        if let bottleneck {
            var time = self.now
            let outcome = bottleneck.enqueue(byteCount: datagram.count, at: &time)
            self.now = time
            switch outcome {
            case .passes(let through): passage = through
            case .full(let wait): return lose(.queueFull(wait: wait))
            }
        }
        lastPassage = passage
        var time = impairments.passWiFi(draw, at: passage.departure)
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

    /// Schedules the arrival of a datagram, and of its copy if there is one.
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

    /// When the next datagram arrives; `nil` if nothing is in flight.
    public var nextArrival: MediaTime? { arrivals.min?.time }

    /// Datagrams in flight, including copies.
    public var countInFlight: Int { store.count }

    /// Returns the next datagram that has arrived by `now`, in the order of arrival; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - datagram: receives the bytes. Its memory is reused: it grows to the largest datagram once.
    /// - Returns: how the datagram arrived.
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

/// A position in the order of arrival. Datagrams with the same time keep the order of sending, which a heap alone
/// does not ensure.
private struct Arrival: Comparable {
    let time: MediaTime
    let order: Int64
    let slot: Int

    static func < (a: Arrival, b: Arrival) -> Bool {
        (a.time, a.order) < (b.time, b.order)
    }
}
