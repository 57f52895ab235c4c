import RillCore
import RillRTP
import RillTestSupport
import Testing

@Suite struct RTCPCompoundTests {
    @Test func `Every packet of a compound comes, unknown ones too`() throws {
        let bytes = RTCPSamples.compound
        var compound = RTCPCompound(bytes.span)
        var types: [UInt8] = []
        var byteCount = 0
        while let packet = try compound.next() {
            types.append(packet.type.rawValue)
            byteCount += packet.byteCount
        }
        #expect(types == [200, 201, 202, 203, 206, 206, 205, 204])
        #expect(byteCount == RTCPSamples.compound.count)
    }

    @Test func `Messages are told apart by type and format`() throws {
        let bytes = RTCPSamples.compound
        var compound = RTCPCompound(bytes.span)
        var names: [String] = []
        while let packet = try compound.next() {
            switch try RTCPMessage(parsing: packet) {
            case .senderReport: names.append("SR")
            case .receiverReport: names.append("RR")
            case .sourceDescription: names.append("SDES")
            case .goodbye: names.append("BYE")
            case .pictureLossIndication: names.append("PLI")
            case .fullIntraRequest: names.append("FIR")
            case .unknown(let type, let count): names.append("\(type.rawValue)/\(count)")
            }
        }
        #expect(names == ["SR", "RR", "SDES", "BYE", "PLI", "FIR", "205/15", "204/3"])
    }

    @Test func `A packet that cannot be read does not hide the next`() throws {
        // An RR that counts one block and has none, then a PLI.
        let broken: [UInt8] = [0x81, 201, 0, 1, 0, 0, 0, 1]
        let bytes = broken + RTCPSamples.pictureLossIndication
        var compound = RTCPCompound(bytes.span)
        var errors: [RTPError] = []
        var requests = 0
        while let packet = try compound.next() {
            do throws(RTPError) {
                if case .pictureLossIndication = try RTCPMessage(parsing: packet) { requests += 1 }
            } catch {
                errors.append(error)
            }
        }
        #expect(errors == [.invalidCount(count: 1, byteCount: 0)])
        #expect(requests == 1)
    }

    @Test func `What cannot be told apart ends the compound`() throws {
        let bytes = RTCPSamples.pictureLossIndication + [0x80, 201, 0xFF, 0xFF, 1, 2, 3, 4]
        var compound = RTCPCompound(bytes.span)
        let isFirst = try compound.next() != nil
        #expect(isFirst)
        var thrown: RTPError?
        do throws(RTPError) { _ = try compound.next() } catch { thrown = error }
        #expect(thrown == .truncated(needed: 262_144, available: 8))
        let isOver = try compound.next() == nil
        #expect(isOver)
    }

    @Test func `Padding is left out of the body`() throws {
        let bytes: [UInt8] = [0xA1, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8]
        var compound = RTCPCompound(bytes.span)
        guard let packet = try compound.next() else {
            Issue.record("no packet")
            return
        }
        let body = packet.body.array
        #expect(body == [0, 0, 0, 1, 0, 0, 0, 2])
        #expect(packet.paddingByteCount == 8 && packet.byteCount == 20)
        #expect(try PictureLossIndication.parse(packet) == PictureLossIndication(sender: SSRC(1), media: SSRC(2)))
    }

    @Test(
        arguments: [
            ([], nil),
            ([0x80], .truncated(needed: 2, available: 1)),
            ([0x80, 200, 0], .truncated(needed: 4, available: 3)),
            ([0x40, 200, 0, 0], .unsupportedVersion(1)),
            ([0xA0, 200, 0, 0], .invalidPadding(count: 0, available: 0)),
            ([0xA0, 200, 0, 1, 0, 0, 0, 0], .invalidPadding(count: 0, available: 4)),
            ([0xA0, 200, 0, 1, 0, 0, 0, 5], .invalidPadding(count: 5, available: 4)),
            ([0x80, 200, 0, 2, 0, 0, 0, 5], .truncated(needed: 12, available: 8)),
        ] as [([UInt8], RTPError?)])
    func `Errors carry their numbers`(bytes: [UInt8], expected: RTPError?) {
        var thrown: RTPError?
        var compound = RTCPCompound(bytes.span)
        do throws(RTPError) { _ = try compound.next() } catch { thrown = error }
        #expect(thrown == expected, "\(bytes)")
    }

    @Test func `Any bytes are read to their end without a trap`() {
        let seeds =
            [RTCPSamples.compound, RTCPSamples.senderReport + RTCPSamples.sourceDescription]
            + [RTCPSamples.goodbye, RTCPSamples.pictureLossIndication, RTCPSamples.fullIntraRequest]
        var packets = 0
        var errors = 0
        let inputs = MutatedInputs(of: seeds, count: 100_000, using: SeededGenerator(seed: 10))
        for (index, input) in inputs.enumerated() {
            var compound = RTCPCompound(input.span)
            var byteCount = 0
            do throws(RTPError) {
                while let packet = try compound.next() {
                    packets += 1
                    byteCount += packet.byteCount
                    do throws(RTPError) { try visit(packet, index) } catch { errors += 1 }
                }
                #expect(byteCount == input.count, "input \(index)")
            } catch {
                errors += 1
                let isOver = (try? compound.next()) == nil  // nothing comes behind an error
                #expect(isOver, "input \(index)")
            }
        }
        #expect(packets > 100_000 && errors > 10_000, "\(packets) packets, \(errors) errors")
    }

    /// Reads all that a packet says; what writes itself must come back.
    private func visit(_ packet: RTCPPacket, _ index: Int) throws(RTPError) {
        switch try RTCPMessage(parsing: packet) {
        case .senderReport(let report):
            let bytes = [UInt8](capacity: report.byteCount) { output in report.write(into: &output) }
            #expect(first(in: bytes) { packet in try SenderReport.parse(packet) == report }, "input \(index)")
        case .receiverReport(let report):
            let bytes = [UInt8](capacity: report.byteCount) { output in report.write(into: &output) }
            #expect(first(in: bytes) { packet in try ReceiverReport.parse(packet) == report }, "input \(index)")
        case .sourceDescription(var description):
            var textByteCount = 0
            while let item = try description.next() { textByteCount += 2 + item.text.count }
            #expect(textByteCount <= packet.body.count, "input \(index)")
        case .goodbye(let goodbye):
            for source in 0..<goodbye.count { _ = goodbye[source] }
            #expect(4 * goodbye.count + (goodbye.reason?.count ?? 0) <= packet.body.count, "input \(index)")
        case .pictureLossIndication(let request):
            let bytes = [UInt8](capacity: request.byteCount) { output in request.write(into: &output) }
            #expect(first(in: bytes) { packet in try PictureLossIndication.parse(packet) == request }, "input \(index)")
        case .fullIntraRequest(let request):
            for entry in 0..<request.count { _ = request[entry] }
            #expect(8 + 8 * request.count <= packet.body.count, "input \(index)")
        case .unknown(let type, _):
            #expect(!(200...203).contains(type.rawValue), "input \(index)")
        }
    }

    private func first(in bytes: [UInt8], _ isEqual: (RTCPPacket) throws -> Bool) -> Bool {
        (try? parsed(bytes, isEqual)) ?? false  // what does not even parse is not equal
    }
}
