package import RillCore

/// Keeps what was sent.
package final class CollectingSink: PacketSink {
    package private(set) var packets: [[UInt8]] = []
    package private(set) var kinds: [OutgoingPacket.Kind] = []
    package private(set) var times: [MediaTime] = []

    package init() {}

    package func send(_ packet: Span<UInt8>, at time: MediaTime) {
        send(packet, as: .media, at: time)
    }

    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        packets.append(packet.array)
        kinds.append(kind)
        times.append(time)
    }
}
