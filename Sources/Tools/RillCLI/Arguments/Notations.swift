import ArgumentParser
import Rill
import RillCore
import RillLink
import RillRTP

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

/// Parses an SSRC as packet analyzers write it: `0x0000cafe`, or decimal.
@Sendable func ssrcNotation(_ text: String) throws -> SSRC {
    let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = isHexadecimal ? text.dropFirst(2) : text[...]
    guard digits.first != "+", let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
        throw ValidationError("\"\(text)\" is not an SSRC: expected a number of 32 bits, like 0x0000cafe or 51966")
    }
    return SSRC(number)
}

/// The built-in codecs in texts: `VP8 or VP9`, and as values of options: `vp8 or vp9`.
let (codecNames, codecValues) = (VideoCodec.builtInNames, VideoCodec.builtInNames.lowercased())

/// Parses the name of a codec, ignoring case.
@Sendable func codecNotation(_ text: String) throws -> VideoCodec {
    guard let codec = VideoCodec(builtIn: text.uppercased()) else {
        throw ValidationError("\"\(text)\" is not a codec: expected \(codecValues)")
    }
    return codec
}

/// Parses and resolves HOST:PORT.
@Sendable func addressNotation(_ text: String) throws -> UDPAddress {
    do { return try UDPAddress.resolve(text) } catch { throw ValidationError(error.description) }
}

/// Resolves HOST:PORT once the command runs; a text that is not that is a wrong argument.
func resolve(_ text: String, of option: String) throws -> UDPAddress {
    do throws(TransportError) { return try UDPAddress.resolve(text) } catch {
        guard case .invalidAddress = error else { throw error }
        throw ValidationError("\(option) \(error)")
    }
}

extension IPAddress {
    /// 224.0.0.0/4, or ff00::/8.
    var isMulticast: Bool {
        switch self {
        case .v4(let number): number >> 28 == 14
        case .v6(let number, _): number >> 120 == 0xFF
        }
    }

    /// The address to listen on for a peer at this address: without a key, the loopback address only.
    func listening(isProtected: Bool) -> IPAddress {
        switch self {
        case .v4: isProtected ? .v4(0) : .loopback
        case .v6: isProtected ? .v6(0, zone: 0) : .loopbackV6
        }
    }
}
