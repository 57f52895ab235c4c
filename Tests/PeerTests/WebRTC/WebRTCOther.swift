/// Another program's end of a WebRTC connection.
protocol WebRTCOther {
    /// Makes an offer, with all candidates.
    func offer() throws -> String
    /// Answers an offer, with all candidates.
    func answer(_ offer: String) throws -> String
    /// Takes an answer.
    func accept(_ answer: String) throws
    /// What it counted.
    func count() throws -> OtherCounts
    /// Ends it.
    func end() async
}

extension WebRTCOther {
    /// A program ends with the test.
    func end() async {}
}

/// What another program counted.
struct OtherCounts: Decodable {
    var state = "?"
    /// Frames of video that it sent, of each stream; `nil` if it does not count them.
    var sent: [Int]?
    /// Frames of video that it decoded, of each stream.
    var decoded: [Int] = []
    /// The profile of SRTP.
    var srtp: String?
    /// From the descriptions to the first picture of ours, in ms.
    var firstPicture: Double?
    /// Key frames that it was asked for, by the name of the layer; `nil` if it does not tell.
    var keyFramesAsked: [String: Int]?
}

extension ChromiumPeer: WebRTCOther {
    func offer() throws -> String { try offer(restartsICE: false) }

    func count() throws -> OtherCounts {
        let figures = try figures()
        return OtherCounts(
            state: figures.state, sent: figures.sent.map { $0.framesSent ?? 0 },
            decoded: figures.received.map { $0.framesDecoded ?? 0 }, srtp: figures.srtp,
            firstPicture: figures.pictures.compactMap(\.self).min(),
            keyFramesAsked: Dictionary(
                uniqueKeysWithValues: figures.sent.compactMap { sent in sent.rid.map { ($0, sent.pliCount ?? 0) } }))
    }
}
