#if Server
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import RillCore
import RillRooms
import RillThreads

/// Where the WebSocket of a server's rooms is.
struct RoomURL: Equatable, Sendable {
    /// Whether the connection is encrypted.
    let isSecure: Bool
    let host: String
    let port: Int
    let path: String

    /// Reads a URL of HTTP or of WebSocket. Without a path it is `/rooms`.
    init?(_ text: String) {
        guard let url = URLComponents(string: text), let host = url.host, !host.isEmpty, url.user == nil,
            url.query == nil, url.fragment == nil
        else { return nil }
        switch url.scheme?.lowercased() {
        case "http", "ws": isSecure = false
        case "https", "wss": isSecure = true
        default: return nil
        }
        port = url.port ?? (isSecure ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        // Of an address of IPv6 the brackets belong to the URL.
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        path = ["", "/"].contains(url.path) ? "/rooms" : url.path
    }

    /// Host and port, as a request names them.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

/// Opens WebSockets (RFC 6455) with an event loop of its own.
final class RoomWebSockets: Sendable {
    private let url: RoomURL
    private let group: MultiThreadedEventLoopGroup
    private let tls: NIOSSLContext?

    /// The longest message: a snapshot of a hundred members, and the answer to an offer of many sections.
    static let maximumMessageByteCount = 4 << 20

    /// - Parameters:
    ///   - url: where the server is.
    ///   - certificates: a PEM file of certificates that are trusted beside the system's.
    ///   - isInsecure: whether any server is trusted.
    /// - Throws: an error of NIOSSL if the file cannot be read; ``ThreadError``.
    init(_ url: RoomURL, trusting certificates: String?, orAnybody isInsecure: Bool) throws {
        self.url = url
        var settings = TLSConfiguration.makeClientConfiguration()
        if let certificates {
            settings.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(certificates))]
        }
        if isInsecure { settings.certificateVerification = .none }
        tls = url.isSecure ? try NIOSSLContext(configuration: settings) : nil
        // It traps without a thread.
        try NamedThread.require(1, "rill-rooms")
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    }

    /// Opens one.
    ///
    /// - Parameter handle: is called on the event loop with what happens; with `closed` once, at the end.
    func open(_ handle: @escaping @Sendable (RoomWebSocket.Input) -> Void) -> RoomWebSocket {
        let socket = RoomWebSocket()
        Task {
            do {
                let upgrade = try await ClientBootstrap(group: group).connectTimeout(.seconds(8))
                    .connect(host: url.host, port: url.port) { channel in
                        channel.eventLoop.makeCompletedFuture { try self.configure(channel, handle) }
                    }
                guard let channel = try await upgrade.get() else {
                    return handle(.closed(reason: "the server has no WebSocket at \(url.path)"))
                }
                guard socket.take(channel) else { return }
                handle(.opened)
            } catch {
                handle(.closed(reason: NoResponse.reason(of: error)))
            }
        }
        return socket
    }

    private func configure(
        _ channel: any Channel, _ handle: @escaping @Sendable (RoomWebSocket.Input) -> Void
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

    /// Ends the event loop, and with it what is open.
    func close() {
        // Nothing is left to do about a failure.
        try? group.syncShutdownGracefully()
    }
}

/// A WebSocket of a client of a room, which is opening, open or closed.
///
/// All methods may be called from any thread.
final class RoomWebSocket: Sendable {
    /// What happens.
    enum Input: Sendable {
        case opened
        case message(RoomMessage)
        /// The server sent what is not a message of a room.
        case unreadable(String)
        case closed(reason: String?)
    }

    private enum State: Sendable {
        case opening
        case open(any Channel)
        case closed
    }

    private let state = Monitor(State.opening)

    fileprivate init() {}

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
    func send(_ request: RoomRequest) throws {
        guard case .open(let channel) = state.withLock({ $0 }) else { return }
        let data = ByteBuffer(bytes: try JSONEncoder().encode(request))
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

    private let handle: @Sendable (RoomWebSocket.Input) -> Void
    private let decoder = JSONDecoder()
    private var reason: String?

    init(_ handle: @escaping @Sendable (RoomWebSocket.Input) -> Void) { self.handle = handle }

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
        reason = NoResponse.reason(of: error)
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
