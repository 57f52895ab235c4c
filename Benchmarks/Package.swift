// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]

/// Rooms of Rill. Who uses structs of a room by value names it, too: where only that room changed, the build (Swift 6.3) else
/// keeps code that knows their old layout.
func rill(_ rooms: String...) -> [Target.Dependency] { rooms.map { .product(name: $0, package: "rill") } }

func program(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: ["Arguments"] + dependencies, path: folder, swiftSettings: settings)
}

// What `Scripts/bench` measures and draws with; `bench/` is that command, in Python, and `Programs/` what it needs in C.
let package = Package(
    name: "rill-benchmarks",
    dependencies: [.package(name: "rill", path: "..")],
    targets: [
        // Pieces of work with their set-up, and the program that does one of them.
        .target(
            name: "Workloads",
            dependencies: ["Clips", "Machine"]
                + rill(
                    "Rill", "RillFiles", "RillImage", "RillBeauty", "RillCodec", "RillLab", "RillLink", "RillRTP",
                    "RillReceive", "RillSecurity", "RillSend", "RillSession", "RillScenes", "RillTranscode",
                    "RillTransport"),
            path: "Workloads", swiftSettings: settings),
        program("workload", "WorkloadRunner", ["Workloads", "Counters"]),
        // Whole processes, as an app's would be, with nothing in them but Rill.
        program(
            "bench-work", "Work",
            ["Clips", "Counters"] + rill("Rill", "RillFiles", "RillLab", "RillSecurity", "RillTransport")),
        // Calls in virtual time.
        program(
            "bench-calls", "Calls",
            ["Clips"] + rill("Rill", "RillFiles", "RillLab", "RillLink", "RillRTP", "RillReceive", "RillScenes")),
        // Pages of what was measured.
        program("bench-page", "Page", rill("RillPages")),
        .target(name: "Arguments", path: "Arguments", swiftSettings: settings),
        .target(name: "Clips", dependencies: rill("Rill"), path: "Clips", swiftSettings: settings),
        .target(name: "Counters", dependencies: ["Machine"], path: "Counters", swiftSettings: settings),
        // The processor's counters, threads, and libyuv and libsrtp themselves, for the floors that workloads are compared with.
        .systemLibrary(name: "Machine", path: "Machine"),
    ]
)
