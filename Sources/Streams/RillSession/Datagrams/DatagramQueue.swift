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
    private let cell = StateCell(WaitingDatagrams())

    package init() {}

    deinit { cell.state.deallocate() }

    package var isEmpty: Bool { cell.state.isEmpty }
    /// Datagrams that did not fit, since the queue was last sealed.
    var dropped: Int { cell.state.dropped }

    /// Assigns the following packets to a stream.
    ///
    /// - Parameters:
    ///   - stream: the stream's number.
    ///   - numberOffset: the offset of the transport-wide sequence number in each packet; `nil` if they have none.
    func begin(_ stream: Int, numberOffset: Int?) { cell.state.begin(stream, numberOffset) }

    /// Appends a packet of the stream.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) { send(packet, as: .media, at: time) }

    /// Appends a packet of the stream.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        cell.state.append(packet, as: kind, at: time)
    }

    /// Appends a datagram that belongs to no single stream.
    func append(_ datagram: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        cell.state.begin(nil, nil)
        cell.state.append(datagram, as: kind, at: time)
    }

    /// Appends a packet of the pacer's list, which loses it.
    func append<Other>(
        moving index: Int, of packets: inout PacketList<Other>, as kind: OutgoingPacket.Kind, at time: MediaTime
    ) {
        cell.state.append(moving: index, of: &packets, as: kind, at: time)
    }

    /// Passes the next datagram to `body`, and removes it; `nil` if none waits.
    func take(numberedFrom number: inout SequenceNumber, _ body: (Span<UInt8>) -> Void) -> OutgoingPacket? {
        cell.state.take(numberedFrom: &number, body)
    }

    /// Writes the transport-wide sequence numbers into all waiting datagrams: they are sent now, in this order.
    func seal(numberedFrom number: inout SequenceNumber) -> (count: Int, byteCount: Int, dropped: Int) {
        cell.state.seal(&number)
    }

    /// Passes all waiting datagrams to `sink`, in order, and empties the queue. The sink must not append any
    /// meanwhile.
    package func deliver(to sink: some PacketSink) {
        cell.state.deliver { packet, time, datagram in sink.send(datagram.span, as: packet.kind, at: time) }
    }

    /// Passes all waiting datagrams to `body`, in order, and empties the queue. Each datagram has room for
    /// ``PacketList/room`` more bytes.
    package func deliver(_ body: (OutgoingPacket, MediaTime, inout OutputSpan<UInt8>) -> Void) {
        cell.state.deliver(body)
    }
}
