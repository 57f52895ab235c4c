import RillCore
import RillPeer
import RillWireFuzzTargets

/// STUN: whatever parses can be asked for everything, and an authentic message stays what it is.
func fuzzSTUN(_ bytes: Span<UInt8>) {
    let message: STUNMessage
    do throws(STUNError) { message = try STUNMessage(parsing: bytes) } catch { return }
    precondition(message.bytes.count % 4 == 0 && STUNMessage.matches(bytes) == (bytes[0] < 4))
    precondition((message.username?.count ?? 0) < 509)
    _ = (message.mappedAddress, message.priority, message.iceControlled, message.iceControlling, message.errorCode)
    precondition(message.unknownAttributes.count < bytes.count)
    let unknown = message.unknownRequired(limit: 8)
    precondition(unknown.count == min(8, message.unknownRequiredCount))
    precondition(unknown.allSatisfy(\.isComprehensionRequired))
    // Nobody draws 160 bits by chance.
    precondition(!message.hasIntegrity(of: STUNIntegrityKey(password: Array("not in the seeds".utf8))))

    // What is written of it parses again.
    var attributes: [STUNAttribute] = []
    if let username = message.username { attributes.append(.username(username.array)) }
    if let mapped = message.mappedAddress { attributes.append(.mappedAddress(mapped)) }
    if let priority = message.priority { attributes.append(.priority(priority)) }
    if let code = message.errorCode { attributes.append(.errorCode(code)) }
    let written = FuzzedSTUN.message(message.type, message.transactionID, attributes)
    do throws(STUNError) {
        let copy = try STUNMessage(parsing: written.span)
        precondition(copy.type == message.type && copy.transactionID == message.transactionID)
        precondition(copy.mappedAddress == message.mappedAddress && copy.priority == message.priority)
        precondition(copy.errorCode == message.errorCode && copy.hasValidFingerprint == true)
    } catch { preconditionFailure("\(error)") }
}

func stunSeeds() -> [FuzzTarget.Seed] {
    FuzzedSTUN.messages.map { FuzzTarget.Seed($0.name, bytes: $0.bytes) }
}

/// Good messages of STUN.
enum FuzzedSTUN {
    static let password = "0123456789abcdefghijkl"

    static func message(
        _ type: STUNMessageType, _ id: STUNTransactionID, _ attributes: [STUNAttribute], key: STUNIntegrityKey? = nil,
        _ algorithm: STUNIntegrityAlgorithm = .sha1
    ) -> [UInt8] {
        [UInt8](capacity: 2048) { output in
            let writer = STUNMessageWriter(type, id, into: &output)
            for attribute in attributes { writer.append(attribute, into: &output) }
            writer.finish(key, algorithm, into: &output)
        }
    }

    static var messages: [(name: String, bytes: [UInt8])] {
        let id = STUNTransactionID(high: 0xB7E7_A701, low: 0xBC34_D686_FA87_DFAE)
        let key = STUNIntegrityKey(password: Array(password.utf8))
        let check: [STUNAttribute] = [
            .username(Array("ours:peer".utf8)), .priority(0x6E00_01FF), .iceControlling(0x932F_F9B1_5126_3B36),
        ]
        let unknown = STUNAttributeType(rawValue: 0x7001)
        return [
            ("check", message(.bindingRequest, id, check, key: key)),
            ("nomination", message(.bindingRequest, id, check + [.useCandidate], key: key)),
            ("sha256", message(.bindingRequest, id, check, key: key, .sha256)),
            ("controlled", message(.bindingRequest, id, check.prefix(2) + [.iceControlled(1)], key: key)),
            (
                "chromium",
                message(
                    .bindingRequest, id, [.other(STUNAttributeType(rawValue: 0xC057), [0, 1, 0, 10])] + check, key: key)
            ),
            ("unknown", message(.bindingRequest, id, check + [.other(unknown, [1, 2, 3])], key: key)),
            (
                "success",
                message(.bindingSuccess, id, [.mappedAddress(UDPAddress(.v4(0xC000_0201), port: 32853))], key: key)
            ),
            (
                "success-v6",
                message(.bindingSuccess, id, [.mappedAddress(UDPAddress(.v6(7, zone: 0), port: 9))], key: key)
            ),
            ("conflict", message(.bindingError, id, [.errorCode(.roleConflict)], key: key)),
            (
                "refusal",
                message(.bindingError, id, [.errorCode(.unknownAttribute), .unknownAttributes([unknown])], key: key)
            ),
            ("indication", message(.bindingIndication, id, [])),
        ]
    }
}
