extension MediaDescription {
    /// Returns the section's streams in one direction; none if no format is among `codecs`.
    ///
    /// There is one stream per simulcast layer (RFC 8853). Without RIDs, there is one per announced source, or a
    /// single one with an unknown source.
    ///
    /// - Parameters:
    ///   - way: the direction, as seen by the writer of the description.
    ///   - codecs: the names of the payload formats to accept; case-insensitive.
    /// - Throws: `headerExtensionInUse`. ``StreamDescription/validate()`` checks whether all properties are
    ///   consistent.
    public func streams(
        _ way: RestrictionIdentifier.Direction, codecs: [String]
    ) throws(StreamDescriptionError) -> [StreamDescription] {
        let extensions = try headerExtensionMap(way)
        let layers = layers(way)
        // Announced sources are those that the writer sends.
        let sources = way == .send ? primarySources : []
        // SDP does not map sources to RIDs; if all of them are in the simulcast, both are in the same order.
        let sourcesMatchLayers = sources.count == layers.count && (layers.count == 1 || isSimulcastOfSources)
        var found: [StreamDescription] = []
        for index in 0..<max(layers.count, layers.isEmpty ? max(sources.count, 1) : 0) {
            let layer = layers.isEmpty ? nil : layers[index]
            guard let format = format(for: layer, codecs), let encoding = format.encoding else { continue }
            var stream = StreamDescription(format.payloadType, encoding)
            (stream.kind, stream.parameters) = (kind, format.parameters)
            stream.mid = mid
            stream.headerExtensions = extensions
            stream.feedback = StreamDescription.Feedback(format.feedback + feedback)
            stream.usesReducedSizeRTCP = otherAttributes.contains { $0.name == "rtcp-rsize" }
            if layers.isEmpty || sourcesMatchLayers, index < sources.count { stream.ssrc = sources[index] }
            stream.canonicalName = stream.ssrc.flatMap { canonicalName(of: $0) }
            // RED of audio repeats earlier payloads (RFC 2198), and is another format.
            if kind == .video {
                stream.repair = repair(of: format.payloadType, stream.ssrc)
                addAlternatives(to: &stream, layer, codecs)
            }
            if let layer {
                stream.rid = layer.rid
                stream.alternativeRIDs = layer.alternatives
                stream.isPaused = layer.isPaused
                stream.limits = StreamDescription.Limits(layer.restrictions)
            } else {
                stream.limits.framesPerSecond = frameRate
            }
            found.append(stream)
        }
        return found
    }

    /// A stream with a RID.
    private struct Layer {
        var rid: String
        var alternatives: [String]
        var isPaused: Bool
        var payloadTypes: [PayloadType]
        var restrictions: [RTPFormat.Parameter]
    }

    /// The streams with RIDs in that direction. Ignores names in a=simulcast that have no a=rid line (RFC 8853 §5.2).
    private func layers(_ way: RestrictionIdentifier.Direction) -> [Layer] {
        let known = rids.filter { $0.direction == way }
        let streams = simulcast.map { way == .send ? $0.send : $0.receive } ?? []
        let named = streams.isEmpty ? known.map { [Simulcast.Alternative($0.id)] } : streams.map(\.alternatives)
        return named.compactMap { alternatives in
            let alternatives = alternatives.filter { name in known.contains { $0.id == name.rid } }
            guard let first = alternatives.first, let line = known.first(where: { $0.id == first.rid }) else {
                return nil
            }
            return Layer(
                rid: first.rid, alternatives: alternatives.dropFirst().map(\.rid), isPaused: first.isPaused,
                payloadTypes: line.payloadTypes, restrictions: line.restrictions)
        }
    }

    /// The first format that is among `codecs` and that the layer may use.
    private func format(for layer: Layer?, _ codecs: [String]) -> RTPFormat? {
        formats.first { allows($0, for: layer, codecs) }
    }

    private func allows(_ format: RTPFormat, for layer: Layer?, _ codecs: [String]) -> Bool {
        guard let types = layer?.payloadTypes, !types.isEmpty, !types.contains(format.payloadType) else {
            return codecs.contains { format.isNamed($0) } && CodecTraits.has(format)
        }
        return false
    }

