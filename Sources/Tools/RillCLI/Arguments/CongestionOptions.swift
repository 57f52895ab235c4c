import ArgumentParser
import Rill
import RillCore
import RillSend
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

/// The values of `--fec`.
enum Protection: Equatable, CustomStringConvertible {
    /// As many FEC packets for each frame, in percent of its packets.
    case share(Percentage)
    /// As many as the path's loss and round trip demand.
    case adaptive

    /// Parses `auto` or a percentage.
    init(notation text: String) throws {
        self = text == "auto" ? .adaptive : .share(try percentageNotation(text))
    }

    var description: String {
        switch self {
        case .share(let percentage): "\(percentage)"
        case .adaptive: "auto"
        }
    }

    /// The settings of FEC; `nil` for none.
    func settings(payloadType: PayloadType, redPayloadType: PayloadType) -> FECSettings? {
        guard self != .share(.zero) else { return nil }
        let share: Percentage = if case .share(let percentage) = self { percentage } else { .zero }
        var settings = FECSettings(percentage: share, payloadType: payloadType, redPayloadType: redPayloadType)
        settings.isAdaptive = self == .adaptive
        return settings
    }
}

/// The option that `rill send` and `rill loopback` share.
struct ProtectionOption: ParsableArguments {
    @Option(
        help: """
            FEC packets for each frame, in percent of its packets (default: 0%), or `auto` with --congestion: by what \
            the network loses, where that shows more frames than retransmission alone.
            """,
        completion: .list(["auto", "20%", "50%"]), transform: protectionNotation)
    var fec = Protection.share(.zero)

    /// Whether packets are in RED.
    var isOn: Bool { fec != .share(.zero) }

    func validate(with congestion: CongestionOptions) throws {
        guard fec != .adaptive || congestion.congestion != nil else {
            throw ValidationError("--fec auto follows the network: add --congestion auto")
        }
    }
}

let protectionNotation: @Sendable (String) throws -> Protection = { try Protection(notation: $0) }
