import Foundation
import Glibc
import RillTestSupport
import Synchronization

/// An HTTP server on this machine that answers every request alike, and keeps the requests.
///
/// Threads: a thread of its own serves one connection after the other. It ends with the test.
final class StandInServer: Sendable {
    let port: UInt16
    private let descriptor: Int32
    private let requests = Mutex<[String]>([])

    /// - Parameters:
    ///   - status: the status and its fields, as `401 -\r\nRetry-After: 1`.
    ///   - body: the body of the responses.
    init(_ status: String, body: String = "") throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // The pointer is valid during the calls.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else { throw TestFailure("no server: \(errno)") }
        (descriptor, port) = (listener, UInt16(bigEndian: address.sin_port))
        let response = "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        let keep: @Sendable (String) -> Void = { [weak self] request in self?.keep(request) }
        Thread.detachNewThread {
            while case let connection = accept(listener, nil, nil), connection >= 0 {
                if let request = StandInServer.request(connection) { keep(request) }
                let bytes = Array(response.utf8)
                _ = unsafe send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                close(connection)
            }
            close(listener)
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The requests so far, whole.
    var log: [String] { requests.withLock { $0 } }

    private func keep(_ request: String) { requests.withLock { $0.append(request) } }

    private static func request(_ connection: Int32) -> String? {
        var (received, bytes) = ("", [UInt8](repeating: 0, count: 65_536))
        while true {
            let count = unsafe recv(connection, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            received += String(decoding: bytes[..<count], as: UTF8.self)
            guard let head = received.firstRange(of: "\r\n\r\n") else { continue }
            let length = received.firstMatch(of: /(?i)content-length: ([0-9]+)/).flatMap { Int($0.1) } ?? 0
            if received[head.upperBound...].utf8.count >= length { return received }
        }
    }
}
