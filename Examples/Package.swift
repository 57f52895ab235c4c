// swift-tools-version: 6.3
import PackageDescription

// As in a project of your own: Rill is a dependency by URL and version.
func rill(_ products: String...) -> [Target.Dependency] { products.map { .product(name: $0, package: "rill") } }

let package = Package(
    name: "rill-examples",
    dependencies: [
        // An app writes `traits: []` and fetches only Rill. Examples that emulate a network need the trait Laboratory,
        // and those that join a room over a WebSocket the trait Rooms.
        .package(url: "https://github.com/rill-video/rill", from: "0.2.0", traits: ["Laboratory", "Rooms"])
    ],
    targets: [
        // Sends a clip as RTP packets: the sending side in ten lines.
        .executableTarget(
            name: "clip-to-packets", dependencies: rill("Rill", "RillTranscode"), path: "ClipToPackets"),
        // Transcodes a clip in two passes, with progress; only complete files get their names.
        .executableTarget(
            name: "archive-clip", dependencies: rill("Rill", "RillTranscode"), path: "ArchiveClip"),
        // Sends a camera live as RTP packets.
        .executableTarget(
            name: "camera-to-packets", dependencies: rill("Rill"), path: "CameraToPackets"),
        // Sends a clip live over UDP, with a session description for players.
        .executableTarget(
            name: "clip-to-udp", dependencies: rill("Rill", "RillTranscode"), path: "ClipToUDP"),
        // A two-way call over SRTP, and a lossy network to try it with.
        .executableTarget(
            name: "two-way-call", dependencies: rill("Rill", "RillTranscode"), path: "TwoWayCall"),
        .executableTarget(
            name: "lossy-relay", dependencies: rill("Rill", "RillLab"), path: "LossyRelay"),
        // The jitter buffer in an app that has its own decoder, without any C library.
        .executableTarget(
            name: "own-decoder",
            dependencies: rill("RillReceive"), path: "OwnDecoder"),
        // A codec that Rill does not include, AV1 with libaom, through both pipelines.
        .systemLibrary(name: "CAOM", path: "CAOM", providers: [.apt(["libaom-dev"])]),
        .executableTarget(
            name: "own-codec", dependencies: rill("Rill", "RillTranscode") + ["CAOM"], path: "OwnCodec"),
        // Shows the pictures before they are encoded, while it sends them.
        .executableTarget(
            name: "local-preview", dependencies: rill("Rill", "RillTranscode"), path: "LocalPreview"),
        // Five apps in rooms of `rill serve`: a few people, a stream's chat, a grid of seventeen, a meeting, a list of
        // messages.
        .executableTarget(
            name: "sample-room", dependencies: rill("RillRoomClient", "RillTranscode"), path: "Rooms/SampleRoom"),
        .executableTarget(
            name: "stream-chat", dependencies: rill("RillRoomClient"), path: "Rooms/StreamChat"),
        .executableTarget(
            name: "grid", dependencies: rill("RillRoomClient", "RillTranscode"), path: "Rooms/Grid"),
        .executableTarget(
            name: "meeting", dependencies: rill("RillRoomClient", "RillTranscode"), path: "Rooms/Meeting"),
        .executableTarget(
            name: "message-list", dependencies: rill("RillRoomClient"), path: "Rooms/MessageList"),
        // Each library product in a program of its own that imports nothing else, not even Glibc or Foundation: they
        // would link libraries that the product must link itself.
        .executableTarget(
            name: "library-rill", dependencies: rill("Rill"), path: "Libraries/Rill"),
        .executableTarget(
            name: "library-beauty", dependencies: rill("RillBeauty"), path: "Libraries/Beauty"),
        .executableTarget(
            name: "library-rtp", dependencies: rill("RillRTP"), path: "Libraries/RTP"),
        .executableTarget(
            name: "library-receive", dependencies: rill("RillReceive"), path: "Libraries/Receive"),
        .executableTarget(
            name: "library-session", dependencies: rill("RillSession"), path: "Libraries/Session"),
        .executableTarget(
            name: "library-transport", dependencies: rill("RillTransport"), path: "Libraries/Transport"),
        .executableTarget(
            name: "library-peer", dependencies: rill("RillPeer"), path: "Libraries/Peer"),
        .executableTarget(
            name: "library-forward", dependencies: rill("RillForward"), path: "Libraries/Forward"),
        .executableTarget(
            name: "library-rooms", dependencies: rill("RillRooms"), path: "Libraries/Rooms"),
        .executableTarget(
            name: "library-roomclient", dependencies: rill("RillRoomClient"), path: "Libraries/RoomClient"),
        .executableTarget(
            name: "library-whip", dependencies: rill("RillWHIP"), path: "Libraries/WHIP"),
        .executableTarget(
            name: "library-transcode", dependencies: rill("RillTranscode"), path: "Libraries/Transcode"),
        .executableTarget(
            name: "library-containers", dependencies: rill("RillContainers"), path: "Libraries/Containers"),
        .executableTarget(
            name: "library-lab", dependencies: rill("RillLab"), path: "Libraries/Lab"),
    ],
    swiftLanguageModes: [.v6]
)
