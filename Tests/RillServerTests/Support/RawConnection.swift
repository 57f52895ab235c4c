#if Server
import Glibc
import RillTestSupport
import RillWHIP

/// A TCP connection to a server on this machine, for bytes that no HTTP client would send.
final class RawConnection {
    private let descriptor: Int32
    private var isOpen = true
    private var received: [UInt8] = []

    /// Connects.
    ///
    /// - Parameter host: the last byte of the own address, 127.0.0.1 or another one of this machine.
    init(port: UInt16, from host: UInt8 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        if host != 1 {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            own.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(host)).bigEndian
            // The pointer is valid during the call.
            _ = unsafe withUnsafePointer(to: &own) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // The pointer is valid during the call.
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(descriptor)
            throw TestFailure("cannot connect to port \(port): \(errno)")
        }
    }

    deinit { if isOpen { close(descriptor) } }

    /// Closes the connection by a reset, which keeps no port busy.
    func abandon() {
        var option = linger(l_onoff: 1, l_linger: 0)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
        isOpen = false
    }

    /// Sends bytes, as far as the server takes them.
    ///
    /// - Returns: whether it took all.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let rest = Array(bytes[sent...])
            let count = unsafe Glibc.send(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends text.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends nothing more; the server sees the end.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits for the next response, and reads it.
    ///
    /// - Returns: `nil` if the server closes the connection before its end, or nothing comes for `seconds`.
    func response(seconds: Double = 20, toHEAD: Bool = false) -> WHIPResponse? {
        while true {
            if let response = takeResponse(toHEAD) { return response }
            guard receive(seconds) > 0 else { return nil }
        }
    }

    /// Waits for bytes, and takes them.
    ///
    /// - Returns: `nil` if fewer come before the server closes the connection, or within `seconds`.
    func take(_ count: Int, seconds: Double = 20) -> [UInt8]? {
        while received.count < count { guard receive(seconds) > 0 else { return nil } }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    /// Whether the server closes the connection within that time; what it sends before is dropped.
    func isClosed(within seconds: Double) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            let count = receive(seconds)
            if count <= 0 { return count == 0 }
        }
        return false
    }

    /// Drops what has come.
    func drain() {
        while receive(0) > 0 {}
        received = []
    }

    /// Reads some bytes: their number, 0 if the connection is closed, -1 if nothing came in time.
    private func receive(_ seconds: Double) -> Int {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe Glibc.poll(&poll, 1, Int32(seconds * 1000)) > 0 else { return -1 }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return 0 }
        received += bytes[..<count]
        return count
    }

    private func takeResponse(_ isToHEAD: Bool) -> WHIPResponse? {
        guard let end = received.indices.first(where: { received[$0...].starts(with: "\r\n\r\n".utf8) }) else {
            return nil
        }
        let lines = String(decoding: received[..<end], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        var response = WHIPResponse(status)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            response.headers.append(String(line[..<colon]), String(value))
        }
        let length = isToHEAD ? 0 : response.headers["Content-Length"].flatMap { Int($0) } ?? 0
        let body = end + 4
        guard received.count >= body + length else { return nil }
        response.body = String(decoding: received[body..<body + length], as: UTF8.self)
        received.removeFirst(body + length)
        return response
    }
}

extension ServerProcess {
    /// Sends a request by a connection of its own, and waits for the response.
    func send(
        _ method: String, _ path: String, _ fields: [String] = [], _ body: String = ""
    ) throws -> WHIPResponse {
        let connection = try RawConnection(port: port)
        let head = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)"] + fields
        connection.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
        guard let response = connection.response(toHEAD: method == "HEAD") else {
            throw TestFailure("no response to \(method) \(path)")
        }
        return response
    }

    /// Posts an offer.
    func post(_ path: String, _ fields: [String] = []) throws -> WHIPResponse {
        try send("POST", path, ["Content-Type: application/sdp"] + fields, "v=0\r\na=ice-ufrag:them\r\n")
    }
}
#endif
