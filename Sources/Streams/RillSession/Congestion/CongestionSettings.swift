public import RillCore
public import RillRTP

/// How a session adapts what it sends to the network.
///
/// ```swift
/// var settings = RTPSessionSettings(seed: .random(in: 0 ... .max))
/// settings.congestion = CongestionSettings(bitrates: .kilobits(30) ... .megabits(3))
/// ```
///
/// It works best with feedback of each packet from the remote side: transport-wide feedback
/// (`a=rtcp-fb:* transport-cc`), for which the packets of all streams carry the transport-wide sequence number, or
/// feedback by stream (`a=rtcp-fb:* ack ccfb`, RFC 8888), for which they carry nothing. If neither was negotiated, or
/// what was negotiated does not come, the bitrate begins at ``bitrateWithoutFeedback`` and follows receiver reports
/// (loss, round trip), below REMB where that comes: ``RateFeedback``.
public struct CongestionSettings: Hashable, Sendable {
    /// The bitrate to begin with, with all headers. 300 kbit/s by default.
    public var startBitrate = Bitrate.kilobits(300)
    /// The bitrate to begin with where no feedback of packets comes, until reports show what arrives; at most
    /// ``startBitrate``.
    /// 500 kbit/s by default: a VGA layer, and little enough that even with a fifth of the packets lost and half a
    /// second of round trip it is not ten times what TCP would send (RFC 8083 §4.3).
    public var bitrateWithoutFeedback = Bitrate.kilobits(500)
    /// The bounds of the bitrate, with all headers. `nil`, the default, is from 30 kbit/s to a quarter more than a
    /// call's layers have together, for headers and repair, and not less than ``startBitrate``; in a session without
    /// known layers to 2.5 Mbit/s.
    public var bitrates: ClosedRange<Bitrate>?
    /// The longest time that packets should wait to leave. Above that, frames are left out before they are encoded.
    /// 250 ms by default.
    public var queueLimit = MediaDuration.milliseconds(250)
    /// The bytes that the path adds to each packet, 0 to 200: 28 for UDP and IPv4, 48 for UDP and IPv6, and what SRTP
    /// adds. 28 by default.
    public var packetOverhead = 28

    /// The kind of feedback that was negotiated, which ``negotiate(_:preferring:)`` takes from an answer; `nil` for
    /// none, and the bitrate then follows reports. The same if it was negotiated and never comes though reports do.
    /// If neither ever comes, the bitrate stays at ``bitrateWithoutFeedback``, and the circuit breaker ends the stream
    /// after 15 s (RFC 8083 §4.1). If what came ends, it falls to its lower bound. Feedback of another kind is reported
    /// as ``SessionEvent/transportFeedback(_:)``. Transport-wide by default.
    public var feedback: StreamDescription.CongestionFeedback? = .transportWide

    /// Creates settings with every other value at its default.
    ///
    /// - Parameter bitrates: the bounds of the bitrate.
    public init(bitrates: ClosedRange<Bitrate>? = nil) {
        self.bitrates = bitrates
    }

    /// The bounds that are in force.
    var bounds: ClosedRange<Bitrate> { bitrates ?? .kilobits(30) ... .kilobits(2500) }

    /// The bounds for layers that have this bitrate together, unless others were set.
    package func bounds(for layers: Bitrate) -> ClosedRange<Bitrate> {
        // Small layers' headers take more than a quarter, and their key frames longer than they should.
        let most = max(Bitrate(bitsPerSecond: layers.bitsPerSecond / 4 * 5), startBitrate)
        return bitrates ?? min(.kilobits(30), most)...most
    }

    /// Takes the kind of feedback that the remote side agreed to.
    ///
    /// Our streams of a session share it, so one description tells it for all.
    ///
    /// - Parameters:
    ///   - answer: a stream of ours as the remote side's session description answers it.
    ///   - preferred: the kind to use if the answer allows both; transport-wide by default.
    public mutating func negotiate(
        _ answer: StreamDescription, preferring preferred: StreamDescription.CongestionFeedback = .transportWide
    ) {
        var answer = answer
        feedback = answer.chooseCongestionFeedback(preferred)
    }

    /// ``startBitrate``, or what is sent without feedback, within the bounds.
    var start: Bitrate { feedback == nil ? startWithoutFeedback : bounded(startBitrate) }

    /// What is sent before the first report, within the bounds.
    var startWithoutFeedback: Bitrate { bounded(min(startBitrate, bitrateWithoutFeedback)) }

    /// Begins with the upper bound: where nobody reports, it stays there, and packets are paced.
    package mutating func useUpperBound() {
        (startBitrate, bitrateWithoutFeedback, feedback) = (bounds.upperBound, bounds.upperBound, nil)
    }

    private func bounded(_ bitrate: Bitrate) -> Bitrate {
        min(max(bitrate, bounds.lowerBound), bounds.upperBound)
    }

    func validate() {
        precondition(bounds.lowerBound >= .kilobits(1), "a bitrate of at least 1 kbit/s: \(bounds.lowerBound)")
        precondition(queueLimit >= .milliseconds(1), "packets may wait for at least 1 ms: \(queueLimit)")
        precondition((0...200).contains(packetOverhead), "a packet's overhead is 0 to 200 bytes: \(packetOverhead)")
    }
}

/// What a session may send now, as ``RTPSession/allowance(at:)`` returns it.
public struct SendingAllowance: Equatable, Sendable {
    /// Why the next frame is left out, before it is encoded.
    public enum Obstacle: Equatable, Sendable {
        /// More waits to leave than the pacer should hold.
        case queueFull
        /// More is in flight than the path needs.
        case windowFull
    }

    /// The bitrate for all streams together, with retransmissions, FEC and all headers of the path.
    public var bitrate: Bitrate
    /// The bitrate for the encoded frames of all streams together, in the mean: ``bitrate`` less everything else, as
    /// measured. It decides which layers are sent, and their sizes.
    public var frameBitrate: Bitrate
    /// The bitrate of the next frames: less than ``frameBitrate`` while packets wait, so that they leave before the
    /// wait grows.
    public var nextFrameBitrate: Bitrate
    /// Why the next frame is left out; `nil` if it is not.
    public var obstacle: Obstacle?

    /// Creates an allowance.
    public init(bitrate: Bitrate, frameBitrate: Bitrate, nextFrameBitrate: Bitrate, obstacle: Obstacle? = nil) {
        (self.bitrate, self.frameBitrate) = (bitrate, frameBitrate)
        (self.nextFrameBitrate, self.obstacle) = (nextFrameBitrate, obstacle)
    }

    /// What both allow.
    package func least(_ other: SendingAllowance) -> SendingAllowance {
        SendingAllowance(
            bitrate: min(bitrate, other.bitrate), frameBitrate: min(frameBitrate, other.frameBitrate),
            nextFrameBitrate: min(nextFrameBitrate, other.nextFrameBitrate), obstacle: obstacle ?? other.obstacle)
    }
}
