public import RillRTP

/// Errors of offers and answers, with the numbers, names and lines that show the problem.
public enum NegotiationError: Error, Equatable, Sendable {
    /// A description of that kind cannot be set in that state (RFC 9429 §3.2).
    case wrongState(SignalingState, DescriptionKind, DescriptionSide)
    /// The connection is closed.
    case closed
    /// An offer or answer cannot be made in that state.
    case cannotMake(DescriptionKind, in: SignalingState)
    /// A local description is not the last one that was made, or transceivers changed since in a way that voids it.
    case notLastMade(DescriptionKind)
    /// The text is not a session description.
    case malformed(SDPError)
    /// A remote description contradicts itself, this side or an earlier description.
    case invalid(DescriptionProblem, at: DescriptionPlace)
    /// A candidate cannot be parsed.
    case invalidCandidate(ICEError)
    /// A candidate names no section of the remote description.
    case unknownSection(mid: String?, index: Int?)
    /// A candidate came before a remote description.
    case noRemoteDescription
    /// A candidate is of another generation than the remote description.
    case otherGeneration(usernameFragment: String)
    /// A transceiver is neither of audio nor of video.
    case unsupportedKind(String)
    /// A transceiver has no codec to offer: the settings have none of its kind, or the other side's formats take all
    /// payload types.
    case noCodec(MediaDescription.Kind)
    /// The name of a media stream or track has another length than 1 to 64 bytes, or characters that it cannot have.
    case invalidName(String)
    /// No transceiver has that identity.
    case unknownTransceiver(TransceiverID)
    /// The transceiver is stopped.
    case stopped(TransceiverID)
    /// The encodings of a transceiver contradict each other, or those that were negotiated.
    case invalidEncodings(EncodingProblem)
    /// The other side restarts ICE, and the answer's credentials are the old ones.
    case credentialsNotRenewed(usernameFragment: String)
    /// The local transport has no fingerprint.
    case noFingerprint
    /// There are more sections than the settings allow.
    case tooManySections(count: Int, limit: Int)
}

extension NegotiationError: CustomStringConvertible {
    /// A description of the error in one sentence.
    public var description: String {
        switch self {
        case .wrongState(let state, let kind, let side):
            "a \(side.rawValue) \(kind) cannot be set in the state \(state)\(NegotiationError.advice(state))"
        case .closed:
            "the connection is closed: create another"
        case .cannotMake(let kind, let state):
            "no \(kind) can be made in the state \(state)\(NegotiationError.advice(state))"
        case .notLastMade(let kind):
            "this is not the \(kind) that was made last: set that, unchanged"
        case .malformed(let error):
            error.description
        case .invalid(let problem, let place):
            "\(place)\(problem)"
        case .invalidCandidate(let error):
            error.description
        case .unknownSection(let mid, let index):
            "a candidate of section \(mid.map { "\"\($0)\"" } ?? index.map(String.init) ?? "?"), which the remote description does not have"
        case .noRemoteDescription:
            "a candidate came before the remote description: keep it until that is set"
        case .otherGeneration(let fragment):
            "a candidate of \"\(fragment)\", which is not the username fragment of the remote description: drop it"
        case .unsupportedKind(let kind):
            "a transceiver is of audio or video, not of \(kind)"
        case .noCodec(let kind):
            "there is no codec of \(kind.rawValue) to offer: the settings have none, or all payload types are taken"
        case .invalidName(let name):
            "\"\(name)\" does not name a media stream: use 1 to 64 letters, digits, - and _"
        case .unknownTransceiver(let id):
            "there is no \(id), or no longer"
        case .stopped(let id):
            "\(id) is stopped: add another"
        case .invalidEncodings(let problem):
            problem.description
        case .credentialsNotRenewed(let fragment):
            "the offer restarts ICE, and the answer has the old username fragment \(fragment): draw new credentials"
        case .noFingerprint:
            "the local transport has no fingerprint: give that of the certificate"
        case .tooManySections(let count, let limit):
            "\(count) sections; the limit is \(limit): stop transceivers that are not used"
        }
    }

    private static func advice(_ state: SignalingState) -> String {
        switch state {
        case .stable: ": there is no exchange to go on with"
        case .haveLocalOffer, .haveRemoteProvisionalAnswer: ": wait for the other side's answer"
        case .haveRemoteOffer, .haveLocalProvisionalAnswer: ": answer the other side's offer first"
        case .closed: ""
        }
    }
}

extension DescriptionPlace: CustomStringConvertible {
    /// `line 12 (section 1, mid "audio"): `.
    public var description: String {
        let name = mid.map { ", mid \"\($0)\"" } ?? ""
        switch (line, section) {
        case (let line?, let section?): return "line \(line) (section \(section)\(name)): "
        case (let line?, nil): return "line \(line): "
        case (nil, let section?): return "section \(section)\(name): "
        case (nil, nil): return ""
        }
    }
}

extension EncodingProblem: CustomStringConvertible {
    /// A description of the problem in one sentence.
    public var description: String {
        switch self {
        case .count(let count): "\(count) layers: a transceiver has 1 to \(SendingEncoding.maximumCount)"
        case .invalidRID(let rid): "\"\(rid)\" is not a RID: use 1 to 16 letters, digits, - and _"
        case .duplicateRID(let rid): "two layers of a transceiver have the RID \"\(rid)\""
        case .missingRID: "one of several layers has no RID: give each one"
        case .changed: "the layers of a transceiver with a section keep their number and RIDs: add another transceiver"
        }
    }
}
