// swift-tools-version: 6.3
import PackageDescription

/// The settings of Rill's own modules (see ../Package.swift).
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func rill(_ modules: String...) -> [Target.Dependency] { modules.map { .product(name: $0, package: "rill") } }

// WHIP and WHEP over HTTP and HTTPS. A package of its own, so that Rill does not need an HTTP library.
let package = Package(
    name: "rill-server",
    products: [
        .executable(name: "rill-http", targets: ["rill-http"])
    ],
    dependencies: [
        // Without its traits: none of this needs a command line or a laboratory of Rill's.
        .package(name: "rill", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        // HTTP for the command rill: requests as lines in, responses as lines out.
        .executableTarget(
            name: "rill-http",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ] + rill("RillWHIP"),
            path: "HTTP", swiftSettings: settings)
    ]
)
