public import RillCore

/// Decides how much a transport may send, from the outcomes of its packets.
///
/// ``BandwidthEstimate`` is the one that Rill uses. Another may take its place in a simulation, to compare the two on the same links.
///
/// A value with one owner: it reads no clock, and the same calls lead to the same rates.
public protocol RateController: Sendable {
    /// The rate to send at, all packets and headers included.
    var rate: Bitrate { get }
    /// Cuts because of overload so far.
    var cutCount: Int { get }

    /// How fast packets leave while some wait.
    ///
    /// - Parameter now: the current time.
    func pacingRate(at now: MediaTime) -> Bitrate

    /// Whether so many bytes in flight are more than the path needs: then frames are left out before they are encoded.
    ///
    /// - Parameters:
    ///   - bytesInFlight: the bytes whose outcome is open, and those in the pacer.
    ///   - now: the current time.
    func isWindowFull(_ bytesInFlight: Int, at now: MediaTime) -> Bool

    /// Notes the outcome of a packet, in the order of sending.
    ///
    /// - Parameters:
    ///   - packet: the packet.
    ///   - outcome: what feedback says of it.
    ///   - now: when the feedback arrived.
    mutating func record(_ packet: PacketRecord, _ outcome: PacketOutcome, at now: MediaTime)

    /// Works out the rate anew, after the packets of a feedback, or when ``dueTime`` has come.
    ///
    /// - Parameter now: the current time.
    mutating func update(at now: MediaTime)

    /// Notes that a packet leaves. By default nothing happens.
    ///
    /// - Parameters:
    ///   - byteCount: its size on the path in bytes.
    ///   - now: the current time.
    mutating func recordSent(byteCount: Int, at now: MediaTime)

    /// What the next frame may be encoded at, headers included. By default that is ``rate``.
    ///
    /// - Parameters:
    ///   - byteCount: what waits in the pacer, in bytes.
    ///   - now: the current time.
    func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate

    /// When to call ``update(at:)`` if no feedback arrives before. By default that is never.
    var dueTime: MediaTime { get }

    /// The probe to send now. By default there is none.
    ///
    /// - Parameter now: the current time; the pacer is empty.
    /// - Returns: what to send; `nil` for nothing.
    mutating func takeProbe(at now: MediaTime) -> ProbeCluster?

    /// Notes what was sent for a probe: whole packets may be more than was asked for. By default nothing happens.
    ///
    /// - Parameter byteCount: the bytes on the path.
    mutating func recordProbe(byteCount: Int)

    /// Begins anew on another path, as after an ICE restart. By default nothing happens.
    ///
    /// - Parameter now: the current time.
    mutating func restart(at now: MediaTime)
}

extension RateController {
    /// Notes nothing.
    ///
    /// - Parameters:
    ///   - byteCount: the packet's size on the path in bytes.
    ///   - now: the current time.
    public mutating func recordSent(byteCount: Int, at now: MediaTime) {}

    /// The rate, whatever waits.
    ///
    /// - Parameters:
    ///   - byteCount: what waits in the pacer, in bytes.
    ///   - now: the current time.
    public func mediaRate(queued byteCount: Int, at now: MediaTime) -> Bitrate { rate }

    /// Never.
    public var dueTime: MediaTime { .distantFuture }

    /// No probe.
    ///
    /// - Parameter now: the current time.
    public mutating func takeProbe(at now: MediaTime) -> ProbeCluster? { nil }

    /// Notes nothing.
    ///
    /// - Parameter byteCount: the bytes on the path.
    public mutating func recordProbe(byteCount: Int) {}

    /// Goes on as before.
    ///
    /// - Parameter now: the current time.
    public mutating func restart(at now: MediaTime) {}
}
