public import RillCore

/// An attribute to write. Integrity and fingerprint are not among them: ``STUNMessageWriter/finish(_:_:into:)`` adds
/// them.
public enum STUNAttribute: Hashable, Sendable {
    /// USERNAME, at most 508 bytes.
    case username([UInt8])
    /// XOR-MAPPED-ADDRESS.
    case mappedAddress(UDPAddress)
    /// PRIORITY.
    case priority(UInt32)
    /// USE-CANDIDATE.
    case useCandidate
    /// ICE-CONTROLLING with the tiebreaker.
    case iceControlling(UInt64)
    /// ICE-CONTROLLED with the tiebreaker.
    case iceControlled(UInt64)
    /// ERROR-CODE with the usual phrase.
    case errorCode(STUNErrorCode)
    /// UNKNOWN-ATTRIBUTES.
    case unknownAttributes([STUNAttributeType])
    /// An attribute of any type, with these bytes as its value.
    case other(STUNAttributeType, [UInt8])
}

/// Writes a STUN message, one attribute after the other.
///
/// ```swift
/// let writer = STUNMessageWriter(.bindingSuccess, request.transactionID, into: &output)
/// writer.append(.mappedAddress(source), into: &output)
/// writer.finish(key, into: &output)
/// ```
///
/// Traps if the output has too little room; a message of ICE has at most ``maximumICEByteCount`` bytes. All calls have
/// the same output, to which nothing else is written meanwhile. Padding is zero.
public struct STUNMessageWriter: Sendable {
    /// The largest message that ``ICEAgent`` writes, in bytes: a request to a peer whose username fragment has 256
    /// bytes, the most that may be (RFC 8839 §5.4).
    public static let maximumICEByteCount = 20 + (4 + 292) + (4 + 4) + (4 + 8) + 4 + (4 + 4) + (4 + 20) + (4 + 4)

    private let start: Int
    private let id: STUNTransactionID

    /// Writes the header.
    ///
    /// - Parameters:
    ///   - type: the method and class.
    ///   - id: a new identifier, or that of the request which is answered.
    ///   - output: where the message goes.
    @_lifetime(output: copy output)
    public init(_ type: STUNMessageType, _ id: STUNTransactionID, into output: inout OutputSpan<UInt8>) {
        start = output.count
        self.id = id
        output.append(bigEndian: type.wire)
        output.append(bigEndian: UInt16(0))
        output.append(bigEndian: STUNMessage.magicCookie)
        output.append(bigEndian: id.high)
        output.append(bigEndian: id.low)
    }

    /// Writes an attribute.
    ///
    /// - Parameters:
    ///   - attribute: the attribute.
    ///   - output: where the message goes.
    @_lifetime(output: copy output)
    public func append(_ attribute: STUNAttribute, into output: inout OutputSpan<UInt8>) {
        switch attribute {
        case .username(let name): append(.username, name.span, into: &output)
        case .mappedAddress(let address):
            begin(.xorMappedAddress, XORMappedAddress.byteCount(address), into: &output)
            XORMappedAddress.write(address, id, into: &output)
        case .priority(let priority):
            begin(.priority, 4, into: &output)
            output.append(bigEndian: priority)
        case .useCandidate: begin(.useCandidate, 0, into: &output)
        case .iceControlling(let tiebreaker):
            begin(.iceControlling, 8, into: &output)
            output.append(bigEndian: tiebreaker)
        case .iceControlled(let tiebreaker):
            begin(.iceControlled, 8, into: &output)
            output.append(bigEndian: tiebreaker)
        case .errorCode(let code): append(code, into: &output)
        case .unknownAttributes(let types):
            begin(.unknownAttributes, 2 * types.count, into: &output)
            for type in types { output.append(bigEndian: type.rawValue) }
            pad(2 * types.count, into: &output)
        case .other(let type, let value): append(type, value.span, into: &output)
        }
        setLength(of: &output)
    }

    /// Writes MESSAGE-INTEGRITY, if there is a key, and FINGERPRINT. Nothing may follow.
    ///
    /// - Parameters:
    ///   - key: the key; `nil` for a message without integrity.
    ///   - algorithm: the kind of integrity.
    ///   - output: where the message goes.
    @_lifetime(output: copy output)
    public func finish(
        _ key: STUNIntegrityKey?, _ algorithm: STUNIntegrityAlgorithm = .sha1, into output: inout OutputSpan<UInt8>
    ) {
        if let key {
            let code = key.code(algorithm, of: output.span.extracting(droppingFirst: start))
            append(algorithm.attributeType, code.span.extracting(first: algorithm.byteCount), into: &output)
        }
        // The checksum covers a length that includes the fingerprint's eight bytes.
        setLength(of: &output, and: 8)
        let fingerprint = STUNFingerprint.value(of: output.span.extracting(droppingFirst: start))
        begin(.fingerprint, 4, into: &output)
        output.append(bigEndian: fingerprint)
    }

    // MARK: Parts

    @_lifetime(output: copy output)
    private func begin(_ type: STUNAttributeType, _ count: Int, into output: inout OutputSpan<UInt8>) {
        output.append(bigEndian: type.rawValue)
        output.append(bigEndian: UInt16(count))
    }

    @_lifetime(output: copy output)
    private func append(_ type: STUNAttributeType, _ value: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        begin(type, value.count, into: &output)
        output.append(copying: value)
        pad(value.count, into: &output)
    }

    @_lifetime(output: copy output)
    private func append(_ code: STUNErrorCode, into output: inout OutputSpan<UInt8>) {
        let count = 4 + code.reason.utf8CodeUnitCount
        begin(.errorCode, count, into: &output)
        output.append(bigEndian: UInt16(0))
        output.append(UInt8(code.rawValue / 100))
        output.append(UInt8(code.rawValue % 100))
        for byte in code.reason.description.utf8 { output.append(byte) }
        pad(count, into: &output)
    }

    @_lifetime(output: copy output)
    private func pad(_ count: Int, into output: inout OutputSpan<UInt8>) {
        output.append(repeating: 0, count: -count & 3)
    }

    @_lifetime(output: copy output)
    private func setLength(of output: inout OutputSpan<UInt8>, and more: Int = 0) {
        let length = output.count - start - STUNMessage.headerByteCount + more
        output.overwrite(bigEndian: UInt16(length), at: start + 2)
    }
}
