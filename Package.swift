// swift-tools-version: 6.3
import PackageDescription

/// One set of compiler settings for every target: Swift 6 language mode, strict memory safety, and
/// the upcoming features that make imports, existentials and isolation explicit.
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Only for functions that return a view (`Span` and friends) into the memory of their owner.
    .enableExperimentalFeature("Lifetimes"),
]

func room(
    _ name: String, _ dependencies: [Target.Dependency] = [], linkedWith libraries: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, swiftSettings: settings,
        linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// libvpx is linked as an archive, so that CVPXMemory takes the place of its allocator: an encoder then holds half the memory
/// or less. For a system that has only the shared library: RILL_SHARED_LIBVPX=1.
let libvpx = Context.environment["RILL_SHARED_LIBVPX"] == nil ? ":libvpx.a" : "vpx"

func tests(of name: String, _ more: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name), "RillTestSupport"] + more,
        swiftSettings: settings)
}

let package = Package(
    name: "rill",
    products: [
        .library(name: "Rill", targets: ["Rill"]),
        .library(name: "RillRTP", targets: ["RillRTP"]),
        .library(name: "RillReceive", targets: ["RillReceive"]),
        .library(name: "RillPages", targets: ["RillPages"]),
        .library(name: "RillContainers", targets: ["RillContainers"]),
        .executable(name: "rill", targets: ["RillCLI"]),
        .executable(name: "rill-bench-work", targets: ["RillBenchWork"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        // The C libraries, one system module each.
        .systemLibrary(name: "CVPX", providers: [.apt(["libvpx-dev"])]),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        .systemLibrary(name: "CThreads"),
        .systemLibrary(name: "CPerfEvents"),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CV4L2"),
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswscale-dev"])]),
        // What libvpx gets its memory from.
        .target(name: "CVPXMemory"),
        // A target with code: libjpeg leaves its calls by longjmp, which must not cross a Swift frame.
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

        // The rooms of the house, in the order in which the data visits them.
        room("RillCore"),
        room("RillImage", ["RillCore", "CYUV"]),
        room("RillBeauty", ["RillCore"]),
        room("RillCapture", ["RillCore", "RillImage", "CV4L2", "CJPEG"]),
        room("RillFiles", ["RillCore", "CPNG"]),
        room("RillCodec", ["RillCore", "RillImage", "CVPX", "CVPXMemory"], linkedWith: [libvpx]),
        room("RillRTP"),
        room("RillSend", ["RillRTP", "RillCore"]),
        room("RillNetwork", ["RillCore", .product(name: "HeapModule", package: "swift-collections")]),
        room("RillReceive", ["RillRTP", "RillCore"]),
        room(
            "Rill",
            [
                "RillCore", "RillImage", "RillBeauty", "RillCapture", "RillFiles", "RillCodec", "RillRTP", "RillSend",
                "RillNetwork", "RillReceive", "CThreads",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Histogram", package: "hdrhistogram-swift"),
            ]),
        // Every other container and codec. Debian builds FFmpeg's libraries under the GPL, so nothing but this links them.
        room("RillContainers", ["RillCore", "RillImage", "RillFiles", "CFFmpeg"]),
        // Plots and tables as pages of HTML: for the command's reports, and for Benchmarks.
        room("RillPages"),
        .executableTarget(
            name: "RillCLI",
            dependencies: [
                "Rill", "RillContainers", "RillPages",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings),

        // What `rill bench` measures: processes as an app's would be, with nothing in them but Rill.
        .executableTarget(name: "RillBenchWork", dependencies: ["Rill", "CPerfEvents"], swiftSettings: settings),

        // What the tests share: seeded mutation of bytes, clips made on the spot, folders that clean up.
        .target(
            name: "RillTestSupport", dependencies: ["RillCore", "RillNetwork"], path: "Tests/RillTestSupport",
            swiftSettings: settings),
        // What libFuzzer and the tests run alike; the package in Fuzzing/ compiles the same files.
        .target(
            name: "RillFuzzBodies", dependencies: ["RillCore", "RillRTP", "RillFiles", "RillNetwork", "RillReceive"],
            path: "Tests/RillFuzzBodies", swiftSettings: settings),
        tests(of: "RillCore"),
        tests(of: "RillImage"),
        tests(of: "RillBeauty", ["RillCapture", "RillFiles"]),
        tests(of: "RillCapture", ["CV4L2", "CJPEG", "RillImage"]),
        tests(of: "RillFiles"),
        tests(of: "RillCodec", ["CVPXMemory"]),
        tests(of: "RillRTP", ["RillFiles", "RillFuzzBodies"]),
        tests(of: "RillSend", ["RillCodec", "RillFiles", "RillReceive"]),
        tests(of: "RillNetwork"),
        tests(of: "RillReceive", ["RillSend"]),
        tests(of: "Rill"),
        tests(of: "RillPages"),
        tests(of: "RillContainers", ["RillFiles"]),
        tests(of: "RillCLI", ["RillPages"]),
    ]
)

// A build of some rooms' tests alone, as Scripts/test makes for the thread sanitizer: RILL_TESTS="RillCoreTests RillTests".
if let wanted = Context.environment["RILL_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
