// swift-tools-version: 6.3
import PackageDescription

// A package of its own: whoever wants the other benchmarks need not fetch and build the harness of this one.
let package = Package(
    name: "rill-suites",
    dependencies: [
        .package(name: "rill-benchmarks", path: ".."),
        // Without its traits: its interposers would count their own cost into ours, and Benchmarks/thresholds counts
        // allocations from outside.
        .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "suites",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "Workloads", package: "rill-benchmarks"),
            ],
            // The harness takes programs whose folder stands in one called Benchmarks, which this package's own does.
            path: ".", sources: ["Suites.swift"], swiftSettings: [.swiftLanguageMode(.v6)],
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")])
    ]
)
