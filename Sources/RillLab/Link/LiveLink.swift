public import RillCore
public import RillLink
public import RillThreads

/// One direction of an emulated network in real time: a thread hands on what has arrived.
///
/// Threads: `rill-link`. Sending is safe on any thread; datagrams are delivered on the link's own.
public final class LiveLink: PacketSink, Sendable {
    private let state: Monitor<State>
    private let thread: NamedThread
    private let clock: LiveClock
    private let observer: Observer?

    /// Is told of each datagram as it is sent, when that is, and what will become of it; on the sender's threads.
    public typealias Observer = @Sendable (_ datagram: Span<UInt8>, _ now: MediaTime, SendOutcome) -> Void

    private struct State: ~Copyable {
        var link: EmulatedLink
        var isStopping = false
        /// A datagram has left the link and is not yet handed on.
        var isDelivering = false
    }

    /// Starts a link that delivers to `receive`, which must not block for long.
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
            // The deadline has passed and nothing had arrived: it is asked for anew.
            case nil: deadline = .distantFuture
            }
        }
    }

    /// Puts a copy of a datagram on its way, or loses it, as the settings have it. `time` is now on the link's clock.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) {
        let outcome = state.change { $0.link.send(packet, at: time) }
        observer?(packet, time, outcome)
    }

    /// Whether nothing is on its way.
    public var isIdle: Bool { state.withLock { $0.link.countOnTheWay == 0 && !$0.isDelivering } }

    /// What the link has done so far.
    public var statistics: LinkStatistics { state.withLock { $0.link.statistics } }

    deinit {
        // No thread outlives a link that nobody stopped.
        state.change { $0.isStopping = true }
    }

    /// Stops the thread; what is still on its way is lost.
    public func stop() {
        state.change { $0.isStopping = true }
        thread.join()
    }
}
