import Benchmark
import Foundation
import Workloads

/// All workloads, run by ordo-one's harness:
///
///     swift package --package-path Benchmarks/Suites benchmark
///
/// prints throughput, time and, where the machine counts them, instructions of each. Frames are measured one by one, packets
/// by the thousand.
let benchmarks: @Sendable () -> Void = {
    for workload in Workload.all {
        Benchmark(workload.wholeName, configuration: workload.configuration) { benchmark, work in
            blackHole(try work(benchmark.scaledIterations.count))
        } setup: {
            try workload.setUp(Material.current())
        }
    }
}

extension Workload {
    /// How the harness runs it.
    fileprivate var configuration: Benchmark.Configuration {
        let isPicture = unit == .clipFrame || unit == .lowFrame
        return Benchmark.Configuration(
            metrics: [.throughput, .wallClock, .cpuTotal, .instructions],
            scalingFactor: isPicture ? .one : .kilo,
            maxDuration: .milliseconds(500))
    }
}

extension Material {
    /// The material that this program made, or one of the same build; made anew where there is none.
    fileprivate static func current() throws -> Material {
        let files = FileManager.default
        // The harness starts this program by a name that is no path.
        let program = try files.attributesOfItem(atPath: files.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let built = (program[.modificationDate] as? Date ?? .distantPast).timeIntervalSince1970
        let folder = files.temporaryDirectory.appending(path: "rill-suites-\(getuid())")
        let marker = folder.appending(path: "made-by-\(Int(built))")
        if !files.fileExists(atPath: marker.path) {
            // Of another build, whose encoders may be others; where there is none, there is nothing to remove.
            try? files.removeItem(at: folder)
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            try Material.prepare(in: folder.path)
            try Data().write(to: marker)
        }
        return try Material(folder: folder.path)
    }
}
