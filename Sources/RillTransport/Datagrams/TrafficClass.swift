// RFC 2474 §3 and RFC 3168 §5: the byte of an IP header that was once the type of service.
//
//     | DSCP (6 bits) | ECN (2 bits) |

/// How routers are to treat a datagram, and what they say of their queues: the byte with DSCP and ECN in an IP header.
///
///     var settings = UDPSocket.Settings()
///     settings.trafficClass = TrafficClass(dscp: .video, ecn: .capable1)   // RFC 8837, RFC 9331
public struct TrafficClass: Hashable, Sendable {
    /// What kind of traffic it is.
    public var dscp: DifferentiatedServices
    /// What the sender can do about congestion, or what a router has marked.
    public var ecn: CongestionNotification

    /// Both.
    public init(dscp: DifferentiatedServices = .default, ecn: CongestionNotification = .notCapable) {
        self.dscp = dscp
        self.ecn = ecn
    }

    /// The byte as it stands in the header.
    public var rawValue: UInt8 { dscp.rawValue << 2 | ecn.rawValue }

    /// What the byte in a header says.
    public init(rawValue: UInt8) {
        dscp = DifferentiatedServices(rawValue: rawValue >> 2)
        ecn = CongestionNotification(rawValue: rawValue & 3) ?? .notCapable
    }
}

/// A differentiated services codepoint (RFC 2474): 0 to 63.
public struct DifferentiatedServices: Hashable, Sendable, RawRepresentable {
    /// The number, 0 to 63.
    public let rawValue: UInt8

    /// The codepoint of that number: its lower six bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 63 }

    /// Best effort.
    public static let `default` = DifferentiatedServices(rawValue: 0)
    /// Interactive video: AF42 (RFC 8837 §5, medium priority).
    public static let video = DifferentiatedServices(rawValue: 36)
    /// Interactive video that comes first: AF41 (RFC 8837 §5, high priority).
    public static let importantVideo = DifferentiatedServices(rawValue: 34)
    /// Voice: EF (RFC 8837 §5).
    public static let voice = DifferentiatedServices(rawValue: 46)
    /// What anything else comes before: CS1 (RFC 8837 §5, very low priority).
    public static let background = DifferentiatedServices(rawValue: 8)
}

/// The ECN field (RFC 3168 §5).
public enum CongestionNotification: UInt8, Hashable, Sendable, CaseIterable {
    /// Not-ECT: routers drop rather than mark.
    case notCapable = 0
    /// ECT(1): the sender answers marks as L4S asks (RFC 9331).
    case capable1 = 1
    /// ECT(0): the sender answers marks as losses.
    case capable0 = 2
    /// CE: a router on the way has found its queue too long.
    case congestionExperienced = 3
}
