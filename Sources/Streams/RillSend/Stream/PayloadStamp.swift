public import RillCore
public import RillRTP

/// What goes with a payload of audio: its times, and how loud it is.
public struct PayloadStamp: Equatable, Sendable {
    /// When its first sample was captured, on the source's clock. It gives the timestamp, so it advances by exactly
    /// what the payloads hold.
    public var captureTime: MediaTime
    /// The same moment on the session's clock, as sender reports have it; `nil` if the clocks are one. Reports are what
    /// receivers align sound and pictures by.
    public var captured: MediaTime?
    /// Whether a talkspurt starts (RFC 7587 §4.1).
    public var isMarked: Bool
    /// How loud it is; `nil` if that is not known.
    public var level: AudioLevel?

    /// Describes a payload.
    public init(
        captureTime: MediaTime, captured: MediaTime? = nil, isMarked: Bool = false, level: AudioLevel? = nil
    ) {
        (self.captureTime, self.captured, self.isMarked, self.level) = (captureTime, captured, isMarked, level)
    }
}
