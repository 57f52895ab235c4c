/// Where packets go to: a socket, an emulated link, a capture file.
public protocol PacketSink: AnyObject {
    /// Sends one packet, whole, at `time`. The bytes are the sender's own memory and hold until this returns. It may call
    /// back into the pipeline or the receiver that sends.
    func send(_ packet: Span<UInt8>, at time: MediaTime)

    /// Sends one packet, and is told what it is for. Senders of streams call this one; a sink that treats all packets alike
    /// implements only ``send(_:at:)``, to which this leads by itself.
    func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime)
}

extension PacketSink {
    /// Sends the packet as one like any other.
    @inlinable
    public func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        send(packet, at: time)
    }
}

/// A sink made of a function: `PacketTap { packet, time in … }`.
public final class PacketTap: PacketSink {
    private let body: (Span<UInt8>, MediaTime) -> Void

    /// A sink that calls `body` with every packet.
    public init(_ body: @escaping (Span<UInt8>, MediaTime) -> Void) {
        self.body = body
    }

    /// Calls the function, on the caller's thread.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) { body(packet, time) }
}

/// A sink made of a function that may be called from several threads at once, as the live driver does.
public final class ConcurrentPacketTap: PacketSink, Sendable {
    private let body: @Sendable (Span<UInt8>, MediaTime) -> Void

    /// A sink that calls `body` with every packet.
    public init(_ body: @escaping @Sendable (Span<UInt8>, MediaTime) -> Void) {
        self.body = body
    }

    /// Calls the function, on the caller's thread: it may be running on another one already.
    public func send(_ packet: Span<UInt8>, at time: MediaTime) { body(packet, time) }
}
