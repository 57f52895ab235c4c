/// The colours of a plot, chosen so that they differ in lightness too: they stay apart for the colour-blind and in grey,
/// on white and on black.
public enum Ink: String, Sendable, CaseIterable, Decodable {
    /// What the plot is about.
    case blue
    /// What it is compared with.
    case orange
    /// A third.
    case green
    /// What went wrong.
    case red
    /// A fourth.
    case purple
    /// What was aimed at, what is there to orient by.
    case grey

    /// The class that the style sheet knows it by.
    var name: String { "ink-\(rawValue)" }
}
