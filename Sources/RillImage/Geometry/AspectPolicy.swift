/// How a picture is fitted into a target of another shape.
public enum AspectPolicy: String, Sendable, Equatable, CaseIterable {
    /// Crops what exceeds the target on two sides.
    case crop
    /// Keeps the whole picture, between black bars.
    case letterbox
    /// Keeps the whole picture, distorted.
    case stretch
}
