public import RillCore

/// Splits the estimate of a path into what encoders may produce and everything else.
///
/// ```swift
/// budget.update(counts, at: now)                        // several times a second, with the counts of sent packets
/// pipeline.setNetworkBitrate(budget.encoderRate(of: estimate.rate))
/// ```
///
/// An estimate covers all bytes on the path. Encoders control the bytes of their frames only. The rest is packet
/// headers, RTCP, retransmissions, FEC packets and other media:
///
///     frames + headers(frames) + retransmissions + FEC + others = estimate
///
/// Headers are predicted for the new rate: at a fifth of the rate a frame has fewer packets, but at least one.
/// Retransmissions and FEC are shares of the media, measured over about 1.5 s. They get at most half of the path;
/// encoders would otherwise stop after a loss burst.
///
/// It is a pure value with one owner, reads no clock and allocates nothing.
public struct RateBudget: Sendable {
    /// The totals since the start. Bytes are those on the path: with the headers of IP and UDP, and with the overhead
    /// of SRTP.
    public struct Counts: Equatable, Sendable {
        /// Encoded frames.
        public var frames = 0
        /// The bytes of encoded frames, without any header.
        public var frameBytes = 0
        /// RTP packets of frames, without retransmissions.
        public var mediaPackets = 0
        /// The bytes of these packets on the path.
        public var mediaBytes = 0
        /// The bytes of retransmissions on the path.
        public var retransmittedBytes = 0
        /// The bytes of FEC packets on the path.
        public var fecBytes = 0
        /// The bytes of everything that has its own rate: RTCP and audio. Padding is not counted, as it yields to
        /// media.
        public var otherBytes = 0

        /// Creates counts of zero.
        public init() {}
    }

    /// The time constant of the averages, in seconds.
    private static let memory = 1.5
    /// The upper limit of retransmissions and FEC together, relative to media.
    private static let maximumRepairShare = 1.0
    /// The default overhead of a packet: IPv4 and UDP 28 bytes, RTP 12, header extensions 8, the tag of AES-GCM 16, a
    /// payload descriptor 4.
    private static let assumedHeaderByteCount = 68.0

    /// The maximum payload of a packet, in bytes.
    private let packetByteCount: Double
    private var last: (counts: Counts, time: MediaTime)?
    /// Exponentially decaying sums, with the time constant ``memory``.
    private var recent = Sums()
    /// The time that the sums cover, with the same decay, in seconds.
    private var covered = 0.0

    /// Differences of counts, with decay.
    private struct Sums: Sendable {
        var frames = 0.0
        var frameBytes = 0.0
        var mediaPackets = 0.0
        var mediaBytes = 0.0
        var repairBytes = 0.0
        var otherBytes = 0.0

        init() {}

        /// Returns `nil` if a count has decreased.
        init?(from old: Counts, to new: Counts) {
            let repair = (old.retransmittedBytes + old.fecBytes, new.retransmittedBytes + new.fecBytes)
            guard new.frames >= old.frames, new.frameBytes >= old.frameBytes, new.mediaPackets >= old.mediaPackets,
                new.mediaBytes >= old.mediaBytes, repair.1 >= repair.0, new.otherBytes >= old.otherBytes
            else { return nil }
            frames = Double(new.frames - old.frames)
            frameBytes = Double(new.frameBytes - old.frameBytes)
            mediaPackets = Double(new.mediaPackets - old.mediaPackets)
            mediaBytes = Double(new.mediaBytes - old.mediaBytes)
            repairBytes = Double(repair.1 - repair.0)
            otherBytes = Double(new.otherBytes - old.otherBytes)
        }

        mutating func add(_ new: Sums, fading fade: Double) {
            frames = frames * fade + new.frames
            frameBytes = frameBytes * fade + new.frameBytes
            mediaPackets = mediaPackets * fade + new.mediaPackets
            mediaBytes = mediaBytes * fade + new.mediaBytes
            repairBytes = repairBytes * fade + new.repairBytes
            otherBytes = otherBytes * fade + new.otherBytes
        }
    }

    /// Creates a budget before the first packet. It assumes 30 frames a second, 68 bytes of headers per packet, and
    /// no repair.
    ///
    /// - Parameter maximumPayloadByteCount: the maximum bytes of a frame in one packet; traps if it is not positive.
    ///   The default suits packets of 1200 bytes with the RTP header.
    public init(maximumPayloadByteCount: Int = 1170) {
        precondition(maximumPayloadByteCount > 0, "a packet carries something")
        packetByteCount = Double(maximumPayloadByteCount)
    }

    // MARK: - Measuring

    /// Updates the measurement. Counts that decrease, as those of a new transport, restart it.
    ///
    /// - Parameters:
    ///   - counts: the totals since the start.
    ///   - now: the time of the counts. A time that does not increase is ignored.
    public mutating func update(_ counts: Counts, at now: MediaTime) {
        guard let last else {
            self.last = (counts, now)
            return
        }
        guard now > last.time else { return }
        self.last = (counts, now)
        guard let new = Sums(from: last.counts, to: counts) else {
            (recent, covered) = (Sums(), 0)
            return
        }
        let elapsed = (now - last.time).seconds
        let fade = 1 / (1 + elapsed / RateBudget.memory)
        recent.add(new, fading: fade)
        covered = covered * fade + elapsed
    }

    /// The average overhead of a packet in bytes: everything on the path that is not part of a frame.
    public var headerByteCount: Double {
        guard recent.mediaPackets >= 1 else { return RateBudget.assumedHeaderByteCount }
        return max(0, recent.mediaBytes - recent.frameBytes) / recent.mediaPackets
    }

    /// The bytes of retransmissions and FEC packets relative to those of media, 0 to 1.
    public var repairShare: Double {
        guard recent.mediaBytes > 0 else { return 0 }
        return min(recent.repairBytes / recent.mediaBytes, RateBudget.maximumRepairShare)
    }

    /// The bitrate of RTCP and audio.
    public var otherRate: Bitrate {
        covered > 0 ? Bitrate(bitsPerSecond: Int(recent.otherBytes * 8 / covered)) : Bitrate(bitsPerSecond: 0)
    }

    /// Frames per second.
    private var frameRate: Double { covered > 0.2 ? recent.frames / covered : 30 }

    /// The packets of a frame beyond its bytes over the payload size, 0 to 1. The last packet of a frame is rarely
    /// full.
    private var lastPacketShare: Double {
        guard recent.frames >= 1 else { return 0.5 }
        return min(max((recent.mediaPackets - recent.frameBytes / packetByteCount) / recent.frames, 0), 1)
    }

    // MARK: - Deciding

    /// Returns the bitrate of all encoders together, so that everything on the path adds up to the estimate. It is
    /// zero if headers and other media alone exceed the estimate.
    ///
    /// - Parameter estimate: the bitrate on the path.
    public func encoderRate(of estimate: Bitrate) -> Bitrate {
        let media = Double(max(0, estimate.bitsPerSecond - otherRate.bitsPerSecond)) / (1 + repairShare)
        let headerBits = headerByteCount * 8
        // Frames of several packets have the overhead of each packet, and of each frame's last packet. Frames of one
        // packet have a fixed overhead each. The lower result holds.
        let large = (media - headerBits * lastPacketShare * frameRate) / (1 + headerByteCount / packetByteCount)
        let small = media - headerBits * frameRate
        return Bitrate(bitsPerSecond: Int(max(0, min(large, small))))
    }
}
