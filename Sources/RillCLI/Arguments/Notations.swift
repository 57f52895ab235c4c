import ArgumentParser
import Rill

// How the command line's words become Rill's nouns. The nouns' own errors say what was expected.

/// A transform for an option: the noun's own error becomes the message.
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
let networkNotation = notation { text throws(NetworkError) in try LinkSettings(notation: text) }
