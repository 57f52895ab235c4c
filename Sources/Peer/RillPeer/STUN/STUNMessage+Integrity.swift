extension STUNMessage {
    /// The kind of integrity that counts: the stronger one, if there are both (RFC 8489 §9.1.3); `nil` if there is
    /// none.
    public var integrityAlgorithm: STUNIntegrityAlgorithm? {
        if layout.messageIntegritySHA256 != 0 { return .sha256 }
        return layout.messageIntegrity != 0 ? .sha1 : nil
    }

    /// Whether the message was made by one who has the key. Takes the same time wherever the codes differ.
    ///
    /// - Parameter key: the key of the receiver of a request, or of the sender of a response (RFC 8445 §7.1.2).
    /// - Returns: `false` also for a message without integrity.
    public func hasIntegrity(of key: STUNIntegrityKey) -> Bool {
        guard let algorithm = integrityAlgorithm else { return false }
        let offset = algorithm == .sha256 ? layout.messageIntegritySHA256 : layout.messageIntegrity
        guard let value = value(at: offset) else { return false }
        let code = key.code(algorithm, of: bytes.extracting(0..<Int(offset)))
        var difference: UInt8 = 0
        for index in value.indices { difference |= value[index] ^ code[index] }
        return difference == 0
    }
}
