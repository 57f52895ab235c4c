#if Rooms
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import RillCore
import RillRooms
import RillThreads

/// Opens WebSockets (RFC 6455): the signaling of a ``Room``, unless the app has its own.
///
/// Threads: those that swift-nio has for the whole process, as many as there are cores. All methods may be called from
/// any thread.
public final class RoomWebSockets: RoomSignaling {
    private let url: RoomURL
    private let group = MultiThreadedEventLoopGroup.singleton
    private let tls: NIOSSLContext?

    /// The longest message: a snapshot of a hundred members, and the answer to an offer of many sections.
    static let maximumMessageByteCount = 4 << 20

    /// WebSockets to a server.
    ///
    /// - Parameters:
    ///   - url: where the server is.
    ///   - certificates: a PEM file of certificates that are trusted beside the system's.
    ///   - isInsecure: whether any server is trusted: anybody on the path can then read and change everything.
    /// - Throws: an error of NIOSSL if the file cannot be read; ``/RillThreads/ThreadError``.
    public init(_ url: RoomURL, trusting certificates: String? = nil, orAnybody isInsecure: Bool = false) throws {
        self.url = url
        var settings = TLSConfiguration.makeClientConfiguration()
        if let certificates {
            settings.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(certificates))]
        }
        if isInsecure { settings.certificateVerification = .none }
        tls = url.isSecure ? try NIOSSLContext(configuration: settings) : nil
        // It traps without its threads.
        try NamedThread.require(System.coreCount, "rill-rooms")
    }

    /// Opens one.
    ///
    /// - Parameter handle: is called on the event loop with what happens; with `closed` once, at the end.
    public func open(_ handle: @escaping @Sendable (RoomSignal) -> Void) -> RoomChannel {
        let socket = RoomWebSocket()
        // By futures, and not by tasks: a channel opens also where an app keeps the threads of tasks busy. A host with
        // several addresses may be tried at several at a time.
        let upgrades = Monitor([ObjectIdentifier: EventLoopFuture<(any Channel)?>]())
        ClientBootstrap(group: group).connectTimeout(.seconds(8))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let upgrade = try self.configure(channel, handle)
                    upgrades.withLock { $0[ObjectIdentifier(channel)] = upgrade }
                }
            }
            .connect(host: url.host, port: url.port)
            .flatMap { channel in
                upgrades.withLock { $0[ObjectIdentifier(channel)] } ?? channel.eventLoop.makeSucceededFuture(nil)
            }
            .whenComplete { [path = url.path] result in
                switch result {
                case .success(let channel?): if socket.take(channel) { handle(.opened) }
                case .success(nil): handle(.closed(reason: "the server has no WebSocket at \(path)"))
                case .failure(let error): handle(.closed(reason: ConnectionFailure.reason(of: error)))
                }
            }
        return RoomChannel(send: { socket.send($0) }, close: { socket.close() })
    }

    private func configure(
        _ channel: any Channel, _ handle: @escaping @Sendable (RoomSignal) -> Void
    ) throws -> EventLoopFuture<(any Channel)?> {
        if let tls {
            // A name, not an address, is what a server is asked for (RFC 6066 §3).
            let name = IPAddress(url.host) == nil ? url.host : nil
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name))
        }
        let upgrader = NIOTypedWebSocketClientUpgrader<(any Channel)?>(
            maxFrameSize: Self.maximumMessageByteCount,
            upgradePipelineHandler: { channel, _ in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1024,
                            maxAccumulatedFrameSize: Self.maximumMessageByteCount),
                        RoomFrames(handle))
                    return channel
                }
            })
        var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: url.path)
        head.headers = ["Host": url.authority, "User-Agent": "rill", "Content-Length": "0"]
        let upgrade = NIOTypedHTTPClientUpgradeConfiguration<(any Channel)?>(
            upgradeRequestHead: head, upgraders: [upgrader],
            notUpgradingCompletionHandler: { channel in
                channel.close(promise: nil)
                return channel.eventLoop.makeSucceededFuture(nil)
            })
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: .init(upgradeConfiguration: upgrade))
    }
}

/// A WebSocket of a client of a room, which is opening, open or closed.
///
/// All methods may be called from any thread.
private final class RoomWebSocket: Sendable {
    private enum State: Sendable {
        case opening
        case open(any Channel)
        case closed
    }

    private let state = Monitor(State.opening)

    /// Takes the channel that was opened; closes it if nobody wants it any more.
    fileprivate func take(_ channel: any Channel) -> Bool {
        let isWanted = state.withLock { state in
            guard case .opening = state else { return false }
            state = .open(channel)
            return true
        }
        if !isWanted { channel.close(promise: nil) }
        return isWanted
    }

    /// Sends a request; one on a channel that is not open is dropped.
    func send(_ request: RoomRequest) {
        guard case .open(let channel) = state.withLock({ $0 }) else { return }
        // Never `nil`: a request has texts and whole numbers only, and only a number that is not finite has no form.
        guard let data = (try? JSONEncoder().encode(request)).map({ ByteBuffer(bytes: $0) }) else { return }
        channel.writeAndFlush(
            WebSocketFrame(fin: true, opcode: .text, maskKey: .random(), data: data), promise: nil)
    }

    /// Closes it, once what was sent is out.
    func close() {
        let former = state.withLock { state in
            defer { state = .closed }
            return state
        }
        guard case .open(let channel) = former else { return }
        var data = channel.allocator.buffer(capacity: 2)
        data.write(webSocketErrorCode: .normalClosure)
        channel.writeAndFlush(WebSocketFrame(fin: true, opcode: .connectionClose, maskKey: .random(), data: data))
            .whenComplete { _ in channel.close(promise: nil) }
    }
}

/// Makes messages of frames, and answers those of control.
///
/// Belongs to one channel, and is used on its event loop only.
private final class RoomFrames: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let handle: @Sendable (RoomSignal) -> Void
    private let decoder = JSONDecoder()
    private var reason: String?

    init(_ handle: @escaping @Sendable (RoomSignal) -> Void) { self.handle = handle }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            do {
                handle(.message(try decoder.decode(RoomMessage.self, from: Data(frame.data.readableBytesView))))
            } catch {
                handle(.unreadable("\(error)"))
            }
        case .ping: send(.pong, frame.data, context)
        case .connectionClose:
            send(.connectionClose, frame.data, context)
            context.close(promise: nil)
        default: break
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        reason = ConnectionFailure.reason(of: error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        handle(.closed(reason: reason))
        context.fireChannelInactive()
    }

    private func send(_ opcode: WebSocketOpcode, _ data: ByteBuffer, _ context: ChannelHandlerContext) {
        let frame = WebSocketFrame(fin: true, opcode: opcode, maskKey: .random(), data: data)
        context.writeAndFlush(wrapOutboundOut(frame), promise: nil)
    }
}
#endif
