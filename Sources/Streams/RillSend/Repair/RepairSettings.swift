public import RillCore
public import RillRTP

/// Decides how a stream's frames are protected by FEC packets, beside retransmissions, from what its path loses.
///
/// ```swift
/// let percentage = policy.update(loss: 0.1, roundTrip: .milliseconds(220), packetsPerFrame: 7)
/// ```
///
/// A retransmission costs what is lost, and a round trip of delay; FEC costs a share of all packets, and no delay. FEC
/// comes out of the same bitrate, so the frames become smaller for it. And a receiver that sees no retransmissions
/// shortens its delay, so that what FEC cannot repair then comes too late. So retransmission alone shows more frames
/// nearly everywhere.
///
/// Shown frames in percent and freezes per minute, retransmission alone → with one FEC packet per frame, at the same
/// total bitrate (two minutes, two seeds, a receiver with adaptive delay; `Scripts/test RillLabTests --all --filter
/// RepairTrial`):
///
/// | loss, round trip | 7 packets per frame, 2 Mbit/s | 2 packets, 500 kbit/s | 1 packet, low layer |
/// |---|--:|--:|--:|
/// | 1 %, 200 ms | 99.8, 0.5 → 99.1, 2.3 | 99.9, 0.5 → 99.5, 1.5 | 99.8, 0 → 100, 0 |
/// | 1 %, 400 ms | 99.8, 0.5 → 98.4, 2.5 | 100, 0.5 → 99.0, 1.5 | 99.6, 0.5 → 100, 0 |
/// | 2 %, 400 ms | 98.7, 0.5 → 95.8, 5.5 | 99.6, 0.5 → 98.7, 2.0 | 99.6, 0.5 → 99.8, 0.3 |
/// | 5 %, 400 ms | 97.9, 3.3 → 93.9, 1.3 | 98.6, 0.3 → 96.7, 5.5 | 99.9, 0 → 99.1, 1.5 |
/// | 10 %, 100 ms | 99.2, 0 → 99.5, 0 | 99.3, 0 → 94.7, 0.3 | 99.9, 0 → 99.9, 0 |
/// | 10 %, 200 ms | 96.5, 11.3 → 98.8, 2.3 | 98.5, 3.8 → 94.8, 3.8 | 99.8, 0.3 → 98.6, 0.5 |
/// | 10 %, 400 ms | 93.5, 9.5 → 97.9, 3.5 | 97.5, 3.8 → 94.8, 4.0 | 99.6, 0.3 → 97.6, 2.8 |
///
/// At 10 % and 400 ms a third of the packets for FEC shows more still: 98.5, 1.0.
///
/// With congestion control the frames are as many with FEC as without, and the freezes are fewer: 35,824 of 35,883 and
/// 101 instead of 244 in 40 calls of half a minute without encoders, at 10 %, 200 ms and 2 Mbit/s.
///
/// So there is FEC in two cases: frames of several packets on a path that loses much and is long, and frames of one
/// packet on a path that is very long and loses little. An app that prefers a short delay over the number of frames
/// protects more: with FEC the delay is 52 ms instead of 185 at 1 % and a round trip of 100 ms.
///
/// A session with congestion control asks it once a second for each stream whose ``FECSettings/isAdaptive`` is set.
///
/// A pure value with one owner: it reads no clock.
public struct RepairPolicy: Equatable, Sendable {
    /// The share of FEC packets that is in force (``FECSettings/percentage``).
    public private(set) var percentage = Percentage.zero

    /// One FEC packet per frame, rounded up.
    private static let single = Percentage.percent(10)
    /// A third of the packets of a frame.
    private static let third = Percentage.percent(34)
    /// The loss above which large frames are protected, and below which they no longer are.
    private static let highLoss = (on: 0.08, off: 0.06)
    /// The loss between which small frames are protected.
    private static let lowLoss = (least: 0.005, most: 0.03)
    /// Round trips above which frames are protected: large frames, and small frames.
    private static let longTrips = (large: MediaDuration.milliseconds(150), small: MediaDuration.milliseconds(300))
    /// Where a frame counts as large, in packets.
    private static let largeFrame = 4.0
    /// Up to where a frame counts as one of a single packet, in the mean.
    private static let smallFrame = 1.5

