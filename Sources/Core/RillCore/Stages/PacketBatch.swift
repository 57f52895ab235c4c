/// Packets that are created while a state is locked, and sent after the lock is released: the sink may call back into
/// the sender.
///
/// One owner. The memory grows to the largest batch so far, and is kept.
package final class PacketBatch: PacketSink {
    private var bytes: [UInt8] = []
    private var packets: [Packet] = []

    private struct Packet {
        /// The end of the packet in `bytes`, where the next one starts.
        var end: Int
        var kind: OutgoingPacket.Kind
        var time: MediaTime
    }

    package init() {}

    package var isEmpty: Bool { packets.isEmpty }

    /// Keeps a copy of a media packet.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) {
        send(packet, as: .media, at: time)
    }

    /// Keeps a copy of a packet, with its purpose.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        bytes.append(copying: packet)
        packets.append(Packet(end: bytes.count, kind: kind, time: time))
    }

    /// Sends all packets to `sink` in order, and empties the batch.
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
