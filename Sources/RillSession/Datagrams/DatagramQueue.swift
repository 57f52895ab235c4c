package import RillCore
import RillRTP

/// Datagrams that wait to be sent, in their order. Each packet is copied here once, from its stream's history.
///
/// The number that the transport counts packets by is written when a datagram leaves, so that numbers rise in the order of
/// leaving whatever became of the others.
///
/// Its memory grows to the most that ever waited, up to ``limit``, and stays; what does not fit is dropped and counted.
package final class DatagramQueue: PacketSink {
    /// All there is, in one place: asking whether somebody else has it open is then asked once a call, not once a property.
    private var waiting = Waiting()

    /// Bytes that may wait: four seconds at 4 Mbit/s.
    static let limit = 2 << 20

    fileprivate struct Waiting {
        var bytes: [UInt8] = []
        var entries: [Entry] = []
        /// The first that is still to be sent.
        var first = 0
        var dropped = 0
        // What the packets that come now belong to.
        var stream: Int?
        var numberOffset: Int?
    }

    fileprivate struct Entry {
        var start: Int
        var end: Int
        var kind: OutgoingPacket.Kind
        var stream: Int?
        var time: MediaTime
        /// Where the transport's number stands.
        var number: Int?
    }

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }
    /// How many wait.
    var count: Int { waiting.entries.count - waiting.first }
    /// Their bytes.
    var byteCount: Int { waiting.byteCount }
    /// Datagrams for which there was no room, since that was set to zero.
    var dropped: Int {
        get { waiting.dropped }
        set { waiting.dropped = newValue }
    }

    /// The packets that come from now on are those of a stream.
    ///
    /// - Parameter numberOffset: where the transport's number stands in each of them.
    func begin(_ stream: Int, numberOffset: Int?) { waiting.begin(stream, numberOffset) }

    /// Takes a packet of the stream.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) { send(packet, as: .media, at: time) }

    /// Takes a packet of the stream.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        waiting.append(packet, as: kind, at: time)
    }

    /// Takes a datagram that concerns no stream alone.
    func append(_ datagram: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        waiting.stream = nil
        waiting.numberOffset = nil
        waiting.append(datagram, as: kind, at: time)
    }

    /// Takes the next datagram out; its bytes are put into `datagram`.
    func take(into datagram: inout [UInt8], numberedFrom number: inout SequenceNumber) -> OutgoingPacket? {
        waiting.take(into: &datagram, &number)
    }

    /// Writes into all that wait what is written last: they leave now, in this order.
    func seal(numberedFrom number: inout SequenceNumber) { waiting.seal(&number) }

    /// Gives all that wait to `sink`, in their order; none waits then. Nothing may be added meanwhile.
    package func handOut(to sink: some PacketSink) {
        // Taken out and put back, so that no access lasts while the sink is called, and their memory stays one.
        var leaving = Waiting()
        swap(&leaving, &waiting)
        for entry in leaving.entries[leaving.first...] {
            sink.send(leaving.bytes.span.extracting(entry.start..<entry.end), as: entry.kind, at: entry.time)
        }
        leaving.empty()
        swap(&leaving, &waiting)
    }
}

extension DatagramQueue.Waiting {
    var isEmpty: Bool { first == entries.count }
    var byteCount: Int { isEmpty ? 0 : bytes.count - entries[first].start }

    mutating func begin(_ stream: Int, _ numberOffset: Int?) {
        self.stream = stream
        self.numberOffset = numberOffset
    }

    mutating func append(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        if first > 0, first == entries.count { empty() }
        let start = bytes.count
        guard start + packet.count <= DatagramQueue.limit else {
            dropped += 1
            return
        }
        bytes.append(copying: packet)
        entries.append(
            DatagramQueue.Entry(
                start: start, end: bytes.count, kind: kind, stream: stream, time: time,
                number: numberOffset.map { start + $0 }))
    }

    mutating func take(into datagram: inout [UInt8], _ number: inout SequenceNumber) -> OutgoingPacket? {
        guard first < entries.count else { return nil }
        let entry = entries[first]
        first += 1
        write(entry, &number)
        datagram.removeAll(keepingCapacity: true)
        datagram.append(copying: bytes.span.extracting(entry.start..<entry.end))
        return OutgoingPacket(kind: entry.kind, stream: entry.stream, byteCount: entry.end - entry.start)
    }

    mutating func seal(_ number: inout SequenceNumber) {
        for index in first..<entries.count { write(entries[index], &number) }
    }

    private mutating func write(_ entry: DatagramQueue.Entry, _ number: inout SequenceNumber) {
        guard let offset = entry.number else { return }
        bytes[offset] = UInt8(truncatingIfNeeded: number.rawValue >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: number.rawValue)
        number = number.next
    }

    mutating func empty() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        first = 0
    }
}
