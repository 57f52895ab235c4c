/// The colors of a plot. They also differ in lightness, so they can be distinguished by color-blind readers and in
/// grayscale, on white and on black.
public enum Ink: String, Sendable, CaseIterable, Decodable {
    /// The subject of the plot.
    case blue
    /// The reference for comparison.
    case orange
    /// A third series.
    case green
    /// Errors.
    case red
    /// A fourth series.
    case purple
    /// Targets and guides.
    case grey

    /// The CSS class in the style sheet.
    var name: String { "ink-\(rawValue)" }
}
