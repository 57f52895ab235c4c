// swift-tools-version: 6.3
import PackageDescription

// Scripts/fuzz builds this with the sanitizers' flags, so that all of Rill that the fuzz targets use is instrumented.
let package = Package(
    name: "rill-fuzzing",
    dependencies: [
        .package(name: "rill", path: "..", traits: ["Laboratory"])
    ],
    targets: [
        // libFuzzer's entry point, which no header of the toolchain declares for Swift.
        .systemLibrary(name: "CFuzzer", path: "CFuzzer"),
        // The same files that `swift test` runs over the corpus: a link to Tests/RillFuzzTargets.
        .target(
            name: "RillFuzzTargets",
            dependencies: [
                "RillCore", "RillRTP", "RillFiles", "RillLink", "RillReceive", "RillSend", "RillSession", "RillPeer",
                "RillWHIP",
            ].map { .product(name: $0, package: "rill") },
            path: "Targets",
            swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
        .executableTarget(
            name: "fuzz", dependencies: ["RillFuzzTargets", "CFuzzer"], path: "Fuzz",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
