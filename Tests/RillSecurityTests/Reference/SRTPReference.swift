import RillRTP
import RillSecurity

/// SRTP and SRTCP as RFC 3711 and RFC 7714 describe them, written from their text, with nothing of libsrtp.
struct SRTPReference {
    let profile: SRTPProfile
    private let rtp: SessionKeys
    private let rtcp: SessionKeys

    /// The keys that are derived from a master key (RFC 3711 §4.3).
    struct SessionKeys {
        var key: [UInt8]
        var salt: [UInt8]
        var authentication: [UInt8]
    }

    init(_ key: SRTPKey) {
        profile = key.profile
        let bytes = key.withKeyAndSalt { span in span.indices.map { span[$0] } }
        let (master, salt) = (Array(bytes[..<profile.keyByteCount]), Array(bytes[profile.keyByteCount...]))
        rtp = SRTPReference.derive(master, salt, labels: (0, 1, 2))
        rtcp = SRTPReference.derive(master, salt, labels: (3, 4, 5))
    }

    /// Keys that are given, not derived: those of RFC 7714's examples.
    init(_ profile: SRTPProfile, key: [UInt8], salt: [UInt8]) {
        self.profile = profile
        rtp = SessionKeys(key: key, salt: salt, authentication: [])
        rtcp = rtp
    }

    /// RFC 3711 §4.3.1 with a key derivation rate of 0; a salt of 96 bits has 16 zero bits behind it (RFC 7714 §11).
    static func derive(_ master: [UInt8], _ salt: [UInt8], labels: (UInt8, UInt8, UInt8)) -> SessionKeys {
        func bytes(_ label: UInt8, _ count: Int) -> [UInt8] {
            var counter = salt + [UInt8](repeating: 0, count: 16 - salt.count)
            counter[7] ^= label
            return counterMode(master, counter, [UInt8](repeating: 0, count: count))
        }
        return SessionKeys(
            key: bytes(labels.0, master.count), salt: bytes(labels.2, salt.count), authentication: bytes(labels.1, 20))
    }

    private var isAEAD: Bool { profile == .aeadAES128GCM || profile == .aeadAES256GCM }

    /// A packet of RTP whose header has `headerByteCount` bytes, extensions counted.
    func protect(_ packet: [UInt8], headerByteCount: Int, rolloverCounter: UInt32, identifier: [UInt8] = []) -> [UInt8]
    {
        let (header, payload) = (Array(packet[..<headerByteCount]), Array(packet[headerByteCount...]))
        let (ssrc, number) = (Array(packet[8..<12]), Array(packet[2..<4]))
        let counter = bigEndian(rolloverCounter)
        if isAEAD {
            let nonce = xor([0, 0] + ssrc + counter + number, rtp.salt)
            return header + galoisCounterMode(rtp.key, nonce, payload, authenticating: header) + identifier
        }
        let start = xor([0, 0, 0, 0] + ssrc + counter + number + [0, 0], rtp.salt + [0, 0])
        let encrypted = header + counterMode(rtp.key, start, payload)
        let tag = SHA1.authenticate(encrypted + counter, key: rtp.authentication)
        return encrypted + identifier + tag.prefix(profile == .aesCM128Tag32 ? 4 : 10)
    }

    /// A compound of RTCP.
    func protect(_ compound: [UInt8], index: UInt32, identifier: [UInt8] = []) -> [UInt8] {
        let (header, rest, ssrc) = (Array(compound[..<8]), Array(compound[8...]), Array(compound[4..<8]))
        let trailer = bigEndian(index | 0x8000_0000)
        if isAEAD {
            let nonce = xor([0, 0] + ssrc + [0, 0] + bigEndian(index), rtcp.salt)
            let sealed = galoisCounterMode(rtcp.key, nonce, rest, authenticating: header + trailer)
            return header + sealed + trailer + identifier
        }
        let start = xor([0, 0, 0, 0] + ssrc + [0, 0] + bigEndian(index) + [0, 0], rtcp.salt + [0, 0])
        let encrypted = header + counterMode(rtcp.key, start, rest) + trailer
        return encrypted + identifier + SHA1.authenticate(encrypted, key: rtcp.authentication).prefix(10)
    }
}
