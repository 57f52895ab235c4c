// swift-tools-version: 6.3
import PackageDescription

/// What `Rill` exports again. Who uses its structs by value names it too: where only it changed, the build (Swift 6.3) else
/// keeps code that knows their old layout.
let insides: [Target.Dependency] = [
    .product(name: "RillReceive", package: "rill"), .product(name: "RillRTP", package: "rill"),
]

let package = Package(
    name: "rill-benchmarks",
    products: [
        .library(name: "Workloads", targets: ["Workloads"])
    ],
    dependencies: [
        .package(name: "rill", path: "..")
    ],
    targets: [
        // What `compare send` measures.
        .executableTarget(
            name: "send-side", dependencies: [.product(name: "Rill", package: "rill")], path: "SendSide",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `thresholds`, `throughput`, `rtp`, `pictures`, `receive` and the suites in Suites/ measure.
        .target(
            name: "Workloads", dependencies: [.product(name: "Rill", package: "rill"), "BareYUV"] + insides,
            path: "Workloads", swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
        .executableTarget(
            name: "workload", dependencies: ["Workloads", "PerfEvents"], path: "WorkloadRunner",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `throughput --html` writes with.
        .executableTarget(
            name: "throughput-page", dependencies: [.product(name: "RillPages", package: "rill")],
            path: "ThroughputPage", swiftSettings: [.swiftLanguageMode(.v6)]),
        // libyuv itself, for the floors that workloads are compared with.
        .systemLibrary(name: "BareYUV", path: "BareYUV"),
        // The processor's counters.
        .systemLibrary(name: "PerfEvents", path: "PerfEvents"),
        // What `beauty` measures.
        .executableTarget(
            name: "beauty-work", dependencies: [.product(name: "Rill", package: "rill")], path: "BeautyWork",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `compare encode` measures.
        .executableTarget(
            name: "simulcast", dependencies: [.product(name: "Rill", package: "rill")], path: "Simulcast",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `rate-control` and `quality` encode and judge with.
        .executableTarget(
            name: "layer-trial", dependencies: [.product(name: "Rill", package: "rill")], path: "LayerTrial",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The calls of `network` and `rivals`.
        .executableTarget(
            name: "network-trial", dependencies: ["Workloads", .product(name: "Rill", package: "rill")] + insides,
            path: "NetworkTrial", swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `camera` measures.
        .executableTarget(
            name: "camera-cost", dependencies: [.product(name: "Rill", package: "rill")], path: "CameraCost",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
