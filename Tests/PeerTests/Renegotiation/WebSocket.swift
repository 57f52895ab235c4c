import Foundation
import Glibc
import RillTestSupport

/// The client's end of a WebSocket to a program on this machine (RFC 6455): messages of text.
final class WebSocket {
    private let descriptor: Int32
    private var received: [UInt8] = []
    /// What has come of a message in several frames.
    private var message: [UInt8] = []

    /// Connects, and upgrades the connection.
    init(port: UInt16, path: String) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, size) == 0
            }
        }
        guard isConnected else { throw TestFailure("nobody listens at port \(port)") }
        let request = """
            GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\nSec-WebSocket-Version: 13\r\n\r\n
            """
        try write(Array(request.utf8))
        let end = ContinuousClock.now + .seconds(10)
        var head = ""
        while !head.hasSuffix("\r\n\r\n") {
            guard let byte = try take(1, before: end) else { throw TestFailure("no upgrade at port \(port): \(head)") }
            head += String(decoding: byte, as: UTF8.self)
        }
        guard head.hasPrefix("HTTP/1.1 101") else { throw TestFailure("no upgrade at port \(port): \(head)") }
    }

    deinit { Glibc.close(descriptor) }

    /// Sends a message.
    func send(_ text: String) throws { try write(frame(0x81, Array(text.utf8))) }

    /// The next message; `nil` if none comes until then.
    func receive(before end: ContinuousClock.Instant) throws -> String? {
        while let head = try take(2, before: end) {
            var count = Int(head[1] & 0x7F)
            if count >= 126 {
                guard let bytes = try take(count == 126 ? 2 : 8, before: end) else { return nil }
                count = bytes.reduce(0) { $0 << 8 | Int($1) }
            }
            guard let payload = try take(count, before: end) else { return nil }
            switch head[0] & 0x0F {
            case 0, 1, 2:
                message += payload
                guard head[0] & 0x80 != 0 else { continue }
                defer { message = [] }
                return String(decoding: message, as: UTF8.self)
            case 8: throw TestFailure("the other side closed the WebSocket")
            case 9: try write(frame(0x8A, payload))
            default: break
            }
        }
        return nil
    }

    /// A frame of a client, which is masked. (Firefox 153 takes a mask of zeros for none, and closes.)
    private func frame(_ head: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            if count < 126 {
                [UInt8(count) | 0x80]
            } else if count < 1 << 16 {
                [126 | 0x80, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
            } else {
                [127 | 0x80] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
            }
        let mask: [UInt8] = [1, 2, 3, 4]
        return [head] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    private func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestFailure("the WebSocket takes nothing") }
            rest = rest.dropFirst(count)
        }
    }

    /// The next bytes; `nil` if they do not come until then.
    private func take(_ count: Int, before end: ContinuousClock.Instant) throws -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while received.count < count {
            guard ContinuousClock.now < end else { return nil }
            let got = unsafe recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
            guard got != 0 else { throw TestFailure("the WebSocket ended") }
            if got > 0 { received += chunk[..<got] } else { usleep(2000) }
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }
}
