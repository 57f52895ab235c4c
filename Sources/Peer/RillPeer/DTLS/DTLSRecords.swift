import RillCore

/// The records of a datagram (RFC 6347 §4.1).
package enum DTLSRecords {
    private static let headerByteCount = 13

    /// Whether the first record of a datagram is encrypted: its epoch is not 0.
    static func isEncrypted(_ datagram: Span<UInt8>) -> Bool {
        datagram.count >= headerByteCount && (datagram[3] != 0 || datagram[4] != 0)
    }

    /// The records of a datagram that OpenSSL may read: whole ones of the right version, not shorter than what the
    /// cipher adds. Others are invalid, and dropped silently (RFC 6347 §4.1.2.7): nobody has authenticated them, and
    /// OpenSSL 3.0 can report an error for them that ends the connection.
    ///
    /// - Parameters:
    ///   - datagram: any bytes. What follows a record that the datagram does not hold whole is dropped.
    ///   - overhead: the bytes that the cipher adds to a record.
    ///   - isVersionKnown: whether the handshake is done, and all records have the version that was negotiated. The
    ///     first ones may have that of DTLS 1.0 (§4.2.1).
    package static func readable(in datagram: Span<UInt8>, overhead: Int, isVersionKnown: Bool) -> [UInt8] {
        var records: [UInt8] = []
        records.reserveCapacity(datagram.count)
        var start = 0
        while start + headerByteCount <= datagram.count {
            let byteCount = Int(datagram[start + 11]) << 8 | Int(datagram[start + 12])
            let end = start + headerByteCount + byteCount
            guard end <= datagram.count else { break }
            let isEncrypted = datagram[start + 3] != 0 || datagram[start + 4] != 0
            // DTLS 1.2 is 254.253, and DTLS 1.0 is 254.255.
            let hasVersion =
                datagram[start + 1] == 254
                && (datagram[start + 2] == 253 || !isVersionKnown && datagram[start + 2] == 255)
            if hasVersion, !isEncrypted || byteCount >= overhead {
                records.append(copying: datagram.extracting(start..<end))
            }
            start = end
        }
        return records
    }
}
