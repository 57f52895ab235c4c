import ArgumentParser
import Rill
import RillCore

/// A source as packet analysers write it: `0x0000cafe`, or in decimal digits.
@Sendable func ssrcNotation(_ text: String) throws -> SSRC {
    let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
    let digits = isHexadecimal ? text.dropFirst(2) : text[...]
    guard digits.first != "+", let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
        throw ValidationError("\"\(text)\" is no source: expected a number of 32 bits, like 0x0000cafe or 51966")
    }
    return SSRC(number)
}

/// The codecs by their names, in upper or lower case.
@Sendable func codecNotation(_ text: String) throws -> VideoCodec {
    guard let codec = VideoCodec(builtIn: text.uppercased()) else {
        let names = VideoCodec.allCases.map { $0.rawValue.lowercased() }.joined(separator: " or ")
        throw ValidationError("\"\(text)\" is no codec: expected \(names)")
    }
    return codec
}

/// HOST:PORT, resolved.
@Sendable func addressNotation(_ text: String) throws -> UDPAddress {
    do { return try UDPAddress.resolve(text) } catch { throw ValidationError(error.description) }
}
