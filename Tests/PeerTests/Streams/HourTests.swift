import Foundation
import RillTestSupport
import Testing

extension StreamTests {
    /// An hour of `rill publish`, `rill serve` and `rill watch`, with one more viewer that comes and goes each second.
    @Suite(.enabled(if: isLongRun)) struct HourTests {
        private static let minutes = 60
        /// Pools and histories are full, and the first connections have expired.
        private static let warm = 10

        @Test func `Memory, descriptors and threads of each program are flat after the tenth minute`() async throws {
            let limit = Self.minutes * 60 + 300
            let server = try await StreamServer(limit: limit)
            let media = ProcessInfo.processInfo.environment["RILL_MEDIA"]
            let clip = media.map { ["\($0)/webcam_1280x720.y4m", "--loop"] } ?? []
            let folder = TemporaryFolder()
            let rill = try Program(builtAs: "rill")
            let publisher = try rill.start(
                ["publish"] + clip + [server.url("whip/clip"), "--size", "640x360"], limit: limit)
            let viewer = try rill.start(
                ["watch", server.url("whep/clip"), "--output", folder.path("shown.ivf")], limit: limit)
            defer { for program in [publisher, viewer] { program.interrupt() } }
            try await waitUntil("pictures: \(publisher.errorsSoFar) \(viewer.errorsSoFar) \(server.log)") {
                viewer.errorsSoFar.contains("first picture")
            }

            var loads = [[ProcessLoad]](repeating: [], count: 3)
            var came = 0
            let start = ContinuousClock.now
            var lows = [[ProcessLoad]](repeating: [], count: 3)
            while lows[0].count < Self.minutes {
                let guest = try rill.start(["watch", server.url("whep/clip")], limit: 60)
                try await Task.sleep(for: .seconds(1))
                guest.interrupt()
                let outcome = try await guest.finished()
                #expect([0, 130].contains(outcome.status), "\(outcome.errors)")
                came += 1
                for (index, load) in [try publisher.load(), try server.load(), try viewer.load()].enumerated() {
                    loads[index].append(load)
                }
                guard ContinuousClock.now - start >= .seconds(60 * (lows[0].count + 1)) else { continue }
                for index in loads.indices {
                    lows[index].append(loads[index].reduce(loads[index][0]) { $0.least($1) })
                    loads[index] = []
                }
                let row = lows.compactMap(\.last).map(\.description).joined(separator: " | ")
                note("minute \(lows[0].count) | \(came) guests | publish, serve, watch: \(row)")
            }
            for (name, lows) in zip(["publish", "serve", "watch"], lows) {
                let (early, late) = (lows[Self.warm..<Self.warm + 10], lows.suffix(10))
                func highest(_ value: KeyPath<ProcessLoad, Int>, _ lows: ArraySlice<ProcessLoad>) -> Int {
                    lows.map { $0[keyPath: value] }.max() ?? 0
                }
                #expect(highest(\.threads, late) <= highest(\.threads, early), "\(name): \(lows)")
                #expect(highest(\.descriptors, late) <= highest(\.descriptors, early), "\(name): \(lows)")
                // Pages of the allocator come and go; what leaked before was 1.3 kB a second, 3 MB in these minutes.
                #expect(highest(\.memory, late) <= highest(\.memory, early) + 500_000, "\(name): \(lows)")
            }
        }
    }
}
