package import RillCore
import RillLink
package import RillThreads
package import RillTransport

/// A ``Relay`` in real time, with system sockets.
///
/// One thread (`rill-relay`) does everything: it waits for datagrams and for the next departure at once, so nothing
/// is handed from thread to thread. Only requests for statistics contend for the lock. A datagram's time is the clock
/// right after the receive call, the same for all datagrams of a call.
///
/// Marks in the IP header (DSCP, ECN) are not passed on.
package final class LiveRelay: Sendable {
    /// The settings, with the ports that the system chose.
    package let settings: RelaySettings
    private let state: Monitor<RelayState>
    private let listening: [UDPSocket]
    private let waiting: SocketSet
    private let thread: NamedThread
    private let clock: LiveClock

    /// Opens the sockets of all pairs, and starts.
    ///
    /// A pair that listens on a loopback address, or on another IP version than its target, uses a second socket to
    /// send to the target.
    ///
    /// - Parameters:
    ///   - settings: the pairs and their networks.
    ///   - clock: the clock of the relay.
    ///   - log: records each datagram; `nil` by default.
    /// - Throws: an error of a socket, `loop` or `noThread`.
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
        do throws(ThreadError) {
            thread = try NamedThread("rill-relay", timeSlice: .short) { [listening] in
                RelayThread(state, listening, waiting, clock, log).run()
            }
        } catch {
            throw .noThread(error)
        }
    }

    private static func asWaitError<Value>(_ body: () throws(TransportError) -> Value) throws(RelayError) -> Value {
        do { return try body() } catch { throw .waitFailed(error) }
    }

    deinit {
        // No thread outlives a relay that was not stopped.
        state.withLock { $0.isStopping = true }
        waiting.wake()
    }

    /// Why it ended by itself; `nil` while it runs.
    package var failure: RelayError? { state.withLock { $0.failure } }

    /// Stops the relay and waits until the thread has ended; what is still in flight is abandoned.
    package func stop() {
        state.withLock { $0.isStopping = true }
        waiting.wake()
        thread.join()
    }

    /// A few statistics so far: cheap, and nothing waits for it.
    package var progress: RelayProgress { state.withLock { $0.relay.progress(at: clock.now) } }

    /// The full statistics so far.
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

/// The state that the thread of a live relay shares with callers that read statistics.
struct RelayState: ~Copyable {
    var relay: Relay
    /// The sockets towards the targets.
    var connected: [RelaySocket: ConnectedUDPSocket]
    /// ICMP refusals on sockets that are closed.
    var refused = 0
    var isStopping = false
    var failure: RelayError?
}

/// The statistics of a relay.
package struct RelayReport: Sendable {
    /// The settings, with the ports that the system chose.
    package let settings: RelaySettings
    /// The time since the schedule started.
    package let duration: MediaDuration
    /// One for each pair.
    package let meters: [RelayMeters]
    /// With NAT: the number of senders of each pair.
    package let senderCounts: [Int]
    /// ICMP refusals: no program listened at the destination. Unconnected sockets are not notified.
    package let refusedByICMP: Int
}

extension UDPAddress {
    /// Whether a socket that is bound to this address can send to `other`.
    fileprivate func reaches(_ other: UDPAddress) -> Bool {
        switch (ip, other.ip) {
        case (.v4(let own), .v4(let there)): own >> 24 != 127 || there >> 24 == 127
        // The unspecified IPv6 address also covers IPv4.
        case (.v6(let own, _), .v4): own == 0
        case (.v6(let own, _), .v6(let there, _)): own != 1 || there == 1
        case (.v4, .v6): false
        }
    }
}

/// Why a relay cannot start, or could not continue. Pairs count from zero.
package enum RelayError: Error, Equatable, Sendable {
    /// A system call on a pair's socket failed, or the system does not know an address.
    case socketFailed(pair: Int, TransportError)
    /// Datagrams of that pair come back to it: they would loop forever.
    case loop(pair: Int)
    /// Waiting for sockets failed.
    case waitFailed(TransportError)
    /// The relay's thread could not be started.
    case noThread(ThreadError)
}

extension RelayError: CustomStringConvertible {
    /// One sentence for the caller that chose the addresses.
    package var description: String {
        switch self {
        case .socketFailed(_, let error), .waitFailed(let error): "\(error)"
        case .noThread(let error): "\(error)"
        case .loop(let pair):
            "pair \(pair + 1) leads back to a port of this relay, and from there to itself: datagrams would loop "
                + "forever; choose another address"
        }
    }
}

/// Finds pairs that lead back to themselves: a relay that sends to its own port never ends.
///
/// A pair may send to another pair's port: two links in a row.
enum RelayLoops {
    /// - Throws: `loop`.
    static func check(_ pairs: [RelaySettings.Pair]) throws(RelayError) {
        let next = pairs.map { pair in pairs.firstIndex { $0.listen.isReached(by: pair.to) } }
        for start in pairs.indices {
            var place = next[start]
            for _ in pairs.indices {
                guard let here = place else { break }
                guard here != start else { throw .loop(pair: start) }
                place = next[here]
            }
        }
    }
}

extension UDPAddress {
    /// Whether a datagram to `other` arrives at a socket that is bound here.
    fileprivate func isReached(by other: UDPAddress) -> Bool {
        guard port == other.port else { return false }
        switch (ip, other.ip) {
        case (.v4(0), .v4), (.v6(0, _), _): return other.isOfThisMachine
        default: return ip == other.ip
        }
    }

    /// Only an address of this host can be bound to.
    private var isOfThisMachine: Bool {
        (try? UDPSocket(boundTo: UDPAddress(ip, port: 0))) != nil  // any failure means that it is not ours
    }
}
