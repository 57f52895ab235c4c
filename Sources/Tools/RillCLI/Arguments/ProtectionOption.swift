import ArgumentParser
import RillCore
import RillSend

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
