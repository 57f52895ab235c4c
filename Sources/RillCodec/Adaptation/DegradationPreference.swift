/// The property that a stream reduces first when processor or network are insufficient, with the names of W3C
/// mst-content-hint (`RTCDegradationPreference`).
public enum DegradationPreference: String, Equatable, Sendable, CaseIterable {
    /// Keep the frame rate and reduce the size.
    case maintainFramerate = "maintain-framerate"
    /// Keep the size and reduce the frame rate: for text and slides.
    case maintainResolution = "maintain-resolution"
    /// Reduce the frame rate of small pictures, and the size of large ones.
    case balanced
}
