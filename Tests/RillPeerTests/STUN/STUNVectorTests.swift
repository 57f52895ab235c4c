import RillCore
import RillPeer
import Testing

@Suite struct STUNVectorTests {
    @Test func `The sample request is read, and its integrity and fingerprint agree`() throws {
        let bytes = STUNVectors.request
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.type == .bindingRequest && message.transactionID == STUNVectors.id)
        let username = message.username?.array
        #expect(username == Array("evtj:h6vY".utf8))
        #expect(message.priority == 0x6e00_01ff && message.iceControlled == 0x932f_f9b1_5126_3b36)
        #expect(message.iceControlling == nil && !message.usesCandidate && message.unknownRequiredCount == 0)
        #expect(message.integrityAlgorithm == .sha1)
        #expect(message.hasIntegrity(of: STUNVectors.key) == true)
        let other = STUNIntegrityKey(password: Array("VOkJxbRl1RmTxUk/WvJxBs".utf8))
        #expect(message.hasIntegrity(of: other) == false)
        #expect(message.hasValidFingerprint == true)
    }

    @Test(arguments: [
        (STUNVectors.responseV4, UDPAddress("192.0.2.1:32853")),
        (STUNVectors.responseV6, UDPAddress("[2001:db8:1234:5678:11:2233:4455:6677]:32853")),
    ])
    func `The sample responses are read`(bytes: [UInt8], address: UDPAddress?) throws {
        let message = try STUNMessage(parsing: bytes.span)
        #expect(message.type == .bindingSuccess && message.transactionID == STUNVectors.id)
        #expect(message.mappedAddress == address && address != nil)
        #expect(message.hasIntegrity(of: STUNVectors.key) && message.hasValidFingerprint == true)
    }

    @Test func `The sample request is written byte for byte, except for its padding`() throws {
        let written = [UInt8](capacity: 200) { output in
            let writer = STUNMessageWriter(.bindingRequest, STUNVectors.id, into: &output)
            writer.append(.other(.software, Array("STUN test client".utf8)), into: &output)
            writer.append(.priority(0x6e00_01ff), into: &output)
            writer.append(.iceControlled(0x932f_f9b1_5126_3b36), into: &output)
            // The RFC pads with spaces, which the integrity covers.
            writer.append(.other(.username, Array("evtj:h6vY".utf8)), into: &output)
            writer.finish(STUNVectors.key, into: &output)
        }
        #expect(written.prefix(73) == STUNVectors.request.prefix(73))
        #expect(written.count == STUNVectors.request.count)
        let message = try STUNMessage(parsing: written.span)
        #expect(message.hasIntegrity(of: STUNVectors.key) && message.hasValidFingerprint == true)
    }

    @Test func `Any changed byte before the integrity breaks it`() throws {
        let bytes = STUNVectors.request
        // The length, and the headers of attributes, make the message malformed instead.
        for offset in [8, 12, 19, 24, 44, 60, 64, 70, 75] {
            var changed = bytes
            changed[offset] ^= 1
            let message = try STUNMessage(parsing: changed.span)
            #expect(message.hasIntegrity(of: STUNVectors.key) == false, "byte \(offset)")
            #expect(message.hasValidFingerprint == false, "byte \(offset)")
        }
    }
}
