extension SessionDescription {
    /// Returns the streams of one direction from all sections of a media type, in order. Each simulcast layer is a
    /// stream.
    ///
    /// ```swift
    /// let offer = try SessionDescription(parsing: bytes.span)
    /// let theirs = try offer.streams(.send)      // what its writer sends: RTPSession.receive
    /// let ours = try offer.streams(.receive)     // what its writer receives: RTPSession.send
    /// ```
    ///
    /// Each stream has its first format that is among `codecs`, with a profile that Rill has. Sections that are
    /// rejected, have the other direction or are not RTP have no streams.
    ///
    /// - Parameters:
    ///   - way: the direction, as seen by the writer of the description.
    ///   - kind: the media type; video by default.
    ///   - codecs: the names of the payload formats to accept; case-insensitive. ``CodecTraits/names(of:)`` by default.
    /// - Throws: `noCodec` for a section without such a format, and the errors of [StreamDescription]'s `validate()`.
    public func streams(
        _ way: RestrictionIdentifier.Direction, of kind: MediaDescription.Kind = .video,
        codecs: [String]? = nil
    ) throws(StreamDescriptionError) -> [StreamDescription] {
        var found: [StreamDescription] = []
        for (index, section) in media.enumerated() where section.kind == kind {
            guard section.goes(way, unlessSaid: direction) else { continue }
            let streams = try section.streams(way, codecs: codecs ?? CodecTraits.names(of: kind))
            guard !streams.isEmpty else { throw .noCodec(section: index) }
            found += streams
            // Stops early: a description with too many streams is rejected without parsing all of them.
            guard found.count <= [StreamDescription].maximumStreamCount else { break }
        }
        try found.validate()
        return found
    }
}

extension MediaDescription {
    /// Whether the section has streams in that direction.
    fileprivate func goes(_ way: RestrictionIdentifier.Direction, unlessSaid session: MediaDirection?) -> Bool {
        // Port 0 rejects a section, except in a group that shares another section's port (RFC 9143 §6).
        guard isRTP, port != 0 || otherAttributes.contains(where: { $0.name == "bundle-only" }) else { return false }
        return switch direction ?? session ?? .sendAndReceive {
        case .sendAndReceive: true
        case .sendOnly: way == .send
        case .receiveOnly: way == .receive
        case .inactive: false
        }
    }
}