    /// Adds the other formats that are among `codecs` and that the layer may use, one for each codec.
    private func addAlternatives(to stream: inout StreamDescription, _ layer: Layer?, _ codecs: [String]) {
        for format in formats where allows(format, for: layer, codecs) {
            guard let encoding = format.encoding, encoding.clockRate == stream.encoding.clockRate,
                !format.isNamed(stream.encoding.name),
                !stream.alternatives.contains(where: { format.isNamed($0.encoding.name) }),
                !stream.payloadTypes.contains(format.payloadType)
            else { continue }
            var other = StreamDescription.Alternative(format.payloadType, encoding)
            other.parameters = format.parameters
            let again = formats.first { $0.isNamed("rtx") && $0.associatedPayloadType == format.payloadType }
            // In RED, packets of all formats look alike.
            if stream.repair.retransmission != nil, stream.repair.redPayloadType == nil,
                let type = again?.payloadType, type != format.payloadType, !stream.payloadTypes.contains(type)
            {
                other.retransmissionPayloadType = type
            }
            stream.alternatives.append(other)
        }
    }

    /// The repair settings for packets with a payload type.
    private func repair(of payloadType: PayloadType, _ ssrc: SSRC?) -> RepairSettings {
        var repair = RepairSettings()
        repair.redPayloadType = formats.first { $0.isNamed("red") }?.payloadType
        repair.fecPayloadType = formats.first { $0.isNamed("ulpfec") }?.payloadType
        let again = formats.filter { $0.isNamed("rtx") }
        for original in [repair.redPayloadType, payloadType].compactMap(\.self) {
            guard let format = again.first(where: { $0.associatedPayloadType == original }) else { continue }
            let source = sourceGroups.first { $0.semantics == "FID" && $0.ssrcs.count == 2 && $0.ssrcs[0] == ssrc }
            repair.retransmission = RepairSettings.Retransmission(
                ssrc: source?.ssrcs[1], payloadType: format.payloadType,
                originalPayloadType: original == repair.redPayloadType ?? payloadType ? nil : original)
            repair.retransmission?.milliseconds = format[parameter: "rtx-time"].flatMap { Int($0) }
            break
        }
        return repair
    }

    /// The sources of streams, without those of their retransmissions and FEC packets.
    private var primarySources: [SSRC] {
        var secondary: Set<SSRC> = []
        for group in sourceGroups where ["FID", "FEC", "FEC-FR"].contains(group.semantics) {
            // Validation reports a source that is grouped with itself.
            secondary.formUnion(group.ssrcs.dropFirst().filter { $0 != group.ssrcs[0] })
        }
        var seen = secondary
        return sources.map(\.ssrc).filter { seen.insert($0).inserted }
    }

    private var isSimulcastOfSources: Bool {
        sourceGroups.contains { $0.semantics == "SIM" && $0.ssrcs == primarySources }
    }

    private func canonicalName(of ssrc: SSRC) -> String? {
        sources.first { $0.ssrc == ssrc && $0.attribute.name == "cname" }?.attribute.value
    }

    /// The IDs of the extensions in packets of that direction. Ignores IDs that mean "to be chosen".
    private func headerExtensionMap(
        _ way: RestrictionIdentifier.Direction
    ) throws(StreamDescriptionError) -> HeaderExtensionMap {
        var map = HeaderExtensionMap()
        for mapping in headerExtensions {
            guard let kind = mapping.kind, let id = UInt8(exactly: mapping.id), mapping.goes(way) else { continue }
            do throws(RTPError) { try map.set(kind, id: id) } catch { throw .headerExtensionInUse(id) }
        }
        return map
    }
}

extension HeaderExtensionMapping {
    fileprivate func goes(_ way: RestrictionIdentifier.Direction) -> Bool {
        switch direction {
        case nil, .sendAndReceive: true
        case .sendOnly: way == .send
        case .receiveOnly: way == .receive
        case .inactive: false
        }
    }
}
