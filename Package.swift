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

/// What tests stand on is optimised where Scripts/test builds it, with asserts left in: pixels then take a twentieth of the
/// time, and compiling takes no longer. SwiftPM has no setting of its own for that. Without the variable, as in debug builds by
/// hand and for packages that depend on Rill (which flags like these would forbid), there are none.
let roomSettings =
    Context.environment["RILL_OPTIMIZED_DEBUG"] == nil
    ? settings : settings + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

/// A library target. `rounded()` and its like are calls of libm on processors that have no such instruction for certain
/// (x86-64 before SSE4.1), and nothing but an import of Glibc or Foundation asks the linker for that: an app that imports
/// neither would not link. So each target asks by itself.
func room(
    _ name: String, _ dependencies: [Target.Dependency] = [], linkedWith libraries: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, swiftSettings: roomSettings,
        linkerSettings: (libraries + ["m"]).map { .linkedLibrary($0) })
}

/// libvpx is linked as an archive, so that CVPXMemory takes the place of its allocator: an encoder then holds half the memory
/// or less. For a system that has only the shared library: RILL_SHARED_LIBVPX=1.
let libvpx = Context.environment["RILL_SHARED_LIBVPX"] == nil ? ":libvpx.a" : "vpx"

func tests(of room: String, _ more: [Target.Dependency] = []) -> Target {
    tests(room + "Tests", of: [.byName(name: room)] + more)
}

func tests(_ name: String, of dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies + ["RillTestSupport"], swiftSettings: settings)
}

let rooms = [
    "Rill", "RillBytes", "RillState", "RillCore", "RillThreads", "RillImage", "RillBeauty", "RillCapture", "RillScenes",
    "RillFiles",
    "RillCodec", "RillRTP", "RillSend", "RillReceive", "RillSession", "RillTransport", "RillSecurity", "RillLink",
    "RillTranscode", "RillLab", "RillContainers", "RillPages",
]

