/// The DSCP and ECN of a datagram, in the byte of the IP header that was once the type of service.
///
/// DSCP requests a treatment from routers, and ECN reports the state of their queues (RFC 2474 §3, RFC 3168 §5):
///
/// ```text
/// | DSCP (6 bits) | ECN (2 bits) |
/// ```
///
/// ```swift
/// var settings = UDPSocket.Settings()
/// settings.trafficClass = TrafficClass(dscp: .video, ecn: .capable1)   // RFC 8837, RFC 9331
/// ```
public struct TrafficClass: Hashable, Sendable {
    /// DSCP: the kind of traffic.
    public var dscp: DifferentiatedServices
    /// ECN: whether the sender reacts to congestion marks, or a mark by a router.
    public var ecn: CongestionNotification

    /// A traffic class with these fields.
    public init(dscp: DifferentiatedServices = .default, ecn: CongestionNotification = .notCapable) {
        self.dscp = dscp
        self.ecn = ecn
    }

    /// The byte in the IP header.
    public var rawValue: UInt8 { dscp.rawValue << 2 | ecn.rawValue }

    /// The traffic class of a byte in the IP header.
    public init(rawValue: UInt8) {
        dscp = DifferentiatedServices(rawValue: rawValue >> 2)
        ecn = CongestionNotification(rawValue: rawValue & 3) ?? .notCapable
    }
}

/// A differentiated services code point, DSCP (RFC 2474): 0 to 63.
public struct DifferentiatedServices: Hashable, Sendable, RawRepresentable {
    /// The value, 0 to 63.
    public let rawValue: UInt8

    /// The code point with that value, of which only the lower six bits are used.
    public init(rawValue: UInt8) { self.rawValue = rawValue & 63 }

    /// Best effort.
    public static let `default` = DifferentiatedServices(rawValue: 0)
    /// Interactive video: AF42 (RFC 8837 §5, medium priority).
    public static let video = DifferentiatedServices(rawValue: 36)
    /// Interactive video with priority: AF41 (RFC 8837 §5, high priority).
    public static let importantVideo = DifferentiatedServices(rawValue: 34)
    /// Voice: EF (RFC 8837 §5).
    public static let voice = DifferentiatedServices(rawValue: 46)
    /// Traffic with the lowest priority: CS1 (RFC 8837 §5, very low priority).
    public static let background = DifferentiatedServices(rawValue: 8)
}

/// The ECN field (RFC 3168 §5).
public enum CongestionNotification: UInt8, Hashable, Sendable, CaseIterable {
    /// Not-ECT: routers drop packets instead of marking them.
    case notCapable = 0
    /// ECT(1): the sender reacts to marks as in L4S (RFC 9331).
    case capable1 = 1
    /// ECT(0): the sender reacts to marks as to losses.
    case capable0 = 2
    /// CE: a router on the path has marked congestion.
    case congestionExperienced = 3
}
