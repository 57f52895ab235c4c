public import RillCore
public import RillLink
public import RillThreads

/// One direction of an emulated network in real time: a thread delivers the datagrams that have arrived.
///
/// Threads: `rill-link`. Sending is safe on any thread; datagrams are delivered on the link's own thread.
public final class LiveLink: PacketSink, Sendable {
    private let state: Monitor<State>
    private let thread: NamedThread
    private let clock: LiveClock
    private let observer: Observer?

    /// Is called with each datagram as it is sent, the time, and its outcome; on the sender's threads.
    public typealias Observer = @Sendable (_ datagram: Span<UInt8>, _ now: MediaTime, SendOutcome) -> Void

    private struct State: ~Copyable {
        var link: EmulatedLink
        var isStopping = false
        /// A datagram has left the link and is not delivered yet.
        var isDelivering = false
    }

    /// Creates a link and starts its thread.
    ///
    /// - Parameters:
    ///   - settings: the link's properties.
    ///   - clock: the clock of the link.
    ///   - observer: is called with each datagram as it is sent; `nil` by default.
    ///   - receive: is called with each datagram that arrives, on the link's thread. It must not block for long.
    public init(
        _ settings: LinkSettings, clock: LiveClock, observer: Observer? = nil,
        receive: @escaping @Sendable (Span<UInt8>, MediaTime) -> Void
    ) {
        let state = Monitor(State(link: EmulatedLink(settings)))
        self.state = state
        self.clock = clock
        self.observer = observer
        self.thread = NamedThread("rill-link", timeSlice: .short) {
            var datagram: [UInt8] = []
            while Self.waitForDatagram(&datagram, state, clock) { receive(datagram.span, clock.now) }
        }
    }

    private enum Answer {
        case delivered
        case wait(until: MediaTime)
        case stop
    }

    /// Waits until a datagram has arrived; `false` once the link is stopped.
    private static func waitForDatagram(
        _ datagram: inout [UInt8], _ state: Monitor<State>, _ clock: LiveClock
    ) -> Bool {
        var deadline = MediaTime.distantFuture
        while true {
            let answer: Answer? = state.wait(untilMonotonic: clock.monotonic(deadline)) { state in
                guard !state.isStopping else { return .stop }
                state.isDelivering = state.link.poll(at: clock.now, into: &datagram) != nil
                if state.isDelivering { return .delivered }
                let next = state.link.nextArrival ?? .distantFuture
                return next == deadline ? nil : .wait(until: next)
            }
            switch answer {
            case .delivered: return true
            case .wait(let time): deadline = time
            case .stop: return false
            // The deadline has passed and nothing had arrived: look again.
            case nil: deadline = .distantFuture
            }
        }
    }

    /// Sends a copy of a datagram over the link, which may lose it according to the settings. `time` is now on the
    /// link's clock.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        let outcome = state.change { $0.link.send(packet, at: time) }
        observer?(packet, time, outcome)
    }

    /// Whether nothing is in flight.
    public var isIdle: Bool { state.withLock { $0.link.countInFlight == 0 && !$0.isDelivering } }

    /// The link's statistics so far.
    public var statistics: LinkStatistics { state.withLock { $0.link.statistics } }

    deinit {
        // No thread outlives a link that was not stopped.
        state.change { $0.isStopping = true }
    }

    /// Stops the thread; what is still in flight is lost.
    public func stop() {
        state.change { $0.isStopping = true }
        thread.join()
    }
}
