/// Where a stream stands among those of its direction. Places are given to others when a stream is gone, and the count says
/// whose time it is: an old place leads nowhere.
struct StreamPlace: Hashable, Sendable {
    var index: UInt32
    var generation: UInt32
}

/// The streams of one direction.
struct StreamPlaces<Stream: AnyObject> {
    private var streams: [Stream?] = []
    private var generations: [UInt32] = []

    /// As many streams as two sides can agree on.
    static var limit: Int { 1024 }

    /// How many there are.
    private(set) var count = 0

    /// Puts a stream into a place of its own; `nil` where there are as many as there may be.
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

    /// The stream at a place; `nil` when it is gone.
    subscript(place: StreamPlace) -> Stream? {
        let index = Int(place.index)
        guard index < streams.count, generations[index] == place.generation else { return nil }
        return streams[index]
    }

    /// Takes a stream out, if it is there.
    mutating func remove(_ place: StreamPlace) -> Stream? {
        guard let stream = self[place] else { return nil }
        streams[Int(place.index)] = nil
        generations[Int(place.index)] &+= 1
        count -= 1
        return stream
    }

    /// All places, some of them empty.
    var indices: Range<Int> { streams.indices }

    /// The stream that has this index now.
    subscript(index: Int) -> Stream? { streams[index] }
}
