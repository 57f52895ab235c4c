#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import RillWHIP

/// A connection of Hummingbird's for HTTP/1, with a ``RequestHeadHandler``.
struct RequestChannel: ServerChildChannel {
    let http: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestHeadHandler(), position: .before(codec))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}

/// What of HTTP/1 depends on the version of a request, which the types behind it do not have: whether the connection
/// stays (RFC 9112 §9.3), the number of Host fields (§3.2), and 100 (RFC 9110 §10.1.1). A request that cannot be parsed
/// gets a body of problem details (RFC 9457). A session whose response cannot be written is ended.
///
/// Belongs to one channel, and is used on its event loop only.
final class RequestHeadHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The outbound event that asks for a response 100, before the body of a request is read.
    struct ContinueEvent: Sendable {}

    /// The outbound event that precedes the response with a new session. It fails on a connection that has been closed.
    struct SessionEvent: Sendable {
        /// Ends the session.
        let end: @Sendable () -> Void
    }

    /// Why the last request on this connection was refused.
    private var refusal: WHIPResponse?
    /// Whether that request was HEAD, whose response has no body.
    private var isRefusedHEAD = false
    /// Ends the session whose response is not written yet.
    private var endOfSession: (@Sendable () -> Void)?

    func handlerRemoved(context: ChannelHandlerContext) { endOfSession?() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard refusal == nil else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        let isOld = head.version.major == 0 || head.version == .http1_0
        let hostCount = head.headers["Host"].count
        guard hostCount == 1 || isOld && hostCount == 0 else {
            let text = hostCount == 0 ? "has no Host field." : "has \(hostCount) Host fields, and may have one."
            isRefusedHEAD = head.method == .HEAD
            return refuse(context, "The request \(text)", HTTPParserError.invalidHeaderToken)
        }
        if !head.isKeepAlive { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        // A client of HTTP/1.0 does not know the response 100.
        if isOld { head.headers.remove(name: "Expect") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError else { return context.fireErrorCaught(error) }
        refuse(context, "The request cannot be read: \(error).", error)
    }

    /// Hummingbird answers an error of the parser with 400 and without a body, and closes the connection.
    private func refuse(_ context: ChannelHandlerContext, _ detail: String, _ error: any Error) {
        refusal = refusal ?? .badRequest(detail)
        context.fireErrorCaught(error)
    }

    func triggerUserOutboundEvent(
        context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
    ) {
        switch event {
        case is ContinueEvent:
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: promise)
        case let event as SessionEvent:
            endOfSession = event.end
            promise?.succeed()
        default:
            context.triggerUserOutboundEvent(event, promise: promise)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if let endOfSession, case .end = unwrapOutboundIn(data) {
            self.endOfSession = nil
            let written = promise ?? context.eventLoop.makePromise()
            written.futureResult.whenFailure { _ in endOfSession() }
            return context.write(data, promise: written)
        }
        // Responses to earlier requests have bodies.
        guard let refusal, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            head.headers["Content-Length"] == ["0"]
        else { return context.write(data, promise: promise) }
        head.headers.replaceOrAdd(name: "Content-Length", value: "\(refusal.body.utf8.count)")
        for field in refusal.headers.fields { head.headers.replaceOrAdd(name: field.name, value: field.value) }
        guard !isRefusedHEAD else { return context.write(wrapOutboundOut(.head(head)), promise: promise) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        let body = ByteBuffer(string: refusal.body)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: promise)
    }
}

extension Request {
    /// Whether the client waits for a response 100 before it sends the body.
    var expectsContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }
}
#endif
