public import RillCore

/// How a session adapts what it sends to the network.
///
/// ```swift
/// var settings = RTPSessionSettings(seed: .random(in: 0 ... .max))
/// settings.congestion = CongestionSettings(bitrates: .kilobits(30) ... .megabits(3))
/// ```
///
/// It needs the transport-wide sequence number in the packets of all streams, and its feedback from the remote side
/// (`a=rtcp-fb:* transport-cc`). Without that the session keeps to ``startBitrate``.
public struct CongestionSettings: Hashable, Sendable {
    /// The bitrate to begin with, with all headers. 300 kbit/s by default.
    public var startBitrate = Bitrate.kilobits(300)
    /// The bounds of the bitrate, with all headers: 30 kbit/s to 2.5 Mbit/s by default.
    public var bitrates: ClosedRange<Bitrate>
    /// The longest time that packets should wait to leave. Above that, frames are left out before they are encoded.
    /// 250 ms by default.
    public var queueLimit = MediaDuration.milliseconds(250)
    /// The bytes that the path adds to each packet, 0 to 200: 28 for UDP and IPv4, 48 for UDP and IPv6, and what SRTP
    /// adds. 28 by default.
    public var packetOverhead = 28

    /// Creates settings with every other value at its default.
    ///
    /// - Parameter bitrates: the bounds of the bitrate.
    public init(bitrates: ClosedRange<Bitrate> = .kilobits(30) ... .kilobits(2500)) {
        self.bitrates = bitrates
    }

    /// ``startBitrate`` within the bounds.
    var start: Bitrate { min(max(startBitrate, bitrates.lowerBound), bitrates.upperBound) }

    func validate() {
        precondition(bitrates.lowerBound >= .kilobits(1), "a bitrate of at least 1 kbit/s: \(bitrates.lowerBound)")
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
    /// The bitrate for the encoded frames of all streams together, in the mean: ``bitrate`` less everything else, as measured. It decides
    /// which layers are sent, and their sizes.
    public var frameBitrate: Bitrate
    /// The bitrate of the next frames: less than ``frameBitrate`` while packets wait, so that they leave before the wait grows.
    public var nextFrameBitrate: Bitrate
    /// Why the next frame is left out; `nil` if it is not.
    public var obstacle: Obstacle?

    /// Creates an allowance.
    public init(bitrate: Bitrate, frameBitrate: Bitrate, nextFrameBitrate: Bitrate, obstacle: Obstacle? = nil) {
        (self.bitrate, self.frameBitrate) = (bitrate, frameBitrate)
        (self.nextFrameBitrate, self.obstacle) = (nextFrameBitrate, obstacle)
    }
}
