import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import RillWHIP

/// Executes the requests of lines, at most 64 at a time.
///
/// Threads: requests run on the event loops of AsyncHTTPClient; lines are written one at a time.
struct RequestExecutor: Sendable {
    private let client: HTTPClient
    private let output = OutputLines()
    private static let maximumCount = 64

    init(_ client: HTTPClient) { self.client = client }

    /// Executes until the lines end. Requests under way are then dropped.
    func run(lines: AsyncStream<[UInt8]>) async {
        await withTaskGroup(of: Void.self) { group in
            var count = 0
            for await line in lines where !line.isEmpty {
                if count >= RequestExecutor.maximumCount {
                    await group.next()
                    count -= 1
                }
                count += 1
                group.addTask { await output.write(await response(to: line)) }
            }
            group.cancelAll()
        }
    }

    private func response(to line: [UInt8]) async -> HTTPResponseLine {
        guard let request = try? JSONDecoder().decode(HTTPRequestLine.self, from: Data(line)) else {
            return HTTPResponseLine(id: 0, error: "the line is not a request")
        }
        do {
            return try await execute(request)
        } catch {
            return HTTPResponseLine(id: request.id, error: RequestExecutor.text(error))
        }
    }

    private func execute(_ line: HTTPRequestLine) async throws -> HTTPResponseLine {
        guard (line.body?.utf8.count ?? 0) <= HTTPResponseLine.maximumBodyLength else {
            return HTTPResponseLine(id: line.id, error: "the request's body is longer than 256 KiB")
        }
        guard line.headers.allSatisfy({ $0.count == 2 }), (1...600_000).contains(line.timeout) else {
            return HTTPResponseLine(id: line.id, error: "the line is not a request")
        }
        var request = HTTPClientRequest(url: line.url)
        request.method = HTTPMethod(rawValue: line.method)
        for field in line.headers { request.headers.add(name: field[0], value: field[1]) }
        if request.headers["User-Agent"].isEmpty { request.headers.add(name: "User-Agent", value: "rill") }
        if let body = line.body { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await client.execute(request, timeout: .milliseconds(Int64(line.timeout)))
        let body = try await response.body.collect(upTo: HTTPResponseLine.maximumBodyLength)
        return HTTPResponseLine(
            id: line.id, status: Int(response.status.code), headers: response.headers.map { [$0.name, $0.value] },
            body: String(buffer: body))
    }

    /// The error as a clause.
    private static func text(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout:
            "no response in time"
        case is NIOTooManyBytesError: "the response's body is longer than 256 KiB"
        case let error as IOError: error.reason(for: error.errnoCode)
        case let error as NIOConnectionError: text(error)
        case let error as NIOSSLError where "\(error)".contains("CERTIFICATE_VERIFY_FAILED"):
            "its certificate is not trusted; --ca FILE trusts one"
        default: "\(error)"
        }
    }

    private static func text(_ error: NIOConnectionError) -> String {
        if let first = error.connectionErrors.first {
            if let system = first.error as? IOError { return system.reason(for: system.errnoCode) }
            return "\(first.error)"
        }
        if error.dnsAError != nil || error.dnsAAAAError != nil { return "no address of \(error.host) is known" }
        return "no connection with \(error.host)"
    }
}

extension IOError {
    fileprivate func reason(for code: CInt) -> String {
        // A constant text of the C library.
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text).lowercased()
    }
}

/// Standard output, a line at a time.
private actor OutputLines {
    func write(_ line: HTTPResponseLine) {
        // Texts and whole numbers: it cannot fail.
        guard var bytes = (try? JSONEncoder().encode(line)).map(Array.init) else { return }
        bytes.append(10)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Foundation.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody reads it.
            guard count > 0 else { exit(1) }
            rest = rest.dropFirst(count)
        }
    }
}
