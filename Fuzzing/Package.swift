// swift-tools-version: 6.3
import PackageDescription

// Built by Scripts/fuzz, which has the sanitizers' flags: all of Rill that the targets reach is instrumented with them.
let package = Package(
    name: "rill-fuzzing",
    dependencies: [
        .package(name: "rill", path: "..", traits: ["Laboratory"])
    ],
    targets: [
        // libFuzzer's entry point, which no header of the toolchain declares to Swift.
        .systemLibrary(name: "CFuzzer", path: "CFuzzer"),
        // The very files that `swift test` runs over the corpus: a link to Tests/RillFuzzTargets.
        .target(
            name: "RillFuzzTargets",
            dependencies: ["RillCore", "RillRTP", "RillFiles", "RillLink", "RillReceive", "RillSend", "RillSession"].map
            {
                .product(name: $0, package: "rill")
            },
            path: "Targets",
            swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
        .executableTarget(
            name: "fuzz", dependencies: ["RillFuzzTargets", "CFuzzer"], path: "Fuzz",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
