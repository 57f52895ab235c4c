import RillCore
import RillPeer
import RillTestSupport
import Testing

@Suite struct STUNMessageTests {
    private static let id = STUNTransactionID(high: 1, low: 2)
    private let key = STUNIntegrityKey(password: Array("a password of 22 bytes".utf8))

    private func message(
        _ attributes: [STUNAttribute], type: STUNMessageType = .bindingRequest, key: STUNIntegrityKey? = nil,
        _ algorithm: STUNIntegrityAlgorithm = .sha1
    ) -> [UInt8] {
        [UInt8](capacity: 1500) { output in
            let writer = STUNMessageWriter(type, STUNMessageTests.id, into: &output)
            for attribute in attributes { writer.append(attribute, into: &output) }
            writer.finish(key, algorithm, into: &output)
        }
    }

    @Test func `All methods and classes keep their bits`() throws {
        for method in 0..<UInt16(0x1000) {
            for kind in [STUNMessageType.Class.request, .indication, .success, .error] {
                let type = STUNMessageType(method: method, kind)
                let bytes = message([], type: type)
                let parsed = try STUNMessage(parsing: bytes.span).type
                #expect(parsed == type)
            }
        }
    }

    @Test func `What is written is read`() throws {
        let addresses = [UDPAddress(.v4(0xC000_0201), port: 5004), UDPAddress(.v6(1 << 127 | 7, zone: 0), port: 65535)]
        for address in addresses {
            let bytes = message(
                [
                    .username(Array("abc:d".utf8)), .mappedAddress(address), .priority(7), .useCandidate,
                    .iceControlling(8), .iceControlled(9), .errorCode(.roleConflict),
                    .unknownAttributes([STUNAttributeType(rawValue: 0x7FFF)]),
                ], type: .bindingError, key: key)
            let message = try STUNMessage(parsing: bytes.span)
            #expect(message.type == .bindingError && message.transactionID == STUNMessageTests.id)
            let username = message.username?.array
            #expect(username == Array("abc:d".utf8))
            #expect(message.mappedAddress == address && message.priority == 7 && message.usesCandidate)
            #expect(message.iceControlling == 8 && message.iceControlled == 9)
            #expect(message.errorCode == .roleConflict)
            #expect(message.unknownAttributes == [STUNAttributeType(rawValue: 0x7FFF)])
            #expect(message.hasIntegrity(of: key) && message.hasValidFingerprint == true)
        }
    }

    @Test func `SHA-256 counts where both kinds of integrity are there`() throws {
        let bytes = message([.priority(1)], key: key, .sha256)
        let one = try STUNMessage(parsing: bytes.span)
        #expect(one.integrityAlgorithm == .sha256 && one.hasIntegrity(of: key))

        // A wrong HMAC-SHA1 before it does not matter, a wrong HMAC-SHA256 after a right HMAC-SHA1 does.
        let wrong = [UInt8](repeating: 7, count: 20)
        let both = message([.other(.messageIntegrity, wrong)], key: key, .sha256)
        let isGenuine = try STUNMessage(parsing: both.span).hasIntegrity(of: key)
        #expect(isGenuine)
        var damaged = both
        damaged[60] ^= 1
        let isDamagedGenuine = try STUNMessage(parsing: damaged.span).hasIntegrity(of: key)
        #expect(!isDamagedGenuine)
    }

    @Test func `Attributes after the integrity do not count`() throws {
        let bytes = [UInt8](capacity: 200) { output in
            let writer = STUNMessageWriter(.bindingRequest, STUNMessageTests.id, into: &output)
            writer.append(.other(.messageIntegrity, [UInt8](repeating: 0, count: 20)), into: &output)
            writer.append(.useCandidate, into: &output)
            writer.append(.other(STUNAttributeType(rawValue: 0x7000), []), into: &output)
            writer.finish(nil, into: &output)
        }
        let message = try STUNMessage(parsing: bytes.span)
        #expect(!message.usesCandidate && message.unknownRequiredCount == 0 && message.hasValidFingerprint == true)
    }

    @Test func `Of several attributes the first counts, and unknown ones are listed if they must be understood`() throws
    {
        let unknown = [0x0003, 0x7FFF, 0x8000, 0xC057].map { STUNAttributeType(rawValue: UInt16($0)) }
        let bytes = message([.priority(1), .priority(2)] + unknown.map { STUNAttribute.other($0, [1, 2, 3]) })
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.priority == 1 && message.unknownRequiredCount == 2)
        #expect(message.unknownRequired(limit: 8) == Array(unknown.prefix(2)))
        #expect(message.unknownRequired(limit: 1) == [unknown[0]])
    }

    @Test func `Errors name what is wrong`() {
        func error(_ bytes: [UInt8]) -> STUNError? {
            do throws(STUNError) {
                _ = try STUNMessage(parsing: bytes.span)
                return nil
            } catch { return error }
        }
        let good = message([.priority(1)])
        #expect(error([0, 1]) == .truncated(needed: 20, available: 2))
        #expect(error([0x80] + good.dropFirst()) == .notSTUN(firstByte: 0x80, cookie: 0x2112_A442))
        #expect(error(good + [0, 0, 0, 0]) == .invalidLength(declared: 16, available: 20))
        #expect(error(message([.other(.priority, [1])])) == .invalidAttribute(.priority, byteCount: 1))
        #expect(
            error(message([.other(.fingerprint, [0, 0, 0, 0])]))
                == .attributeAfterFingerprint(.fingerprint, offset: 28))
        var cut = good
        cut[23] = 100
        #expect(error(cut) == .attributeTruncated(.priority, needed: 100, available: 12))
        for code in [299, 700] { #expect(STUNErrorCode(rawValue: UInt16(code)) == nil) }
    }

    // MARK: Arbitrary bytes

    static let seeds = [
        STUNVectors.request, STUNVectors.responseV4, STUNVectors.responseV6,
    ]

    @Test func `Every truncation throws`() {
        for seed in STUNMessageTests.seeds {
            for count in 0..<seed.count {
                let cut = Array(seed.prefix(count))
                #expect(throws: STUNError.self) { _ = try STUNMessage(parsing: cut.span) }
            }
        }
    }

    @Test func `No mutation brings the parser down, and none passes for authentic`() throws {
        let count = isLongRun ? 10_000_000 : 100_000
        let key = STUNVectors.key
        var parsed = 0
        for input in MutatedInputs(of: STUNMessageTests.seeds, count: count, using: SeededGenerator(seed: 30)) {
            // Most are refused; how many are not is checked below.
            guard let message = try? STUNMessage(parsing: input.span) else { continue }
            parsed += 1
            _ = (message.username?.count, message.mappedAddress, message.priority, message.errorCode)
            _ = (message.unknownAttributes, message.unknownRequired(limit: 8), message.hasValidFingerprint)
            if message.hasIntegrity(of: key) {
                // The mutation left all that is protected as it was.
                #expect(STUNMessageTests.seeds.contains { isEqual($0, input, exceptLength: true) }, "\(input)")
            }
        }
        #expect(parsed > count / 100)
    }

    /// Whether two messages agree up to the end of MESSAGE-INTEGRITY, but for the length of what follows.
    private func isEqual(_ seed: [UInt8], _ input: [UInt8], exceptLength: Bool) -> Bool {
        let end = seed.count - 8
        guard input.count >= end else { return false }
        return seed[..<2] == input[..<2] && seed[4..<end] == input[4..<end]
    }
}
