extension SendingEncoding {
    /// Letters, digits, `-` and `_`, as many as a one-byte header extension can carry (RFC 8851 §10).
    static func isRID(_ name: String) -> Bool {
        (1...16).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// How many layers a transceiver may send, or receive.
    static let maximumCount = 16
}

extension Transceiver {
    /// Checks the encodings and RIDs of a transceiver.
    ///
    /// The names of what is sent and of what is received differ: a=rid lines of a section have different names.
    static func check(_ sending: [SendingEncoding], receivedRIDs: [String]) throws(NegotiationError) {
        guard (1...SendingEncoding.maximumCount).contains(sending.count) else {
            throw .invalidEncodings(.count(sending.count))
        }
        guard receivedRIDs.count <= SendingEncoding.maximumCount else {
            throw .invalidEncodings(.count(receivedRIDs.count))
        }
        var seen: Set<String> = []
        for rid in sending.compactMap(\.rid) + receivedRIDs {
            guard SendingEncoding.isRID(rid) else { throw .invalidEncodings(.invalidRID(rid)) }
            guard seen.insert(rid).inserted else { throw .invalidEncodings(.duplicateRID(rid)) }
        }
        guard sending.count == 1 || sending.allSatisfy({ $0.rid != nil }) else {
            throw .invalidEncodings(.missingRID)
        }
    }
}
