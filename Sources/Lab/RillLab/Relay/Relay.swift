package import RillCore
import RillLink

/// Emulated links between UDP programs, without sockets, clock and threads. Pass each arriving datagram to
/// ``receive(_:from:at:now:)``, then call ``poll(at:into:)`` until it returns `nil`; ``wakeTime`` is when to poll
/// again.
///
/// ```swift
/// let relay = Relay(settings)
/// relay.receive(datagram, from: sender, at: .listening(pair: 0), now: clock.now)
/// while let action = relay.poll(at: clock.now, into: &bytes) {
///     switch action {
///     case .send(let departure): …  // `bytes`, from departure.socket to departure.destination
///     case .close(let socket): …
///     }
/// }
/// ```
///
/// **Routing.** A datagram that arrives at a pair's port from its target goes to the other sender that spoke last;
/// one from any other sender goes to the target. So nothing is returned to an address that never sent anything. With
/// NAT each sender has its own socket towards the target, and what arrives there goes to that sender.
///
/// **Links.** A pair has one link in each direction for all senders: they share its bottleneck, as behind one router.
/// With ``RelaySettings/sharedQueues`` all pairs share one, in the order in which their datagrams arrive.
/// Links measure their time (rate steps, blackouts, traces) from the first datagram that any of them carries.
///
/// **Bounds.** A link holds 65 536 datagrams and 64 MiB; with NAT a pair has at most ``RelaySettings/senderLimit``
/// senders.
///
/// Threads: one owner, one thread at a time. Time must not go back: a link treats an earlier time as the latest that
/// it has seen.
package final class Relay {
    package let settings: RelaySettings
    private var pairs: [RelayPair]
    /// When the first datagram arrived, on the caller's clock: zero on the schedule's clock.
    private var start: MediaTime?
    private var nextIdleCheck = MediaTime.distantFuture
    /// How often idle senders are looked for. Polling may run late, but not forever.
    private static let idleCheckInterval = MediaDuration.seconds(1)

    /// Creates a relay.
    ///
    /// - Parameters:
    ///   - settings: the pairs and their networks.
    ///   - hasOutwardSocket: for each pair, whether it has a separate socket towards its target; `nil` for none.
    package init(_ settings: RelaySettings, hasOutwardSocket: [Bool]? = nil) {
        self.settings = settings
        let shared = (settings.sharedBottleneck(.forward), settings.sharedBottleneck(.return))
        pairs = settings.pairs.enumerated().map { index, pair in
            RelayPair(
                index, pair, settings, hasOutwardSocket: hasOutwardSocket?[index] ?? false, sharing: shared.0, shared.1)
        }
    }

    /// When the schedule started, on the caller's clock; `nil` before the first datagram.
    package var scheduleStart: MediaTime? { start }

    /// Takes a datagram that arrived from `source` at one of the relay's sockets at `now`. Its bytes are copied.
    @discardableResult
    package func receive(
        _ datagram: Span<UInt8>, from source: UDPAddress, at socket: RelaySocket, now: MediaTime
    ) -> RelayReceipt {
        let time = MediaTime.zero + (now - (start ?? now))
        let receipt = pairs[socket.pair].receive(datagram, from: source, at: socket, time)
        if case .sent = receipt {
            start = start ?? now
            if settings.usesNAT, nextIdleCheck == .distantFuture { nextIdleCheck = now + Relay.idleCheckInterval }
        }
        return receipt
    }

    /// When to poll next, on the caller's clock; `.distantFuture` while nothing is in flight.
    package var wakeTime: MediaTime {
        guard let start, let next = nextPair?.time else { return nextIdleCheck }
        return min(nextIdleCheck, start + (next - .zero))
    }

    /// The pair with the next departure; of several at the same time, the first one.
    private var nextPair: (index: Int, time: MediaTime)? {
        var found: (index: Int, time: MediaTime)?
        for index in pairs.indices {
            guard let time = pairs[index].nextDeparture, found.map({ time < $0.time }) ?? true else { continue }
            found = (index, time)
        }
        return found
    }

    /// Returns what to do by `now`, in order; `nil` if there is nothing. For a departing datagram, its bytes replace
    /// those in `bytes`, whose memory is reused.
    package func poll(at now: MediaTime, into bytes: inout [UInt8]) -> RelayAction? {
        guard let start else { return nil }
        let time = MediaTime.zero + (now - start)
        if let next = nextPair, next.time <= time, let departure = pairs[next.index].depart(at: time, into: &bytes) {
            return .send(departure)
        }
        guard nextIdleCheck <= now else { return nil }
        for index in pairs.indices {
            if let idle = pairs[index].closeIdleSender(at: time) { return .close(idle) }
        }
        nextIdleCheck = pairs.contains { $0.senderCount > 0 } ? now + Relay.idleCheckInterval : .distantFuture
        return nil
    }

    /// Reports that the system did not take a departing datagram, with the reason.
    package func noteFailure(of departure: RelayDeparture, _ failure: RelayMeter.Failure) {
        pairs[departure.pair].meters[departure.direction].count(failure, of: departure)
    }

    /// Takes out everything that is still in flight, as if it departed now. Call it at the end.
    package func abandon(at now: MediaTime, _ body: (RelayDeparture) -> Void) {
        guard let start else { return }
        for index in pairs.indices { pairs[index].abandon(at: MediaTime.zero + (now - start), body) }
    }

    /// The statistics so far, by pair and direction.
    package var meters: [RelayMeters] { pairs.map(\.currentMeters) }

    /// Returns a few of the statistics, at `now` on the caller's clock.
    package func progress(at now: MediaTime) -> RelayProgress {
        var progress = RelayProgress()
        progress.duration = start.map { now - $0 } ?? .zero
        for pair in pairs { pair.add(to: &progress) }
        return progress
    }

    /// With NAT: the number of senders of each pair.
    package var senderCounts: [Int] { pairs.map(\.senderCount) }
}
