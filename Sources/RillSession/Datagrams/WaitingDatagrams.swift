import RillCore
import RillRTP

/// The storage of a ``DatagramQueue``.
struct WaitingDatagrams: ~Copyable {
    /// All datagrams, one after the other, each with its room.
    private var bytes = GrowingStorage<UInt8>(capacity: 8192)
    private var entries = GrowingStorage<Entry>(capacity: 16)
    /// The first that is still to be sent.
    private var first = 0
    /// Datagrams that did not fit.
    var dropped = 0
    // The stream of the packets that are appended now.
    private var stream: Int?
    private var numberOffset: Int?
    private var areSomeNumbered = false

    private struct Entry: BitwiseCopyable {
        var start: Int
        var end: Int
        var time: MediaTime
        /// The offset of the transport-wide sequence number in it.
        var number: Int?
        var stream: Int?
        var kind: UInt8

        var packet: OutgoingPacket {
            OutgoingPacket(
                kind: OutgoingPacket.Kind(rawValue: kind) ?? .media, stream: stream, byteCount: end - start)
        }
    }

    var isEmpty: Bool { first == entries.count }
    var count: Int { entries.count - first }
    /// The bytes of the waiting datagrams, without the room. They are one after the other.
    var byteCount: Int {
        isEmpty ? 0 : bytes.count - entries[first].start - count * DatagramQueue.tailroom
    }

    mutating func begin(_ stream: Int?, _ numberOffset: Int?) {
        if first > 0, isEmpty { empty() }
        self.stream = stream
        self.numberOffset = numberOffset
        if numberOffset != nil { areSomeNumbered = true }
    }

    @inline(__always)
    mutating func append(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        let start = bytes.count
        guard start + packet.count <= DatagramQueue.limit else {
            dropped += 1
            return
        }
        bytes.append(copying: packet, room: DatagramQueue.tailroom)
        entries.append(
            Entry(
                start: start, end: start + packet.count, time: time, number: numberOffset, stream: stream,
                kind: kind.rawValue))
    }

    mutating func take(into datagram: inout [UInt8], _ number: inout SequenceNumber) -> OutgoingPacket? {
        guard first < entries.count else { return nil }
        let entry = entries[first]
        first += 1
        write(entry, &number)
        datagram.removeAll(keepingCapacity: true)
        datagram.append(copying: bytes.values(of: entry.start..<entry.end))
        return entry.packet
    }

    /// Writes the numbers of all datagrams.
    ///
    /// - Returns: how many wait, their bytes, and how many did not fit since the last call.
    mutating func seal(_ number: inout SequenceNumber) -> (count: Int, byteCount: Int, dropped: Int) {
        writeNumbers(&number)
        defer { dropped = 0 }
        return (count, byteCount, dropped)
    }

    private mutating func writeNumbers(_ number: inout SequenceNumber) {
        guard areSomeNumbered else { return }
        for index in first..<entries.count { write(entries[index], &number) }
    }

    private mutating func write(_ entry: Entry, _ number: inout SequenceNumber) {
        guard let offset = entry.number else { return }
        bytes[entry.start + offset] = UInt8(truncatingIfNeeded: number.rawValue >> 8)
        bytes[entry.start + offset + 1] = UInt8(truncatingIfNeeded: number.rawValue)
        number = number.next
    }

    mutating func deliver(_ body: (OutgoingPacket, MediaTime, inout OutputSpan<UInt8>) -> Void) {
        for index in first..<entries.count {
            let entry = entries[index]
            bytes.withOutput(of: entry.start..<entry.end, room: DatagramQueue.tailroom) {
                body(entry.packet, entry.time, &$0)
            }
        }
        empty()
    }

    private mutating func empty() {
        bytes.removeAll()
        entries.removeAll()
        (first, areSomeNumbered) = (0, numberOffset != nil)
    }
}
