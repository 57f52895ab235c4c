extension TransportFeedback {
    /// The arrival time of a packet that has not arrived.
    @inlinable package static var notReceived: Int64 { .min }

    /// Writes the arrival times of consecutive packets to the start of `output`, in units of 250 µs after the
    /// reference time.
    ///
    /// The result equals that of ``packets``, without a call for each packet: a sender reads the status of each
    /// several times.
    ///
    /// - Parameters:
    ///   - range: the packets, counted from the first one; traps unless the feedback has them.
    ///   - output: a span with room for them. A packet that has not arrived gets ``notReceived``.
    package func readArrivals(of range: Range<Int>, into output: inout MutableSpan<Int64>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "packets \(range) of \(count)")
        switch storage {
        case .wire(_, let chunks, let deltas):
            var reader = ArrivalReader(deltas: deltas, skipped: range.lowerBound)
            var (chunkStart, offset) = (0, 0)
            while chunkStart < range.upperBound {
                let chunk = PacketStatusChunk(rawValue: UInt16(chunks[offset]) << 8 | UInt16(chunks[offset + 1]))
                reader.read(chunk, count: min(chunk.capacity, range.upperBound - chunkStart), into: &output)
                chunkStart += chunk.capacity
                offset += 2
            }
        case .values(let packets):
            var time: Int64 = 0
            for index in 0..<range.upperBound {
                var arrival = TransportFeedback.notReceived
                if case .received(let delta) = packets[index] {
                    time += Int64(delta)
                    arrival = time
                }
                if index >= range.lowerBound { output[index - range.lowerBound] = arrival }
            }
        }
    }
}

/// Adds up deltas that were validated by parsing.
private struct ArrivalReader: ~Escapable {
    let deltas: Span<UInt8>
    private var time: Int64 = 0
    private var offset = 0
    /// The place of the next packet in the output; negative for packets that are skipped.
    private var place: Int

    @_lifetime(copy deltas)
    init(deltas: Span<UInt8>, skipped: Int) {
        self.deltas = deltas
        place = -skipped
    }

    /// Reads the first `count` packets of a chunk.
    @inline(__always) @_lifetime(self: copy self)
    mutating func read(_ chunk: PacketStatusChunk, count: Int, into output: inout MutableSpan<Int64>) {
        // The symbols from the highest bits down, each of one or two bits; a run repeats its own.
        var bits = chunk.rawValue
        if chunk.isSmall(first: count) {
            let skipped = min(count, max(0, -place))
            skipSmall(skipped)
            readSmall(count - skipped, into: &output)
        } else if bits & 0x8000 == 0 {
            readRun(of: bits >> 13, count: count, into: &output)
        } else if bits & 0x4000 == 0 {
            bits <<= 2
            for _ in 0..<count {
                next(bits >> 15, into: &output)
                bits <<= 1
            }
        } else {
            bits <<= 2
            for _ in 0..<count {
                next(bits >> 14, into: &output)
                bits <<= 2
            }
        }
    }

    /// Adds up small deltas, of packets that are skipped.
    @inline(__always) @_lifetime(self: copy self)
    private mutating func skipSmall(_ count: Int) {
        let bytes = deltas.extracting(offset..<offset + count)
        var index = 0
        while index &+ 8 <= count {
            // The offset is checked, and any bytes are a number.
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            // Eight bytes as four sums of two, and these in the highest one of four.
            let pairs = (word & 0x00FF_00FF_00FF_00FF) &+ ((word >> 8) & 0x00FF_00FF_00FF_00FF)
            time &+= Int64(truncatingIfNeeded: (pairs &* 0x0001_0001_0001_0001) >> 48)
            index &+= 8
        }
        while index < count {
            time &+= Int64(bytes[index])
            index &+= 1
        }
        offset &+= count
        place &+= count
    }

    @inline(__always) @_lifetime(self: copy self)
    private mutating func readSmall(_ count: Int, into output: inout MutableSpan<Int64>) {
        let bytes = deltas.extracting(offset..<offset + count)
        precondition(count == 0 || place >= 0 && place + count <= output.count)
        for index in 0..<count {
            // Both are in bounds, as was checked above.
            unsafe time &+= Int64(bytes[unchecked: index])
            unsafe output[unchecked: place &+ index] = time
        }
        offset &+= count
        place &+= count
    }

    @inline(__always) @_lifetime(self: copy self)
    private mutating func readRun(of symbol: UInt16, count: Int, into output: inout MutableSpan<Int64>) {
        for _ in 0..<count { next(symbol, into: &output) }
    }

    @inline(__always) @_lifetime(self: copy self)
    private mutating func next(_ symbol: UInt16, into output: inout MutableSpan<Int64>) {
        var arrival = TransportFeedback.notReceived
        if symbol == UInt16(PacketStatusChunk.smallDelta) {
            time &+= Int64(deltas[offset])
            offset &+= 1
            arrival = time
        } else if symbol != 0 {
            time &+= Int64(Int16(bitPattern: UInt16(deltas[offset]) << 8 | UInt16(deltas[offset + 1])))
            offset &+= 2
            arrival = time
        }
        if place >= 0 { output[place] = arrival }
        place &+= 1
    }
}
