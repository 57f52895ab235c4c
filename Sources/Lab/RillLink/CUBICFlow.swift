public import RillCore

/// A simulated TCP flow that shares a bottleneck: as much data as its congestion control, CUBIC (RFC 9438), lets it
/// send.
///
/// ```swift
/// let flow = CUBICFlow(roundTrip: .milliseconds(50), from: .zero + .seconds(10))
/// let settings = try LinkSettings(notation: "rate=10M,cubic=50ms@10s")  // the same
/// ```
///
/// It sends segments of 1500 bytes, headers included, from a window of ten on (RFC 6928): slow start (RFC 5681), then
/// the cubic function or Reno's, fast convergence, 0.7 of the window once a round trip in which the queue dropped
/// something. A segment counts as lost when the third one after it is acknowledged; if none is, after a second or more
/// (RFC 6298). The model's simplifications: each segment is acknowledged on its own, each acknowledgement releases at
/// most two segments, nothing is lost but in the queue, and timeouts are never spurious.
public struct CUBICFlow: Hashable, Sendable {
    /// The round trip without the queue and the transmission, 1 ms to 60 s.
    public var roundTrip: MediaDuration
    /// When it starts, counted from the clock's zero, up to 1 000 000 s.
    public var start: MediaTime
    /// When it sends no more, after ``start``; `nil` for a flow that goes on, for up to 1 000 000 s.
    public var end: MediaTime?

    /// Creates a flow; ``LinkSettings`` checks the ranges.
    ///
    /// - Parameters:
    ///   - roundTrip: the round trip without the queue.
    ///   - start: when it starts; at zero by default.
    ///   - end: when it sends no more; `nil` by default.
    public init(roundTrip: MediaDuration, from start: MediaTime = .zero, until end: MediaTime? = nil) {
        self.roundTrip = roundTrip
        self.start = start
        self.end = end
    }

    /// The size of a segment with its headers.
    public static let segmentByteCount = 1500
    /// The most flows of a bottleneck.
    public static let maximumCount = 16
    /// The largest window, in segments: what the flow's receiver takes.
    public static let maximumWindow = 65_536
}

extension CUBICFlow: CustomStringConvertible {
    /// Parses flows in the command line's notation: `ROUNDTRIP`, `ROUNDTRIP@START` or `ROUNDTRIP@START-END`, separated
    /// by `/`.
    ///
    /// - Parameter text: the flows.
    /// - Returns: the flows in the order of the text.
    /// - Throws: ``LinkError`` if the text is malformed.
    public static func list(notation text: String) throws(LinkError) -> [CUBICFlow] {
        var flows: [CUBICFlow] = []
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "@", omittingEmptySubsequences: false)
            let times = sides.count == 2 ? sides[1].split(separator: "-", omittingEmptySubsequences: false) : []
            guard sides.count <= 2, times.count <= 2 else { throw .malformedValue(.cubic, text) }
            do throws(NotationError) {
                var flow = CUBICFlow(roundTrip: try MediaDuration(notation: sides[0]))
                if times.count > 0 { flow.start = .zero + (try MediaDuration(notation: times[0])) }
                if times.count > 1 { flow.end = .zero + (try MediaDuration(notation: times[1])) }
                flows.append(flow)
            } catch {
                throw .invalidValue(.cubic, error)
            }
        }
        return flows
    }

    /// The same notation.
    public var description: String {
        let until = end.map { "-\(($0 - .zero).notation)" } ?? ""
        return roundTrip.notation + (start == .zero && end == nil ? "" : "@\((start - .zero).notation)\(until)")
    }
}
