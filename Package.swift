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

/// The settings of all targets. CI sets the variable: debug builds then compile each module at once, as release builds
/// do, instead of in batches of files. A build from nothing takes less work, and one after a change of one file more.
let targetSettings =
    Context.environment["RILL_WHOLE_MODULES"] == nil
    ? settings
    : settings + [
        .unsafeFlags(["-whole-module-optimization", "-num-threads", "2"], .when(configuration: .debug))
    ]

/// The settings of library targets. Debug builds optimize them too, with asserts left in: an app that is debugged shows
/// every frame, where plain debug code takes a hundred times the time of a release build. RILL_PLAIN_DEBUG turns this
/// off, to debug Rill itself. SwiftPM has no safe setting for it; it accepts unsafe flags in a dependency with tools
/// version 6.2 or newer. Files are compiled one by one: for whole modules the driver would print remarks in an app's
/// build.
let moduleSettings =
    Context.environment["RILL_PLAIN_DEBUG"] == nil
    ? targetSettings + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : targetSettings

/// CI sets the variable for the build that has all traits: a warning in what only they compile is then an error.
let strict: [SwiftSetting] =
    Context.environment["RILL_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// A wing of the house: the files of its modules are in Sources/WING/MODULE.
func wing(_ name: String, _ modules: Target...) -> [Target] {
    for module in modules { module.path = "Sources/\(name)/\(module.name)" }
    return modules
}

/// A library target. `rounded()` and similar functions call libm where the processor may lack the instruction (x86-64
/// before SSE4.1), and only an import of Glibc or Foundation links libm: an app that imports neither would fail to
/// link. So each target links it.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], linkedWith libraries: [String] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, swiftSettings: moduleSettings,
        linkerSettings: (libraries + ["m"]).map { .linkedLibrary($0) })
}

/// libvpx is linked statically, so that CVPXMemory can replace its allocator: an encoder then needs at most half the
/// memory. On a system that has only the shared library, set RILL_SHARED_LIBVPX=1.
let libvpx = Context.environment["RILL_SHARED_LIBVPX"] == nil ? ":libvpx.a" : "vpx"

/// The tests of a module; `measurePixels` if they spend their time on pixels themselves, and are worth optimizing.
func tests(
    of module: String, _ more: [Target.Dependency] = [], besides files: [String] = [], measurePixels: Bool = false
) -> Target {
    tests(module + "Tests", of: [.byName(name: module)] + more, besides: files, measurePixels: measurePixels)
}

func tests(
    _ name: String, of dependencies: [Target.Dependency], besides files: [String] = [], measurePixels: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["RillTestSupport"], exclude: files,
        swiftSettings: measurePixels ? moduleSettings : targetSettings)
}

