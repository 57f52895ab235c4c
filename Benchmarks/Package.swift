// swift-tools-version: 6.3
import PackageDescription

/// Rooms of Rill. Who uses structs of a room by value names it, too: where only that room changed, the build (Swift 6.3) else
/// keeps code that knows their old layout.
func rill(_ rooms: String...) -> [Target.Dependency] { rooms.map { .product(name: $0, package: "rill") } }

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
            name: "send-side", dependencies: rill("Rill", "RillFiles"), path: "SendSide",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `thresholds`, `throughput`, `rtp`, `pictures`, `receive` and the suites in Suites/ measure.
        .target(
            name: "Workloads",
            dependencies: ["BareYUV"]
                + rill(
                    "Rill", "RillFiles", "RillImage", "RillBeauty", "RillCodec", "RillLab", "RillLink", "RillRTP",
                    "RillReceive",
                    "RillSend", "RillScenes", "RillTranscode"),
            path: "Workloads", swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
        .executableTarget(
            name: "workload", dependencies: ["Workloads", "PerfEvents"], path: "WorkloadRunner",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `throughput --html` writes with.
        .executableTarget(
            name: "throughput-page", dependencies: rill("RillPages"),
            path: "ThroughputPage", swiftSettings: [.swiftLanguageMode(.v6)]),
        // libyuv itself, for the floors that workloads are compared with.
        .systemLibrary(name: "BareYUV", path: "BareYUV"),
        // The processor's counters.
        .systemLibrary(name: "PerfEvents", path: "PerfEvents"),
        // What `beauty` measures.
        .executableTarget(
            name: "beauty-work", dependencies: rill("Rill", "RillFiles"), path: "BeautyWork",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `compare encode` measures.
        .executableTarget(
            name: "simulcast", dependencies: rill("Rill", "RillFiles"), path: "Simulcast",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `rate-control` and `quality` encode and judge with.
        .executableTarget(
            name: "layer-trial", dependencies: rill("Rill", "RillFiles"), path: "LayerTrial",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // The calls of `network` and `rivals`.
        .executableTarget(
            name: "network-trial",
            dependencies: ["Workloads"]
                + rill("Rill", "RillFiles", "RillLab", "RillLink", "RillRTP", "RillReceive", "RillScenes"),
            path: "NetworkTrial", swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `camera` measures.
        .executableTarget(
            name: "camera-cost", dependencies: rill("Rill"), path: "CameraCost",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
