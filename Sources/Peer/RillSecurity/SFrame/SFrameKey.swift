import RillCore

/// A base key of SFrame (RFC 9605 §4.4.1), from which the keys of one KID are derived. Its bytes appear in no
/// description, and are overwritten at the end.
public struct SFrameKey: Sendable {
    let bytes: SecretBytes

    /// The fewest bytes of a key: those of AES-128.
    public static let minimumByteCount = 16

    /// A key with these bytes.
    ///
    /// - Parameter bytes: as from a generator of random numbers, 16 at least. For a text that somebody typed there is
    ///   ``SFrameSecret``.
    /// - Throws: `secretTooShort`.
    public init(_ bytes: Span<UInt8>) throws(SecurityError) {
        guard bytes.count >= SFrameKey.minimumByteCount else {
            throw .secretTooShort(byteCount: bytes.count, minimum: SFrameKey.minimumByteCount)
        }
        self.bytes = SecretBytes(count: bytes.count) { $0.append(copying: bytes) }
    }

    init(_ bytes: SecretBytes) { self.bytes = bytes }
}

/// Who has the keys of a room: the key for a KID.
///
/// ``SFrameSecret`` derives them from a secret that all have. An app whose members exchange keys by other ways (a
/// ratchet, MLS, RFC 9605 §5) conforms a type of its own.
///
/// It is asked on threads of media, once for each key that opens a frame, and for each frame that none opens: it
/// answers at once, from memory. It may be asked by several threads at a time. A key never serves two KIDs: each sender
/// needs its own, and so does each epoch.
public protocol SFrameKeys: Sendable {
    /// The key of that KID; `nil` if there is none, or none yet.
    func key(for id: SFrameKeyID) -> SFrameKey?
}
