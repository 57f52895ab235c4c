import RillRTP

// RFC 3711 §3.1 and §3.4: the master key identifier stands before the authentication tag. RFC 7714 §8 and §9: with GCM, whose
// tag is the ciphertext's end, it stands behind everything. Neither protects it.
//
//     counter mode   | packet, encrypted | E, index (RTCP) | MKI | tag |
//     GCM            | packet, encrypted | tag | E, index (RTCP) | MKI |

/// The master key identifier in a packet's bytes. libsrtp is shown packets without one.
struct KeyIdentifierField {
    /// Bytes of it.
    let byteCount: Int
    /// Bytes that stand behind it.
    let tailByteCount: Int

    init(_ profile: SRTPProfile, _ kind: PacketKind, byteCount: Int) {
        self.byteCount = byteCount
        tailByteCount = profile.isAEAD ? 0 : profile.tagByteCount(kind)
    }

    /// Puts the identifier into a protected packet of `count` bytes, behind which there is room for it.
    @unsafe func insert(_ identifier: MasterKeyIdentifier, _ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) {
        let place = count - tailByteCount
        // The tail moves up, to where there is room; `update` knows that both ranges may overlap.
        unsafe (base + place + byteCount).update(from: base + place, count: tailByteCount)
        for index in 0..<byteCount { unsafe base[place + index] = identifier.byte(at: index) }
        count += byteCount
    }

    /// The identifier's number in a packet of `count` bytes; `nil` if it is not one of those that we give.
    @unsafe func value(_ base: UnsafeMutablePointer<UInt8>, _ count: Int) -> UInt64? {
        let place = count - tailByteCount - byteCount
        var value: UInt64 = 0
        for index in 0..<byteCount {
            guard value >> 56 == 0 else { return nil }
            value = value << 8 | UInt64(unsafe base[place + index])
        }
        return value
    }

    /// Takes the identifier out of a packet.
    @unsafe func remove(_ base: UnsafeMutablePointer<UInt8>, _ count: inout Int) {
        let place = count - tailByteCount - byteCount
        unsafe (base + place).update(from: base + place + byteCount, count: tailByteCount)
        count -= byteCount
    }
}
