import RillCore
import RillRTP

/// The storage of a ``DatagramQueue``.
struct WaitingDatagrams: ~Copyable {
    /// All datagrams, one after the other, each with its room.
    private var bytes = GrowingStorage<UInt8>(capacity: 8192)
    private var entries = GrowingStorage<Entry>(capacity: 16)
    /// The first that is still to be sent.
    private var first = 0
    /// The bytes of the waiting datagrams, without the room.
    private(set) var byteCount = 0
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
        /// The offset of the transport-wide sequence number.
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

    mutating func begin(_ stream: Int?, _ numberOffset: Int?) {
        self.stream = stream
        self.numberOffset = numberOffset
        if numberOffset != nil { areSomeNumbered = true }
    }

    @inline(__always)
    mutating func append(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        if first > 0, isEmpty { empty() }
        let start = bytes.count
        guard start + packet.count <= DatagramQueue.limit else {
            dropped += 1
            return
        }
        bytes.append(copying: packet, room: DatagramQueue.tailroom)
        byteCount += packet.count
        entries.append(
            Entry(
                start: start, end: start + packet.count, time: time, number: numberOffset.map { start + $0 },
                stream: stream, kind: kind.rawValue))
    }

    mutating func take(into datagram: inout [UInt8], _ number: inout SequenceNumber) -> OutgoingPacket? {
        guard first < entries.count else { return nil }
        let entry = entries[first]
        first += 1
        write(entry, &number)
        byteCount -= entry.end - entry.start
        datagram.removeAll(keepingCapacity: true)
        datagram.append(copying: bytes.values(of: entry.start..<entry.end))
        return entry.packet
    }

    mutating func seal(_ number: inout SequenceNumber) {
        guard areSomeNumbered else { return }
        for index in first..<entries.count { write(entries[index], &number) }
    }

    private mutating func write(_ entry: Entry, _ number: inout SequenceNumber) {
        guard let offset = entry.number else { return }
        bytes[offset] = UInt8(truncatingIfNeeded: number.rawValue >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: number.rawValue)
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
        (first, byteCount, areSomeNumbered) = (0, 0, numberOffset != nil)
    }
}
