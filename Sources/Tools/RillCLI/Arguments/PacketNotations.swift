import ArgumentParser
import Rill
import RillCore
import RillRTP

/// Parses an SSRC as packet analyzers write it: `0x0000cafe`, or decimal.
@Sendable func ssrcNotation(_ text: String) throws -> SSRC {
    let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = isHexadecimal ? text.dropFirst(2) : text[...]
    guard digits.first != "+", let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
        throw ValidationError("\"\(text)\" is not an SSRC: expected a number of 32 bits, like 0x0000cafe or 51966")
    }
    return SSRC(number)
}

/// Parses the name of a codec, ignoring case.
@Sendable func codecNotation(_ text: String) throws -> VideoCodec {
    guard let codec = VideoCodec(builtIn: text.uppercased()) else {
        let names = VideoCodec.allCases.map { $0.rawValue.lowercased() }.joined(separator: " or ")
        throw ValidationError("\"\(text)\" is not a codec: expected \(names)")
    }
    return codec
}

/// Parses and resolves HOST:PORT.
@Sendable func addressNotation(_ text: String) throws -> UDPAddress {
    do { return try UDPAddress.resolve(text) } catch { throw ValidationError(error.description) }
}
