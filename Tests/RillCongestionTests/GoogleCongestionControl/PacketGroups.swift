import RillCongestion

extension GoogleCongestionControl {
    /// Groups packets that were sent within 5 ms, or that a queue released together, and compares each group with its
    /// predecessor.
    ///
    /// Source: draft-ietf-rmcat-gcc-02, sections 5.1 and 5.2.
    struct PacketGroups {
        /// The differences of send and arrival times between a group and its predecessor.
        struct Delta: Equatable {
            var send: MediaDuration
            var arrival: MediaDuration
        }

        private struct Group {
            var firstSend: MediaTime
            var lastSend: MediaTime
            var firstArrival: MediaTime
            var lastArrival: MediaTime
        }

        private static let length = MediaDuration.milliseconds(5)
        private static let longestBurst = MediaDuration.milliseconds(100)
        private var current: Group?
        private var previous: Group?
        private var reorderedCount = 0

        /// Adds a packet, in the order of arrival.
        ///
        /// - Returns: when the packet starts a group, the delta between the two groups before it.
        mutating func add(_ sendTime: MediaTime, arrival: MediaTime) -> Delta? {
            let alone = Group(firstSend: sendTime, lastSend: sendTime, firstArrival: arrival, lastArrival: arrival)
            guard let group = current else {
                current = alone
                return nil
            }
            guard sendTime >= group.firstSend else { return nil }
            guard !belongs(sendTime, arrival, to: group) else {
                current?.lastSend = max(group.lastSend, sendTime)
                current?.lastArrival = arrival
                return nil
            }
            var delta: Delta?
            if let previous {
                let found = Delta(
                    send: group.lastSend - previous.lastSend, arrival: group.lastArrival - previous.lastArrival)
                guard found.arrival >= .zero else {
                    reorderedCount += 1
                    if reorderedCount >= 3 { self = PacketGroups() }
                    return nil
                }
                reorderedCount = 0
                delta = found
            }
            (previous, current) = (group, alone)
            return delta
        }

        private func belongs(_ sendTime: MediaTime, _ arrival: MediaTime, to group: Group) -> Bool {
            let (sendGap, arrivalGap) = (sendTime - group.lastSend, arrival - group.lastArrival)
            let isBurst =
                sendGap == .zero
                || arrivalGap < sendGap && arrivalGap <= Self.length
                    && arrival - group.firstArrival < Self.longestBurst
            return isBurst || sendTime - group.firstSend <= Self.length
        }
    }
}
