import RillCore
package import RillRTP

/// The receiving side of repair, as tests need it: takes packets out of RED, keeps media and FEC packets, and restores
/// what is missing.
package struct RepairingReceiver {
    package var redPayloadType: PayloadType?
    package var fecPayloadType: PayloadType
    /// Media packets by their numbers.
    package private(set) var media: [UInt16: [UInt8]] = [:]
    package private(set) var fecPackets: [[UInt8]] = []

    package init(red: PayloadType?, fec: PayloadType) {
        redPayloadType = red
        fecPayloadType = fec
    }

    package mutating func insert(_ datagram: [UInt8]) throws {
        var bytes = datagram
        if let redPayloadType, bytes[1] & 0x7F == redPayloadType.rawValue {
            bytes = []
            try bytes.append(addingCapacity: datagram.count) { output throws(RTPError) in
                try REDPacket.writePrimary(of: datagram.span, into: &output)
            }
        }
        let packet = try RTPPacket(parsing: bytes.span)
        if packet.header.payloadType == fecPayloadType {
            fecPackets.append(packet.payload.array)
        } else {
            media[packet.header.sequenceNumber.rawValue] = bytes
        }
    }

    /// Restores what can be restored, until nothing more can.
    package mutating func repair(ssrc: SSRC) throws {
        var buffer = [UInt8](repeating: 0, count: 10_000)
        var hasRecovered = true
        while hasRecovered {
            hasRecovered = false
            for fecPacket in fecPackets {
                let fec = try ULPFECPayload(parsing: fecPacket.span)
                var numbers: [SequenceNumber] = []
                fec.forEachProtected { numbers.append($0) }
                let missing = numbers.filter { media[$0.rawValue] == nil }
                guard missing.count == 1 else { continue }
                var memory = buffer.mutableSpan
                var recovery = ULPFECRecovery(of: missing[0], ssrc: ssrc)
                try recovery.begin(fec, in: &memory)
                for number in numbers {
                    if let packet = media[number.rawValue] { try recovery.add(packet.span, in: &memory) }
                }
                let count = try recovery.finish(in: &memory)
                media[missing[0].rawValue] = memory.span.extracting(first: count).array
                hasRecovered = true
            }
        }
    }
}
