// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]

/// Products of Rill. A target lists every product with structs that it uses by value, also indirectly: otherwise, if
/// only their module changed, the build (Swift 6.3) keeps code compiled for the structs' old layout.
func rill(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "rill") } }

func program(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["Arguments"] + dependencies, path: folder, swiftSettings: settings)
}

// The Swift programs of `Scripts/bench`. `bench/` is the command itself, in Python, and `Programs/` has its C programs.
let package = Package(
    name: "rill-benchmarks",
    dependencies: [.package(name: "rill", path: "..")],
    targets: [
        // Workloads with their setup, and the program that runs one of them.
        .target(
            name: "Workloads",
            dependencies: ["Clips", "Machine", "Scenes"]
                + rill(
                    "Rill", "RillBeauty", "RillForward", "RillLab", "RillPeer", "RillReceive", "RillRTP", "RillSession",
                    "RillTranscode",
                    "RillTransport"),
            path: "Workloads", swiftSettings: settings),
        program("workload", "WorkloadRunner", ["Workloads", "Counters"]),
        // Whole processes, like those of an app that uses only Rill.
        program(
            "bench-work", "Work",
            ["Clips", "Counters", "Scenes"]
                + rill(
                    "Rill", "RillForward", "RillLab", "RillPeer", "RillRTP", "RillSession", "RillTransport")),
        // Calls in virtual time.
        program(
            "bench-calls", "Calls",
            ["Clips", "Scenes"]
                + rill(
                    "Rill", "RillLab", "RillPeer", "RillReceive", "RillRTP", "RillSession", "RillTranscode",
                    "RillTransport")),
        // Still blocks: altered clips, and what leaving blocks out does to the picture.
        program("bench-still", "Still", ["Scenes"] + rill("Rill")),
        // The drawn portrait, which is not a product: a link to its module.
        .target(name: "Scenes", dependencies: rill("Rill"), path: "Scenes", swiftSettings: settings),
        .target(name: "Arguments", path: "Arguments", swiftSettings: settings),
        .target(name: "Clips", dependencies: rill("Rill"), path: "Clips", swiftSettings: settings),
        .target(name: "Counters", dependencies: ["Machine"], path: "Counters", swiftSettings: settings),
        // Hardware counters, and libyuv and libsrtp for the floors that workloads are compared with.
        .systemLibrary(name: "Machine", path: "Machine"),
    ]
)
