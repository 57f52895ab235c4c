import Foundation

/// A UDP socket of this test on 127.0.0.1, on a port that nobody else has: what a peer sends to it is kept by the
/// system until it is asked for.
package final class LocalSocket {
    private let descriptor: Int32
    /// The port, chosen by the system.
    package let port: UInt16

    /// Opens the socket.
    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw TestFailure("no socket: error \(errno)") }
        var size: Int32 = 8 << 20
        // Each of these reads or fills the variable that it is given, during the call.
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer -> Bool in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(descriptor, pointer, length) == 0 else { return false }
                return unsafe getsockname(descriptor, pointer, &length) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw TestFailure("no port on 127.0.0.1: error \(errno)") }
    }

    deinit { close(descriptor) }

    /// All datagrams that have come.
    package func received() -> [[UInt8]] {
        var datagrams: [[UInt8]] = []
        var block = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe recv(descriptor, &block, block.count, Int32(MSG_DONTWAIT))
            guard count >= 0 else { return datagrams }
            datagrams.append(Array(block[..<count]))
        }
    }
}
