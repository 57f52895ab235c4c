/// The records of a datagram (RFC 6347 §4.1).
enum DTLSRecords {
    private static let headerByteCount = 13

    /// Whether the first record of a datagram is encrypted: its epoch is not 0.
    static func isEncrypted(_ datagram: Span<UInt8>) -> Bool {
        datagram.count >= headerByteCount && (datagram[3] != 0 || datagram[4] != 0)
    }

    /// Removes encrypted records that are shorter than what the cipher adds to each. Nobody has authenticated them, and
    /// yet OpenSSL 3.0 ends the connection for one: its cipher reports an error of its own, where a wrong tag is no
    /// error.
    ///
    /// - Parameters:
    ///   - datagram: any bytes. What follows a record that the datagram does not hold whole is left to OpenSSL.
    ///   - overhead: the bytes that the cipher adds to a record.
    static func removeTruncated(from datagram: inout [UInt8], overhead: Int) {
        var start = 0
        while start + headerByteCount <= datagram.count {
            let isEncrypted = datagram[start + 3] != 0 || datagram[start + 4] != 0
            let byteCount = Int(datagram[start + 11]) << 8 | Int(datagram[start + 12])
            let end = start + headerByteCount + byteCount
            guard end <= datagram.count else { return }
            if isEncrypted, byteCount < overhead {
                datagram.removeSubrange(start..<end)
            } else {
                start = end
            }
        }
    }
}
