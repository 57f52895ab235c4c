#if Server
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request is not read and answered in time.
///
/// The idle timeout of Hummingbird restarts with each piece of a body: a client that sends one byte a second would keep
/// its connection for ever. The deadline begins with the header, and again with each response of requests that were
/// sent one behind the other.
///
/// Belongs to one channel, and is used on its event loop only.
final class RequestDeadlineHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart

    private let deadline: TimeAmount
    private let metrics: ServerMetrics
    private var isReading = false
    private var owedResponseCount = 0
    private var scheduled: Scheduled<Void>?

    init(deadline: TimeAmount, metrics: ServerMetrics) {
        (self.deadline, self.metrics) = (deadline, metrics)
    }

    func handlerAdded(context: ChannelHandlerContext) { metrics.addConnections(1) }

    func handlerRemoved(context: ChannelHandlerContext) {
        cancel()
        metrics.addConnections(-1)
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReading = true
            owedResponseCount += 1
            if scheduled == nil { schedule(context) }
        case .body:
            break
        case .end:
            isReading = false
            if owedResponseCount == 0 { cancel() }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Events go on until one side has enough of them.
        if case .head(let head) = unwrapOutboundIn(data), head.headerFields[.contentType] == "text/event-stream" {
            cancel()
        }
        if case .end = unwrapOutboundIn(data) {
            owedResponseCount -= 1
            // The rest of a body that was answered already keeps its deadline.
            if owedResponseCount > 0 {
                cancel()
                schedule(context)
            } else if !isReading {
                cancel()
            }
        }
        context.write(data, promise: promise)
    }

    private func schedule(_ context: ChannelHandlerContext) {
        let channel = context.channel
        scheduled = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
    }

    private func cancel() {
        scheduled?.cancel()
        scheduled = nil
    }
}
#endif
