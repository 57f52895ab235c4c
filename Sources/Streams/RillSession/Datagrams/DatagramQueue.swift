package import RillCore
import RillRTP

/// Datagrams that wait to be sent, in order. Each packet is copied here once, from its stream's history, with room
/// after it for what protects it.
///
/// The transport-wide sequence number is written when a datagram is sent. So these numbers rise in sending order,
/// whatever was dropped.
///
/// Its memory grows to the most that ever waited, up to ``PacketList/limit``, and is reused. What does not fit is
/// dropped and counted.
package final class DatagramQueue: PacketSink {
    // Only while a datagram is lent does other code run during an access: whatever changes the packets checks that.
    @safe @exclusivity(unchecked) private var packets = PacketList(
        unused: Entry(time: .zero, number: -1, stream: -1, kind: 0))
    @safe @exclusivity(unchecked) private var isLent = false
    /// The first that is still to be sent.
    @safe @exclusivity(unchecked) private var first = 0
    /// The bytes of the waiting datagrams, without the room.
    @safe @exclusivity(unchecked) private var byteCount = 0
    /// Datagrams that did not fit, since the queue was last sealed.
    @safe @exclusivity(unchecked) private(set) var dropped = 0
    // The stream of the packets that are appended now.
    @safe @exclusivity(unchecked) private var stream: Int?
    @safe @exclusivity(unchecked) private var numberOffset: Int?
    @safe @exclusivity(unchecked) private var areSomeNumbered = false

    private struct Entry: BitwiseCopyable {
        var time: MediaTime
        /// The offset of the transport-wide sequence number in the packet; -1 for none.
        var number: Int32
        /// The stream's number; -1 for none.
        var stream: Int32
        var kind: UInt8
    }

    package init() {}

    deinit { packets.deallocate() }

    package var isEmpty: Bool { first == packets.count }

    /// Assigns the following packets to a stream.
    ///
    /// - Parameters:
    ///   - stream: the stream's number; `nil` for none.
    ///   - numberOffset: the offset of the transport-wide sequence number in each packet; `nil` if they have none.
    func begin(_ stream: Int?, numberOffset: Int?) {
        checkUnlent()
        if first > 0, isEmpty { empty() }
        self.stream = stream
        self.numberOffset = numberOffset
        if numberOffset != nil { areSomeNumbered = true }
    }

    @inline(__always)
    private func entry(_ kind: OutgoingPacket.Kind, _ time: MediaTime) -> Entry {
        Entry(
            time: time, number: Int32(truncatingIfNeeded: numberOffset ?? -1),
            stream: Int32(truncatingIfNeeded: stream ?? -1), kind: kind.rawValue)
    }

    /// Appends a packet of the stream.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) { send(packet, as: .media, at: time) }

    /// Appends a packet of the stream.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        checkUnlent()
        guard packets.append(packet, entry(kind, time)) else {
            dropped += 1
            return
        }
        byteCount += packet.count
    }

    /// Appends a datagram that belongs to no single stream.
    func append(_ datagram: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        begin(nil, numberOffset: nil)
        send(datagram, as: kind, at: time)
    }

    /// Appends a packet of the pacer's list, which loses it.
    func append<Other>(
        moving index: Int, of other: inout PacketList<Other>, as kind: OutgoingPacket.Kind, at time: MediaTime
    ) {
        checkUnlent()
        let count = other.byteCount(of: index)
        guard packets.append(moving: index, of: &other, entry(kind, time)) else {
            dropped += 1
            return
        }
        byteCount += count
    }

    /// Passes the next datagram to `body`, and removes it; `nil` if none waits.
    func take(numberedFrom number: inout SequenceNumber, _ body: (Span<UInt8>) -> Void) -> OutgoingPacket? {
        guard first < packets.count else { return nil }
        checkUnlent()
        let index = first
        first += 1
        writeNumber(of: index, &number)
        isLent = true
        packets.withPacket(index, body)
        isLent = false
        byteCount -= packets.byteCount(of: index)
        return description(of: index)
    }

    @inline(__always)
    private func description(of index: Int) -> OutgoingPacket {
        let entry = packets.entry(index)
        return OutgoingPacket(
            kind: OutgoingPacket.Kind(rawValue: entry.kind) ?? .media,
            stream: entry.stream < 0 ? nil : Int(entry.stream), byteCount: packets.byteCount(of: index))
    }

    /// Writes the transport-wide sequence numbers into all waiting datagrams: they are sent now, in this order.
    ///
    /// - Returns: how many wait, their bytes, and how many did not fit since the last call.
    func seal(numberedFrom number: inout SequenceNumber) -> (count: Int, byteCount: Int, dropped: Int) {
        if areSomeNumbered { for index in first..<packets.count { writeNumber(of: index, &number) } }
        defer { dropped = 0 }
        return (packets.count - first, byteCount, dropped)
    }

    private func writeNumber(of index: Int, _ number: inout SequenceNumber) {
        let offset = packets.entry(index).number
        guard offset >= 0 else { return }
        packets.write(number.rawValue, to: index, at: Int(offset))
        number = number.next
    }

    /// Passes all waiting datagrams to `sink`, in order, and empties the queue. The sink must not append any
    /// meanwhile.
    package func deliver(to sink: some PacketSink) {
        deliver { packet, time, datagram in sink.send(datagram.span, as: packet.kind, at: time) }
    }

    /// Passes all waiting datagrams to `body`, in order, and empties the queue. Each datagram has room for
    /// ``PacketList/room`` more bytes.
    package func deliver(_ body: (OutgoingPacket, MediaTime, inout OutputSpan<UInt8>) -> Void) {
        checkUnlent()
        isLent = true
        for index in first..<packets.count {
            let (packet, time) = (description(of: index), packets.entry(index).time)
            packets.withOutput(of: index) { body(packet, time, &$0) }
        }
        isLent = false
        empty()
    }

    @inline(__always)
    private func checkUnlent() { precondition(!isLent, "the datagrams are changed while one is sent") }

    private func empty() {
        packets.removeAll()
        (first, byteCount, areSomeNumbered) = (0, 0, numberOffset != nil)
    }
}
