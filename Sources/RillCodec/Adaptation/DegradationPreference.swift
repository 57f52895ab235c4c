/// What a stream gives up first when it can have no more machine or network, under W3C's names
/// (mst-content-hint, `RTCDegradationPreference`).
public enum DegradationPreference: String, Equatable, Sendable, CaseIterable {
    /// Motion stays smooth, pictures become smaller.
    case maintainFramerate = "maintain-framerate"
    /// Pictures stay as large as they are, and become fewer: for text and slides.
    case maintainResolution = "maintain-resolution"
    /// Small pictures become fewer, large ones smaller.
    case balanced
}
