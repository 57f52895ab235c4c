#if Server
import NIOCore
import NIOHTTP1
import NIOWebSocket
import RillCore
import RillRooms
import RillWHIP

/// The WebSocket of a client in a room (RFC 6455): text messages, each a request of ``/RillRooms/RoomRequest``.
struct RoomSocket: Sendable {
    typealias Frames = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>

    /// What became of a request for an upgrade.
    enum Outcome: Sendable {
        case upgraded(Frames, from: IPAddress?)
        /// It is answered, and its connection closes.
        case refused
    }

    let server: RoomServer
    let hosts: AllowedHosts
    let origins: AllowedOrigins
    let gate: AddressGate

    /// The path of the WebSocket.
    static let path = "/rooms"

    // MARK: Upgrade

    /// Adds what reads the request for an upgrade, and answers it.
    func setup(channel: any Channel) throws -> EventLoopFuture<Outcome> {
        let upgrader = NIOTypedWebSocketServerUpgrader<Outcome>(
            maxFrameSize: RoomServer.maximumMessageByteCount,
            shouldUpgrade: { channel, head in
                channel.eventLoop.makeSucceededFuture(allows(head) ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        MaskCheck(),
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64,
                            maxAccumulatedFrameSize: RoomServer.maximumMessageByteCount),
                        FragmentErrors())
                    let address = gate.client(of: channel, forwardedFor: head.headers["X-Forwarded-For"])
                    return .upgraded(try Frames(wrappingChannelSynchronously: channel), from: address)
                }
            })
        var configuration = NIOUpgradableHTTPServerPipelineConfiguration<Outcome>(
            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration(
                upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    var head = HTTPResponseHead(version: .http1_1, status: .forbidden)
                    head.headers = ["Content-Length": "0", "Connection": "close"]
                    channel.write(HTTPServerResponsePart.head(head), promise: nil)
                    return channel.writeAndFlush(HTTPServerResponsePart.end(nil)).flatMap { channel.close() }
                        .map { .refused }
                }))
        configuration.enablePipelining = false
        return try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(configuration: configuration)
    }

    /// Whether a page of that origin may use this server under that name.
    private func allows(_ head: HTTPRequestHead) -> Bool {
        guard hosts.refusal(of: head.headers.first(name: "Host")) == nil else { return false }
        return origins.allows(head.headers.first(name: "Origin"))
    }

    // MARK: Messages

    /// Reads messages until the client, or the server, closes.
    func serve(_ frames: Frames, from address: IPAddress?) async {
        let writer = SocketWriter(channel: frames.channel)
        let channel = await server.open(writer, from: address)
        do {
            try await frames.executeThenClose { inbound, outbound in
                for try await frame in inbound {
                    switch frame.opcode {
                    case .text:
                        guard frame.unmaskedData.isUTF8 else {
                            await server.refuse("it is not UTF-8", from: channel)
                            return try await close(outbound, .dataInconsistentWithMessage)
                        }
                        await server.receive(frame.unmaskedData, from: channel)
                    case .binary: return try await close(outbound, .unacceptableData)
                    case .ping:
                        try await outbound.write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
                    case .connectionClose:
                        let code = frame.unmaskedData.closeAnswer
                        return try await close(outbound, code)
                    case .pong: break
                    default: return try await close(outbound, .protocolError)
                    }
                }
            }
        } catch {
            // The connection is gone, or is closed with the error's code: the member has time to come back.
        }
        await server.closed(channel)
    }

    private func close(
        _ outbound: NIOAsyncChannelOutboundWriter<WebSocketFrame>, _ code: WebSocketErrorCode?
    ) async throws {
        var data = ByteBuffer()
        if let code { data.write(webSocketErrorCode: code) }
        try await outbound.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: data))
    }
}

/// Refuses frames of a client without a mask (RFC 6455 §5.1), and lengths of control frames above 125 (§5.5).
private final class MaskCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        let isControl = frame.opcode == .ping || frame.opcode == .pong || frame.opcode == .connectionClose
        guard frame.maskKey != nil, !isControl || frame.fin && frame.length <= 125,
            !frame.rsv1, !frame.rsv2, !frame.rsv3
        else {
            return context.channel.close(.protocolError)
        }
        context.fireChannelRead(data)
    }
}

/// Closes with a code where fragments do not make a message (RFC 6455 §5.4).
private final class FragmentErrors: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = WebSocketFrame

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? NIOWebSocketFrameAggregator.Error else { return context.fireErrorCaught(error) }
        switch error {
        case .accumulatedFrameSizeIsTooLarge, .tooManyFragments: context.channel.close(.messageTooLarge)
        case .didReceiveFragmentBeforeReceivingTextOrBinaryFrame, .nonFinalFragmentSizeIsTooSmall,
            .receivedNewFrameWithoutFinishingPrevious:
            context.channel.close(.protocolError)
        }
    }
}

extension Channel {
    /// Sends a close with a code, and ends the connection.
    fileprivate func close(_ code: WebSocketErrorCode) {
        var data = allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: code)
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        writeAndFlush(frame).whenComplete { _ in self.close(promise: nil) }
    }
}

extension ByteBuffer {
    /// Whether all of it is UTF-8.
    fileprivate var isUTF8: Bool { String(validating: readableBytesView, as: UTF8.self) != nil }

    /// The code with which a close is answered: its own, if it may have it (RFC 6455 §7.4).
    fileprivate var closeAnswer: WebSocketErrorCode? {
        var copy = self
        guard copy.readableBytes > 0 else { return nil }
        guard let number = copy.getInteger(at: copy.readerIndex, as: UInt16.self) else { return .protocolError }
        copy.moveReaderIndex(forwardBy: 2)
        let isAllowed =
            (1000...1003).contains(number) || (1007...1014).contains(number) || (3000...4999).contains(number)
        guard isAllowed else { return .protocolError }
        return copy.isUTF8 ? WebSocketErrorCode(codeNumber: Int(number)) : .dataInconsistentWithMessage
    }
}
#endif
