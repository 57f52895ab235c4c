import Glibc
import RillCore

// RFC 4291 §2.5.5.2: a socket of version 6 writes addresses of version 4 as `::ffff:192.0.2.1`. Outside of it they are what they
// are.

extension IPAddress {
    var isV6: Bool { if case .v6 = self { true } else { false } }
}

extension UDPAddress {
    private static let prefix: UInt128 = 0xFFFF << 32

    /// Whether it is one of version 4 in the form of version 6.
    var isMapped: Bool { if case .v6(let number, _) = ip { number >> 32 == Self.prefix >> 32 } else { false } }

    /// The address as a socket writes it.
    func mapped(forV6 isV6: Bool) -> UDPAddress {
        guard isV6, case .v4(let number) = ip else { return self }
        return UDPAddress(.v6(Self.prefix | UInt128(number), zone: 0), port: port)
    }

    /// The address as it is.
    package var unmapped: UDPAddress {
        guard isMapped, case .v6(let number, _) = ip else { return self }
        return UDPAddress(.v4(UInt32(truncatingIfNeeded: number)), port: port)
    }

    /// Writes the address in the system's form, and gives how many bytes that takes.
    @unsafe func write(to storage: UnsafeMutablePointer<sockaddr_storage>) -> socklen_t {
        unsafe withSystemAddress { system, length in
            // A sockaddr_storage has room for every kind of sockaddr.
            unsafe UnsafeMutableRawPointer(storage).copyMemory(from: system, byteCount: Int(length))
            return length
        }
    }

    /// The address that the system has written; `nil` if it is of neither version.
    @unsafe init?(_ storage: UnsafeMutablePointer<sockaddr_storage>) {
        // Each kind of sockaddr stands at the storage's first byte, and says in its family which it is.
        unsafe self.init(UnsafeRawPointer(storage).assumingMemoryBound(to: sockaddr.self))
    }
}
