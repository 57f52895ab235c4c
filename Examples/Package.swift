// swift-tools-version: 6.3
import PackageDescription

// Written as in a project of your own: Rill comes by its URL and version.
let package = Package(
    name: "rill-examples",
    dependencies: [
        .package(url: "https://github.com/rill-video/rill", from: "0.1.0")
    ],
    targets: [
        // A clip, or a drawn scene, as RTP packets: the sending side in ten lines.
        .executableTarget(
            name: "clip-to-packets", dependencies: [.product(name: "Rill", package: "rill")], path: "ClipToPackets"),
        // A clip to files, in two passes: with progress, and names that only whole files bear.
        .executableTarget(
            name: "archive-clip", dependencies: [.product(name: "Rill", package: "rill")], path: "ArchiveClip"),
        // A camera live, as packets.
        .executableTarget(
            name: "camera-to-packets", dependencies: [.product(name: "Rill", package: "rill")], path: "CameraToPackets"),
        // A drawn scene live over UDP, with a description for players.
        .executableTarget(
            name: "scene-to-udp", dependencies: [.product(name: "Rill", package: "rill")], path: "SceneToUDP"),
        // The jitter buffer for an app that has a decoder already: without any C library.
        .executableTarget(
            name: "own-decoder",
            dependencies: [
                .product(name: "RillReceive", package: "rill"), .product(name: "RillRTP", package: "rill"),
            ],
            path: "OwnDecoder"),
        // What the camera sees, beside what is sent.
        .executableTarget(
            name: "local-preview", dependencies: [.product(name: "Rill", package: "rill")], path: "LocalPreview"),
    ],
    swiftLanguageModes: [.v6]
)
