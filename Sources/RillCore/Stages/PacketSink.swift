/// Where packets go to: a socket, an emulated link, a capture file.
public protocol PacketSink: AnyObject {
    /// Sends one packet, whole, at `time`. The bytes are the sender's own memory and hold until this returns. It may call
    /// back into the pipeline or the receiver that sends.
    func send(_ packet: Span<UInt8>, at time: MediaTime)
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