    /// A policy without FEC.
    public init() {}

    /// Decides again: with each report of the receiver.
    ///
    /// - Parameters:
    ///   - loss: the share of packets that the path loses, 0 to 1, smoothed over seconds; without those of a full
    ///     queue.
    ///   - roundTrip: the round trip time of the path.
    ///   - packetsPerFrame: the mean number of packets per frame, without FEC.
    /// - Returns: how many FEC packets to send, in percent of the packets of a frame; zero for none.
    @discardableResult
    public mutating func update(loss: Double, roundTrip: MediaDuration, packetsPerFrame: Double) -> Percentage {
        // A fifth less suffices to keep what is in force: figures scatter.
        let isOn = percentage != .zero
        let trip = isOn ? roundTrip + roundTrip / 5 : roundTrip
        if packetsPerFrame >= Self.largeFrame {
            let limit = isOn ? Self.highLoss.off : Self.highLoss.on
            guard loss >= limit, trip >= Self.longTrips.large else { return set(.zero) }
            return set(trip >= Self.longTrips.small ? Self.third : Self.single)
        }
        guard packetsPerFrame <= Self.smallFrame, loss >= Self.lowLoss.least, loss <= Self.lowLoss.most,
            trip >= Self.longTrips.small
        else { return set(.zero) }
        return set(Self.single)
    }

    private mutating func set(_ percentage: Percentage) -> Percentage {
        self.percentage = percentage
        return percentage
    }
}

/// Settings for protection by FEC packets: ULPFEC (RFC 5109) within the stream, wrapped in RED (RFC 2198), as in
/// browsers.
public struct FECSettings: Equatable, Sendable {
    /// The number of FEC packets per frame, in percent of its packets, rounded up. At any value above zero, a frame
    /// of one packet gets one. At zero, packets are wrapped in RED without any FEC packets.
    public var percentage: Percentage
    /// Whether a session with congestion control changes the percentage while it sends, by what its path loses
    /// (``RepairPolicy``). `false` by default; `true` where the settings come from a description.
    public var isAdaptive = false
    /// The negotiated payload type of ULPFEC.
    public var payloadType: PayloadType
    /// The negotiated payload type of RED, which all packets have.
    public var redPayloadType: PayloadType

    /// Protection with these payload types.
    public init(percentage: Percentage, payloadType: PayloadType, redPayloadType: PayloadType) {
        self.percentage = percentage
        self.payloadType = payloadType
        self.redPayloadType = redPayloadType
    }
}

/// The retransmission stream of a stream (RFC 4588), which has its own SSRC.
public struct RetransmissionSettings: Equatable, Sendable {
    /// The SSRC of the retransmission stream; must differ from the stream's.
    public var ssrc: SSRC
    /// The negotiated payload type of RTX for the stream's payload type, or for RED's if packets are wrapped in RED.
    public var payloadType: PayloadType
    /// Its payload types for the stream's other formats, by theirs.
    public var payloadTypes: [PayloadType: PayloadType] = [:]
    /// The sequence number of its first packet.
    public var firstSequenceNumber: SequenceNumber

    /// A retransmission stream with these values.
    public init(ssrc: SSRC, payloadType: PayloadType, firstSequenceNumber: SequenceNumber = SequenceNumber(0)) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.firstSequenceNumber = firstSequenceNumber
    }

    /// A retransmission stream with a random SSRC and first sequence number, as RFC 3550 §5.1 requires.
    public init(payloadType: PayloadType, using generator: inout some RandomNumberGenerator) {
        self.init(
            ssrc: SSRC(.random(in: .min ... .max, using: &generator)), payloadType: payloadType,
            firstSequenceNumber: SequenceNumber(.random(in: 0...32767, using: &generator)))
    }
}
