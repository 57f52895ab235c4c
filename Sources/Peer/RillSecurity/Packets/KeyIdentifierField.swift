import RillRTP

// RFC 3711 §3.1 and §3.4: the master key identifier is before the authentication tag. RFC 7714 §8 and §9: in GCM,
// whose tag is the end of the ciphertext, it is at the end of the packet. It is not authenticated.
//
//     counter mode   | packet, encrypted | E, index (RTCP) | MKI | tag |
//     GCM            | packet, encrypted | tag | E, index (RTCP) | MKI |

/// The master key identifier in a packet. libsrtp only handles packets without one.
struct KeyIdentifierField {
    /// The size of the identifier in bytes.
    let byteCount: Int
    /// The number of bytes after it.
    let tailByteCount: Int

    init(_ profile: SRTPProfile, _ kind: PacketKind, byteCount: Int) {
        self.byteCount = byteCount
        tailByteCount = profile.isAEAD ? 0 : profile.tagByteCount(kind)
    }

    /// Inserts the identifier into a protected packet of `count` bytes, which must have room after it.
    @unsafe func insert(_ identifier: MasterKeyIdentifier, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) {
        let place = count - tailByteCount
        // Moves the tail up to make room; `update` handles overlapping ranges.
        unsafe (base + place + byteCount).update(from: base + place, count: tailByteCount)
        for index in 0..<byteCount { unsafe base[place + index] = identifier.byte(at: index) }
        count += byteCount
    }

    /// Returns the identifier in a packet of `count` bytes; `nil` if it exceeds 64 bits, which Rill never uses.
    @unsafe func value(_ base: UnsafeMutablePointer<UInt8>, _ count: Int) -> UInt64? {
        let place = count - tailByteCount - byteCount
        var value: UInt64 = 0
        for index in 0..<byteCount {
            guard value >> 56 == 0 else { return nil }
            value = value << 8 | UInt64(unsafe base[place + index])
        }
        return value
    }

    /// Removes the identifier from a packet.
    @unsafe func remove(_ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) {
        let place = count - tailByteCount - byteCount
        unsafe (base + place).update(from: base + place + byteCount, count: tailByteCount)
        count -= byteCount
    }
}
