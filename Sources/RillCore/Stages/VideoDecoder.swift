/// Turns the coded frames of one stream into pictures: libvpx (`VPXDecoder` of RillCodec), or an app's own.
///
/// It gets bytes that strangers made: any bytes, in any order, only ever give an error. It starts with a key frame, and
/// after one that it refused waits for the next where it cannot vouch for its pictures.
///
/// One owner, one thread at a time.
public protocol VideoDecoder: AnyObject {
    /// What it has done so far.
    var statistics: DecoderStatistics { get }

    /// Decodes one whole coded frame.
    ///
    /// - Parameters:
    ///   - payload: its bytes, which hold until this returns.
    ///   - captureTime: the time that the picture shall bear.
    ///   - isWanted: whether the picture will be shown. One that only serves those after it need not be copied anywhere.
    /// - Returns: what became of it. A picture is I420; sinks get it in limited range, whichever it has.
    /// - Throws: what is wrong with the frame. The stream's receiver then takes the chain of frames for broken, and asks for a
    ///   key frame.
    func decode(_ payload: Span<UInt8>, captureTime: MediaTime, isWanted: Bool) throws -> DecoderOutcome
}

/// What became of a coded frame that a ``VideoDecoder`` was given, if that did not refuse it.
public enum DecoderOutcome: Sendable {
    /// A picture, stamped with the time that came in with the bytes.
    case picture(VideoFrame)
    /// Decoded, but not made to be shown, or not wanted.
    case hidden
    /// Decoded, but not handed out: the sinks hold as many pictures as they may.
    case noBuffer
    /// Not decoded: no key frame has come since the start or the last damage.
    case awaitingKeyFrame
}

/// Counts since a decoder was made, whatever its codec is, under the names of W3C webrtc-stats' inbound-rtp where they
/// exist.
public struct DecoderStatistics: Codable, Sendable, Equatable {
    /// Frames decoded.
    public var framesDecoded = 0
    /// Of these, key frames.
    public var keyFramesDecoded = 0
    /// Frames that were damaged, or of a kind that is not decoded.
    public var framesCorrupted = 0
    /// Frames passed over because no key frame had come since the start or the last damage.
    public var framesSkipped = 0
    /// Pictures not handed out because sinks held all buffers.
    public var picturesWithoutBuffer = 0

    /// Nothing counted yet.
    public init() {}
}

extension DecoderStatistics: CustomStringConvertible {
    /// What is not zero, by name: `framesDecoded 120, keyFramesDecoded 1`.
    public var description: String { countedText(self) }
}
