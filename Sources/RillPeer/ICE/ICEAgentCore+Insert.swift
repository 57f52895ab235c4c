import RillCore

extension ICEAgentCore {
    mutating func insert(_ datagram: Span<UInt8>, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard STUNMessage.matches(datagram) else { return insertData(datagram.count, on: path, at: now) }
        do throws(STUNError) {
            return insert(try STUNMessage(parsing: datagram), on: path, at: now)
        } catch { return .dropped(.malformed(error)) }
    }

    private mutating func insertData(_ byteCount: Int, on path: ICEPath, at now: MediaTime) -> ICEInsertResult {
        guard state != .failed, let index = validatedIndex(path) else { return .dropped(.unvalidatedAddress) }
        pairs[index].counts.packetsReceived += 1
        pairs[index].counts.bytesReceived += byteCount
        pairs[index].counts.lastPacketReceivedTime = now
        return .data
    }

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
