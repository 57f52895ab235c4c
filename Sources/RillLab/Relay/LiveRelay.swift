package import RillCore
import RillLink
package import RillThreads
import RillTransport

/// A ``Relay`` in real time, with sockets of the system.
///
/// One thread (`rill-relay`) does all of it: it waits for datagrams and for the next one's time together, so nothing is
/// handed from thread to thread, and no lock is waited for on the way of a datagram but by who asks for figures. A datagram
/// counts from when it was received: the clock right after the system's call, one for all datagrams of a call.
///
/// Marks in the IP header (DSCP, ECN) are not handed on.
package final class LiveRelay: Sendable {
    /// What it does, with the ports that the system chose.
    package let settings: RelaySettings
    private let state: Monitor<RelayState>
    private let listening: [UDPSocket]
    private let waiting: SocketSet
    private let thread: NamedThread
    private let clock: LiveClock

    /// Opens the sockets of all pairs, and starts.
    ///
    /// A pair whose port is on this machine alone, or speaks another version of IP than its address, speaks to the address from
    /// a second socket.
    package init(
        _ settings: RelaySettings, clock: LiveClock = LiveClock(), log: RelayLog? = nil
    ) throws(RelayError) {
        var settings = settings
        var listening: [UDPSocket] = []
        var outward: [RelaySocket: ConnectedUDPSocket] = [:]
        var isOutward: [Bool] = []
        let waiting = try Self.asWaitError { () throws(TransportError) in try SocketSet() }
        for (index, pair) in settings.pairs.enumerated() {
            do throws(TransportError) {
                let socket = try UDPSocket(boundTo: pair.listen)
                try waiting.add(socket, key: index)
                listening.append(socket)
                settings.setListening(socket.localAddress, ofPair: index)
                isOutward.append(!settings.usesNAT && !pair.listen.reaches(pair.to))
                guard isOutward[index] else { continue }
                let second = try ConnectedUDPSocket(to: pair.to)
                try waiting.add(second, key: settings.pairs.count + index)
                outward[.outward(pair: index)] = second
            } catch {
                throw .socketFailed(pair: index, error)
            }
        }
        try RelayLoops.check(settings.pairs)
        self.settings = settings
        self.listening = listening
        self.waiting = waiting
        self.clock = clock
        let state = Monitor(RelayState(relay: Relay(settings, hasOutwardSocket: isOutward), connected: outward))
        self.state = state
        thread = NamedThread("rill-relay", timeSlice: .short) { [listening] in
            RelayThread(state, listening, waiting, clock, log).run()
        }
    }

    private static func asWaitError<Value>(_ body: () throws(TransportError) -> Value) throws(RelayError) -> Value {
        do { return try body() } catch { throw .waitFailed(error) }
    }

    deinit {
        // No thread outlives a relay that nobody stopped.
        state.withLock { $0.isStopping = true }
        waiting.wake()
    }

    /// Why it ended by itself; `nil` while it goes on.
    package var failure: RelayError? { state.withLock { $0.failure } }

    /// Stops; what is still on its way is abandoned. Waits until the thread is done.
    package func stop() {
        state.withLock { $0.isStopping = true }
        waiting.wake()
        thread.join()
    }

    /// A few figures of what was done so far: cheap, and nothing waits for it.
    package var progress: RelayProgress { state.withLock { $0.relay.progress(at: clock.now) } }

    /// What was done so far, all of it.
    package var report: RelayReport {
        let now = clock.now
        let (meters, senders, start, refused) = state.withLock { state in
            (
                state.relay.meters, state.relay.senderCounts, state.relay.scheduleStart,
                state.refused + state.connected.values.reduce(0) { $0 + $1.statistics.refused }
            )
        }
        return RelayReport(
            settings: settings, duration: start.map { now - $0 } ?? .zero, meters: meters, senderCounts: senders,
            refusedByICMP: refused + listening.reduce(0) { $0 + $1.statistics.refused })
    }
}

/// What the thread of a live relay shares with those who ask for figures.
struct RelayState: ~Copyable {
    var relay: Relay
    /// The sockets towards the addresses.
    var connected: [RelaySocket: ConnectedUDPSocket]
    /// Refusals that came back to sockets that are closed.
    var refused = 0
    var isStopping = false
    var failure: RelayError?
}

/// What a relay has done.
package struct RelayReport: Sendable {
    /// What it was to do, with the ports that the system chose.
    package let settings: RelaySettings
    /// Since the schedule began.
    package let duration: MediaDuration
    /// By pair.
    package let meters: [RelayMeters]
    /// With NAT: how many senders each pair has.
    package let senderCounts: [Int]
    /// Nobody listened where a datagram was sent: what came back by ICMP. Unconnected sockets are not told.
    package let refusedByICMP: Int
}

extension UDPAddress {
    /// Whether a socket that is bound to this address can send to `other`.
    fileprivate func reaches(_ other: UDPAddress) -> Bool {
        switch (ip, other.ip) {
        case (.v4(let own), .v4(let there)): own >> 24 != 127 || there >> 24 == 127
        // The unspecified address of version 6 speaks version 4 too.
        case (.v6(let own, _), .v4): own == 0
        case (.v6(let own, _), .v6(let there, _)): own != 1 || there == 1
        case (.v4, .v6): false
        }
    }
}
