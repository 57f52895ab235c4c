import Glibc
import RillCore

// RFC 4291 §2.5.5.2: an IPv6 socket represents IPv4 addresses as `::ffff:192.0.2.1`. Outside the socket they are
// plain IPv4 addresses.

extension IPAddress {
    var isV6: Bool { if case .v6 = self { true } else { false } }
}

extension UDPAddress {
    private static let prefix: UInt128 = 0xFFFF << 32

    /// Whether it is an IPv4-mapped IPv6 address.
    var isMapped: Bool { if case .v6(let number, _) = ip { number >> 32 == Self.prefix >> 32 } else { false } }

    /// Returns the address in the form that a socket uses.
    func mapped(forV6 isV6: Bool) -> UDPAddress {
        guard isV6, case .v4(let number) = ip else { return self }
        return UDPAddress(.v6(Self.prefix | UInt128(number), zone: 0), port: port)
    }

    /// The address in its plain form.
    package var unmapped: UDPAddress {
        guard isMapped, case .v6(let number, _) = ip else { return self }
        return UDPAddress(.v4(UInt32(truncatingIfNeeded: number)), port: port)
    }

    /// Writes the address in the system's format and returns its size in bytes.
    @unsafe func write(to storage: UnsafeMutablePointer<sockaddr_storage>) -> socklen_t {
        unsafe withSystemAddress { system, length in
            // A sockaddr_storage has room for every kind of sockaddr.
            unsafe UnsafeMutableRawPointer(storage).copyMemory(from: system, byteCount: Int(length))
            return length
        }
    }

    /// An address that the system has written; `nil` if it is neither IPv4 nor IPv6.
    @unsafe init?(_ storage: UnsafeMutablePointer<sockaddr_storage>) {
        // Every sockaddr starts at the first byte of the storage, and its family identifies its type.
        unsafe self.init(UnsafeRawPointer(storage).assumingMemoryBound(to: sockaddr.self))
    }
}
