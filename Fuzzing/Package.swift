// swift-tools-version: 6.3
import PackageDescription

// Built by Scripts/fuzz, which has the sanitizers' flags: all of Rill that the bodies reach is instrumented with them.
let package = Package(
    name: "rill-fuzzing",
    dependencies: [
        .package(name: "rill", path: "..", traits: ["Laboratory"])
    ],
    targets: [
        // libFuzzer's entry point, which no header of the toolchain declares to Swift.
        .systemLibrary(name: "CFuzzer", path: "CFuzzer"),
        // The very files that `swift test` runs over the corpus: a link to Tests/RillFuzzBodies.
        .target(
            name: "RillFuzzBodies",
            dependencies: ["RillCore", "RillRTP", "RillFiles", "RillLink", "RillReceive", "RillSend", "RillSession"].map
            {
                .product(name: $0, package: "rill")
            },
            path: "Bodies",
            swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
        .executableTarget(
            name: "fuzz", dependencies: ["RillFuzzBodies", "CFuzzer"], path: "Fuzz",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
