import Glibc
import Machine
import RillRTP
import RillSecurity
import RillTransport

/// Protects and unprotects packets of 1200 bytes: with Rill, and with direct calls of libsrtp plus the copy that Rill
/// makes.
///
/// Sequence numbers are consecutive. The packets to unprotect were protected in advance; after the last one the keys
/// are reset on both sides, since no packet can be unprotected twice.
final class SecurityBench {
    private var protector: SRTPProtector
    private var unprotector: SRTPUnprotector
    private var bare: BareSRTP
    private let key: SRTPKey
    private var packet: [UInt8]
    private var datagram = [UInt8](repeating: 0, count: 2048)
    private var number: UInt16 = 0
    /// The protected packets, and the index of the next.
    private let wire: [[UInt8]]
    private var arrived: [UInt8]
    private var place = 0

    private static let wirePacketCount = 2048

    init(_ profile: SRTPProfile) throws {
        // The cost does not depend on the key, and a fixed key makes counts repeatable.
        let bytes = (0..<profile.keyAndSaltByteCount).map { UInt8(truncatingIfNeeded: $0 * 7 + 1) }
        key = try SRTPKey(bytes.span, profile)
        protector = try SRTPProtector(key)
        unprotector = try SRTPUnprotector(key)
        bare = try BareSRTP(profile, bytes)
        var packet = [0x80, 96, 0, 0, 0, 0, 0, 0, 0xCA, 0xFE, 0, 1] + [UInt8](repeating: 0x5A, count: 1188)
        var sender = try SRTPProtector(key)
        var wire: [[UInt8]] = []
        var outgoing = OutgoingDatagrams(capacity: 1)
        for number in 0..<Self.wirePacketCount {
            packet.set(number: UInt16(number))
            var isProtected = false
            outgoing.append { output in
                if case .protected = sender.protect(packet.span, into: &output) { isProtected = true }
            }
            guard isProtected else { throw NoResult() }
            wire.append(outgoing.bytes(at: 0).array)
            outgoing.removeAll()
        }
        (self.packet, self.wire, arrived) = (packet, wire, wire[0])
    }

    // MARK: Protecting

    func protect(packets count: Int) throws -> Int {
        var sum = 0
        var packet = packet
        var outgoing = OutgoingDatagrams(capacity: 1)
        for _ in 0..<count {
            packet.set(number: number)
            number &+= 1
            // As in sending: into the datagram of a batch.
            var protected = 0
            outgoing.append { output in
                if case .protected(let count) = protector.protect(packet.span, into: &output) { protected = count }
            }
            guard protected > packet.count else { throw NoResult() }
            sum &+= protected
            outgoing.removeAll()
        }
        return sum
    }

    func protectBare(packets count: Int) throws -> Int {
        var sum = 0
        for _ in 0..<count {
            packet.set(number: number)
            number &+= 1
            let byteCount = datagram.withUnsafeMutableBytes { buffer in
                packet.withUnsafeBytes { bare.protect($0, into: buffer) }
            }
            guard byteCount > packet.count else { throw NoResult() }
            sum &+= byteCount
        }
        return sum
    }

    // MARK: Unprotecting

    func unprotect(packets count: Int) throws -> Int {
        var sum = 0
        for _ in 0..<count {
            if nextWire() { unprotector = try SRTPUnprotector(key) }
            var span = arrived.mutableSpan
            guard case .unprotected(_, let byteCount) = unprotector.unprotect(&span) else { throw NoResult() }
            sum &+= byteCount
        }
        return sum
    }

    func unprotectBare(packets count: Int) throws -> Int {
        var sum = 0
        for _ in 0..<count {
            if nextWire() { try bare.restart() }
            let byteCount = arrived.withUnsafeMutableBytes { bare.unprotect($0) }
            guard byteCount == packet.count else { throw NoResult() }
            sum &+= byteCount
        }
        return sum
    }

    /// Copies the next packet to the buffer where it is unprotected; returns whether it is the first one again.
    private func nextWire() -> Bool {
        let sent = wire[place]
        arrived.withUnsafeMutableBytes { to in
            sent.withUnsafeBytes { from in _ = memcpy(to.baseAddress!, from.baseAddress!, sent.count) }
        }
        defer { place = (place + 1) % Self.wirePacketCount }
        return place == 0
    }
}

extension [UInt8] {
    fileprivate mutating func set(number: UInt16) {
        self[2] = UInt8(number >> 8)
        self[3] = UInt8(truncatingIfNeeded: number)
    }
}

/// Direct calls of libsrtp.
private final class BareSRTP {
    private let profile: SRTPProfile
    private var key: [UInt8]
    private var outbound: srtp_t?
    private var inbound: srtp_t?

    init(_ profile: SRTPProfile, _ key: [UInt8]) throws {
        (self.profile, self.key) = (profile, key)
        // A protector was created before, so the library is initialized.
        outbound = try make(ssrc_any_outbound)
        inbound = try make(ssrc_any_inbound)
    }

    deinit {
        srtp_dealloc(outbound)
        srtp_dealloc(inbound)
    }

    func restart() throws {
        srtp_dealloc(inbound)
        inbound = try make(ssrc_any_inbound)
    }

    func protect(_ packet: UnsafeRawBufferPointer, into datagram: UnsafeMutableRawBufferPointer) -> Int {
        memcpy(datagram.baseAddress!, packet.baseAddress!, packet.count)
        var byteCount = Int32(packet.count)
        guard srtp_protect(outbound, datagram.baseAddress!, &byteCount) == srtp_err_status_ok else { return 0 }
        return Int(byteCount)
    }

    func unprotect(_ datagram: UnsafeMutableRawBufferPointer) -> Int {
        var byteCount = Int32(datagram.count)
        guard srtp_unprotect(inbound, datagram.baseAddress!, &byteCount) == srtp_err_status_ok else { return 0 }
        return Int(byteCount)
    }

    private func make(_ kind: srtp_ssrc_type_t) throws -> srtp_t? {
        var policy = srtp_policy_t()
        policy.ssrc = srtp_ssrc_t(type: kind, value: 0)
        policy.window_size = 1024
        if profile == .aeadAES128GCM {
            srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
            srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
        } else {
            srtp_crypto_policy_set_rtp_default(&policy.rtp)
            srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
        }
        var session: srtp_t?
        let status = key.withUnsafeMutableBufferPointer { key in
            policy.key = key.baseAddress
            return srtp_create(&session, &policy)
        }
        guard status == srtp_err_status_ok else { throw NoResult() }
        return session
    }
}
