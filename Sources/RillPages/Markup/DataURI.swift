/// Embeds bytes in the page itself instead of a separate file (RFC 2397).
public enum DataURI {
    /// Returns `data:image/webp;base64,…`
    public static func text(_ bytes: [UInt8], type: String) -> String {
        "data:\(type);base64," + base64(bytes)
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes bytes as RFC 4648 §4: three bytes become four letters, and `=` pads the last four.
    static func base64(_ bytes: [UInt8]) -> String {
        var letters: [UInt8] = []
        letters.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group = 0
            for index in 0..<3 { group = group << 8 | (index < count ? Int(bytes[start + index]) : 0) }
            for index in 0..<4 {
                letters.append(index <= count ? alphabet[group >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }
}
