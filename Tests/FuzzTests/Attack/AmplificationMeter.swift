import RillCore
import RillPeer

/// Counts the bytes from and to addresses that send, and never answer a check: at most three times as many may go there
/// as came.
struct AmplificationMeter {
    private var counts: [UDPAddress: (received: Int, sent: Int)] = [:]

    /// The ports of such addresses.
    static let port: UInt16 = 4001

    mutating func noteReceived(_ byteCount: Int, from address: UDPAddress) {
        guard address.port == AmplificationMeter.port else { return }
        counts[address, default: (0, 0)].received += byteCount
    }

    /// - Returns: what is wrong; `nil` for nothing.
    mutating func noteSent(_ byteCount: Int, to address: UDPAddress) -> String? {
        guard address.port == AmplificationMeter.port else { return nil }
        counts[address, default: (0, 0)].sent += byteCount
        guard let count = counts[address], count.sent > 3 * count.received else { return nil }
        return "\(count.sent) bytes went to \(address), from which \(count.received) came"
    }
}
