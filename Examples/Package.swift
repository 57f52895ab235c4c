// swift-tools-version: 6.3
import PackageDescription

// Written as in a project of your own: Rill comes by its URL and version.
func rill(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "rill") } }

let package = Package(
    name: "rill-examples",
    dependencies: [
        // An app says `traits: []`, and fetches nothing but Rill; what is emulated and measured here wants the laboratory.
        .package(url: "https://github.com/rill-video/rill", from: "0.2.0", traits: ["Laboratory"])
    ],
    targets: [
        // A clip, or a drawn scene, as RTP packets: the sending side in ten lines.
        .executableTarget(
            name: "clip-to-packets", dependencies: rill("Rill", "RillFiles", "RillScenes"), path: "ClipToPackets"),
        // A clip to files, in two passes: with progress, and names that only whole files bear.
        .executableTarget(
            name: "archive-clip", dependencies: rill("Rill", "RillFiles", "RillScenes", "RillTranscode"),
            path: "ArchiveClip"),
        // A camera live, as packets.
        .executableTarget(
            name: "camera-to-packets", dependencies: rill("Rill"), path: "CameraToPackets"),
        // A drawn scene live over UDP, with a description for players.
        .executableTarget(
            name: "scene-to-udp", dependencies: rill("Rill", "RillScenes"), path: "SceneToUDP"),
        // A call in both directions, protected, and a lossy network to try it over.
        .executableTarget(
            name: "two-way-call", dependencies: rill("Rill", "RillScenes"), path: "TwoWayCall"),
        .executableTarget(
            name: "lossy-relay", dependencies: rill("Rill", "RillLab", "RillLink"), path: "LossyRelay"),
        // The jitter buffer for an app that has a decoder already: without any C library.
        .executableTarget(
            name: "own-decoder",
            dependencies: rill("RillReceive", "RillRTP"), path: "OwnDecoder"),
        // A codec that Rill does not bring, AV1 by libaom, through both pipelines.
        .systemLibrary(name: "CAOM", path: "CAOM", providers: [.apt(["libaom-dev"])]),
        .executableTarget(
            name: "own-codec", dependencies: rill("Rill", "RillScenes") + ["CAOM"], path: "OwnCodec"),
        // What the camera sees, beside what is sent.
        .executableTarget(
            name: "local-preview", dependencies: rill("Rill", "RillFiles", "RillScenes"), path: "LocalPreview"),
        // Each library product by itself, in a program that imports nothing else: neither Glibc nor Foundation, which
        // would bring libraries that the product has to bring.
        .executableTarget(
            name: "library-rill", dependencies: rill("Rill"), path: "Libraries/Rill"),
        .executableTarget(
            name: "library-bytes", dependencies: rill("RillBytes"), path: "Libraries/Bytes"),
        .executableTarget(
            name: "library-state", dependencies: rill("RillState"), path: "Libraries/State"),
        .executableTarget(
            name: "library-core", dependencies: rill("RillCore"), path: "Libraries/Core"),
        .executableTarget(
            name: "library-threads", dependencies: rill("RillThreads"), path: "Libraries/Threads"),
        .executableTarget(
            name: "library-image", dependencies: rill("RillImage"), path: "Libraries/Image"),
        .executableTarget(
            name: "library-beauty", dependencies: rill("RillBeauty"), path: "Libraries/Beauty"),
        .executableTarget(
            name: "library-capture", dependencies: rill("RillCapture"), path: "Libraries/Capture"),
        .executableTarget(
            name: "library-scenes", dependencies: rill("RillScenes"), path: "Libraries/Scenes"),
        .executableTarget(
            name: "library-files", dependencies: rill("RillFiles"), path: "Libraries/Files"),
        .executableTarget(
            name: "library-codec", dependencies: rill("RillCodec"), path: "Libraries/Codec"),
        .executableTarget(
            name: "library-rtp", dependencies: rill("RillRTP"), path: "Libraries/RTP"),
        .executableTarget(
            name: "library-send", dependencies: rill("RillSend"), path: "Libraries/Send"),
        .executableTarget(
            name: "library-receive", dependencies: rill("RillReceive"), path: "Libraries/Receive"),
        .executableTarget(
            name: "library-session", dependencies: rill("RillSession"), path: "Libraries/Session"),
        .executableTarget(
            name: "library-transport", dependencies: rill("RillTransport"), path: "Libraries/Transport"),
        .executableTarget(
            name: "library-security", dependencies: rill("RillSecurity"), path: "Libraries/Security"),
        .executableTarget(
            name: "library-link", dependencies: rill("RillLink"), path: "Libraries/Link"),
        .executableTarget(
            name: "library-transcode", dependencies: rill("RillTranscode"), path: "Libraries/Transcode"),
        .executableTarget(
            name: "library-lab", dependencies: rill("RillLab"), path: "Libraries/Lab"),
        .executableTarget(
            name: "library-containers", dependencies: rill("RillContainers"), path: "Libraries/Containers"),
        .executableTarget(
            name: "library-pages", dependencies: rill("RillPages"), path: "Libraries/Pages"),
    ],
    swiftLanguageModes: [.v6]
)
