package import RillCore

/// What cameras write around the blocks of a JPEG, with all blocks there.
package enum CameraHabit: String, CaseIterable {
    // Logitech C270, C310 (github.com/libavg/libavg/issues/782) and C910 (github.com/Motion-Project/motion/issues/65):
    // 1 to 9 bytes before some restart markers, and one before the end.
    case surplusBeforeRestarts, surplusBeforeEnd, surplusEverywhere
    /// These bytes look like markers.
    case stuffedSurplus, reservedSurplus
    /// A Logitech that forgets the last byte (github.com/prusa3d/Prusa-Link/issues/610).
    case halfEnd
    case noEnd, zerosForEnd, zerosAfterEnd, garbageAfterEnd
    /// A comment, as an IP camera wrote it (github.com/lilohuang/PyTurboJPEG/issues/77).
    case commentBeforeEnd
    /// 0xFF before all markers (github.com/image-rs/jpeg-decoder/pull/147).
    case fillBytes
    case sameNumber, otherFirstNumber, numbersBackwards, restartAfterLast
    /// The header announces restart markers, and there are none.
    case restartsOmitted
    /// The C270's application segment AVI1, and no Huffman tables (github.com/loyd/rscam/issues/20).
    case motionJPEG
    /// Two start markers (github.com/libjpeg-turbo/libjpeg-turbo/issues/157).
    case twoStarts
    /// github.com/opencv/opencv/issues/21373
    case surplusInHeader
    /// Wrong spectral selection (github.com/ZoneMinder/zoneminder/issues/279).
    case wrongSelection
    /// JFIF of another major version, a comment, and an application segment.
    case otherSegments
    /// Those of the C270 together, without an end.
    case everything

    /// Whether restart markers are part of it.
    package var hasRestarts: Bool { self != .restartsOmitted }

    package func apply(to jpeg: inout JPEGParts, _ random: inout SeededGenerator) {
        func surplus(_ count: Int) -> [UInt8] {
            // No marker, and nothing that looks like one.
            (0..<count).map { _ in UInt8(random.next() >> 33 & 0x7F) }
        }
        switch self {
        case .surplusBeforeRestarts:
            for index in jpeg.restarts.indices where index % 3 != 0 {
                jpeg.restarts[index] = surplus(1 + index % 9) + jpeg.restarts[index]
            }
        case .surplusBeforeEnd: jpeg.end = [0x00] + jpeg.end
        case .surplusEverywhere:
            for index in jpeg.restarts.indices { jpeg.restarts[index] = surplus(1 + index % 9) + jpeg.restarts[index] }
            jpeg.end = surplus(9) + jpeg.end
        case .stuffedSurplus:
            for index in jpeg.restarts.indices {
                jpeg.restarts[index] = [0x12, 0xFF, 0x00, 0x34] + jpeg.restarts[index]
            }
            jpeg.end = [0xFF, 0x00] + jpeg.end
        case .reservedSurplus:
            for index in jpeg.restarts.indices { jpeg.restarts[index] = [0xFF, 0x12, 0x34] + jpeg.restarts[index] }
            jpeg.end = [0x55, 0xFF, 0x02] + jpeg.end
        case .halfEnd: jpeg.end = [0xFF]
        case .noEnd: jpeg.end = []
        case .zerosForEnd: jpeg.end = [UInt8](repeating: 0, count: 5000)
        case .zerosAfterEnd: jpeg.end += [UInt8](repeating: 0, count: 5000)
        case .garbageAfterEnd: jpeg.end += jpeg.intervals[0] + [0xFF, 0xD3, 0xFF, 0xD8, 0xFF, 0xD9] + surplus(500)
        case .commentBeforeEnd: jpeg.end = [0xFF, 0xFE, 0, 4, 0x68, 0x69] + jpeg.end
        case .fillBytes:
            for index in jpeg.segments.indices { jpeg.segments[index] = [0xFF, 0xFF] + jpeg.segments[index] }
            for index in jpeg.restarts.indices { jpeg.restarts[index] = [0xFF] + jpeg.restarts[index] }
            jpeg.end = [0xFF, 0xFF, 0xFF] + jpeg.end
        case .sameNumber: for index in jpeg.restarts.indices { jpeg.restarts[index][1] = 0xD0 }
        case .otherFirstNumber:
            for index in jpeg.restarts.indices { jpeg.restarts[index][1] = 0xD0 + UInt8((index + 6) & 7) }
        case .numbersBackwards:
            for index in jpeg.restarts.indices { jpeg.restarts[index][1] = 0xD7 - UInt8(index & 7) }
        case .restartAfterLast: jpeg.end = [0xFF, 0xD0 + UInt8(jpeg.restarts.count & 7)] + jpeg.end
        case .restartsOmitted: jpeg.segments.insert([0xFF, 0xDD, 0, 4, 0, 3], at: 0)
        case .motionJPEG:
            jpeg.remove(0xC4)
            jpeg.segments.insert(
                [0xFF, 0xE0, 0x00, 0x21] + Array("AVI1".utf8) + [0, 1, 1, 1, 0, 120, 0, 120]
                    + [UInt8](repeating: 0, count: 19), at: 0)
        case .twoStarts: jpeg.start += jpeg.start
        case .surplusInHeader:
            for index in jpeg.segments.indices { jpeg.segments[index] = [0x00] + jpeg.segments[index] }
        case .wrongSelection:
            jpeg.segments[jpeg.segments.count - 1].replaceSubrange(
                (jpeg.segments.last ?? []).count - 3..<(jpeg.segments.last ?? []).count, with: [0, 0, 0x11])
        case .otherSegments:
            jpeg.segments.insert([0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0, 3, 0, 0, 0, 1, 0, 1, 0, 0], at: 0)
            jpeg.segments.insert([0xFF, 0xFE, 0, 4, 0xFF, 0xD9], at: 1)
            jpeg.segments.insert([0xFF, 0xE5, 0, 5, 0xFF, 0xDA, 0xFF], at: 2)
        case .everything:
            for habit in [CameraHabit.motionJPEG, .surplusInHeader, .wrongSelection, .surplusBeforeRestarts] {
                habit.apply(to: &jpeg, &random)
            }
            jpeg.end = [0x2A]
        }
    }
}
