import RillCore
import RillLink
import RillThreads
import RillTransport

/// The thread of a live relay: it waits for datagrams and for the next departure, receives, sends, and writes the
/// log.
///
/// It never waits for anything else: what the system does not take at once is counted.
final class RelayThread {
    private let state: Monitor<RelayState>
    private let listening: [UDPSocket]
    private let waiting: SocketSet
    private let clock: LiveClock
    private let log: RelayLog?
    /// The keys of the wait: a pair's port has the pair's index, its outward socket has an index after all of these,
    /// and the sockets of senders come after them.
    private var keys: [Int: RelaySocket] = [:]
    private var nextKey: Int
    private var ready: [Int] = []
    private var incoming = IncomingDatagrams(
        capacity: 32, datagramByteCount: UDPSocket.maximumDatagramByteCount, holdsEmpty: true)
    private var bytes: [UInt8] = []
    private var records: [RelayRecord] = []
    /// The most departures before checking for arrivals: some tenths of a millisecond.
    private static let burst = 64

    init(
        _ state: Monitor<RelayState>, _ listening: [UDPSocket], _ waiting: SocketSet, _ clock: LiveClock,
        _ log: RelayLog?
    ) {
        (self.state, self.listening, self.waiting, self.clock, self.log) = (state, listening, waiting, clock, log)
        nextKey = 2 * listening.count
        for pair in listening.indices {
            keys[pair] = .listening(pair: pair)
            keys[listening.count + pair] = .outward(pair: pair)
        }
    }

    func run() {
        while let deadline = state.withLock({ $0.isStopping ? nil : $0.relay.wakeTime }) {
            ready.removeAll(keepingCapacity: true)
            do throws(TransportError) {
                try waiting.wait(untilMonotonic: clock.monotonic(deadline)) { ready.append($0) }
            } catch {
                state.withLock { $0.failure = .waitFailed(error) }
                break
            }
            for key in ready {
                if let socket = keys[key] { receive(at: socket) }
                sendDue()
            }
            sendDue()
            log?.append(&records)
        }
        state.withLock { state in
            state.relay.abandon(at: clock.now) { if log != nil { records.append(RelayRecord($0, .abandoned)) } }
        }
        log?.append(&records)
    }

    // MARK: Receiving

    /// Receives one batch, so that due departures wait no longer than that.
    private func receive(at socket: RelaySocket) {
        // An error that a socket reports for an earlier datagram (ICMP) is reported once and is gone with that. It is
        // no reason to end, and what has arrived is read in the next round.
        guard let outcome = try? receiveBatch(at: socket), case .received = outcome else { return }
        let now = clock.now
        state.withLock { state in
            for index in incoming.indices {
                let receipt = state.relay.receive(
                    incoming.bytes(at: index), from: incoming.source(at: index), at: socket, now: now)
                guard log != nil else { continue }
                switch receipt {
                case .sent(let entry):
                    if let record = RelayRecord(entry) { records.append(record) }
                case .refused(let refusal):
                    let time = MediaTime.zero + (now - (state.relay.scheduleStart ?? now))
                    records.append(
                        RelayRecord(
                            refusal, pair: socket.pair, byteCount: incoming.bytes(at: index).count, at: time))
                }
            }
        }
    }

    private func receiveBatch(at socket: RelaySocket) throws(TransportError) -> ReceiveOutcome {
        if case .listening(let pair) = socket { return try listening[pair].receive(into: &incoming, within: .zero) }
        guard let connected = state.withLock({ $0.connected[socket] }) else { return .nothing }
        return try connected.receive(into: &incoming, within: .zero)
    }

    // MARK: Sending

    private func sendDue() {
        for _ in 0..<RelayThread.burst {
            let (action, socket) = state.withLock { state -> (RelayAction?, ConnectedUDPSocket?) in
                let action = state.relay.poll(at: clock.now, into: &bytes)
                guard case .send(let departure) = action else { return (action, nil) }
                return (action, state.connected[departure.socket])
            }
            switch action {
            case .send(let departure): send(departure, socket)
            case .close(let socket): close(socket)
            case nil: return
            }
        }
    }

    private func send(_ departure: RelayDeparture, _ connected: ConnectedUDPSocket?) {
        var failure: RelayMeter.Failure?
        do throws(TransportError) {
            let isTaken =
                if case .listening(let pair) = departure.socket {
                    try listening[pair].sendAtOnce(bytes.span, to: departure.destination)
                } else {
                    try socket(connected, for: departure).sendAtOnce(bytes.span)
                }
            if !isTaken { failure = .bufferFull }
        } catch {
            failure = .sendFailed
        }
        if let failure { state.withLock { $0.relay.noteFailure(of: departure, failure) } }
        if log != nil { records.append(RelayRecord(departure, failure == nil ? nil : .failed, failure: failure)) }
    }

    /// Returns the existing socket, or opens one: the first datagram of a sender opens it.
    private func socket(
        _ connected: ConnectedUDPSocket?, for departure: RelayDeparture
    ) throws(TransportError) -> ConnectedUDPSocket {
        if let connected { return connected }
        let socket = try ConnectedUDPSocket(to: departure.destination)
        try waiting.add(socket, key: nextKey)
        keys[nextKey] = departure.socket
        nextKey += 1
        state.withLock { $0.connected[departure.socket] = socket }
        return socket
    }

    private func close(_ socket: RelaySocket) {
        keys = keys.filter { $0.value != socket }
        // The last reference goes with this, and with it the socket.
        state.withLock { state in state.refused += state.connected.removeValue(forKey: socket)?.statistics.refused ?? 0
        }
    }
}