let package = Package(
    name: "rill",
    // Each room is a product: whoever needs one of them links no other than those that it stands on.
    products: rooms.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "rill", targets: ["RillCLI"])
    ],
    // What comes from elsewhere is for the command line and for experiments. An app leaves it out: `traits: []` behind the URL.
    traits: [
        .trait(
            name: "CommandLine", description: "The command rill: swift-argument-parser.", enabledTraits: ["Laboratory"]),
        .trait(
            name: "Laboratory",
            description:
                "RillLink and RillLab, the emulated network and what stands on it: swift-collections, hdrhistogram."),
        .default(enabledTraits: ["CommandLine"]),
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
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CV4L2"),
        .systemLibrary(name: "CSRTP", providers: [.apt(["libsrtp2-dev"])]),
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswscale-dev"])]),
        // What libvpx gets its memory from.
        .target(name: "CVPXMemory"),
        // Calls of the system that take many datagrams.
        .target(name: "CSockets"),
        // A target with code: libjpeg leaves its calls by longjmp, which must not cross a Swift frame.
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),

        // The rooms of the house, in the order in which the data visits them.
        // From views of bytes to arrays: what both the media's and the wire's nouns stand on.
        room("RillBytes"),
        // Where objects with one owner have their state.
        room("RillState"),
        room("RillCore", ["RillBytes"]),
        // What drivers stand on: named threads, the clock, bounded hand-offs between threads.
        room("RillThreads", ["RillCore", "CThreads"]),
        room("RillImage", ["RillCore", "CYUV"]),
        room("RillBeauty", ["RillCore"]),
        room("RillCapture", ["RillCore", "RillImage", "CV4L2", "CJPEG"]),
        // The drawn portrait: a person in front of a camera, for tests, benchmarks and demonstrations.
        room("RillScenes", ["RillCore", "RillImage"]),
        room("RillFiles", ["RillCore", "CPNG"]),
        room("RillCodec", ["RillCore", "RillImage", "CVPX", "CVPXMemory"], linkedWith: [libvpx]),
        room("RillRTP", ["RillBytes"]),
        room("RillSend", ["RillRTP", "RillCore"]),
        room("RillTransport", ["RillCore", "RillBytes", "CSockets"]),
        // SRTP and SRTCP: what a call's packets are protected with.
        room("RillSecurity", ["RillRTP", "RillBytes", "CSRTP"]),
        // The emulated link: a room of its own below the laboratory, so that tests of senders, receivers and sessions have a
        // network without building codecs.
        room(
            "RillLink",
            [
                "RillCore",
                .product(name: "HeapModule", package: "swift-collections", condition: .when(traits: ["Laboratory"])),
            ]),
        room("RillReceive", ["RillRTP", "RillCore", "RillState"]),
        // One call in both directions: streams, routes, RTCP, events.
        room("RillSession", ["RillCore", "RillRTP", "RillSend", "RillReceive", "RillState"]),
        room(
            "Rill",
            [
                "RillCore", "RillThreads", "RillImage", "RillBeauty", "RillCapture", "RillCodec", "RillRTP", "RillSend",
                "RillReceive", "RillSession", "RillTransport", "RillSecurity", "RillBytes",
            ]),
        // The offline driver: clips read, transcoded in passes and segments, and written.
        room(
            "RillTranscode",
            ["RillCore", "RillImage", "RillBeauty", "RillFiles", "RillCodec", "RillThreads"]),
        // What experiments need: the emulated link, the virtual driver, loopback, simulation, timelines, inspection, replay.
        room(
            "RillLab",
            [
                "Rill", "RillCore", "RillThreads", "RillImage", "RillBeauty", "RillFiles", "RillCodec", "RillRTP",
                "RillSend", "RillReceive", "RillSession", "RillTransport", "RillSecurity", "RillLink", "RillTranscode",
                .product(name: "Histogram", package: "hdrhistogram-swift", condition: .when(traits: ["Laboratory"])),
            ]),
        // Every other container and codec. Debian builds FFmpeg's libraries under the GPL, so nothing but this links them.
        room("RillContainers", ["RillCore", "RillImage", "RillFiles", "CFFmpeg"]),
        // Plots and tables as pages of HTML: for the command's reports, and for Benchmarks/.
        room("RillPages"),
        .executableTarget(
            name: "RillCLI",
            dependencies: [
                "Rill", "RillScenes", "RillTranscode", "RillLab", "RillContainers", "RillPages", "RillSecurity",
                "RillSession", "RillTransport",
                .product(
                    name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["CommandLine"])),
            ],
            swiftSettings: settings),

        // What the tests share: seeded mutation of bytes, clips made on the spot, folders that clean up.
        .target(
            name: "RillTestSupport", dependencies: ["RillCore", "RillTransport"], path: "Tests/RillTestSupport",
            swiftSettings: roomSettings),
        // Packets made by hand, and who keeps or mends packets.
        .target(
            name: "RillPacketSupport", dependencies: ["RillCore", "RillRTP"], path: "Tests/RillPacketSupport",
            swiftSettings: roomSettings),
        // Pictures, recordings and coded clips for tests of whole stages.
        .target(
            name: "RillMediaSupport",
            dependencies: ["RillCore", "RillImage", "RillFiles", "RillRTP", "RillTestSupport"],
            path: "Tests/RillMediaSupport", swiftSettings: roomSettings),
        // What libFuzzer and the tests run alike; the package in Fuzzing/ compiles the same files.
        .target(
            name: "RillFuzzTargets",
            dependencies: ["RillCore", "RillRTP", "RillFiles", "RillLink", "RillReceive", "RillSend", "RillSession"],
            path: "Tests/RillFuzzTargets", swiftSettings: roomSettings),
        tests(of: "RillBytes"),
        tests(of: "RillState"),
        tests(of: "RillCore"),
        tests(of: "RillThreads"),
        tests(of: "RillImage"),
        tests(of: "RillBeauty", ["RillScenes", "RillFiles"]),
        tests(of: "RillCapture", ["CV4L2", "CJPEG", "RillImage"]),
        tests(of: "RillScenes"),
        tests(of: "RillFiles"),
        tests(of: "RillCodec", ["CVPXMemory"]),
        tests(of: "RillRTP", ["RillFuzzTargets", "RillPacketSupport"]),
        tests(of: "RillSend", ["RillCodec", "RillReceive", "RillPacketSupport"]),
        tests(of: "RillTransport"),
        tests(of: "RillSecurity", ["CSRTP"]),
        tests(of: "RillLink"),
        tests(of: "RillReceive", ["RillSend", "RillPacketSupport"]),
        tests(of: "RillSession", ["RillLink", "RillFuzzTargets"]),
        tests(of: "Rill", ["RillSession", "RillLab", "RillScenes", "RillTranscode", "RillMediaSupport"]),
        tests(of: "RillTranscode", ["RillMediaSupport"]),
        tests(of: "RillLab", ["RillMediaSupport"]),
        tests(of: "RillPages"),
        tests(of: "RillContainers", ["RillFiles"]),
        tests(of: "RillCLI", ["RillTransport"]),

        // Tests of more than one room, by what they need (see Scripts/test).
        // What libFuzzer runs, over the corpus and damaged seeds.
        tests("FuzzTests", of: ["RillFuzzTargets", "RillSecurity", "RillSession"]),
        // What more than one thread touches: the thread sanitizer's.
        tests(
            "ConcurrencyTests",
            of: ["Rill", "RillLab", "RillScenes", "RillTranscode", "RillSecurity", "RillTransport", "RillMediaSupport"]),
        // Whole calls in virtual time.
        tests("EndToEndTests", of: ["Rill", "RillSession", "RillLab", "RillTranscode", "RillMediaSupport"]),
        // Targets that are measured over long clips and calls; a sample of them unless RILL_LONG_TESTS is set.
        tests(
            "LongTests",
            of: [
                "Rill", "RillLab", "RillScenes", "RillTranscode", "RillPacketSupport", "RillMediaSupport", "RillLink",
                "RillTransport",
            ]),
        // Other programs as judges: tshark, GStreamer, FFmpeg, Chromium.
        tests(
            "PeerTests",
            of: [
                "Rill", "RillSession", "RillLab", "RillContainers", "RillCLI", "RillFuzzTargets", "RillPacketSupport",
                "RillMediaSupport", "RillSecurity",
            ]),
        // Cameras of the kernel's own drivers, in the virtual machine of Tests/CameraVM.
        tests("CameraTests", of: ["RillCapture"]),
    ]
)

// Some targets' tests alone, as Scripts/test builds them: RILL_TESTS="RillCoreTests PeerTests". SwiftPM makes one product of
// all test targets that there are.
if let wanted = Context.environment["RILL_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
