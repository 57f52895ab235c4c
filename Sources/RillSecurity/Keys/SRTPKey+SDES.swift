public import RillRTP

// RFC 4568: keys in session descriptions.

extension SRTPKey {
    /// The key of an `a=crypto`, which its writer protects its packets with.
    ///
    ///     guard let crypto = video.crypto.first(where: SRTPKey.isAcceptable) else { … }
    ///     let theirs = try SRTPKey(crypto)
    ///
    /// - Throws: `unsupportedSuite`, `refusedParameter` for parameters that would leave encryption or authentication out, or
    ///   that are not known (RFC 4568 §6.3.8: who does not know one refuses the attribute), `severalKeys`, `invalidBase64`,
    ///   `invalidKeyLength`.
    public init(_ attribute: CryptoAttribute) throws(SecurityError) {
        guard let key = attribute.keys.first, attribute.keys.count == 1 else {
            throw .severalKeys(attribute.keys.count)
        }
        guard let profile = SRTPProfile(attribute.suite) else { throw .unsupportedSuite(attribute.suite) }
        if let parameter = attribute.sessionParameters.first(where: { !SRTPKey.isHarmless($0) }) {
            throw .refusedParameter(parameter)
        }
        try self.init(base64: key.keyAndSalt, profile, identifier: key.identifier)
    }

    /// Whether a key can be made of the attribute.
    public static func isAcceptable(_ attribute: CryptoAttribute) -> Bool {
        (try? SRTPKey(attribute)) != nil
    }

    /// The `a=crypto` that tells the other side this key.
    ///
    /// - Parameter tag: of an offer, the attribute's place among its like, from 1; of an answer, the offer's that was chosen.
    public func cryptoAttribute(tag: Int) -> CryptoAttribute {
        CryptoAttribute(tag: tag, profile.suite, [CryptoAttribute.Key(base64, identifier: identifier)])
    }

    /// What changes nothing here: a window, keys that are derived once, FEC that is protected as other packets are; and what
    /// its name says can be passed over (RFC 4568 §6.3).
    private static func isHarmless(_ parameter: String) -> Bool {
        ["-", "WSH="].contains { parameter.hasPrefix($0) } || ["KDR=0", "FEC_ORDER=FEC_SRTP"].contains(parameter)
    }
}
