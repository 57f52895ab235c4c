public import RillCore
public import RillPeer

extension StreamForwarder {
    /// The streams, by name.
    ///
    /// - Parameter now: the current time.
    public func statistics(at now: MediaTime) -> [StreamStatistics] {
        streams.values.map { $0.statistics(at: now) }.sorted { $0.name < $1.name }
    }

    /// What was forwarded to all viewers so far.
    public var counts: ForwardCounts {
        viewers.values.reduce(into: formerCounts) { $0.add($1.counts) }
    }

    /// How many sessions there are.
    public var sessionCount: (publishers: Int, viewers: Int) { (publishers.count, viewers.count) }

    /// How many of them were not connected yet.
    public var halfOpenCount: Int { ledger.halfOpenCount }

    /// What became of datagrams.
    public var portStatistics: ICEPortStatistics { port.statistics }

    /// A session's connection, to read its state and statistics; `nil` for an unknown one.
    public subscript(id: ICEPeerID) -> PeerConnection? { port[id] }

    /// The layers that a stream's viewers may choose from, the best one first; empty for an unknown stream.
    public func layers(of name: String) -> [String] {
        guard let stream = streams[name] else { return [] }
        return stream.order.map { stream.layers[$0].name }
    }
}

extension ForwardedStream {
    fileprivate func statistics(at now: MediaTime) -> StreamStatistics {
        StreamStatistics(
            name: name, codec: codec, isPublished: publisher != nil, age: now - start, viewerCount: viewers.count,
            forwarded: viewers.reduce(into: ForwardCounts()) { $0.add($1.counts) },
            layers: order.map { index in
                let (layer, rates) = (layers[index], layers[index].rates(at: now))
                return LayerStatistics(
                    name: layer.name, resolution: layer.resolution, framesPerSecond: rates.frames,
                    bitrate: Bitrate(bitsPerSecond: Int(rates.bits)), frames: layer.frameCount,
                    keyFrames: layer.keyFrameCount, viewerCount: viewers.count { $0.current == index })
            })
    }
}
