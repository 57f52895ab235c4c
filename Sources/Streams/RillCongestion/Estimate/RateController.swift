public import RillCore

/// A congestion controller: it determines the send rate of a transport from the outcomes of its packets.
///
/// Rill uses ``BandwidthEstimate``. A simulation can use another controller, to compare both on the same links.
///
/// It is a value with one owner and reads no clock. The same calls give the same rates.
public protocol RateController: Sendable {
    /// The target bitrate, with all packets and headers.
    var rate: Bitrate { get }
    /// The number of rate cuts after an overload so far.
    var cutCount: Int { get }

    /// The pacing rate while packets are queued.
    ///
    /// - Parameter now: the current time.
    func pacingRate(at now: MediaTime) -> Bitrate

    /// Whether the in-flight window is full: then frames are skipped before they are encoded.
    ///
    /// - Parameters:
    ///   - bytesInFlight: the bytes in flight and in the pacer.
    ///   - now: the current time.
    func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool

    /// Records the outcome of a packet. Packets come in the order of sending.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - outcome: what feedback reports of it.
    ///   - now: the arrival time of the feedback.
    mutating func record(_ packet: PacketRecord, _ outcome: PacketOutcome, at now: MediaTime)

    /// Updates the rate, after the packets of a feedback, or when ``dueTime`` has come.
    ///
    /// - Parameter now: the current time.
    mutating func update(at now: MediaTime)

    /// Records that a packet leaves. The default does nothing.
    ///
    /// - Parameters:
    ///   - byteCount: its size on the path in bytes.
    ///   - now: the current time.
    mutating func recordSent(byteCount: Int, at now: MediaTime)

    /// The bitrate for the next frame, with headers. The default is ``rate``.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes in the pacer.
    ///   - now: the current time.
    func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate

    /// When to call ``update(at:)`` if no feedback arrives before. The default is never.
    var dueTime: MediaTime { get }

    /// The probe cluster to send now. The default is none.
    ///
    /// - Parameter now: the current time. The pacer is empty.
    /// - Returns: the cluster; `nil` for none.
    mutating func takeProbe(at now: MediaTime) -> ProbeCluster?

    /// Records the bytes that a probe cluster sent: whole packets may exceed the planned size. The default does
    /// nothing.
    ///
    /// - Parameter byteCount: the bytes on the path.
    mutating func recordProbe(byteCount: Int)

    /// Resets the controller for another path, for example after an ICE restart. The default does nothing.
    ///
    /// - Parameter now: the current time.
    mutating func restart(at now: MediaTime)
}

extension RateController {
    /// Does nothing.
    ///
    /// - Parameters:
    ///   - byteCount: the packet's size on the path in bytes.
    ///   - now: the current time.
    public mutating func recordSent(byteCount: Int, at now: MediaTime) {}

    /// Returns the rate, whatever the pacer holds.
    ///
    /// - Parameters:
    ///   - byteCount: the bytes in the pacer.
    ///   - now: the current time.
    public func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate { rate }

    /// Never.
    public var dueTime: MediaTime { .distantFuture }

    /// Returns no probe cluster.
    ///
    /// - Parameter now: the current time.
    public mutating func takeProbe(at now: MediaTime) -> ProbeCluster? { nil }

    /// Does nothing.
    ///
    /// - Parameter byteCount: the bytes on the path.
    public mutating func recordProbe(byteCount: Int) {}

    /// Does nothing: the state stays.
    ///
    /// - Parameter now: the current time.
    public mutating func restart(at now: MediaTime) {}
}
