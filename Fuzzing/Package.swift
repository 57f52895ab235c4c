// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]

func rill(_ modules: String...) -> [Target.Dependency] { modules.map { .product(name: $0, package: "rill") } }

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
            name: "RillWireFuzzTargets", dependencies: rill("RillCore", "RillRTP"), path: "Targets/Wire",
            swiftSettings: settings),
        .target(
            name: "RillFuzzTargets",
            dependencies: ["RillWireFuzzTargets"]
                + rill(
                    "RillCore", "RillRTP", "RillFiles", "RillLink", "RillReceive", "RillSend", "RillSession",
                    "RillPeer",
                    "RillWHIP"),
            path: "Targets/Stack", swiftSettings: settings),
        .executableTarget(
            name: "fuzz", dependencies: ["RillFuzzTargets", "CFuzzer"], path: "Fuzz",
            swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