/// A product of another package, which only builds with that trait fetch and build.
func product(_ name: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// A target of this package, which only builds with that trait use.
func target(_ name: String, for trait: String) -> Target.Dependency {
    .target(name: name, condition: .when(traits: [trait]))
}

/// The products, each with the modules that an app may import with it. An app links only what it names.
let products: [(name: String, modules: [String])] = [
    (
        "Rill",
        [
            "Rill", "RillCore", "RillBytes", "RillThreads", "RillImage", "RillCapture", "RillCodec", "RillFiles",
            "RillCongestion", "RillSecurity",
        ]
    ),
    ("RillRTP", ["RillRTP", "RillCore"]),
    ("RillReceive", ["RillReceive", "RillRTP", "RillCore"]),
    ("RillSession", ["RillSession", "RillSend", "RillReceive", "RillCongestion", "RillRTP", "RillCore"]),
    ("RillPeer", ["RillPeer", "RillSecurity", "RillRTP", "RillCore"]),
    ("RillTransport", ["RillTransport", "RillThreads", "RillCore"]),
    ("RillForward", ["RillForward"]),
    ("RillRooms", ["RillRooms"]),
    // A room as an app has it: apart from the rooms' core, which a server links without codecs.
    ("RillRoomClient", ["RillRoomClient", "RillRooms", "Rill", "RillCore", "RillSecurity"]),
    ("RillWHIP", ["RillWHIP"]),
    ("RillBeauty", ["RillBeauty", "RillCore"]),
    ("RillTranscode", ["RillTranscode", "RillFiles", "RillCodec", "RillImage", "RillCore"]),
    // Alone: it links FFmpeg, which Debian builds under the GPL, and whose start takes 60 million instructions.
    ("RillContainers", ["RillContainers", "RillFiles", "RillImage", "RillCore"]),
    // The emulated network and virtual time, for tests of apps and for the benchmarks, a package of their own.
    ("RillLab", ["RillLab", "RillLink", "RillCodec", "RillCore"]),
]

/// Scripts/fuzz builds single modules with the sanitizers' flags, and not all that an app's product has.
let fuzzed = (Context.environment["RILL_FUZZING"] == nil ? [] : ["RillCore", "RillFiles", "RillLink", "RillSend"])
    .map { (name: $0, modules: [$0]) }

/// The modules, wing by wing, those before their C libraries, each a system module.
let wings: [[Target]] = [
    wing(
        "Core",
        // Conversions between spans and arrays: alone, because `import Rill` shows all of it, and of RillCore a part.
        module("RillBytes"),
        module("RillCore", ["RillBytes"]),
        // The base of the drivers: named threads, the clock, bounded queues between threads.
        module("RillThreads", ["RillCore", "CThreads"]),
        .systemLibrary(name: "CThreads")),
    wing(
        "Wire",
        module("RillRTP", ["RillCore"])),
    wing(
        "Streams",
        module("RillSend", ["RillRTP", "RillCore"]),
        module("RillReceive", ["RillRTP", "RillCore"]),
        // What was sent, what came back, and what the path carries.
        module("RillCongestion", ["RillCore", "RillRTP"]),
        // A two-way call: streams, routes, RTCP, events.
        module("RillSession", ["RillCore", "RillRTP", "RillSend", "RillReceive", "RillCongestion"])),
    wing(
        "Peer",
        // SRTP and SRTCP.
        module("RillSecurity", ["RillCore", "RillRTP", "CSRTP", "COpenSSL"]),
        .systemLibrary(name: "CSRTP", providers: [.apt(["libsrtp2-dev"])]),
        // A connection with a WebRTC peer: offer and answer, ICE, DTLS, and a session.
        module(
            "RillPeer",
            [
                "RillCore", "RillRTP", "RillReceive", "RillSecurity", "RillSession", "COpenSSL",
            ]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])])),
    wing(
        "Media",
        module("RillImage", ["RillCore", "CYUV"]),
        .systemLibrary(name: "CYUV", providers: [.apt(["libyuv-dev"])]),
        module("RillBeauty", ["RillCore"]),
        module("RillCapture", ["RillCore", "RillImage", "CV4L2", "CJPEG"]),
        .systemLibrary(name: "CV4L2"),
        // A target with code: libjpeg reports errors by longjmp, which must not cross a Swift frame.
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        module("RillCodec", ["RillCore", "RillRTP", "RillImage", "CVPX", "CVPXMemory"], linkedWith: [libvpx]),
        .systemLibrary(name: "CVPX", providers: [.apt(["libvpx-dev"])]),
        // The allocator for libvpx.
        .target(name: "CVPXMemory"),
        module("RillFiles", ["RillCore", "RillRTP", "CPNG"]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        // Other containers and codecs. Debian builds FFmpeg's libraries under the GPL, so only this module links them.
        module("RillContainers", ["RillCore", "RillRTP", "RillImage", "RillFiles", "CFFmpeg"]),
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavformat",
            providers: [.apt(["libavformat-dev", "libavcodec-dev", "libswscale-dev"])]),
        // The offline driver: reads clips, transcodes them in passes and segments, and writes them.
        module(
            "RillTranscode",
            ["RillCore", "RillRTP", "RillImage", "RillBeauty", "RillFiles", "RillCodec", "RillThreads"])),
    wing(
        "App",
        module("RillTransport", ["RillCore", "CSockets"]),
        // System calls that send and receive many datagrams at once.
        .target(name: "CSockets"),
        module(
            "Rill",
            [
                "RillPeer", "RillCore", "RillThreads", "RillImage", "RillBeauty", "RillCapture",
                "RillCodec", "RillRTP", "RillSend", "RillReceive", "RillSession", "RillTransport", "RillSecurity",
                "RillBytes",
            ])),
    wing(
        "Rooms",
        // Frames of one publisher, forwarded to many viewers.
        module(
            "RillForward",
            ["RillCore", "RillPeer", "RillRTP", "RillSession", "RillThreads", "RillTransport"]),
        // A room's people, rights, events and messages, both sides, without the channels that carry them.
        module("RillRooms", ["RillCore"]),
        // The live object of an app that is in a room; its own WebSocket comes with the trait Rooms.
        .target(
            name: "RillRoomClient",
            dependencies: [
                "Rill", "RillCore", "RillPeer", "RillRTP", "RillRooms", "RillSecurity", "RillSession", "RillThreads",
                product("NIOCore", of: "swift-nio", for: "Rooms"),
                product("NIOHTTP1", of: "swift-nio", for: "Rooms"),
                product("NIOPosix", of: "swift-nio", for: "Rooms"),
                product("NIOSSL", of: "swift-nio-ssl", for: "Rooms"),
                product("NIOWebSocket", of: "swift-nio", for: "Rooms"),
            ],
            swiftSettings: moduleSettings + strict, linkerSettings: [.linkedLibrary("m")]),
        // Publish and watch by URL: WHIP and WHEP, both sides, without the HTTP that carries them (see RillServer).
        module("RillWHIP", ["RillCore"]),
        // WHIP and WHEP over HTTP and HTTPS: limits, tokens, metrics, pages; it serves RillForward's streams.
        .target(
            name: "RillServer",
            dependencies: [
                "RillCore", "RillForward", "RillPeer", "RillRTP", "RillRooms", "RillThreads", "RillTransport",
                "RillWHIP",
                // Chats: the database, and the images.
                target("CImages", for: "Server"),
                product("Crypto", of: "swift-crypto", for: "Server"),
                product("GRDB", of: "GRDB.swift", for: "Server"),
                product("HTTPTypes", of: "swift-http-types", for: "Server"),
                product("Hummingbird", of: "hummingbird", for: "Server"),
                product("HummingbirdCore", of: "hummingbird", for: "Server"),
                product("HummingbirdTLS", of: "hummingbird", for: "Server"),
                product("JWTKit", of: "jwt-kit", for: "Server"),
                product("Logging", of: "swift-log", for: "Server"),
                product("NIOCore", of: "swift-nio", for: "Server"),
                product("NIOConcurrencyHelpers", of: "swift-nio", for: "Server"),
                product("NIOHTTP1", of: "swift-nio", for: "Server"),
                product("NIOHTTPTypes", of: "swift-nio-extras", for: "Server"),
                product("NIOHTTPTypesHTTP1", of: "swift-nio-extras", for: "Server"),
                product("NIOSSL", of: "swift-nio-ssl", for: "Server"),
                product("NIOWebSocket", of: "swift-nio", for: "Server"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", for: "Server"),
            ],
            // Pages are embedded in the code, so that the program needs no other file.
            resources: [
                "index.html", "publish.html", "watch.html", "room.html", "operator.html", "rill.svg", "rill.css",
                "rill.js", "list.js", "publish.js", "watch.js", "room.js", "rill-room.js", "rill-chat.js",
                "rill-sframe.js", "operator.js", "chat.js", "chat.css",
                "stage.js", "lobby.js", "beauty.js", "texts.js", "room.css",
            ].map { .embedInCode("Pages/\($0)") },
            swiftSettings: moduleSettings + strict),
        // A target with code: libpng and libjpeg report errors by longjmp, which must not cross a Swift frame. It is
        // empty without the trait.
        .target(
            name: "CImages", cSettings: [.define("RILL_SERVER", .when(traits: ["Server"]))],
            linkerSettings: ["png", "jpeg", "webp", "webpdemux", "gif"].map {
                .linkedLibrary($0, .when(traits: ["Server"]))
            })),
    wing(
        "Lab",
        // The emulated link: a module separate from RillLab, so that tests of senders, receivers and sessions have a
        // network without building codecs.
        module(
            "RillLink",
            [
                "RillCore",
                product("DequeModule", of: "swift-collections", for: "Laboratory"),
                product("HeapModule", of: "swift-collections", for: "Laboratory"),
            ]),
        // Tools for experiments: the emulated link, the virtual driver, loopback, simulation, timelines, inspection,
        // replay.
        module(
            "RillLab",
            [
                "Rill", "RillCore", "RillThreads", "RillImage", "RillBeauty", "RillFiles", "RillCodec",
                "RillRTP", "RillSend", "RillReceive", "RillSession", "RillTransport", "RillSecurity",
                "RillLink", "RillTranscode",
                product("Histogram", of: "hdrhistogram-swift", for: "Laboratory"),
            ]),
        // The drawn portrait, a person in front of a camera, for tests, benchmarks and `rill generate`. Not a product.
        module("RillScenes", ["RillCore"])),
    wing(
        "Tools",
        .executableTarget(
            name: "RillCLI",
            dependencies: [
                "Rill", "RillScenes", "RillTranscode", "RillLab", "RillContainers",
                "RillSecurity", "RillSession", "RillTransport",
                product("ArgumentParser", of: "swift-argument-parser", for: "CommandLine"),
                // Serve, publish and watch.
                target("RillForward", for: "Server"), target("RillRoomClient", for: "Server"),
                target("RillRooms", for: "Server"), target("RillServer", for: "Server"),
                target("RillWHIP", for: "Server"),
                product("AsyncHTTPClient", of: "async-http-client", for: "Server"),
                product("Configuration", of: "swift-configuration", for: "Server"),
                product("Logging", of: "swift-log", for: "Server"),
                product("NIOCore", of: "swift-nio", for: "Server"),
                product("NIOHTTP1", of: "swift-nio", for: "Server"),
                product("NIOPosix", of: "swift-nio", for: "Server"),
                product("NIOSSL", of: "swift-nio-ssl", for: "Server"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", for: "Server"),
                product("UnixSignals", of: "swift-service-lifecycle", for: "Server"),
                // Preview.
                target("RillWindow", for: "Window"),
            ],
            // The page of all reports, which Scripts/bench fills as well.
            resources: [.embedInCode("Page/report.html")], swiftSettings: targetSettings + strict),
        // Pictures in a window.
        .target(
            name: "RillWindow", dependencies: ["RillCore", target("CSDL", for: "Window")],
            swiftSettings: moduleSettings + strict),
        .systemLibrary(name: "CSDL", providers: [.apt(["libsdl2-dev", "libsdl2-ttf-dev", "fonts-dejavu-core"])])),
]

let package = Package(
    name: "rill",
    products: (products + fuzzed).map { .library(name: $0.name, targets: $0.modules) } + [
        // Empty without the trait Server.
        .library(name: "RillServer", targets: ["RillServer"]),
        .executable(name: "rill", targets: ["RillCLI"]),
    ],
    // Only the command line, experiments, server and window have dependencies. An app avoids them with `traits: []`
    // after the URL. All is compiled again where one build folder gets other traits (see Scripts/test).
    traits: [
        .trait(
            name: "CommandLine", description: "The command rill: swift-argument-parser.", enabledTraits: ["Laboratory"]),
        .trait(
            name: "Laboratory",
            description:
                "RillLink and RillLab, the emulated network and the lab: swift-collections, hdrhistogram."),
        .trait(name: "Rooms", description: "The WebSocket of RillRoomClient: swift-nio."),
        .trait(
            name: "Server",
            description:
                "RillServer, and `rill serve`, `token`, `publish`, `watch`, `join`: Hummingbird, JWTKit and others.",
            enabledTraits: ["Rooms"]),
        .trait(name: "Window", description: "`rill preview` and `rill watch --preview`: SDL2."),
        .default(enabledTraits: ["CommandLine"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        // With the trait Server only; swift-nio and swift-nio-ssl with Rooms too.
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: wings.flatMap { $0 } + [
        // Shared by the tests: seeded mutation of bytes, generated clips, temporary folders.
        .target(
            name: "RillTestSupport", dependencies: ["RillCore", "RillTransport"], path: "Tests/RillTestSupport",
            swiftSettings: moduleSettings),
        // Hand-made packets, and objects that collect or repair packets.
        .target(
            name: "RillPacketSupport", dependencies: ["RillCore", "RillRTP"], path: "Tests/RillPacketSupport",
            swiftSettings: moduleSettings),
        // Pictures, recordings and encoded clips for tests of whole stages.
        .target(
            name: "RillMediaSupport",
            dependencies: ["RillCore", "RillImage", "RillFiles", "RillRTP", "RillTestSupport"],
            path: "Tests/RillMediaSupport", swiftSettings: moduleSettings),
        // WebRTC peers in virtual time.
        .target(
            name: "RillPeerSupport",
            dependencies: ["RillCore", "RillLink", "RillRTP", "RillSession", "RillPeer", "RillPacketSupport"],
            path: "Tests/RillPeerSupport", swiftSettings: moduleSettings),
        // What every store of rooms' chats must do.
        .target(
            name: "RillRoomsSupport", dependencies: ["RillRooms", "RillTestSupport"], path: "Tests/RillRoomsSupport",
            swiftSettings: targetSettings),
        // The fuzz targets, which both libFuzzer and the tests run; the package in Fuzzing/ compiles the same files.
        .target(
            name: "RillWireFuzzTargets", dependencies: ["RillCore", "RillRTP"], path: "Tests/RillFuzzTargets/Wire",
            swiftSettings: moduleSettings),
        .target(
            name: "RillFuzzTargets",
            dependencies: [
                "RillWireFuzzTargets", "RillCore", "RillRTP", "RillFiles", "RillLink", "RillReceive", "RillSend",
                "RillSession", "RillSecurity", "RillPeer", "RillWHIP",
            ],
            path: "Tests/RillFuzzTargets/Stack", swiftSettings: moduleSettings),
        tests(of: "RillBytes"),
        tests(of: "RillCore"),
        tests(of: "RillThreads"),
        tests(of: "RillImage"),
        tests(
            of: "RillBeauty", ["RillScenes", "RillFiles", "RillCapture"],
            besides: ["SkinPolygons", "Pictures", "Faces/opencv-windows.txt"], measurePixels: true),
        tests(of: "RillCapture", ["CV4L2", "CJPEG", "RillImage", "RillMediaSupport"]),
        tests(of: "RillScenes"),
        tests(of: "RillFiles"),
        tests(of: "RillCodec", ["CVPXMemory"]),
        tests(of: "RillRTP", ["RillWireFuzzTargets", "RillPacketSupport"]),
        tests(of: "RillSend", ["RillCodec", "RillReceive", "RillPacketSupport"]),
        tests(of: "RillTransport"),
        tests(
            of: "RillSecurity", ["CSRTP"],
            besides: ["SFrame/frame-vectors.py", "SFrame/frame-vectors.txt", "SFrame/rfc9605-headers.txt"]),
        tests(
            of: "RillPeer",
            ["RillLink", "RillSecurity", "RillRTP", "RillSession", "RillPacketSupport", "RillPeerSupport"],
            besides: ["Negotiation/Descriptions"]),
        tests(
            of: "RillForward",
            ["RillLink", "RillPeer", "RillRTP", "RillSession", "RillPacketSupport", "RillPeerSupport"]),
        tests(of: "RillRooms", ["RillRoomsSupport"]),
        tests(of: "RillWHIP", ["RillFuzzTargets"]),
        tests(
            of: "RillServer",
            [
                "Rill", "RillCLI", "RillCore", "RillForward", "RillRoomClient", "RillRooms", "RillRoomsSupport",
                "RillScenes", "RillTransport", "RillWHIP",
                product("Crypto", of: "swift-crypto", for: "Server"),
                product("JWTKit", of: "jwt-kit", for: "Server"),
                product("Logging", of: "swift-log", for: "Server"),
                product("NIOCore", of: "swift-nio", for: "Server"),
                product("NIOPosix", of: "swift-nio", for: "Server"),
                product("NIOSSL", of: "swift-nio-ssl", for: "Server"),
                product("ServiceLifecycle", of: "swift-service-lifecycle", for: "Server"),
                product("SwiftASN1", of: "swift-asn1", for: "Server"),
                product("X509", of: "swift-certificates", for: "Server"),
            ]),
        tests(of: "RillWindow", ["RillCore", target("CSDL", for: "Window")], besides: ["window-check"]),
        tests(of: "RillLink"),
        tests(of: "RillReceive", ["RillSend", "RillPacketSupport"]),
        tests(of: "RillCongestion", ["RillLink", "RillPacketSupport"]),
        tests(of: "RillSession", ["RillLink", "RillFuzzTargets", "RillPacketSupport"]),
        tests(
            of: "Rill",
            [
                "RillSecurity", "RillSession", "RillLab", "RillScenes", "RillTranscode", "RillMediaSupport",
                "RillPacketSupport",
            ]),
        tests(of: "RillTranscode", ["RillScenes", "RillMediaSupport"]),
        tests(of: "RillLab", ["RillMediaSupport"]),
        tests(of: "RillContainers", ["RillFiles"]),
        tests(of: "RillCLI", ["RillTransport", "RillMediaSupport"]),

        // Tests of more than one module, grouped by what they need (see Scripts/test).
        // The fuzz targets, run over the corpus and mutated seeds.
        // And peers with the right keys that send anything: optimized, because the tests make millions of packets.
        tests(
            "FuzzTests",
            of: [
                "RillFuzzTargets", "RillCodec", "RillForward", "RillLink", "RillPacketSupport", "RillPeer",
                "RillPeerSupport", "RillSecurity", "RillSession", "RillThreads", "RillTransport", "Rill",
            ], measurePixels: true),
        // Code with several threads, for the thread sanitizer.
        tests(
            "ConcurrencyTests",
            of: [
                "Rill", "RillLab", "RillScenes", "RillTranscode", "RillSecurity", "RillTransport",
                "RillForward", "RillMediaSupport", "RillPeer", "RillPeerSupport", "RillLink",
            ]),
        // Whole calls in virtual time.
        tests("EndToEndTests", of: ["Rill", "RillSession", "RillLab", "RillTranscode", "RillMediaSupport"]),
        // Acceptance targets over long clips and calls; a sample of them unless RILL_LONG_TESTS is set.
        tests(
            "LongTests",
            of: [
                "Rill", "RillLab", "RillScenes", "RillTranscode", "RillPacketSupport", "RillMediaSupport", "RillLink",
                "RillTransport",
            ]),
        // Comparisons with other programs: tshark, GStreamer, FFmpeg, Chromium, Firefox.
        tests(
            "PeerTests",
            of: [
                "Rill", "RillCodec", "RillSession", "RillLab", "RillContainers", "RillCLI", "RillFuzzTargets",
                "RillPacketSupport", "RillMediaSupport", "RillSecurity", "RillCongestion", "RillPeer",
                "RillScenes", "RillTransport", "RillWHIP",
            ]),
        // The web room of `rill serve` in Chromium. A target without Rill's modules: it builds in seconds.
        tests("RoomPageTests", of: []),
        // Cameras of the kernel's drivers, in the virtual machine of Tests/CameraVM.
        tests("CameraTests", of: ["RillCapture"]),
    ]
)

// Scripts/test builds the tests of some targets only: RILL_TESTS="RillCoreTests PeerTests". SwiftPM builds all test
// targets of a package into one product, so the others are removed here.
if let names = Context.environment["RILL_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
