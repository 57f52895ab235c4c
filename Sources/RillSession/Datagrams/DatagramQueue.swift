package import RillCore
import RillRTP
import RillState

/// Datagrams that wait to be sent, in their order. Each packet is copied here once, from its stream's history, with room behind
/// it for what protects it.
///
/// The number that the transport counts packets by is written when a datagram leaves, so that numbers rise in the order of
/// leaving whatever became of the others.
///
/// Its memory grows to the most that ever waited, up to ``limit``, and stays; what does not fit is dropped and counted.
package final class DatagramQueue: PacketSink {
    private let cell = StateCell(WaitingDatagrams())

    /// Bytes that may wait: four seconds at 4 Mbit/s.
    static let limit = 2 << 20
    /// Bytes behind each datagram that whoever sends it may fill.
    static let tailroom = 32

    package init() {}

    package var isEmpty: Bool { cell.state.isEmpty }
    /// How many wait.
    var count: Int { cell.state.count }
    /// Their bytes.
    var byteCount: Int { cell.state.byteCount }
    /// Datagrams for which there was no room, since that was set to zero.
    var dropped: Int {
        get { cell.state.dropped }
        set { cell.state.dropped = newValue }
    }

    /// The packets that come from now on are those of a stream.
    ///
    /// - Parameter numberOffset: where the transport's number stands in each of them.
    func begin(_ stream: Int, numberOffset: Int?) { cell.state.begin(stream, numberOffset) }

    /// Takes a packet of the stream.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) { send(packet, as: .media, at: time) }

    /// Takes a packet of the stream.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        cell.state.append(packet, as: kind, at: time)
    }

    /// Takes a datagram that concerns no stream alone.
    func append(_ datagram: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        cell.state.begin(nil, nil)
        cell.state.append(datagram, as: kind, at: time)
    }

    /// Takes the next datagram out; its bytes are put into `datagram`.
    func take(into datagram: inout [UInt8], numberedFrom number: inout SequenceNumber) -> OutgoingPacket? {
        cell.state.take(into: &datagram, &number)
    }

    /// Writes into all that wait what is written last: they leave now, in this order.
    func seal(numberedFrom number: inout SequenceNumber) { cell.state.seal(&number) }

    /// Gives all that wait to `sink`, in their order; none waits then. The sink adds none meanwhile.
    package func deliver(to sink: some PacketSink) {
        cell.state.deliver { packet, time, datagram in sink.send(datagram.span, as: packet.kind, at: time) }
    }

    /// Gives all that wait to `body`, in their order; none waits then. Behind each datagram is room for ``tailroom`` bytes.
    package func deliver(_ body: (OutgoingPacket, MediaTime, inout OutputSpan<UInt8>) -> Void) {
        cell.state.deliver(body)
    }
}
