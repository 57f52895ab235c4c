/// A destination of packets: a socket, an emulated link, a capture file.
public protocol PacketSink: AnyObject {
    /// Sends one whole packet. The sink may call back into the pipeline or the receiver that sends.
    ///
    /// - Parameters:
    ///   - packet: its bytes, which belong to the sender and are valid until this returns.
    ///   - time: when to send it.
    func send(_ packet: Span<UInt8>, at time: MediaTime)

    /// Sends one packet with its purpose.
    ///
    /// Senders of streams call this one. A sink that treats all packets alike implements only ``send(_:at:)``, which
    /// the default implementation calls.
    ///
    /// - Parameters:
    ///   - packet: its bytes, which belong to the sender and are valid until this returns.
    ///   - kind: its purpose.
    ///   - time: when to send it.
    func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime)
}

extension PacketSink {
    /// Sends the packet without regard to its purpose.
    @inlinable
    public func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        send(packet, at: time)
    }
}

/// A sink that calls a function: `PacketTap { packet, time in … }`.
public final class PacketTap: PacketSink {
    private let body: (Span<UInt8>, MediaTime) -> Void

    /// Creates a sink that calls `body` with every packet.
    public init(_ body: @escaping (Span<UInt8>, MediaTime) -> Void) {
        self.body = body
    }

    /// Calls the function on the caller's thread.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) { body(packet, time) }
}

/// A sink that calls a function from several threads at once, as the live driver does.
public final class ConcurrentPacketTap: PacketSink, Sendable {
    private let body: @Sendable (Span<UInt8>, MediaTime) -> Void

    /// Creates a sink that calls `body` with every packet.
    public init(_ body: @escaping @Sendable (Span<UInt8>, MediaTime) -> Void) {
        self.body = body
    }

    /// Calls the function on the caller's thread. It may already be running on another thread.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) { body(packet, time) }
}

/// The description of a packet to send.
public struct OutgoingPacket: Hashable, Sendable {
    /// The packet's purpose.
    public var kind: Kind
    /// The index of its stream at the sender, or `nil` if the packet concerns all streams.
    public var stream: Int?
    /// The length of the packet in bytes, without the headers of lower layers.
    public var byteCount: Int

    /// Creates a description.
    public init(kind: Kind, stream: Int? = nil, byteCount: Int) {
        self.kind = kind
        self.stream = stream
        self.byteCount = byteCount
    }

    /// The purpose of a packet. A pacer orders by it, and a rate controller counts by it.
    public enum Kind: UInt8, CaseIterable, Sendable, BitwiseCopyable {
        /// A packet of a stream, sent for the first time.
        case media
        /// A retransmitted packet, on its own stream or on the original one.
        case retransmission
        /// A FEC packet, which protects others.
        case fec
        /// A padding packet, sent to fill time or to probe the path.
        case padding
        /// An RTCP packet.
        case rtcp
    }
}

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
