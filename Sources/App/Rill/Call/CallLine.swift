import RillCore
import RillPeer
import RillRTP
import RillSession
import RillThreads
import RillTransport

/// A transport of a call: one thread reads it, and all threads write to it, one batch at a time.
///
/// The thread waits only for datagrams, always with the same timeout; timers belong to the decoding threads. It opens
/// all datagrams of a batch in place, and gives them to each participant's session under one lock.
final class CallLine: Sendable {
    let transport: any DatagramTransport
    private let outgoing: Monitor<OutgoingDatagrams>
    private let members = Monitor<[Member]>([])
    private let thread = Monitor<NamedThread?>(nil)
    private let clock: LiveClock
    private let affinity: NamedThread.CPUAffinity
    private let fail: @Sendable (any Error) -> Void

    /// A participant who is reached over this transport, and their address.
    struct Member {
        let participant: CallParticipant
        var address: UDPAddress?
    }

    /// - Parameters:
    ///   - transport: the transport, which the line closes in the end.
    ///   - datagramByteCount: the largest datagram that is written, in bytes.
    ///   - clock: the call's clock.
    ///   - part: where the thread runs.
    ///   - fail: is called on the line's thread with the error that ended receiving.
    init(
        _ transport: any DatagramTransport, datagramByteCount: Int, clock: LiveClock, affinity: NamedThread.CPUAffinity,
        fail: @escaping @Sendable (any Error) -> Void
    ) {
        (self.transport, self.clock, self.affinity, self.fail) = (transport, clock, affinity, fail)
        outgoing = Monitor(OutgoingDatagrams(capacity: 64, datagramByteCount: datagramByteCount))
    }

    // MARK: Members

    /// Adds a participant, and begins to read.
    ///
    /// - Throws: ``ThreadError``. Then it is not added.
    func add(_ participant: CallParticipant, at address: UDPAddress?) throws(ThreadError) {
        members.withLock { $0.append(Member(participant: participant, address: address)) }
        // Not before there is a member: datagrams that already wait in the socket are theirs.
        do throws(ThreadError) {
            try thread.withLock { (thread) throws(ThreadError) in
                guard thread == nil else { return }
                thread = try NamedThread("rill-network", timeSlice: .short, affinity: affinity) { [self] in
                    do throws(TransportError) { try read() } catch { fail(error) }
                }
            }
        } catch {
            remove(participant)
            throw error
        }
    }

    func remove(_ participant: CallParticipant) {
        members.withLock { $0.removeAll { $0.participant === participant } }
    }

    /// Whether a participant is already known to be at that address.
    func isTaken(_ address: UDPAddress) -> Bool {
        members.withLock { $0.contains { $0.address == address } }
    }

    /// Ends reading for good.
    func close() {
        transport.close()
        let thread = thread.withLock { $0.take() }
        if let thread, !thread.isCurrent { thread.join() }
        members.withLock { $0 = [] }
    }

    // MARK: Writing

    /// Sends what `write` puts into a batch. If the system's send buffer is full, the rest is lost: the transport
    /// counts it, and it is repaired like any loss.
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

    /// An opened datagram: its index, its length, and its member.
    struct Opened {
        var index: Int
        var byteCount: Int
        var member: Int
    }

    /// Only datagrams and `close` wake the thread, so the length of the timeout does not matter.
    private static var receiveTimeout: MediaDuration { .seconds(5) }

    private func read() throws(TransportError) {
        var incoming = IncomingDatagrams(capacity: 64)
        var opened: [Opened] = []
        // Kept from batch to batch, and exchanged under the lock. Whoever changes the list then always creates a new
        // one, and the old one ends where the thread sanitizer sees it.
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

    /// Opens the datagrams of a batch, and gives each participant all of theirs at once.
    func take(
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
            members[place].participant.insert(at: now) { media in
                for packet in opened where packet.member == place {
                    let bytes = incoming.bytes(at: packet.index).extracting(0..<packet.byteCount)
                    let arrival = clock.arrival(monotonic: incoming.arrivalTime(at: packet.index), notAfter: now)
                    media.session.insert(bytes, at: now, arrival: arrival)
                }
            }
        }
    }

    /// Finds the participant of a datagram, and opens it.
    private func open(
        _ incoming: inout IncomingDatagrams, _ index: Int, _ members: inout [Member], startingAt last: Int,
        at now: MediaTime
    ) -> (member: Int, byteCount: Int)? {
        let source = incoming.source(at: index)
        if let place = member(at: source, members, startingAt: last) {
            let byteCount = incoming.withBytes(at: index) { members[place].participant.input.open(&$0, at: now) }
            return byteCount.map { (place, $0) }
        }
        // A participant whose address is not known yet, or has changed: the key identifies them.
        let ssrc = SSRC(ofSenderOf: incoming.bytes(at: index))
        let isMedia = PacketKind(of: incoming.bytes(at: index)) == .rtp
        for place in members.indices {
            let (participant, address) = (members[place].participant, members[place].address)
            let packet = CallInput.UnknownPacket(
                ssrc: ssrc, isMedia: isMedia, isPlaced: address != nil, isOfSameHost: address?.ip == source.ip,
                isExpectedReport: !isMedia && participant.output.expectsReports(from: source),
                reported: isMedia ? nil : SSRC(reportedFirstIn: incoming.bytes(at: index)))
            guard participant.input.mayBelong(packet, at: now) else { continue }
            let opened = incoming.withBytes(at: index) { participant.input.tryToOpen(&$0, at: now) }
            guard let opened else { continue }
            if participant.input.moves(with: packet, at: now) {
                move(participant, from: address, to: source)
                // The rest of the batch comes from this address too. Under the lock, like every change of a list that
                // was shared.
                self.members.withLock { _ in members[place].address = source }
            } else if !isMedia, address?.ip == source.ip, participant.input.answers(packet) {
                participant.output.hearReports(from: source)
            }
            return (place, opened)
        }
        return nil
    }

    private func member(at source: UDPAddress, _ members: [Member], startingAt last: Int) -> Int? {
        if last < members.count, members[last].address == source { return last }
        return members.firstIndex { $0.address == source }
    }

    /// Sends to a participant at another address, and expects their packets from there.
    func move(_ participant: CallParticipant, from old: UDPAddress?, to address: UDPAddress) {
        members.withLock { members in
            guard let place = members.firstIndex(where: { $0.participant === participant }) else { return }
            members[place].address = address
        }
        participant.move(from: old, to: address)
    }
}
