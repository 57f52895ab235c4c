package import RillCore
import RillRTP

/// Datagrams that wait to be sent, in their order. Each packet is copied here once, from its stream's history.
///
/// The number that the transport counts packets by is written when a datagram leaves, so that numbers rise in the order of
/// leaving whatever became of the others.
///
/// Its memory grows to the most that ever waited, up to ``limit``, and stays; what does not fit is dropped and counted.
package final class DatagramQueue: PacketSink {
    private var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The first that is still to be sent.
    private var first = 0
    /// Datagrams for which there was no room, since that was asked last.
    var dropped = 0
    // What the packets that come now belong to.
    private var stream: Int?
    private var numberOffset: Int?

    /// Bytes that may wait: four seconds at 4 Mbit/s.
    static let limit = 2 << 20

    private struct Entry {
        var start: Int
        var end: Int
        var kind: OutgoingPacket.Kind
        var stream: Int?
        var time: MediaTime
        /// Where the transport's number stands.
        var number: Int?
    }

    package init() {}

    package var isEmpty: Bool { first == entries.count }
    /// How many wait, and their bytes.
    var count: Int { entries.count - first }
    var byteCount: Int { isEmpty ? 0 : bytes.count - entries[first].start }

    /// The packets that come from now on are those of a stream.
    ///
    /// - Parameter numberOffset: where the transport's number stands in each of them.
    func begin(_ stream: Int, numberOffset: Int?) {
        self.stream = stream
        self.numberOffset = numberOffset
    }

    /// Takes a packet of the stream.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) { send(packet, as: .media, at: time) }

    /// Takes a packet of the stream.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        append(packet, as: kind, of: stream, number: numberOffset, at: time)
    }

    /// Takes a datagram that concerns no stream alone.
    func append(_ datagram: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        append(datagram, as: kind, of: nil, number: nil, at: time)
    }

    private func append(
        _ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, of stream: Int?, number: Int?, at time: MediaTime
    ) {
        if first == entries.count { empty() }
        let start = bytes.count
        guard start + packet.count <= DatagramQueue.limit else {
            dropped += 1
            return
        }
        bytes.append(copying: packet)
        entries.append(
            Entry(
                start: start, end: bytes.count, kind: kind, stream: stream, time: time,
                number: number.map { start + $0 }))
    }

    /// Takes the next datagram out; its bytes are put into `datagram`.
    func take(into datagram: inout [UInt8], numberedFrom number: inout SequenceNumber) -> OutgoingPacket? {
        guard first < entries.count else { return nil }
        let entry = entries[first]
        first += 1
        write(entry, &number)
        datagram.removeAll(keepingCapacity: true)
        let bytes = bytes  // shared, not copied
        datagram.append(copying: bytes.span.extracting(entry.start..<entry.end))
        return OutgoingPacket(kind: entry.kind, stream: entry.stream, byteCount: entry.end - entry.start)
    }

    /// Writes into all that wait what is written last: they leave now, in this order.
    func seal(numberedFrom number: inout SequenceNumber) {
        for index in first..<entries.count { write(entries[index], &number) }
    }

    private func write(_ entry: Entry, _ number: inout SequenceNumber) {
        guard let offset = entry.number else { return }
        bytes[offset] = UInt8(truncatingIfNeeded: number.rawValue >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: number.rawValue)
        number = number.next
    }

    /// Gives all that wait to `sink`, in their order; none waits then. Nothing may be added meanwhile.
    package func handOut(to sink: some PacketSink) {
        send(bytes.span, to: sink)
        empty()
    }

    private func send(_ bytes: Span<UInt8>, to sink: some PacketSink) {
        for entry in entries[first...] {
            sink.send(bytes.extracting(entry.start..<entry.end), as: entry.kind, at: entry.time)
        }
    }

    private func empty() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        first = 0
    }
}
