#if Server
import HummingbirdCore
import Logging
import NIOCore

/// A connection that is one of HTTP, or a WebSocket of a room from its first request on.
///
/// The first bytes decide, so that HTTP's own pipeline stays as it is. A request for a WebSocket on a connection that
/// was used before is answered with 426: clients open another one.
struct ConnectionChannel: ServerChildChannel {
    let http: RequestChannel
    let socket: RoomSocket?
    let gate: AddressGate
    let deadline: TimeAmount

    struct Value: ServerChildChannelValue {
        enum Kind: Sendable {
            case http(RequestChannel.Value)
            case socket(EventLoopFuture<RoomSocket.Outcome>)
        }
        let kind: EventLoopFuture<Kind>
        let channel: any Channel
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        guard let socket else {
            do { try channel.pipeline.syncOperations.addHandler(ConnectionLimitHandler(gate)) } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
            return http.setup(channel: channel, logger: logger).map { value in
                Value(kind: channel.eventLoop.makeSucceededFuture(.http(value)), channel: channel)
            }
        }
        let promise = channel.eventLoop.makePromise(of: Value.Kind.self)
        return channel.eventLoop.makeCompletedFuture {
            let switching = ProtocolSwitch(deadline) { isSocket in
                if isSocket {
                    promise.completeWith(
                        Result { Value.Kind.socket(try socket.setup(channel: channel)) })
                    return channel.eventLoop.makeSucceededVoidFuture()
                }
                return http.setup(channel: channel, logger: logger).map { promise.succeed(.http($0)) }
            } failed: {
                promise.fail(ChannelError.inputClosed)
            }
            try channel.pipeline.syncOperations.addHandlers(ConnectionLimitHandler(gate), switching)
            return Value(kind: promise.futureResult, channel: channel)
        }
    }

    func handle(value: Value, logger: Logger) async {
        // A connection that ends before its first request is nothing to handle.
        guard let kind = try? await value.kind.get() else { return }
        switch kind {
        case .http(let value): await http.handle(value: value, logger: logger)
        case .socket(let outcome):
            // One that is refused, or ends before it is upgraded, has been answered or is gone.
            guard case .upgraded(let frames, from: let address) = try? await outcome.get() else { return }
            await socket?.serve(frames, from: address)
        }
    }
}

/// Looks at the first request of a connection, chooses its pipeline, and hands it all bytes.
///
/// Belongs to one channel, and is used on its event loop only.
final class ProtocolSwitch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let deadline: TimeAmount
    private let choose: (_ isSocket: Bool) -> EventLoopFuture<Void>
    private let failed: () -> Void
    private var bytes = ByteBuffer()
    private var isChosen = false
    private var timeout: Scheduled<Void>?

    /// The longest header that is looked at.
    private static let longestHeader = 16 << 10
    private static let start = Array("GET \(RoomSocket.path)".utf8)

    init(
        _ deadline: TimeAmount, _ choose: @escaping (_ isSocket: Bool) -> EventLoopFuture<Void>,
        failed: @escaping () -> Void
    ) {
        (self.deadline, self.choose, self.failed) = (deadline, choose, failed)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        timeout = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timeout?.cancel()
        if !isChosen { failed() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isChosen {
            isChosen = true
            failed()
        }
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var read = unwrapInboundIn(data)
        bytes.writeBuffer(&read)
        guard !isChosen, let isSocket = isSocket else { return }
        isChosen = true
        let bound = NIOLoopBound((context, self), eventLoop: context.eventLoop)
        choose(isSocket).whenSuccess {
            let (context, handler) = bound.value
            context.fireChannelRead(handler.wrapInboundOut(handler.bytes))
            context.fireChannelReadComplete()
            context.pipeline.syncOperations.removeHandler(handler, promise: nil)
        }
    }

    /// Whether the request asks for the WebSocket; `nil` before that is known.
    private var isSocket: Bool? {
        let view = bytes.readableBytesView
        let known = min(view.count, Self.start.count)
        guard view.prefix(known).elementsEqual(Self.start.prefix(known)) else { return false }
        guard known == Self.start.count else { return nil }
        guard view.count > known else { return nil }
        guard [UInt8(ascii: " "), UInt8(ascii: "?")].contains(view[view.startIndex + known]) else { return false }
        let text = String(decoding: view.prefix(Self.longestHeader), as: UTF8.self).lowercased()
        guard let end = text.firstRange(of: "\r\n\r\n") else {
            return view.count >= Self.longestHeader ? false : nil
        }
        return text[..<end.lowerBound].split(separator: "\r\n").contains { line in
            line.hasPrefix("upgrade:") && line.contains("websocket")
        }
    }
}
#endif
