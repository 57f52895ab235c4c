import RillCore

extension ICEAgentCore {
    mutating func insert(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard STUNMessage.matches(datagram) else { return insertData(datagram.count, on: path, at: now) }
        do throws(STUNError) {
            return insert(try STUNMessage(parsing: datagram), on: path, at: now)
        } catch { return .dropped(.malformed(error)) }
    }

    /// Takes a datagram that is not STUN.
    mutating func insertData(_ byteCount: Int, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard state != .failed, let index = validatedIndex(path) else {
            if state != .failed, let index = index(of: path, in: generation), pairs[index].isHeard { return .early }
            counts.datagramsUnvalidated += 1
            return .dropped(.unvalidatedAddress)
        }
        countData(byteCount, of: index, at: now)
        return .data
    }

    private mutating func countData(_ byteCount: Int, of index: Int, at now: MediaTime) {
        pairs[index].counts.packetsReceived += 1
        pairs[index].counts.bytesReceived += byteCount
        pairs[index].counts.lastPacketReceivedTime = now
    }

    mutating func countData(_ byteCount: Int, on path: ICEPath, at now: MediaTime) {
        if let index = validatedIndex(path) { countData(byteCount, of: index, at: now) }
    }

    /// Whether data is taken from an address.
    mutating func isValidated(_ path: ICEPath) -> Bool { state != .failed && validatedIndex(path) != nil }

    /// Takes a message that was parsed already.
    mutating func insert(_ message: borrowing STUNMessage, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard message.type.method == STUNMessageType.binding else {
            return .dropped(.unsupportedMethod(message.type.method))
        }
        guard state != .failed else { return .dropped(.failed) }
        guard local(of: path) != nil else { return .dropped(.unknownSocket(path.socket)) }
        switch message.type.messageClass {
        case .request: return insertRequest(message, on: path, at: now)
        case .indication: return .keepalive
        case .success, .error: return insertResponse(message, on: path, at: now)
        }
    }
}
