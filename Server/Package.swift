// swift-tools-version: 6.3
import PackageDescription

/// With RILL_WARNINGS_AS_ERRORS, as CI sets it, a warning in a target of this package is an error; in those of its
/// dependencies it is not.
let strictness: [SwiftSetting] =
    Context.environment["RILL_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// The settings of Rill's own modules (see ../Package.swift).
let settings: [SwiftSetting] =
    strictness + [
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
        .library(name: "RillServer", targets: ["RillServer"]),
        .executable(name: "rill-serve", targets: ["rill-serve"]),
        .executable(name: "rill-http", targets: ["rill-http"]),
    ],
    dependencies: [
        // Without its traits: none of the server needs a command line or a laboratory of Rill's.
        .package(name: "rill", path: "..", traits: []),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // The server: routes, TLS, tokens, limits, metrics, pages.
        .target(
            name: "RillServer",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ] + rill("RillCore", "RillWHIP"),
            // Pages are embedded in the code, so that the program needs no other file.
            resources: [
                "index.html", "publish.html", "watch.html", "rill.svg", "rill.css", "rill.js", "list.js", "publish.js",
                "watch.js",
            ].map { .embedInCode("Pages/\($0)") },
            swiftSettings: settings),
        // The command's options and subcommands, for any host.
        .target(
            name: "ServeCommand",
            dependencies: [
                "RillServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ] + rill("RillCore", "RillWHIP"),
            swiftSettings: settings),
        // What is served: RillForward's streams.
        .target(
            name: "ForwarderHost",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
            ] + rill("RillForward", "RillPeer", "RillRTP", "RillTransport", "RillWHIP"),
            swiftSettings: settings),
        // The command.
        .executableTarget(
            name: "rill-serve",
            dependencies: [
                "ForwarderHost", "ServeCommand",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ] + rill("RillCore", "RillForward", "RillTransport", "RillWHIP"),
            swiftSettings: settings),
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
            path: "HTTP", swiftSettings: settings),
        // The command with a host without media, which the tests run as a process of its own.
        .executableTarget(
            name: "memory-serve",
            dependencies: [
                "RillServer", "ServeCommand",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + rill("RillWHIP"),
            path: "Tests/MemoryServe",
            swiftSettings: settings),
        .testTarget(
            name: "RillServerTests",
            dependencies: [
                "ForwarderHost", "RillServer", "ServeCommand", "memory-serve",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ] + rill("RillCore", "RillForward", "RillTransport", "RillWHIP"),
            swiftSettings: settings),
    ]
)
