#if Server
import NIOCore
import NIOWebSocket
import RillRooms

/// Where the messages of a room go to one client. Nothing waits for a client that does not read.
protocol RoomWriter: Sendable {
    /// Whether it can take more.
    var isWritable: Bool { get }
    /// Whether it only writes: what the client has to say comes by other requests.
    var isOneWay: Bool { get }
    /// Writes a message.
    ///
    /// - Parameters:
    ///   - json: the message.
    ///   - number: of the event that it is, with the epoch of its log; `nil` for another message.
    func write(_ json: ByteBuffer, _ number: LogPosition?)
    /// Ends, once what was written is out.
    func close()
}

/// A place in a room's log.
struct LogPosition: Equatable, Sendable {
    var epoch: Int
    var number: Int
}

/// Messages as text frames of a WebSocket (RFC 6455).
struct SocketWriter: RoomWriter {
    let channel: any Channel

    var isWritable: Bool { channel.isWritable }
    var isOneWay: Bool { false }

    func write(_ json: ByteBuffer, _ number: LogPosition?) {
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .text, data: json), promise: nil)
    }

    func close() {
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: .normalClosure)
        let promise = channel.eventLoop.makePromise(of: Void.self)
        // The client answers with its own close; one that does not is not waited for.
        promise.futureResult.whenComplete { _ in
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, data: data), promise: promise)
    }
}

/// Messages as server-sent events, as text of a response's body.
struct EventStreamWriter: RoomWriter {
    let continuation: AsyncStream<ByteBuffer>.Continuation
    let channel: any Channel

    var isWritable: Bool { channel.isWritable }
    var isOneWay: Bool { true }

    func write(_ json: ByteBuffer, _ number: LogPosition?) {
        var buffer = ByteBuffer()
        if let number { buffer.writeString("id: \(number.epoch)-\(number.number)\n") }
        buffer.writeString("data: ")
        buffer.writeImmutableBuffer(json)
        buffer.writeString("\n\n")
        continuation.yield(buffer)
    }

    func close() { continuation.finish() }
}

/// The first message of a channel, for a request that is answered with it.
struct AnswerWriter: RoomWriter {
    let continuation: AsyncStream<ByteBuffer>.Continuation

    var isWritable: Bool { true }
    var isOneWay: Bool { true }
    func write(_ json: ByteBuffer, _ number: LogPosition?) { continuation.yield(json) }
    func close() { continuation.finish() }
}
#endif
