package import RillCore
import RillLink

/// Emulated links between programs that speak UDP, without sockets, clock and threads: feed it each datagram that comes with
/// ``receive(_:from:at:now:)``, then poll with ``poll(at:into:)`` until it says `nil`; ``wakeTime`` says when to poll again.
///
///     let relay = Relay(settings)
///     relay.receive(datagram, from: sender, at: .listening(pair: 0), now: clock.now)
///     while let action = relay.poll(at: clock.now, into: &bytes) {
///         switch action {
///         case .send(let departure): …     // `bytes`, from departure.socket to departure.destination
///         case .close(let socket): …
///         }
///     }
///
/// **Who is who.** What comes to a pair's port from its address goes to whoever else spoke last; what comes from anybody else
/// goes to the address. So nobody is answered who never spoke. With NAT each sender has a socket of its own towards the
/// address, and what comes there goes to that sender.
///
/// **Links.** A pair has one link in each direction, whoever sends: senders share its bottleneck, as they would behind one
/// router. Links count their time (steps of rates, blackouts, traces) from the first datagram that any of them conveys.
///
/// **Bounds.** A link holds 65 536 datagrams and 64 MiB; with NAT a pair has ``RelaySettings/senderLimit`` senders.
///
/// Threading: one owner, one thread at a time. Time does not go back: a link takes an earlier time as the latest that it has
/// seen.
package final class Relay {
    package let settings: RelaySettings
    private var pairs: [RelayPair]
    /// When the first datagram came, on the caller's clock: zero on the schedule's.
    private var start: MediaTime?
    private var nextIdleCheck = MediaTime.distantFuture
    /// Polling may run late, but not for ever: this often idle senders are looked for.
    private static let idleCheckInterval = MediaDuration.seconds(1)

    /// A relay through which nothing has gone.
    ///
    /// - Parameter hasOutwardSocket: of each pair, whether it speaks to its address from a socket of its own.
    package init(_ settings: RelaySettings, hasOutwardSocket: [Bool]? = nil) {
        self.settings = settings
        pairs = settings.pairs.enumerated().map { index, pair in
            RelayPair(index, pair, settings, hasOutwardSocket: hasOutwardSocket?[index] ?? false)
        }
    }

    /// When the schedule began, on the caller's clock; `nil` before the first datagram.
    package var scheduleStart: MediaTime? { start }

    /// Takes a datagram that came from `source` to one of the relay's sockets at `now`. Its bytes are copied.
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

    /// When to poll next, on the caller's clock; `.distantFuture` while nothing is on its way.
    package var wakeTime: MediaTime {
        guard let start, let next = nextPair?.time else { return nextIdleCheck }
        return min(nextIdleCheck, start + (next - .zero))
    }

    /// The pair whose turn comes next; of those at the same time, the first one.
    private var nextPair: (index: Int, time: MediaTime)? {
        var found: (index: Int, time: MediaTime)?
        for index in pairs.indices {
            guard let time = pairs[index].nextDeparture, found.map({ time < $0.time }) ?? true else { continue }
            found = (index, time)
        }
        return found
    }

    /// What is to be done by `now`, in order; `nil` when there is nothing. Of a datagram that leaves, the bytes replace those in
    /// `bytes`, whose memory is used again.
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

    /// Says that the system did not take a datagram that left, and which of its reasons it was.
    package func noteFailure(of departure: RelayDeparture, _ failure: RelayMeter.Failure) {
        pairs[departure.pair].meters[departure.direction].count(failure, of: departure)
    }

    /// Takes everything that is still on its way out, as if it had left now: for the end.
    package func abandon(at now: MediaTime, _ body: (RelayDeparture) -> Void) {
        guard let start else { return }
        for index in pairs.indices { pairs[index].abandon(at: MediaTime.zero + (now - start), body) }
    }

    /// What was done so far, by pair and direction.
    package var meters: [RelayMeters] { pairs.map(\.currentMeters) }

    /// A few figures of it, at `now` on the caller's clock.
    package func progress(at now: MediaTime) -> RelayProgress {
        var progress = RelayProgress()
        progress.duration = start.map { now - $0 } ?? .zero
        for pair in pairs { pair.add(to: &progress) }
        return progress
    }

    /// With NAT: how many senders each pair has.
    package var senderCounts: [Int] { pairs.map(\.senderCount) }
}
