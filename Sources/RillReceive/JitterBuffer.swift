public import RillCore
import RillRTP

/// Turns the packets of one VP8 stream, as the network brings them, into frames that can be decoded, in order and time.
///
/// Put each packet in as it comes, then poll until it says when to be woken:
///
///     var buffer = JitterBuffer(JitterBufferSettings(ssrc: ssrc, payloadType: PayloadType(96)))
///     var bytes: [UInt8] = []
///     _ = buffer.insert(datagram.span, at: now)
///     polling: while true {
///         switch buffer.poll(at: now, into: &bytes) {
///         case .frame(let received): decoder.decode(bytes.span, isShown: received.isShown)
///         case .requestKeyFrame: sendPictureLossIndication()
///         case .wait(until: let time): wakeUp = time; break polling
///         }
///     }
///
/// It reorders, drops duplicates, assembles frames, and plays them out:
///
/// - A frame is whole when its last missing packet came. Its playout time, fixed then, is its timestamp plus the
///   smallest transit of all frames so far plus ``JitterBufferSettings/playoutDelay``.
/// - Frames are released in decode order, each when its playout time has come, it is whole, and what it refers to was
///   released. Late is better than never; but of several that are due at once, only the last is to be shown. One that
///   no other refers to is then dropped instead.
/// - The first frame in decode order that cannot be decoded, because something of it or before it is missing, breaks the
///   chain when it is due. (Until it is whole it is due by its timestamp and the smallest transit so far.) Then a key
///   frame is asked for, and again as often as ``KeyFrameRequester`` lets, until one is there. Should the missing
///   packets come first, the chain has healed, and decoding catches up.
/// - A whole key frame that is due, or that comes into a broken chain, replaces all that lies before it and cannot be
///   decoded.
///
/// Takes any bytes. Memory is bounded by ``JitterBufferSettings/packetCapacity``; what does not fit pushes out the oldest
/// frames. Nothing is allocated per packet or frame once the arrays have grown to the stream's frames.
///
/// One owner, no thread, no clock: time is an argument and must not run backwards (a time before the last one counts as
/// that one). One buffer, one stream. Sources: RFC 3550, 6386, 7741, 4585.
public struct JitterBuffer: ~Copyable, Sendable {
    /// What the buffer was made with. The SSRC is filled in with the first packet's if it was left open.
    public internal(set) var settings: JitterBufferSettings

    var packets: PacketBuffer
    var continuity: StreamContinuity
    var reception = ReceptionCounter()
    var assembler: FrameAssembler
    var finder = ReferenceFinder()
    var timing: PlayoutTiming
    var requester: KeyFrameRequester
    var counts = InboundStatistics()
    /// Size of the last key frame's picture.
    var resolution: Resolution?
    /// How far pictures have to be turned, as the stream said last (3GPP TS 26.114 §7.4.5).
    var rotation = Rotation.none
    /// The packet that did not fit the stream, whole, and when it came.
    var setAside: (packet: [UInt8], arrival: MediaTime) = ([], .zero)
    var now = MediaTime(nanoseconds: .min)
    /// What `poll` last said to wait for; `nil` once anything has happened since that could change it.
    var settledUntil: MediaTime?

    /// A buffer for one stream. Settings outside their ranges are the programmer's mistake.
    public init(_ settings: JitterBufferSettings) {
        settings.validate()
        self.settings = settings
        packets = PacketBuffer(
            capacity: settings.packetCapacity, maximumByteCount: settings.maximumPacketByteCount)
        continuity = StreamContinuity(capacity: packets.capacity)
        assembler = FrameAssembler(packetCapacity: packets.capacity)
        timing = PlayoutTiming(delay: settings.playoutDelay)
        requester = KeyFrameRequester(roundTripTime: settings.roundTripTime)
    }

    /// The time from here to the sender and back. Set it as it becomes known: requests are spaced by it.
    public var roundTripTime: MediaDuration {
        get { requester.roundTripTime }
        set {
            requester.roundTripTime = newValue
            settledUntil = nil
        }
    }

    /// Counts since the buffer was made.
    public var statistics: InboundStatistics {
        var statistics = counts
        statistics.packetsReceived = reception.packetsReceived
        statistics.packetsLost = reception.packetsLost
        statistics.jitter = MediaDuration(nanoseconds: reception.jitter)
        return statistics
    }

    /// Packets and frames that are held now.
    public var occupancy: (packets: Int, frames: Int) { (packets.heldCount, assembler.frames.count) }
}
