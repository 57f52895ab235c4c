import Glibc
import RillTestSupport

extension Page {
    /// A video that can be seen.
    struct Video: Decodable {
        /// The number of the camera that made its picture, and that of the frame; -1 without a picture.
        var clip: Int
        var frame: Int
        /// A pixel of the picture that has the clip's color.
        var color: [Int]
        var rect: Rect
        /// The accessible name of what it is in.
        var label: String
        /// Whether it is shown mirrored.
        var mirrored: Bool
        /// The size of its pictures.
        var width: Int
        var height: Int
        /// `cover` or `contain`.
        var fit: String
    }

    /// Statistics of `RTCPeerConnection`, as far as tests need them.
    struct Stats: Decodable {
        var id: String
        var kind: String?
        var rid: String?
        var mid: String?
        var frameWidth: Int?
        var frameHeight: Int?
        var framesPerSecond: Double?
        var framesDecoded: Int?
        var framesSent: Int?
        var bytesReceived: Int?
        var bytesSent: Int?
        var keyFramesDecoded: Int?
        var keyFramesEncoded: Int?
        var totalAudioEnergy: Double?
        var audioLevel: Double?
    }

    /// The videos that can be seen, in the order of the page.
    func videos() throws -> [Video] { try read("probe.videos()") }

    /// The videos that show a picture of somebody's camera.
    func pictures() throws -> [Video] { try videos().filter { $0.clip >= 0 } }

    /// The video that shows the camera with that number: waits for it.
    func video(of clip: Int, within seconds: Double = 30) throws -> Video {
        var found: Video?
        try wait("clip \(clip): \(try videos())\n\(try text())", within: seconds) {
            found = try videos().first { $0.clip == clip }
            return found != nil
        }
        return try existing(found)
    }

    /// Waits until exactly these cameras can be seen.
    func shows(_ clips: Set<Int>, within seconds: Double = 30) throws {
        try wait("clips \(clips): \(try videos())\n\(try text())", within: seconds) {
            Set(try pictures().map(\.clip)) == clips
        }
    }

    /// Statistics of a type, as `inbound-rtp`, of video or audio.
    func stats(_ type: String, _ kind: String? = nil) throws -> [Stats] {
        try read("probe.stats(\(literal(type)))", as: [Stats].self).filter { kind == nil || $0.kind == kind }
    }

    /// Errors of the page's scripts, and what its security policy has refused.
    func errors() throws -> [String] { try read("probe.errors ?? []") }

    /// The view's size.
    func view() throws -> Rect { try read("({x: 0, y: 0, width: innerWidth, height: innerHeight})") }

    /// The rectangles of the tiles that can be seen, by the name of who is in them, in the order of the page.
    func tiles() throws -> [(name: String, rect: Rect)] {
        try all("listitem").compactMap { item in
            let name = String(item.name.prefix { $0 != "," })
            guard !name.isEmpty else { return nil }
            let rect = try item.rect()
            return rect.width < 2 ? nil : (name, rect)
        }
    }

    /// Waits for so many tiles that have come to rest.
    @discardableResult
    func tilesAtRest(_ count: Int, within seconds: Double = 30) throws -> [(name: String, rect: Rect)] {
        var found: [(name: String, rect: Rect)] = []
        try wait("\(count) tiles at rest: \(found)\n\(try slots())", within: seconds) {
            let before = found.map(\.rect)
            found = try tiles()
            usleep(60_000)
            return found.count == count && found.map(\.rect) == before
        }
        return found
    }

    /// What the server has said last of each section, and what arrives in it: for those who look for a fault.
    private func slots() throws -> String {
        let some = "probe.got.filter((one) => ['slot', 'published'].includes(one.type))"
        let said = "\(some).map((one) => JSON.stringify(one))"
        let arrived = try stats("inbound-rtp", "video").map {
            "\($0.mid ?? ""): \($0.bytesReceived ?? 0) bytes, \($0.framesDecoded ?? 0) frames"
        }
        return try read(said, as: [String].self).joined(separator: "\n") + "\n\(arrived)"
    }

    /// Where the tiles are.
    func stage() throws -> Rect { try element("list", "Stage").rect() }

    /// How many messages of a type have come from the server, in which a condition holds.
    func messages(_ type: String, where condition: String = "true") throws -> Int {
        try read("probe.got.filter((one) => one.type === \(literal(type)) && (\(condition))).length")
    }

    /// The number of a member, as the log has it.
    func uid(of name: String) throws -> Int {
        let list = "[...probe.got, ...probe.got.flatMap((one) => one.snapshot?.participants ?? [])]"
        return try read("\(list).findLast((one) => one.name === \(literal(name)) && one.role)?.uid ?? -1")
    }
}
