import Rill
import RillCore

extension IPAddress {
    /// 127.0.0.0/8, or ::1.
    var isLoopback: Bool {
        switch self {
        case .v4(let number): number >> 24 == 127
        case .v6(let number, _): number == 1
        }
    }

    /// 224.0.0.0/4, or ff00::/8.
    var isMulticast: Bool {
        switch self {
        case .v4(let number): number >> 28 == 14
        case .v6(let number, _): number >> 120 == 0xFF
        }
    }

    /// The address to listen on for a peer at this address: without a key, the loopback address only.
    func listening(isProtected: Bool) -> IPAddress {
        switch self {
        case .v4: isProtected ? .v4(0) : .loopback
        case .v6: isProtected ? .v6(0, zone: 0) : .loopbackV6
        }
    }
}
