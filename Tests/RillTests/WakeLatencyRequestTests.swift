import Foundation
import Glibc
import RillCore
import RillTestSupport
import Testing

@testable import Rill

/// What the system is asked for; what comes of it is measured by `Scripts/bench latency`.
@Suite struct WakeLatencyRequestTests {
    private static let isAllowed = unsafe access(WakeLatencyRequest.device, R_OK | W_OK) == 0

    /// The strictest of all requests on this machine, in microseconds, as the kernel tells it.
    private func strictest() throws -> Int32 {
        let handle = try #require(FileHandle(forReadingAtPath: WakeLatencyRequest.device))
        return try #require(try handle.read(upToCount: 4)).reversed().reduce(0) { $0 << 8 | Int32($1) }
    }

    @Test(.enabled(if: isAllowed, "this machine has no /dev/cpu_dma_latency that we may use"))
    func `The kernel keeps the request only while the object lives`() throws {
        let latency: Int32 = 1_234_567
        let request = try WakeLatencyRequest(.microseconds(Int(latency)))
        let during = try withExtendedLifetime(consume request) { _ in try strictest() }
        #expect(during <= latency)
        // Other tests may ask for something too, for a while: only a request of ours has this very number.
        #expect(try strictest() != latency)
    }

    @Test(
        arguments: [
            (0, 0), (-5, 0), (999, 0), (1000, 1), (250_000, 250), (Int64.max, Int32.max), (Int64.min, 0),
        ] as [(Int64, Int32)])
    func `It requests whole microseconds, in four bytes`(nanoseconds: Int64, asked: Int32) throws {
        let folder = TemporaryFolder()
        let path = folder.path("device")
        try Data().write(to: URL(filePath: path))
        let request = try WakeLatencyRequest(MediaDuration(nanoseconds: nanoseconds), device: path)
        let written = try withExtendedLifetime(request) { try Data(contentsOf: URL(filePath: path)) }
        #expect(written.reversed().reduce(0) { $0 << 8 | Int32($1) } == asked)
        #expect(written.count == 4)
    }

    @Test func `System errors are reported with their number`() throws {
        let missing = TemporaryFolder().path("device")
        #expect(throws: WakeLatencyRequest.RequestError.refused(path: missing, code: ENOENT)) {
            try WakeLatencyRequest(.zero, device: missing)
        }
        // Opened, but writing fails: there is no space.
        let error = #expect(throws: WakeLatencyRequest.RequestError.self) {
            try WakeLatencyRequest(.zero, device: "/dev/full")
        }
        #expect(error.map { "\($0)" } == "/dev/full takes no request (errno 28)")
        let denied = WakeLatencyRequest.RequestError.refused(path: "/dev/x", code: EACCES)
        #expect("\(denied)".hasSuffix("it needs root, or a rule of udev"))
    }
}
