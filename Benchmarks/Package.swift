// swift-tools-version: 6.3
import PackageDescription

/// What `Rill` exports again. Who uses its structs by value names it too: where only it changed, the build (Swift 6.3) else
/// keeps code that knows their old layout.
let insides: [Target.Dependency] = [
    .product(name: "RillReceive", package: "rill"), .product(name: "RillRTP", package: "rill"),
]

let package = Package(
    name: "rill-benchmarks",
    dependencies: [
        .package(name: "rill", path: "..")
    ],
    targets: [
        // What `compare send` measures.
        .executableTarget(
            name: "send-side", dependencies: [.product(name: "Rill", package: "rill")], path: "SendSide",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `pictures` and `rtp` share: the command line, and the clock.
        .target(name: "Turns", path: "Turns", swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `pictures` measures.
        .executableTarget(
            name: "picture-work", dependencies: ["Turns", .product(name: "Rill", package: "rill")], path: "PictureWork",
            swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
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
            name: "network-trial", dependencies: [.product(name: "Rill", package: "rill")] + insides,
            path: "NetworkTrial", swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `receive` measures.
        .executableTarget(
            name: "receive-chain", dependencies: ["Turns", .product(name: "Rill", package: "rill")] + insides,
            path: "ReceiveChain", swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
        // What `camera` measures.
        .executableTarget(
            name: "camera-cost", dependencies: [.product(name: "Rill", package: "rill")], path: "CameraCost",
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // What `rtp` measures.
        .executableTarget(
            name: "rtp-wire", dependencies: ["Turns", .product(name: "RillRTP", package: "rill")], path: "RTPWire",
            swiftSettings: [.swiftLanguageMode(.v6), .enableExperimentalFeature("Lifetimes")]),
    ]
)
