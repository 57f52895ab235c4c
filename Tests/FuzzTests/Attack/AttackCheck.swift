import RillCore
import RillPeer

/// STUN of a peer that has the right password, with one thing changed.
enum AttackCheck {
    /// A message to the other side's agent.
    ///
    /// - Parameters:
    ///   - number: what is changed follows from it, and the transaction.
    ///   - agent: the attacker's own agent, which knows the credentials of both sides.
    ///   - received: the transaction of the other side's newest request.
    static func message(_ number: UInt32, of agent: ICEAgent, _ received: STUNTransactionID?) -> [UInt8]? {
        guard let remote = agent.remoteCredentials else { return nil }
        let isControlling = agent.role == .controlling
        let username = "\(remote.usernameFragment):\(agent.credentials.usernameFragment)"
        var key: STUNIntegrityKey? = STUNIntegrityKey(password: Array(remote.password.utf8))
        let id = STUNTransactionID(high: 0xA77AC, low: UInt64(number))
        var attributes: [STUNAttribute] = [
            .username(Array(username.utf8)), .priority(0x6E00_01FF),
            isControlling ? .iceControlling(.max) : .iceControlled(0),
        ]
        var type = STUNMessageType.bindingRequest
        switch (number >> 8) % 17 {
        case 0: attributes.append(.useCandidate)
        // 16: nothing is changed.
        case 1: key = nil
        case 2: attributes[0] = .username(Array("\(remote.usernameFragment):nobody".utf8))
        case 3: key = STUNIntegrityKey(password: Array("0123456789012345678901".utf8))
        case 4: attributes.append(.other(STUNAttributeType(rawValue: 0x0042), [1, 2, 3]))
        case 5: attributes.remove(at: 1)
        // The role that the other side has; one of the two gives way.
        case 6: attributes[2] = isControlling ? .iceControlled(number & 1 == 0 ? .max : 0) : .iceControlling(0)
        case 7: type = .bindingIndication
        case 8: type = .bindingSuccess
        case 9: type = STUNMessageType(method: 0x003, .request)
        case 10: attributes.remove(at: 0)
        case 11: attributes[0] = .username(Array("none:none".utf8))
        case 12: return refusal(of: received, agent)
        default: break
        }
        var bytes = [UInt8](capacity: 1000) { output in
            let writer = STUNMessageWriter(type, id, into: &output)
            for attribute in attributes { writer.append(attribute, into: &output) }
            writer.finish(key, .sha1, into: &output)
        }
        switch (number >> 8) % 17 {
        case 13: bytes[bytes.count - 1] ^= 1
        case 14: bytes.removeLast(4)
        case 15: bytes[Int(number & 0xFF) % bytes.count] ^= 0x10
        default: break
        }
        return bytes
    }

    /// A refusal of the other side's request.
    static func refusal(of id: STUNTransactionID?, _ agent: ICEAgent) -> [UInt8]? {
        guard let id else { return nil }
        let key = STUNIntegrityKey(password: Array(agent.credentials.password.utf8))
        return [UInt8](capacity: 200) { output in
            let type = STUNMessageType.bindingError
            let writer = STUNMessageWriter(type, id, into: &output)
            writer.append(.errorCode(.badRequest), into: &output)
            writer.finish(key, .sha1, into: &output)
        }
    }
}
