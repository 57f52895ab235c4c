/// Packets that are made while a state is being changed, and handed to their sink when nobody is inside it any more: the sink may
/// call back into whoever sends.
///
/// One owner. Its memory grows to the largest that it ever held, and stays.
package final class PacketBatch: PacketSink {
    private var bytes: [UInt8] = []
    private var packets: [Packet] = []

    private struct Packet {
        /// Where it ends in the bytes, and the next one begins.
        var end: Int
        var kind: OutgoingPacket.Kind
        var time: MediaTime
    }

    package init() {}

    package var isEmpty: Bool { packets.isEmpty }

    /// Keeps a copy of a packet of media.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) {
        send(packet, as: .media, at: time)
    }

    /// Keeps a copy of a packet, and what it is for.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        bytes.append(copying: packet)
        packets.append(Packet(end: bytes.count, kind: kind, time: time))
    }

    /// Gives all packets to `sink`, in their order; the batch is empty then.
    package func deliver(to sink: some PacketSink) {
        send(bytes.span, to: sink)
        bytes.removeAll(keepingCapacity: true)
        packets.removeAll(keepingCapacity: true)
    }

    private func send(_ bytes: Span<UInt8>, to sink: some PacketSink) {
        var start = 0
        for packet in packets {
            sink.send(bytes.extracting(start..<packet.end), as: packet.kind, at: packet.time)
            start = packet.end
        }
    }
}
