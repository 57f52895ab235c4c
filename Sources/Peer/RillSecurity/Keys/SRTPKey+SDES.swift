public import RillRTP

// RFC 4568: keys in session descriptions.

extension SRTPKey {
    /// The key in an `a=crypto` attribute, with which the attribute's writer protects its packets.
    ///
    /// ```swift
    /// guard let crypto = video.crypto.first(where: SRTPKey.isAcceptable) else { return }
    /// let theirs = try SRTPKey(crypto)
    /// ```
    ///
    /// - Throws: `unsupportedSuite`; `refusedParameter` for parameters that would omit encryption or authentication,
    ///   or that are unknown (RFC 4568 §6.3.8 requires refusing those); `severalKeys`, `invalidBase64`,
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

    /// Returns whether the attribute has a usable key.
    public static func isAcceptable(_ attribute: CryptoAttribute) -> Bool {
        (try? SRTPKey(attribute)) != nil
    }

    /// Returns the `a=crypto` attribute that transmits this key to the other side.
    ///
    /// - Parameter tag: in an offer, the attribute's number among the offered ones, from 1; in an answer, the tag of
    ///   the chosen offer.
    public func cryptoAttribute(tag: Int) -> CryptoAttribute {
        CryptoAttribute(tag: tag, profile.suite, [CryptoAttribute.Key(base64, identifier: identifier)])
    }

    /// Whether a parameter has no effect here: a window size, keys derived only once, FEC protected like other
    /// packets, or a parameter whose name marks it as optional (RFC 4568 §6.3).
    private static func isHarmless(_ parameter: String) -> Bool {
        ["-", "WSH="].contains { parameter.hasPrefix($0) } || ["KDR=0", "FEC_ORDER=FEC_SRTP"].contains(parameter)
    }
}
