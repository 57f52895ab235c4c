import RillCore
import RillRTP
import RillSession
import RillThreads
import RillTransport

/// A transport of a call: a thread that reads it, and what is written to it by all threads, one batch at a time.
///
/// The thread waits for datagrams alone, with the same timeout each time: what is due without one is the decoding threads'. All that
/// has come at once is opened where it stands, and given to each participant's session under one lock.
final class CallLine: Sendable {
    let transport: any DatagramTransport
    private let outgoing: Monitor<OutgoingDatagrams>
    private let members = Monitor<[Member]>([])
    private let thread = Monitor<NamedThread?>(nil)
    private let clock: LiveClock
    private let affinity: NamedThread.CPUAffinity
    private let fail: @Sendable (any Error) -> Void

    /// Somebody who is reached by this transport, and where they are.
    struct Member {
        let participant: CallParticipant
        var address: UDPAddress?
    }

    /// - Parameter fail: is told why nothing can be received any more, on the line's thread.
    init(
        _ transport: any DatagramTransport, datagramByteCount: Int, clock: LiveClock, affinity: NamedThread.CPUAffinity,
        fail: @escaping @Sendable (any Error) -> Void
    ) {
        (self.transport, self.clock, self.affinity, self.fail) = (transport, clock, affinity, fail)
        outgoing = Monitor(OutgoingDatagrams(capacity: 64, datagramByteCount: datagramByteCount))
    }

    // MARK: Members

    func add(_ participant: CallParticipant, at address: UDPAddress?) {
        members.withLock { $0.append(Member(participant: participant, address: address)) }
        // Not before there is somebody: what waits in the socket already is theirs.
        thread.withLock { thread in
            guard thread == nil else { return }
            thread = NamedThread("rill-network", timeSlice: .short, affinity: affinity) { [self] in
                do throws(TransportError) { try read() } catch { fail(error) }
            }
        }
    }

    func remove(_ participant: CallParticipant) {
        members.withLock { $0.removeAll { $0.participant === participant } }
    }

    /// Whether somebody is known to be at that address already.
    func isTaken(_ address: UDPAddress) -> Bool {
        members.withLock { $0.contains { $0.address == address } }
    }

    /// Ends reading, for good.
    func close() {
        transport.close()
        let thread = thread.withLock { $0.take() }
        if let thread, !thread.isCurrent { thread.join() }
        members.withLock { $0 = [] }
    }

    // MARK: Writing

    /// Sends what `write` puts into a batch. A full buffer of the system's loses what is left: it is counted, and repaired like any loss.
    func write(_ write: (inout OutgoingDatagrams, (inout OutgoingDatagrams) -> Void) -> Void) {
        outgoing.withLock { outgoing in
            write(&outgoing) { [transport] in CallLine.flush(&$0, transport) }
            CallLine.flush(&outgoing, transport)
        }
    }

    private static func flush(_ outgoing: inout OutgoingDatagrams, _ transport: any DatagramTransport) {
        guard !outgoing.isEmpty else { return }
        if case .bufferFull = transport.send(&outgoing) { outgoing.removeAll() }
    }

    // MARK: Reading

    /// A datagram that was opened: where it stands, how long it is, and whose it is.
    private struct Opened {
        var index: Int
        var byteCount: Int
        var member: Int
    }

    /// Nothing but datagrams and `close` wakes the thread: how long it waits for them makes no difference.
    private static var receiveTimeout: MediaDuration { .seconds(5) }

    private func read() throws(TransportError) {
        var incoming = IncomingDatagrams(capacity: 64)
        var opened: [Opened] = []
        // Kept from one batch to the next, and exchanged under the lock: who changes the list then always makes a new one, and the old
        // one ends where the thread sanitizer sees it.
        var known: [Member] = []
        while true {
            switch try transport.receive(into: &incoming, within: CallLine.receiveTimeout) {
            case .received:
                members.withLock { known = $0 }
                take(&incoming, &opened, &known, at: clock.now)
            case .nothing: continue
            case .closed: return
            }
        }
    }

    /// Opens what has come, and gives it to whom it concerns, each participant's all at once.
    private func take(
        _ incoming: inout IncomingDatagrams, _ opened: inout [Opened], _ members: inout [Member], at now: MediaTime
    ) {
        opened.removeAll(keepingCapacity: true)
        var last = 0
        for index in incoming.indices {
            guard let (member, byteCount) = open(&incoming, index, &members, startingAt: last, at: now) else {
                continue
            }
            last = member
            opened.append(Opened(index: index, byteCount: byteCount, member: member))
        }
        for place in members.indices where opened.contains(where: { $0.member == place }) {
            members[place].participant.insert(at: now) { session in
                for packet in opened where packet.member == place {
                    session.insert(incoming.bytes(at: packet.index).extracting(0..<packet.byteCount), at: now)
                }
            }
        }
    }

    /// Finds out whose a datagram is, and opens it.
    private func open(
        _ incoming: inout IncomingDatagrams, _ index: Int, _ members: inout [Member], startingAt last: Int,
        at now: MediaTime
    ) -> (member: Int, byteCount: Int)? {
        let source = incoming.source(at: index)
        if let place = member(at: source, members, startingAt: last) {
            let byteCount = incoming.withBytes(at: index) { members[place].participant.input.open(&$0, at: now) }
            return byteCount.map { (place, $0) }
        }
        // Somebody whose address is not known yet, or has changed: the key says who.
        let ssrc = SSRC(ofSenderOf: incoming.bytes(at: index))
        let isMedia = PacketKind(of: incoming.bytes(at: index)) == .rtp
        for place in members.indices {
            let (participant, address) = (members[place].participant, members[place].address)
            let packet = CallInput.Stranger(
                ssrc: ssrc, isMedia: isMedia, isPlaced: address != nil, isOfSameHost: address?.ip == source.ip)
            guard participant.input.mayCome(packet, at: now) else { continue }
            let opened = incoming.withBytes(at: index) { participant.input.tryToOpen(&$0, at: now) }
            guard let opened else { continue }
            if participant.input.moves(with: packet, at: now) {
                move(participant, from: address, to: source)
                // What comes next in the same batch comes from there too. Under the lock, as every change of a list that was shared.
                self.members.withLock { _ in members[place].address = source }
            }
            return (place, opened)
        }
        return nil
    }

    private func member(at source: UDPAddress, _ members: [Member], startingAt last: Int) -> Int? {
        if last < members.count, members[last].address == source { return last }
        return members.firstIndex { $0.address == source }
    }

    private func move(_ participant: CallParticipant, from old: UDPAddress?, to address: UDPAddress) {
        members.withLock { members in
            guard let place = members.firstIndex(where: { $0.participant === participant }) else { return }
            members[place].address = address
        }
        participant.move(from: old, to: address)
    }
}
