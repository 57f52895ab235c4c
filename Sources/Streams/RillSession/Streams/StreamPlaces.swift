/// A stream's slot among those of its direction. Slots are reused after a stream is removed. The generation
/// distinguishes the users of a slot, so an old place finds no stream.
struct StreamPlace: Hashable, Sendable {
    var index: UInt32
    var generation: UInt32
}

/// The streams of one direction.
struct StreamPlaces<Stream: AnyObject> {
    private var streams: [Stream?] = []
    private var generations: [UInt32] = []

    /// The most streams of one direction.
    static var limit: Int { 1024 }

    /// The number of streams.
    private(set) var count = 0

    /// Adds a stream in a free slot; `nil` if the limit is reached.
    mutating func add<Failure>(_ make: (StreamPlace) throws(Failure) -> Stream) throws(Failure) -> Stream? {
        guard count < Self.limit else { return nil }
        let index = streams.firstIndex { $0 == nil } ?? streams.count
        let generation = index < generations.count ? generations[index] : 0
        let stream = try make(StreamPlace(index: UInt32(index), generation: generation))
        if index == streams.count {
            streams.append(stream)
            generations.append(generation)
        } else {
            streams[index] = stream
        }
        count += 1
        return stream
    }

    /// The stream at a place; `nil` after it was removed.
    subscript(place: StreamPlace) -> Stream? {
        let index = Int(place.index)
        guard index < streams.count, generations[index] == place.generation else { return nil }
        return streams[index]
    }

    /// Removes a stream, if it exists.
    mutating func remove(_ place: StreamPlace) -> Stream? {
        guard let stream = self[place] else { return nil }
        streams[Int(place.index)] = nil
        generations[Int(place.index)] &+= 1
        count -= 1
        return stream
    }

    /// All indices, some of them empty.
    var indices: Range<Int> { streams.indices }

    /// The stream that has this index now.
    subscript(index: Int) -> Stream? { streams[index] }
}

/// An identifier of a stream that a session sends; it is never reused in the session.
public struct SendingStreamID: Hashable, Sendable {
    let place: StreamPlace
}

/// An identifier of a stream that a session receives; it is never reused in the session.
public struct ReceivingStreamID: Hashable, Sendable {
    let place: StreamPlace
}

extension ReceivingStreamID {
    /// The stream's index among those that are received now.
    package var number: Int { Int(place.index) }
}

extension SendingStreamID {
    /// The value of ``RillCore/OutgoingPacket/stream`` in its packets.
    public var number: Int { Int(place.index) }
}
