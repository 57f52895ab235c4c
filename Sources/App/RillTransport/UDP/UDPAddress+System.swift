import CSockets
import Glibc
public import RillCore

// The system's format for addresses: sockaddr_in and sockaddr_in6, with big-endian numbers.

extension UDPAddress {
    /// Returns the address in a text: `192.0.2.1:5004`, `[2001:db8::1]:5004`, or with a host name,
    /// `example.org:5004`.
    ///
    /// Uses the first address of a host name. Waits for the name service if the text has a host name.
    ///
    /// - Throws: `invalidAddress` if the text is not of the form HOST:PORT, `hostNotFound`.
    public static func resolve(_ text: String) throws(TransportError) -> UDPAddress {
        if let address = UDPAddress(text) { return address }
        guard let parts = HostAndPort(text), !parts.host.utf8.contains(0) else { throw .invalidAddress(text) }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        if parts.isBracketed {
            unsafe hints.ai_family = AF_INET6
            unsafe hints.ai_flags = AI_NUMERICHOST
        }
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(parts.host, nil, &hints, &list)
        guard result == 0 else {
            // The texts are constants of the C library.
            throw .hostNotFound(parts.host, reason: unsafe String(cString: gai_strerror(result)))
        }
        defer { unsafe freeaddrinfo(list) }
        var next = unsafe list
        while let entry = unsafe next {
            // Each entry's address lives as long as the list, and has the size that its family implies.
            if let system = unsafe entry.pointee.ai_addr, var address = unsafe UDPAddress(system) {
                address.port = parts.port
                return address
            }
            unsafe next = entry.pointee.ai_next
        }
        throw .hostNotFound(parts.host, reason: "it has no Internet address")
    }

    /// The system's address family.
    var systemFamily: Int32 {
        switch ip {
        case .v4: AF_INET
        case .v6: AF_INET6
        }
    }

    /// Calls `body` with the address in the system's format, which is valid during the call.
    func withSystemAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
        switch ip {
        case .v4(let address):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = port.bigEndian
            system.sin_addr.s_addr = address.bigEndian
            return unsafe withUnsafeBytes(of: &system) { bytes in
                // A sockaddr_in is a sockaddr with the family AF_INET.
                unsafe body(
                    bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        case .v6(let address, let zone):
            var system = sockaddr_in6()
            system.sin6_family = sa_family_t(AF_INET6)
            system.sin6_port = port.bigEndian
            system.sin6_scope_id = zone
            unsafe withUnsafeMutableBytes(of: &system.sin6_addr) { bytes in
                // Both have 16 bytes.
                unsafe bytes.storeBytes(of: address.bigEndian, as: UInt128.self)
            }
            return unsafe withUnsafeBytes(of: &system) { bytes in
                // A sockaddr_in6 is a sockaddr with the family AF_INET6.
                unsafe body(
                    bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
            }
        }
    }

    /// Calls `body`, which fills in an address, and returns its result and the address; `nil` if none was filled in.
    static func fromSystem(
        _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int
    ) -> (result: Int, address: UDPAddress?) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            // A sockaddr_storage has room for every sockaddr, and is initially none of them (family 0).
            let system = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            let result = unsafe body(system, &length)
            return (result, result < 0 ? nil : unsafe UDPAddress(system))
        }
    }

    /// The address at `system`, whose size follows from its family; `nil` for other families.
    @unsafe init?(_ system: UnsafePointer<sockaddr>) {
        switch Int32(unsafe system.pointee.sa_family) {
        case AF_INET:
            let address = unsafe UnsafeRawPointer(system).loadUnaligned(as: sockaddr_in.self)
            self.init(.v4(UInt32(bigEndian: address.sin_addr.s_addr)), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = unsafe UnsafeRawPointer(system).loadUnaligned(as: sockaddr_in6.self)
            // Both have 16 bytes.
            let number = unsafe withUnsafeBytes(of: address.sin6_addr) { unsafe $0.loadUnaligned(as: UInt128.self) }
            self.init(
                .v6(UInt128(bigEndian: number), zone: address.sin6_scope_id),
                port: UInt16(bigEndian: address.sin6_port))
        default: return nil
        }
    }
}

// RFC 4291 §2.5.5.2: an IPv6 socket represents IPv4 addresses as `::ffff:192.0.2.1`. Outside the socket they are
// plain IPv4 addresses.

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
