/// Packets on their way out of a lock: what is made under it is copied here, and handed to its sink when it is free again.
///
///     let batch = stream.withLock { stream in
///         let batch = stream.batches.take()
///         stream.rtp.send(frame, payload: payload, at: now, to: batch)
///         return batch
///     }
///     batch.handOut(to: socket)
///     stream.withLock { $0.batches.giveBack(batch) }
///
/// A sink may so call back into whoever sends, and two that send to each other do not wait for each other's locks.
///
/// Order: a batch is handed out by the thread that made it, in the order in which it was filled. Batches that two threads
/// make of one stream at the same time may reach their sinks one after the other or mixed: those of a layer's encoder, whose
/// numbers rise from batch to batch, and those of the thread that brings requests, which are retransmissions.
///
/// One owner. Its memory grows to the largest that it ever held, and stays.
package final class PacketBatch: PacketSink {
    private var bytes: [UInt8] = []
    private var packets: [Packet] = []

    private struct Packet {
        /// Where it ends in the bytes, and the next one begins.
        var end: Int
        var kind: OutgoingPacket.Kind
        var time: MediaTime
    }

    package init() {}

    package var isEmpty: Bool { packets.isEmpty }

    /// Keeps a copy of a packet of media.
    package func send(_ packet: Span<UInt8>, at time: MediaTime) {
        send(packet, as: .media, at: time)
    }

    /// Keeps a copy of a packet, and what it is for.
    package func send(_ packet: Span<UInt8>, as kind: OutgoingPacket.Kind, at time: MediaTime) {
        bytes.append(copying: packet)
        packets.append(Packet(end: bytes.count, kind: kind, time: time))
    }

    /// Keeps a packet of at most `byteCount` bytes that `write` makes.
    package func append(
        byteCount: Int, as kind: OutgoingPacket.Kind, at time: MediaTime, _ write: (inout OutputSpan<UInt8>) -> Void
    ) {
        bytes.append(addingCapacity: byteCount, initializingWith: write)
        packets.append(Packet(end: bytes.count, kind: kind, time: time))
    }

    /// Gives all packets to `sink`, in their order; the batch is empty then.
    package func handOut(to sink: some PacketSink) {
        send(bytes.span, to: sink)
        bytes.removeAll(keepingCapacity: true)
        packets.removeAll(keepingCapacity: true)
    }

    private func send(_ bytes: Span<UInt8>, to sink: some PacketSink) {
        var start = 0
        for packet in packets {
            sink.send(bytes.extracting(start..<packet.end), as: packet.kind, at: packet.time)
            start = packet.end
        }
    }
}

/// Batches that nobody has at present, for the next who sends: as many as were ever needed at once, which is one for each
/// thread, and one more for each sink that called back.
package struct PacketBatches: ~Copyable {
    private var spare: [PacketBatch] = []

    package init() {}

    /// An empty batch, whose taker gives it back when it was handed out.
    package mutating func take() -> PacketBatch { spare.popLast() ?? PacketBatch() }

    package mutating func giveBack(_ batch: PacketBatch) { spare.append(batch) }
}
