public import RillCore

/// The service behind an endpoint: named streams, each with one publisher and many viewers.
///
/// Threads: methods are called from any thread, and return at once.
public protocol StreamHost: Sendable {
    /// Publishes a stream. The present publisher is replaced once this one sends frames.
    ///
    /// - Parameters:
    ///   - name: the stream's name.
    ///   - offer: the publisher's offer.
    ///   - client: the sender of the request.
    ///   - replacement: the publisher that it may replace.
    /// - Returns: the session, with the answer.
    func publish(
        _ name: String, offer: String, from client: StreamClient, replacing replacement: StreamReplacement
    ) throws(StreamHostError) -> HostedSession

    /// Adds a viewer to a stream.
    ///
    /// - Parameters:
    ///   - name: the stream's name.
    ///   - offer: the viewer's offer.
    ///   - client: the sender of the request.
    /// - Returns: the session, with the answer.
    func watch(_ name: String, offer: String, from client: StreamClient) throws(StreamHostError) -> HostedSession

    /// Adds the other side's candidates that were trickled. Those that cannot be used are ignored.
    func addCandidates(_ fragment: SDPFragment, to session: String) throws(StreamHostError)

    /// Finds another path, with other credentials of the other side.
    ///
    /// - Returns: our credentials and candidates.
    func restart(_ session: String, with fragment: SDPFragment) throws(StreamHostError) -> SDPFragment

    /// Selects the layer of a viewer.
    ///
    /// - Parameters:
    ///   - layer: the name of a layer of the stream; `nil` for an automatic choice by the viewer's network.
    ///   - session: the viewer's session.
    func select(_ layer: String?, for session: String) throws(StreamHostError)

    /// Ends a session.
    func end(_ session: String) throws(StreamHostError)

    /// Whether this session exists and has not ended. An endpoint calls it regularly to forget sessions that have
    /// ended.
    func holds(_ session: String) -> Bool

    /// The streams that are published now, by name.
    var streams: [HostedStream] { get }

    /// Counters since the host started, by names for metrics such as `frames_forwarded`. They only increase.
    var totals: [String: Int] { get }

    /// Gauges beside streams and viewers, by names for metrics such as `half_open_sessions`.
    var levels: [String: Int] { get }
}

extension StreamHost {
    /// Nothing, for a host that counts nothing.
    public var totals: [String: Int] { [:] }
    /// Empty, for a host without gauges.
    public var levels: [String: Int] { [:] }
}

/// A session at a host: of a publisher or a viewer.
public struct HostedSession: Equatable, Sendable {
    /// The session's identifier: 128 random bits or more, in characters that a path may have. A client that knows it
    /// may change the session.
    public var id: String
    /// The answer to the offer.
    public var answer: String
    /// The layers that a viewer may choose from, the best one first.
    public var layers: [HostedLayer]

    /// A session with these parts.
    public init(id: String, answer: String, layers: [HostedLayer] = []) {
        (self.id, self.answer, self.layers) = (id, answer, layers)
    }
}

/// A layer of a stream.
public struct HostedLayer: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Its size in pixels; 0 before its first picture.
    public var width: Int
    /// Its size in pixels; 0 before its first picture.
    public var height: Int
    /// Frames per second over the last second or two.
    public var framesPerSecond: Double
    /// Bits per second over the last second or two.
    public var bitsPerSecond: Int

    /// A layer with these parts.
    public init(_ name: String, width: Int = 0, height: Int = 0, framesPerSecond: Double = 0, bitsPerSecond: Int = 0) {
        (self.name, self.width, self.height) = (name, width, height)
        (self.framesPerSecond, self.bitsPerSecond) = (framesPerSecond, bitsPerSecond)
    }
}

/// A stream as a list shows it.
public struct HostedStream: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// The codec, as SDP has it.
    public var codec: String
    /// How many watch it.
    public var viewerCount: Int
    /// For how long it has been published, in seconds.
    public var seconds: Double
    /// Its layers, the best one first.
    public var layers: [HostedLayer]

    /// A stream with these parts.
    public init(_ name: String, codec: String, viewerCount: Int, seconds: Double, layers: [HostedLayer]) {
        (self.name, self.codec, self.viewerCount) = (name, codec, viewerCount)
        (self.seconds, self.layers) = (seconds, layers)
    }
}

/// Why a host refuses.
public enum StreamHostError: Error, Equatable, Sendable {
    /// The stream has no publisher.
    case unknownStream
    /// There is no such session; it may have ended.
    case unknownSession
    /// The stream has no such layer, but these, the best one first.
    case unknownLayer(String, of: [String])
    /// The description cannot be used, and why.
    case badDescription(String)
    /// The description can be read, and nothing in it is supported.
    case notSupported(String)
    /// There are as many sessions or streams as there may be.
    case tooManySessions(limit: Int)
    /// The client has reached its limit of the named resource.
    case clientQuota(String, limit: Int)
    /// The stream has reached its limit of the named resource.
    case streamQuota(String, limit: Int)
    /// Another publisher has the stream, and only an own one was to be replaced.
    case publishedByOther
    /// The host is ending.
    case isClosing
}

/// The sender of a request, as far as it is known. Quotas count sessions by it, and publishers are distinguished by
/// it.
public struct StreamClient: Equatable, Sendable {
    /// The subject of its token: publishers of one subject are the same one. `nil` if the token names none.
    public var subject: String?
    /// The key by which its sessions are counted: the same text for the same token or subject; `nil` without a token.
    public var bearer: String?
    /// Its address, of IPv6 its network of 64 bits; `nil` if it is not known.
    public let address: IPAddress?

    /// A client.
    public init(subject: String? = nil, bearer: String? = nil, address: IPAddress? = nil) {
        (self.subject, self.bearer, self.address) = (subject, bearer, address?.network)
    }
}

extension IPAddress {
    /// The unit that counts as one client. It is an address of IPv4, also where IPv6 maps it (RFC 4291 §2.5.5.2). Of
    /// IPv6 it is the network of 64 bits, in which a customer has every address (RFC 6177).
    var network: IPAddress {
        guard case .v6(let bits, _) = self else { return self }
        if (bits >> 32) == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: bits)) }
        return .v6((bits >> 64) << 64, zone: 0)
    }
}

/// The publisher that another one may replace. A publisher counts once it sends frames.
public enum StreamReplacement: Equatable, Sendable {
    /// Any publisher.
    case anybody
    /// That of a publisher with the same subject.
    case sameSubject
    /// That of these sessions, and of those that followed them. Those that are over are of no use.
    case following([String])
}
