import RillCore
import RillRTP

/// The storage of a ``DatagramQueue``.
struct WaitingDatagrams: ~Copyable {
    private var packets = PacketList(unused: Entry(time: .zero, number: -1, stream: -1, kind: 0))
    /// The first that is still to be sent.
    private var first = 0
    /// The bytes of the waiting datagrams, without the room.
    private var byteCount = 0
    /// Datagrams that did not fit.
    private(set) var dropped = 0
    // The stream of the packets that are appended now.
    private var stream: Int?
    private var numberOffset: Int?
    private var areSomeNumbered = false

    private struct Entry: BitwiseCopyable {
        var time: MediaTime
        /// The offset of the transport-wide sequence number in the packet; -1 for none.
        var number: Int32
        /// The stream's number; -1 for none.
        var stream: Int32
        var kind: UInt8
    }

    var isEmpty: Bool { first == packets.count }

    mutating func begin(_ stream: Int?, _ numberOffset: Int?) {
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

    @inline(__always)
    mutating func append(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        guard packets.append(packet, entry(kind, time)) else {
            dropped += 1
            return
        }
        byteCount += packet.count
    }

    /// Appends a packet of another list, which loses it.
    mutating func append<Other>(
        moving index: Int, of other: inout PacketList<Other>, as kind: OutgoingPacket.Kind, at time: MediaTime
    ) {
        let count = other.byteCount(of: index)
        guard packets.append(moving: index, of: &other, entry(kind, time)) else {
            dropped += 1
            return
        }
        byteCount += count
    }

    /// Passes the next datagram to `body`, and removes it; `nil` if none waits.
    mutating func take(
        numberedFrom number: inout SequenceNumber, _ body: (Span<UInt8>) -> Void
    ) -> OutgoingPacket? {
        guard first < packets.count else { return nil }
        let index = first
        first += 1
        writeNumber(of: index, &number)
        body(packets.packet(index))
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

    /// Writes the numbers of all datagrams.
    ///
    /// - Returns: how many wait, their bytes, and how many did not fit since the last call.
    mutating func seal(_ number: inout SequenceNumber) -> (count: Int, byteCount: Int, dropped: Int) {
        if areSomeNumbered { for index in first..<packets.count { writeNumber(of: index, &number) } }
        defer { dropped = 0 }
        return (packets.count - first, byteCount, dropped)
    }

    private mutating func writeNumber(of index: Int, _ number: inout SequenceNumber) {
        let offset = packets.entry(index).number
        guard offset >= 0 else { return }
        packets.write(number.rawValue, to: index, at: Int(offset))
        number = number.next
    }

    mutating func deliver(_ body: (OutgoingPacket, MediaTime, inout OutputSpan<UInt8>) -> Void) {
        for index in first..<packets.count {
            let (packet, time) = (description(of: index), packets.entry(index).time)
            packets.withOutput(of: index) { body(packet, time, &$0) }
        }
        empty()
    }

    mutating func deallocate() { packets.deallocate() }

    private mutating func empty() {
        packets.removeAll()
        (first, byteCount, areSomeNumbered) = (0, 0, numberOffset != nil)
    }
}
