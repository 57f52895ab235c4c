/// What becomes of a picture whose shape is not that of its target.
public enum AspectPolicy: String, Sendable, Equatable, CaseIterable {
    /// What stands over on two sides is cut off.
    case crop
    /// The whole picture is kept, between black bars.
    case letterbox
    /// The whole picture is kept, and distorted.
    case stretch
}
