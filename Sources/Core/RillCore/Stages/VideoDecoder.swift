/// A decoder for the coded frames of one stream: libvpx (`VPXDecoder` of RillCodec) or an app's own.
///
/// Its input is untrusted: any bytes in any order must at worst cause an error. It starts with a key frame. After a
/// frame that it rejected, it waits for the next key frame unless it can guarantee its pictures.
///
/// One owner, one thread at a time.
public protocol VideoDecoder: AnyObject {
    /// Counts so far.
    var statistics: DecoderStatistics { get }

    /// Decodes one whole coded frame.
    ///
    /// - Parameters:
    ///   - payload: its bytes, which are valid until this returns.
    ///   - captureTime: the capture time of the picture.
    ///   - isWanted: whether the picture will be shown. A picture that is only a reference need not be copied.
    /// - Returns: the outcome. Pictures are I420; sinks get them in limited range, whatever range they have.
    /// - Throws: an error if the frame is damaged. The stream's receiver then treats the chain of frames as broken
    ///   and requests a key frame.
    func decode(_ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool) throws -> DecoderOutcome
}

/// The outcome of a coded frame that a ``VideoDecoder`` did not reject.
public enum DecoderOutcome: Sendable {
    /// A picture, with the capture time that was passed in.
    case picture(VideoFrame)
    /// Decoded, but not meant to be shown, or not wanted.
    case hidden
    /// Decoded, but not returned: the sinks hold as many pictures as they may.
    case noBuffer
    /// Not decoded: no key frame has arrived since the start or the last damage.
    case awaitingKeyFrame
}

/// A decoder's counts since it was created, for any codec. Names are those of inbound-rtp in W3C webrtc-stats where
/// they exist.
public struct DecoderStatistics: Codable, Sendable, Equatable {
    /// Frames decoded.
    public var framesDecoded = 0
    /// Key frames among these.
    public var keyFramesDecoded = 0
    /// Frames that were damaged or of an unsupported kind.
    public var framesCorrupted = 0
    /// Frames skipped because no key frame had arrived since the start or the last damage.
    public var framesSkipped = 0
    /// Pictures not returned because sinks held all buffers.
    public var picturesWithoutBuffer = 0

    /// Creates zero counts.
    public init() {}
}

extension DecoderStatistics {
    /// Adds what another decoder did.
    package mutating func add(_ other: DecoderStatistics) {
        framesDecoded += other.framesDecoded
        keyFramesDecoded += other.keyFramesDecoded
        framesCorrupted += other.framesCorrupted
        framesSkipped += other.framesSkipped
        picturesWithoutBuffer += other.picturesWithoutBuffer
    }
}

extension DecoderStatistics: CustomStringConvertible {
    /// The counts that are not zero, by name: `framesDecoded 120, keyFramesDecoded 1`.
    public var description: String { countedText(self) }
}
