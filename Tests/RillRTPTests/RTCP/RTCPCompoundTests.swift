import RillCore
import RillPacketSupport
import RillRTP
import RillTestSupport
import RillWireFuzzTargets
import Testing

@Suite struct RTCPCompoundTests {
    @Test func `Every packet of a compound is returned, unknown ones, too`() throws {
        let bytes = RTCPSamples.compound
        var compound = RTCPCompound(bytes.span)
        var types: [UInt8] = []
        var byteCount = 0
        while let packet = try compound.next() {
            types.append(packet.type.rawValue)
            byteCount += packet.byteCount
        }
        #expect(types == [200, 201, 202, 203, 206, 206, 205, 204, 205, 205, 206, 206, 205, 205, 207, 208])
        #expect(byteCount == RTCPSamples.compound.count)
    }

    @Test func `Messages are distinguished by type and format`() throws {
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
            case .application: names.append("APP")
            case .genericNACK: names.append("NACK")
            case .transportFeedback: names.append("transport-cc")
            case .congestionControlFeedback: names.append("ccfb")
            case .pauseResume: names.append("PAUSE")
            case .receiverEstimatedMaximumBitrate: names.append("REMB")
            case .extendedReport: names.append("XR")
            case .unknown(let packet): names.append("\(packet.type.rawValue)/\(packet.count)")
            }
        }
        #expect(
            names == [
                "SR", "RR", "SDES", "BYE", "PLI", "FIR", "205/3", "APP", "NACK", "PAUSE", "REMB", "206/15",
                "transport-cc", "ccfb", "XR", "208/1",
            ])
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

    @Test func `An invalid length ends the compound`() throws {
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

    @Test func `Padding is not part of the body`() throws {
        let bytes: [UInt8] = [0xA1, 206, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 8]
        var compound = RTCPCompound(bytes.span)
        guard let packet = try compound.next() else {
            Issue.record("no packet")
            return
        }
        let body = packet.body.array
        #expect(body == [0, 0, 0, 1, 0, 0, 0, 2])
        #expect(packet.paddingByteCount == 8 && packet.byteCount == 20)
        #expect(try PictureLossIndication(parsing: packet) == PictureLossIndication(sender: SSRC(1), media: SSRC(2)))
    }

    @Test(
        arguments: [
            ([], nil),
            ([0x80], .truncated(needed: 2, available: 1)),
            ([0x80, 200, 0], .truncated(needed: 4, available: 3)),
            ([0x40, 200, 0, 0], .unsupportedVersion(1)),
            ([0xA0, 200, 0, 0], .invalidPadding(count: 0, available: 0)),
            ([0xA0, 200, 0, 1, 0, 0, 0, 0], .invalidPadding(count: 0, available: 4)),
            ([0xA0, 200, 0, 1, 0, 0, 0, 8], .invalidPadding(count: 8, available: 4)),
            ([0x80, 200, 0, 2, 0, 0, 0, 5], .truncated(needed: 12, available: 8)),
        ] as [([UInt8], RTPError?)])
    func `Errors carry their numbers`(bytes: [UInt8], expected: RTPError?) {
        var thrown: RTPError?
        var compound = RTCPCompound(bytes.span)
        do throws(RTPError) { _ = try compound.next() } catch { thrown = error }
        #expect(thrown == expected, "\(bytes)")
    }

    @Test func `Padding before the last packet is refused`() throws {
        let padded: [UInt8] = [0xA1, 206, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 4]
        let bytes = RTCPSamples.pictureLossIndication + padded + RTCPSamples.pictureLossIndication
        var compound = RTCPCompound(bytes.span)
        let isFirst = try compound.next() != nil
        #expect(isFirst)
        var thrown: RTPError?
        do throws(RTPError) { _ = try compound.next() } catch { thrown = error }
        #expect(thrown == .misplacedPadding(count: 4, following: 12))
        let isOver = try compound.next() == nil
        #expect(isOver)
    }

    @Test(arguments: [4, 8, 252])
    func `Padding is added to the packet that was written last`(byteCount: Int) throws {
        let bytes = written(24 + byteCount) { output in
            for byte in RTCPSamples.pictureLossIndication { output.append(byte) }
            let start = output.count
            PictureLossIndication(sender: SSRC(1), media: SSRC(2)).write(into: &output)
            RTCPPacket.pad(packetAt: start, by: byteCount, in: &output)
        }
        #expect(bytes.count == 24 + byteCount && bytes.last == UInt8(byteCount))
        var compound = RTCPCompound(bytes.span)
        var paddings: [Int] = []
        while let packet = try compound.next() {
            paddings.append(packet.paddingByteCount)
            _ = try PictureLossIndication(parsing: packet)
        }
        #expect(paddings == [0, byteCount])
    }

    @Test func `A compound without a report is a reduced-size one`() {
        func isReduced(_ bytes: [UInt8]) -> Bool { RTCPCompound(bytes.span).isReducedSize }
        #expect(isReduced(RTCPSamples.pictureLossIndication))
        #expect(!isReduced(RTCPSamples.senderReport + RTCPSamples.pictureLossIndication))
        #expect(!isReduced(RTCPSamples.receiverReport))
        #expect(!isReduced([]))
    }

    @Test func `Packets of unknown type are kept unchanged`() throws {
        let bytes: [UInt8] = [0x81, 208, 0, 2, 1, 2, 3, 4, 5, 6, 7, 8]
        let back = try parsed(bytes) { packet -> [UInt8]? in
            guard case .unknown(let packet) = try RTCPMessage(parsing: packet) else { return nil }
            return written(packet.byteCount) { output in packet.write(into: &output) }
        }
        #expect(back == bytes)
    }

    @Test(arguments: RTCPSamples.all.indices)
    func `Written packets equal the parsed ones`(index: Int) throws {
        let bytes = RTCPSamples.all[index]
        #expect(try parsed(bytes) { packet in rewritten(packet) } == bytes)
    }

    @Test func `Any bytes are read to their end, and parsed packets can be written again`() {
        var (packets, unread, errors) = (0, 0, 0)
        let inputs = MutatedInputs(
            of: RTCPSamples.all + [RTCPSamples.sourceDescription + RTCPSamples.genericNACK], count: 100_000,
            using: SeededGenerator(seed: 10))
        for (index, input) in inputs.enumerated() {
            var compound = RTCPCompound(input.span)
            var byteCount = 0
            do throws(RTPError) {
                while let packet = try compound.next() {
                    packets += 1
                    byteCount += packet.byteCount
                    if let once = rewritten(packet) {
                        let twice = try? parsed(once) { packet in rewritten(packet) }  // nil fails the test
                        #expect(once == twice, "input \(index)")
                    } else {
                        unread += 1
                    }
                }
                #expect(byteCount == input.count, "input \(index)")
            } catch {
                errors += 1
                let isOver = (try? compound.next()) == nil  // nothing comes behind an error
                #expect(isOver, "input \(index)")
            }
        }
        #expect(packets > 50_000 && unread > 1000 && errors > 10_000, "\(packets), \(unread), \(errors)")
    }
}
