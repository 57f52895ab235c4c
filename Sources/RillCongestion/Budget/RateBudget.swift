public import RillCore

/// Turns an estimate of what the path carries into what encoders may produce.
///
/// ```swift
/// budget.update(counts, at: now)                        // some times a second, with the counts of what was sent
/// pipeline.setNetworkBitrate(budget.encoderRate(of: estimate.rate))
/// ```
///
/// An estimate covers all bytes on the path. Encoders only decide the bytes of their frames. Between them are the headers of each packet,
/// RTCP, retransmissions, FEC packets and other media, so that encoders get
///
///     frames + headers(frames) + retransmissions + FEC + others = estimate
///
/// Headers are predicted for the new rate, not taken over from the old one: at a fifth of the rate a frame has fewer packets, but never
/// less than one. Retransmissions and FEC are shares of the media, measured over about 1.5 s. They get at most half of the path, however
/// much was retransmitted; encoders would otherwise stop after a burst of loss.
///
/// A pure value with one owner: it reads no clock. It allocates nothing.
public struct RateBudget: Sendable {
    /// What was sent since the start. Bytes are those on the path: with the headers of IP and UDP, and with what SRTP adds.
    public struct Counts: Equatable, Sendable {
        /// Encoded frames.
        public var frames = 0
        /// Their bytes as they left the encoders, without any header.
        public var frameBytes = 0
        /// The RTP packets that carried them, sent for the first time.
        public var mediaPackets = 0
        /// The bytes of these packets on the path.
        public var mediaBytes = 0
        /// The bytes of retransmissions on the path.
        public var retransmittedBytes = 0
        /// The bytes of FEC packets on the path.
        public var fecBytes = 0
        /// The bytes of everything else that takes its own rate: RTCP and audio. Not padding, which gives way to media.
        public var otherBytes = 0

        /// Counts of nothing.
        public init() {}
    }

    /// The time constant of the shares, in seconds.
    private static let memory = 1.5
    /// The most that retransmissions and FEC together get, relative to media.
    private static let maximumRepairShare = 1.0
    /// What is assumed until something was sent: IPv4 and UDP 28 bytes, RTP 12, header extensions 8, the tag of AES-GCM 16, a payload
    /// descriptor 4.
    private static let assumedHeaderByteCount = 68.0

    /// The most payload in a packet, in bytes.
    private let packetByteCount: Double
    private var last: (counts: Counts, time: MediaTime)?
    /// Sums that fade with ``memory``.
    private var recent = Sums()
    /// The time that the sums cover, fading as they do, in seconds.
    private var covered = 0.0

    /// Differences of counts, which fade.
    private struct Sums: Sendable {
        var frames = 0.0
        var frameBytes = 0.0
        var mediaPackets = 0.0
        var mediaBytes = 0.0
        var repairBytes = 0.0
        var otherBytes = 0.0

        init() {}

        /// `nil` if a count has fallen.
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

    /// A budget before the first packet. It assumes 30 frames a second, 68 bytes of headers per packet, and nothing to repair.
    ///
    /// - Parameter maximumPayloadByteCount: the most bytes of a frame in one packet; traps if it is not positive. The default suits
    ///   packets of 1200 bytes with the RTP header.
    public init(maximumPayloadByteCount: Int = 1170) {
        precondition(maximumPayloadByteCount > 0, "a packet carries something")
        packetByteCount = Double(maximumPayloadByteCount)
    }

    // MARK: - Measuring

    /// Measures again. Counts that fall, as those of a new transport, start the measurement again.
    ///
    /// - Parameters:
    ///   - counts: what was sent since the start.
    ///   - now: the time of the counts. A time that does not increase changes nothing.
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

    /// The headers of an average packet, in bytes: everything on the path that is not part of a frame.
    public var headerByteCount: Double {
        guard recent.mediaPackets >= 1 else { return RateBudget.assumedHeaderByteCount }
        return max(0, recent.mediaBytes - recent.frameBytes) / recent.mediaPackets
    }

    /// The bytes of retransmissions and FEC packets relative to those of media, 0 to 1.
    public var repairShare: Double {
        guard recent.mediaBytes > 0 else { return 0 }
        return min(recent.repairBytes / recent.mediaBytes, RateBudget.maximumRepairShare)
    }

    /// What RTCP and audio take.
    public var otherRate: Bitrate {
        covered > 0 ? Bitrate(bitsPerSecond: Int(recent.otherBytes * 8 / covered)) : Bitrate(bitsPerSecond: 0)
    }

    /// Frames per second.
    private var frameRate: Double { covered > 0.2 ? recent.frames / covered : 30 }

    /// How many packets a frame takes beyond its bytes over the size of a packet, as its last one is not full: 0 to 1.
    private var lastPacketShare: Double {
        guard recent.frames >= 1 else { return 0.5 }
        return min(max((recent.mediaPackets - recent.frameBytes / packetByteCount) / recent.frames, 0), 1)
    }

    // MARK: - Deciding

    /// Returns what the encoders of all layers may produce together, so that everything on the path adds up to the estimate. Zero if
    /// headers and other media alone take all of it.
    ///
    /// - Parameter estimate: what may be on the path.
    public func encoderRate(of estimate: Bitrate) -> Bitrate {
        let media = Double(max(0, estimate.bitsPerSecond - otherRate.bitsPerSecond)) / (1 + repairShare)
        let headerBits = headerByteCount * 8
        // With frames of several packets, headers are a part of each packet and of each frame's last packet; with frames of one packet,
        // they are all of one size. Whichever leaves less holds.
        let large = (media - headerBits * lastPacketShare * frameRate) / (1 + headerByteCount / packetByteCount)
        let small = media - headerBits * frameRate
        return Bitrate(bitsPerSecond: Int(max(0, min(large, small))))
    }
}
