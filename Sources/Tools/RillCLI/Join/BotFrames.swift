#if Server
import Rill
import RillCodec
import RillCore
import RillReceive
import RillSecurity
import RillSession

/// What a bot does with the bytes of frames: it encrypts and opens them in a room that is encrypted from end to end,
/// and decodes those that arrive, if it is asked to.
struct BotFrames {
    /// The outcome of a frame that arrived.
    enum Arrival {
        case usable
        case unopened
        /// It was opened, and may refer to one that was not.
        case awaitsKeyFrame
    }

    /// Frames of each kind that were opened, and that were not by their reason; `nil` without encryption.
    struct Opened: Codable, Equatable {
        var pictures = SFrameOpenStatistics()
        var sounds = SFrameOpenStatistics()
    }

    private let encryption: FrameEncryption?
    private let decodes: Bool
    private let buffer = FrameBuffer()
    private var awaitsKeyFrame: Set<ReceivingStreamID> = []
    private var decoders: [ReceivingStreamID: VPXDecoder] = [:]
    private var counts = Opened()
    /// Pictures that were decoded, and frames that a decoder refused.
    private(set) var decoded = 0
    private(set) var refused = 0

    init(_ encryption: FrameEncryption?, decodes: Bool) { (self.encryption, self.decodes) = (encryption, decodes) }

    /// Frames that were opened and not; `nil` without encryption.
    var opened: Opened? { encryption == nil ? nil : counts }

    /// All streams are others from now on.
    mutating func reset() { (awaitsKeyFrame, decoders) = ([], [:]) }

    /// Calls `body` with the bytes that are to be sent; `nil` if they cannot be encrypted.
    func seal<Result>(_ bytes: Span<UInt8>, _ media: SFrameMedia, _ body: (Span<UInt8>) -> Result?) -> Result? {
        guard let encryption else { return body(bytes) }
        return encryption.seal(bytes, media, body) ?? nil
    }

    /// A frame came.
    mutating func take(_ frame: ReceivedFrame, _ bytes: Span<UInt8>, of stream: ReceivingStreamID) -> Arrival {
        guard let encryption else { return .usable }
        let outcome = encryption.open(bytes, .picture, into: buffer)
        counts.pictures.count(outcome)
        guard outcome.isOpened else {
            switch outcome {
            case .replayed, .reflected: if frame.frame.isKey { awaitsKeyFrame.insert(stream) }
            default: awaitsKeyFrame.insert(stream)
            }
            return .unopened
        }
        guard frame.frame.isKey || !awaitsKeyFrame.contains(stream) else { return .awaitsKeyFrame }
        awaitsKeyFrame.remove(stream)
        return .usable
    }

    /// Decodes a usable frame, if this bot decodes.
    mutating func decode(_ frame: ReceivedFrame, _ bytes: Span<UInt8>, of stream: ReceivingStreamID) {
        guard decodes else { return }
        do {
            if decoders[stream]?.codec != frame.frame.codec { decoders[stream] = try VPXDecoder(frame.frame.codec) }
            guard let decoder = decoders[stream] else { return }
            let outcome =
                encryption == nil
                ? try decoder.decode(bytes, captureTime: frame.frame.captureTime)
                : try buffer.withBytes { try decoder.decode($0, captureTime: frame.frame.captureTime) }
            if case .picture = outcome { decoded += 1 }
        } catch { refused += 1 }
    }

    /// Sound came. Returns whether it can be played.
    mutating func takeSound(_ bytes: Span<UInt8>) -> Bool {
        guard let encryption else { return true }
        // A packet of nothing but padding.
        guard !bytes.isEmpty else { return false }
        let outcome = encryption.open(bytes, .sound, into: buffer)
        counts.sounds.count(outcome)
        return outcome.isOpened
    }
}
#endif
