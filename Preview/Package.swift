// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func rill(_ modules: String...) -> [Target.Dependency] { modules.map { .product(name: $0, package: "rill") } }

// Pictures in a window. A package of its own, so that Rill does not need SDL.
let package = Package(
    name: "rill-preview",
    dependencies: [
        .package(name: "rill", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(
            name: "CSDL", path: "CSDL",
            providers: [.apt(["libsdl2-dev", "libsdl2-ttf-dev", "fonts-dejavu-core"])]),
        // The window and its pictures.
        .target(
            name: "Screen", dependencies: ["CSDL"] + rill("Rill", "RillCore"), path: "Screen", swiftSettings: settings),
        // The drawn portrait, which is not a product: a link to its module.
        .target(name: "Scenes", dependencies: rill("RillCore"), path: "Scenes", swiftSettings: settings),
        .executableTarget(
            name: "rill-preview",
            dependencies: ["Screen", "Scenes", .product(name: "ArgumentParser", package: "swift-argument-parser")]
                + rill(
                    "Rill", "RillContainers", "RillCore", "RillFaces", "RillFiles", "RillSession", "RillTransport"),
            path: "Program", swiftSettings: settings),
        .executableTarget(
            name: "screen-check", dependencies: ["Screen", "CSDL"] + rill("Rill", "RillCore"), path: "Checks",
            exclude: ["window-check"], swiftSettings: settings),
    ]
)
