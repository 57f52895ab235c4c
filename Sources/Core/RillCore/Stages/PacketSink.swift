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
