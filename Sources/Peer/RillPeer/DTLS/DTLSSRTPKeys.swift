public import RillSecurity

/// The keys of SRTP for both directions, which a handshake of DTLS gave (RFC 5764 §4.2).
public struct DTLSSRTPKeys: Sendable {
    /// For ``/RillSecurity/SRTPProtector``: what this side sends.
    public let sending: SRTPKey
    /// For ``/RillSecurity/SRTPUnprotector``: what this side receives.
    public let receiving: SRTPKey

    /// The profile of both.
    public var profile: SRTPProfile { sending.profile }

    /// The label of the exporter.
    static let label = "EXTRACTOR-dtls_srtp"

    /// Splits what the exporter gave.
    ///
    ///     client's key | server's key | client's salt | server's salt
    init(_ material: Span<UInt8>, _ profile: SRTPProfile, role: DTLSRole) throws(SecurityError) {
        let (key, salt) = (profile.keyByteCount, profile.saltByteCount)
        precondition(material.count == 2 * (key + salt))
        func make(_ side: DTLSRole) throws(SecurityError) -> SRTPKey {
            let number = side == .client ? 0 : 1
            var bytes = [UInt8]()
            bytes.reserveCapacity(key + salt)
            for index in 0..<key { bytes.append(material[number * key + index]) }
            for index in 0..<salt { bytes.append(material[2 * key + number * salt + index]) }
            defer { overwrite(&bytes) }
            return try SRTPKey(bytes.span, profile)
        }
        sending = try make(role)
        receiving = try make(role.opposite)
    }
}
