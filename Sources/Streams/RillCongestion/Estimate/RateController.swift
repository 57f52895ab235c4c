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

    /// Whether packets of a frame may leave together (``Pacer/burstLimit``). The default is that they may not.
    var allowsBursts: Bool { get }

    /// Whether the in-flight window is full: then frames are skipped before they are encoded.
    ///
    /// It is the congestion window of the controller. It holds no packet back: encoded frames leave at the pacing rate.
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
    /// Returns `false`.
    public var allowsBursts: Bool { false }

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

/// The pacing rate for a bitrate. The gain (pacing rate over bitrate) is higher for a lower bitrate, which makes
/// flows fair whose frames leave at the same time.
///
/// The trains of such flows always interleave at the bottleneck. The dispersion of a flow's own train then measures
/// its share of the arrivals there. That share is the flow's pacing rate over the sum of all:
///
///     measured = capacity x pacing rate / (sum of all pacing rates)
///
/// To each flow this looks like a link of its own without cross traffic. With one gain for all, every division would
/// confirm itself: bitrates follow the measurements, and the measurements follow the bitrates. Here the pacing rates
/// differ less than the bitrates. A flow with a third of another's bitrate has half of its pacing rate, so it
/// measures more than it has, and the other less. Only equal bitrates are stable.
///
/// A flow without competitors measures the capacity at any pacing rate above it.
enum PacingGain {
    /// The pacing rate is this share of the bitrate, plus ``extra`` in bits per second.
    private static let share = 0.5
    /// With ``share`` it gives a gain of 1.5 at 1200 kbit/s.
    private static let extra = 1_200_000.0
    /// The bounds of the gain.
    ///
    /// Below the lowest one, trains would not reveal capacity that becomes available. Above the highest one, a frame
    /// would only wait at the bottleneck instead of in the pacer. A radio link of varying capacity has longer queues,
    /// so its highest gain is lower.
    private static let factors = (least: 1.3, most: 2.0, mostUnsteady: 1.6)

    /// The pacing rate for a bitrate, both in bits per second.
    ///
    /// - Parameters:
    ///   - rate: the bitrate.
    ///   - isSteady: whether the capacity has been constant for some seconds.
    static func of(_ rate: Double, isSteady: Bool = true) -> Double {
        let most = isSteady ? factors.most : factors.mostUnsteady
        return min(max(share * rate + extra, factors.least * rate), most * rate)
    }
}
