extension SessionDescription {
    /// The streams that go one way, of all sections of a kind, in their order: each layer of a simulcast is one.
    ///
    ///     let offer = try SessionDescription(parsing: bytes.span)
    ///     for stream in try offer.streams(.send) { … }      // what its writer sends: RTPSession.receive
    ///     for stream in try offer.streams(.receive) { … }   // what its writer takes: RTPSession.send
    ///
    /// Of each stream's formats it is the first that is among `codecs`; VP9 of profile 0. Sections that are refused, go the other way
    /// or are not RTP have none.
    ///
    /// - Parameters:
    ///   - way: seen from who wrote the description.
    ///   - codecs: names of payload formats, in upper or lower case.
    /// - Throws: `noCodec` for a section without such a format, and what [StreamDescription]'s `validate()` throws.
    public func streams(
        _ way: RestrictionIdentifier.Direction, of kind: MediaDescription.Kind = .video,
        codecs: [String] = ["VP8", "VP9"]
    ) throws(StreamDescriptionError) -> [StreamDescription] {
        var found: [StreamDescription] = []
        for (index, section) in media.enumerated() where section.kind == kind {
            guard section.goes(way, unlessSaid: direction) else { continue }
            let streams = try section.streams(way, codecs: codecs)
            guard !streams.isEmpty else { throw .noCodec(section: index) }
            found += streams
            // A description of many sections is refused before all of them are read.
            guard found.count <= [StreamDescription].maximumStreamCount else { break }
        }
        try found.validate()
        return found
    }
}

extension MediaDescription {
    /// Whether streams of the section go that way at all.
    fileprivate func goes(_ way: RestrictionIdentifier.Direction, unlessSaid session: MediaDirection?) -> Bool {
        // Port 0 refuses, but in a group that shares another section's port (RFC 9143 §6).
        guard isRTP, port != 0 || otherAttributes.contains(where: { $0.name == "bundle-only" }) else { return false }
        return switch direction ?? session ?? .sendAndReceive {
        case .sendAndReceive: true
        case .sendOnly: way == .send
        case .receiveOnly: way == .receive
        case .inactive: false
        }
    }
}
