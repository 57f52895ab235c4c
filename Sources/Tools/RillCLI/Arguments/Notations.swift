import ArgumentParser
import Rill
import RillCore
import RillLink

// Parsers of option values. The errors of the parsed types describe the expected notation.

/// A transform for an option: the error of `parse` becomes the message.
func notation<Value, Failure: Error>(
    _ parse: @escaping @Sendable (String) throws(Failure) -> Value
) -> @Sendable (String) throws -> Value {
    { text in
        do { return try parse(text) } catch { throw ValidationError("\(error)") }
    }
}

let bitrateNotation = notation { text throws(NotationError) in try Bitrate(notation: text) }
let durationNotation = notation { text throws(NotationError) in try MediaDuration(notation: text) }
let resolutionNotation = notation { text throws(NotationError) in try Resolution(notation: text) }
let frameRateNotation = notation { text throws(NotationError) in try FrameRate(notation: text) }
let percentageNotation = notation { text throws(NotationError) in try Percentage(notation: text) }
let networkNotation = notation { text throws(LinkError) in try LinkSettings(notation: text) }
let beautyNotation = notation { text throws(BeautyError) in try BeautyOptions(notation: text) }
let playoutDelayNotation: @Sendable (String) throws -> PlayoutDelayBounds = { try PlayoutDelayBounds(notation: $0) }

extension PlayoutDelayBounds {
    /// Parses bounds as in `100ms`, a fixed delay, or `50ms...500ms`.
    init(notation text: String) throws {
        let ends = text.split(separator: "...", omittingEmptySubsequences: false)
        let minimum = try durationNotation(String(ends[0]))
        let maximum = ends.count == 2 ? try durationNotation(String(ends[1])) : minimum
        guard ends.count <= 2, .zero <= minimum, minimum <= maximum, maximum <= PlayoutDelayBounds.longest else {
            throw ValidationError(
                "\"\(text)\" is not a playout delay: expected a time up to 60s, or two as in 50ms...500ms")
        }
        self.init(minimum: minimum, maximum: maximum)
    }
}
