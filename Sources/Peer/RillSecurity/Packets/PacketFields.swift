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

// RFC 3711 §3.4 and RFC 7714 §9.1: the trailer of an RTCP packet, before the authentication tag (counter mode) or
// after it (GCM):
//
//     +-+-------------------------------+
//     |E|         SRTCP index           |
//     +-+-------------------------------+
//
// E is set if the packet is encrypted.

/// The word at the end of a protected RTCP packet.
enum SRTCPTrailer {
    /// The size of the trailer: 4 bytes.
    static let byteCount = 4

    /// Returns its offset in a packet of `count` bytes, from which the master key identifier was removed.
    static func offset(_ profile: SRTPProfile, count: Int) -> Int {
        count - byteCount - (profile.isAEAD ? 0 : profile.tagByteCount(.rtcp))
    }

    /// Returns the SRTCP index of a packet of `count` bytes, from which the master key identifier was removed.
    @unsafe static func index(_ profile: SRTPProfile, _ base: UnsafeMutablePointer<UInt8>, count: Int) -> UInt32 {
        let start = offset(profile, count: count)
        var word: UInt32 = 0
        // The caller has checked that the trailer is there.
        for place in start..<start + byteCount { word = unsafe word << 8 | UInt32(base[place]) }
        return word & 0x7FFF_FFFF
    }

    /// Returns whether the E bit is set in the first byte of the trailer.
    static func isEncrypted(_ first: UInt8) -> Bool { first & 0x80 != 0 }
}

extension SRTPProfile {
    /// Returns the size of the authentication tag in bytes.
    func tagByteCount(_ kind: PacketKind) -> Int {
        if isAEAD { return 16 }
        return self == .aesCM128Tag32 && kind == .rtp ? 4 : 10
    }

    /// Returns the bytes that protection adds to a packet, without the master key identifier: the tag, and in RTCP
    /// the trailer.
    func overhead(_ kind: PacketKind) -> Int {
        tagByteCount(kind) + (kind == .rtcp ? SRTCPTrailer.byteCount : 0)
    }
}

/// The index of an RTP packet, which never wraps: 2^16 times the rollover counter plus the sequence number (RFC 3711
/// §3.3.1).
struct PacketIndex {
    /// The newest index among protected or authenticated packets.
    private(set) var newest: Int64?
    /// The rollover counter that the app has provided, used until the first packet.
    private var told: UInt32?

    init(rolloverCounter: UInt32? = nil) {
        told = rolloverCounter
    }

    /// The number of times the sequence number has wrapped; `nil` if unknown.
    var rolloverCounter: UInt32? { newest.map { UInt32(truncatingIfNeeded: $0 >> 16) } ?? told }

    /// Returns the index of a packet with that sequence number: the one closest to the newest.
    @inline(__always)
    func estimate(_ number: UInt16) -> Int64 {
        guard let newest else { return Int64(told ?? 0) << 16 | Int64(number) }
        return max(Int64(number), newest &+ Int64(Int16(truncatingIfNeeded: Int64(number) &- newest)))
    }

    /// Returns the rollover counter of a packet with that sequence number.
    func rolloverCounter(of number: UInt16) -> UInt32 { UInt32(truncatingIfNeeded: estimate(number) >> 16) }

    /// Records the index of a packet.
    @inline(__always)
    mutating func note(_ index: Int64) {
        if index > newest ?? .min { newest = index }
    }
}
