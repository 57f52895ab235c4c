import ArgumentParser
import Rill
import RillCore
import RillSession

/// How sent video follows the network: the option that `rill call`, `rill send` and `rill loopback` share.
struct CongestionOptions: ParsableArguments {
    @Option(
        help: """
            Follow the network: send as much as it carries, with paced packets. `auto`, or bounds of the bitrate with \
            all headers like 30k...2M, and a start like 30k...2M,start=500k.
            """,
        completion: .list(["auto", "30k...2M"]), transform: congestionNotation)
    var congestion: CongestionBounds?

    /// The settings for these layers; `nil` if the network is not followed.
    func settings(for layers: [LayerSettings]) -> CongestionSettings? {
        guard let congestion else { return nil }
        // A quarter for headers and repair.
        let most = Bitrate(bitsPerSecond: layers.reduce(0) { $0 + $1.bitrate.bitsPerSecond } * 5 / 4)
        let range = congestion.range ?? .kilobits(30)...max(most, .kilobits(30))
        var settings = CongestionSettings(bitrates: range)
        if let start = congestion.start { settings.startBitrate = start }
        return settings
    }
}

let congestionNotation: @Sendable (String) throws -> CongestionBounds = { try CongestionBounds(notation: $0) }

/// The values of `--congestion`.
struct CongestionBounds: Equatable, Sendable {
    /// `nil` for the default bounds.
    var range: ClosedRange<Bitrate>?
    /// `nil` for the default start.
    var start: Bitrate?

    /// Parses `auto`, `30k...2M`, or one of them with `,start=300k`.
    init(notation text: String) throws {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if parts[0] != "auto" {
            let ends = parts[0].split(separator: "...", omittingEmptySubsequences: false).map(String.init)
            guard ends.count == 2 else { throw CongestionBounds.error(text) }
            let (least, most) = (try bitrateNotation(ends[0]), try bitrateNotation(ends[1]))
            guard .kilobits(1) <= least, least <= most else { throw CongestionBounds.error(text) }
            range = least...most
        }
        guard parts.count > 1 else { return }
        guard parts.count == 2, parts[1].hasPrefix("start=") else { throw CongestionBounds.error(text) }
        start = try bitrateNotation(String(parts[1].dropFirst("start=".count)))
    }

    private static func error(_ text: String) -> ValidationError {
        ValidationError(
            "\"\(text)\" is not understood: expected auto, or bounds of the bitrate like 30k...2M, each also with ,start=300k"
        )
    }
}
