import RillRTP

/// The formats of a section that both sides have, in the answerer's order, with the numbers of both.
///
/// Each side sends with the payload types of the other's description (RFC 3264 §5.1, §6.1).
struct FormatAgreement {
    /// A format with the payload types and parameters of both.
    struct Entry {
        var key: FormatKey
        var local: RTPFormat
        var remote: RTPFormat
    }

    private(set) var entries: [Entry] = []
    /// The feedback for all formats that both have.
    let wildcardFeedback: [RTCPFeedback]

    /// - Parameters:
    ///   - supported: what this side can do.
    ///   - local: our section.
    ///   - remote: the other side's.
    ///   - answer: the one that answers.
    init(_ supported: SupportedFormats, local: MediaDescription, remote: MediaDescription, answer: DescriptionSide) {
        let (ours, theirs) = (FormatTable(local), FormatTable(remote))
        let common = supported.common(answer == .local ? ours : theirs)
        for entry in common {
            guard var mine = ours[entry.key], var other = theirs[entry.key] else { continue }
            let feedback = supported.feedback.intersection(.init(mine.feedback + local.feedback))
                .intersection(.init(other.feedback + remote.feedback))
            mine.feedback = feedback.subtracting(.wildcard).messages
            other.feedback = mine.feedback
            entries.append(Entry(key: entry.key, local: mine, remote: other))
        }
        wildcardFeedback =
            supported.feedback.intersection(.init(local.feedback))
            .intersection(.init(remote.feedback)).messages
    }

    /// The name of the preferred codec; `nil` if none is common.
    var codec: Entry? { entries.first { !$0.key.isRepair } }

    /// The payload types of the other side that correspond to ours.
    var remoteTypes: [PayloadType: PayloadType] { types { ($0.local, $0.remote) } }
    /// Our payload types that correspond to those of the other side.
    var localTypes: [PayloadType: PayloadType] { types { ($0.remote, $0.local) } }

    private func types(_ pair: (Entry) -> (RTPFormat, RTPFormat)) -> [PayloadType: PayloadType] {
        var types: [PayloadType: PayloadType] = [:]
        for entry in entries {
            let (from, to) = pair(entry)
            types[from.payloadType] = to.payloadType
        }
        return types
    }
}
