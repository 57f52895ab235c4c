import ArgumentParser
import Rill
import RillCore
import RillSend
import RillSession

/// How sent video follows the network: the option that `rill call`, `rill send`, `rill publish` and `rill loopback`
/// share.
struct CongestionOptions: ParsableArguments {
    @Option(
        help: """
            Follow the network: send as much as it carries, with paced packets. `auto`, `off`, or bounds of the bitrate \
            with all headers like 30k...2M, and a start like 30k...2M,start=500k (default: auto; rill loopback: off).
            """,
        completion: .list(["auto", "off", "30k...2M"]), transform: congestionNotation)
    var congestion: CongestionChoice?

    /// The settings; `nil` if the network is not followed.
    ///
    /// - Parameter isDefault: whether it is followed without the option.
    func settings(byDefault isDefault: Bool) -> CongestionSettings? {
        switch congestion ?? (isDefault ? .on() : .off) {
        case .off: return nil
        case .on(let range, let start):
            var settings = CongestionSettings(bitrates: range)
            if let start { settings.startBitrate = start }
            return settings
        }
    }
}

let congestionNotation: @Sendable (String) throws -> CongestionChoice = { try CongestionChoice(notation: $0) }

/// The values of `--congestion`.
enum CongestionChoice: Equatable, Sendable {
    case off
    /// `nil` for the default bounds, and the default start.
    case on(ClosedRange<Bitrate>? = nil, start: Bitrate? = nil)

    /// Parses `off`, `auto`, `30k...2M`, or one of the last two with `,start=300k`.
    init(notation text: String) throws {
        guard text != "off" else {
            self = .off
            return
        }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var range: ClosedRange<Bitrate>?
        if parts[0] != "auto" {
            let ends = parts[0].split(separator: "...", omittingEmptySubsequences: false).map(String.init)
            guard ends.count == 2 else { throw CongestionChoice.error(text) }
            let (least, most) = (try bitrateNotation(ends[0]), try bitrateNotation(ends[1]))
            guard .kilobits(1) <= least, least <= most else { throw CongestionChoice.error(text) }
            range = least...most
        }
        guard parts.count > 1 else {
            self = .on(range)
            return
        }
        guard parts.count == 2, parts[1].hasPrefix("start=") else { throw CongestionChoice.error(text) }
        self = .on(range, start: try bitrateNotation(String(parts[1].dropFirst("start=".count))))
    }

    private static func error(_ text: String) -> ValidationError {
        ValidationError(
            """
            "\(text)" is not understood: expected auto, off, or bounds of the bitrate like 30k...2M, with or without \
            ,start=300k
            """)
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

    func validate(with congestion: CongestionSettings?) throws {
        guard fec != .adaptive || congestion != nil else {
            throw ValidationError("--fec auto follows the network: --congestion auto does")
        }
    }
}

let protectionNotation: @Sendable (String) throws -> Protection = { try Protection(notation: $0) }
