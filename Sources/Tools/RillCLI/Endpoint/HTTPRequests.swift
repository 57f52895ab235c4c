#if Server
import AsyncHTTPClient
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RillCore
import RillRoomClient
import RillThreads
import RillWHIP

/// Sends the requests of a client by HTTP and HTTPS. Redirections are not followed, and nothing is sent twice: both are
/// up to the client.
///
/// Threads: an event loop of its own. All methods may be called from any thread.
final class HTTPRequests: Sendable {
    private let client: HTTPClient
    private let group: MultiThreadedEventLoopGroup
    /// How many requests are under way.
    private let count = Monitor(0)

    /// - Parameters:
    ///   - certificates: a PEM file of certificates that are trusted beside the system's.
    ///   - isInsecure: whether any server is trusted.
    /// - Throws: an error of NIOSSL if the file cannot be read.
    init(trusting certificates: String?, orAnybody isInsecure: Bool) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let certificates {
            tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(certificates))]
        }
        if isInsecure { tls.certificateVerification = .none }
        var settings = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        settings.decompression = .disabled
        settings.connectionPool.idleTimeout = .seconds(30)
        settings.connectionPool.retryConnectionEstablishment = false
        // It traps without a thread.
        try NamedThread.require(1, "rill-requests")
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        client = HTTPClient(eventLoopGroup: group, configuration: settings)
    }

    /// Sends a request, without waiting.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - timeout: how long the response may take.
    ///   - handle: is called once, on any thread, with the response or the reason why there is none.
    func send(
        _ request: WHIPRequest, timeout: MediaDuration,
        _ handle: @escaping @Sendable (Result<WHIPResponse, NoResponse>) -> Void
    ) {
        count.change { $0 += 1 }
        Task {
            do { handle(.success(try await execute(request, timeout))) } catch {
                handle(.failure(NoResponse(error)))
            }
            count.change { $0 -= 1 }
        }
    }

    /// Drops the requests under way, and closes the connections. Once only; no request may follow.
    func close() {
        // Nothing is left to do about either failure.
        try? client.syncShutdown()
        // Their promises need the event loop.
        count.wait { $0 == 0 ? () : nil }
        try? group.syncShutdownGracefully()
    }

    /// How long the response to a POST is waited for beyond its timeout.
    private static let lateTimeout = MediaDuration.seconds(30)

    private func execute(_ request: WHIPRequest, _ timeout: MediaDuration) async throws -> WHIPResponse {
        var message = HTTPClientRequest(url: request.target)
        message.method = HTTPMethod(rawValue: request.method)
        for field in request.headers.fields { message.headers.add(name: field.name, value: field.value) }
        if message.headers["User-Agent"].isEmpty { message.headers.add(name: "User-Agent", value: "rill") }
        if !request.body.isEmpty { message.body = .bytes(ByteBuffer(string: request.body)) }
        // A session that is made too late is ended, so its URL is waited for.
        let limit = request.method == "POST" ? timeout + HTTPRequests.lateTimeout : timeout
        let response = try await client.execute(message, timeout: .nanoseconds(limit.nanoseconds))
        let body = try await response.body.collect(upTo: WHIPClient.maximumResponseLength)
        return WHIPResponse(
            Int(response.status.code), headers: WHIPHeaders(response.headers.map { .init($0.name, $0.value) }),
            body: String(buffer: body))
    }
}

/// Why a request has no response.
struct NoResponse: Error {
    /// A clause.
    let reason: String

    fileprivate init(_ error: any Error) { reason = Self.reason(of: error) }

    /// What an error of a connection means.
    static func reason(of error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout:
            "no response in time"
        case is NIOTooManyBytesError: "the response's body is longer than 256 KiB"
        default: ConnectionFailure.reason(of: error)
        }
    }
}
#endif
