import RillCore
import RillPeer

/// Makes the requests of a peer by hand.
struct CheckWriter {
    var username: String
    var key: STUNIntegrityKey?
    var priority: UInt32? = 0x6e00_01ff
    var role: STUNAttribute? = .iceControlling(1 << 63)
    var nominates = false
    var algorithm = STUNIntegrityAlgorithm.sha1
    var more: [STUNAttribute] = []

    /// Requests to an agent from a peer with this fragment.
    init(to agent: ICEAgent, from fragment: String = "peer") {
        username = "\(agent.credentials.usernameFragment):\(fragment)"
        key = STUNIntegrityKey(password: Array(agent.credentials.password.utf8))
    }

    func request(_ number: UInt64) -> [UInt8] {
        [UInt8](capacity: 1500) { output in
            let writer = STUNMessageWriter(.bindingRequest, STUNTransactionID(high: 9, low: number), into: &output)
            writer.append(.username(Array(username.utf8)), into: &output)
            if let priority { writer.append(.priority(priority), into: &output) }
            if let role { writer.append(role, into: &output) }
            if nominates { writer.append(.useCandidate, into: &output) }
            for attribute in more { writer.append(attribute, into: &output) }
            writer.finish(key, algorithm, into: &output)
        }
    }

    /// A response of success.
    static func answer(
        to id: STUNTransactionID, from mapped: UDPAddress, _ key: STUNIntegrityKey
    ) -> [UInt8] {
        [UInt8](capacity: 100) { output in
            let writer = STUNMessageWriter(.bindingSuccess, id, into: &output)
            writer.append(.mappedAddress(mapped), into: &output)
            writer.finish(key, into: &output)
        }
    }

    /// The transaction of a check; `nil` for anything else. `nominates`: only if it does.
    static func transaction(of bytes: [UInt8], nominates: Bool = false) -> STUNTransactionID? {
        do throws(STUNError) {
            let message = try STUNMessage(parsing: bytes.span)
            guard message.type == .bindingRequest, message.usesCandidate || !nominates else { return nil }
            return message.transactionID
        } catch { return nil }
    }
}
