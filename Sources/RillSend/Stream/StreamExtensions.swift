import RillCore
import RillRTP

/// The header extensions of a stream's packets: its names and room for the transport's number in all of them, how far the
/// picture has to be turned in the last one of some frames.
///
/// FEC packets protect the extension as it is written here, so what changes on the way is the transport's number alone, which
/// receivers take as zero when they restore a packet.
struct StreamExtensions: Sendable {
    private let map: HeaderExtensionMap
    private let mid: StreamIdentifier?
    private let rid: StreamIdentifier?
    private var notice: OrientationNotice?
    /// Whether packets bear the stream's names: until the other side is known to have learned its source.
    private var isNamed = true
    /// What the blocks were written for.
    private var told: VideoOrientation?
    /// The extension of every packet; no bytes for none.
    private(set) var common: [UInt8] = []
    /// That of a frame's last packet. Where both have bytes, as many.
    private(set) var last: [UInt8] = []

    init(_ settings: RTPStreamSettings) {
        map = settings.headerExtensions
        (mid, rid) = (settings.mid, settings.rid)
        notice = map[.videoOrientation].map { _ in OrientationNotice() }
        write()
    }

    /// Bytes that packets spend on them, as the packetizers are told.
    var byteCount: Int { last.count }

    /// Where in a packet the transport's number stands; `nil` where nothing bears one.
    var transportNumberOffset: Int? {
        guard let id = map[.transportSequenceNumber], !common.isEmpty else { return nil }
        let form = HeaderExtensionForm(profile: UInt16(common[0]) << 8 | UInt16(common[1]))
        // The block's own head, and the element's, which is the first one.
        return RTPHeader.fixedByteCount + RTPHeaderExtension.fixedByteCount
            + (form == .oneByte && id < 15 ? 1 : 2)
    }

    /// The names are no longer borne.
    mutating func omitIdentifiers() {
        guard isNamed else { return }
        isNamed = false
        write()
    }

    /// Prepares ``common`` and ``last`` for the packets of a frame.
    mutating func prepare(for frame: EncodedFrame) {
        guard notice != nil else { return }
        let orientation = notice?.orientation(of: frame)
        guard orientation != told else { return }
        told = orientation
        write()
    }

    private mutating func write() {
        var layout = HeaderExtensionLayout()
        if let id = map[.transportSequenceNumber] { layout.add(id: id, byteCount: TransportSequenceNumber.byteCount) }
        if isNamed, let id = map[.mid], let mid { layout.add(id: id, byteCount: mid.byteCount) }
        if isNamed, let id = map[.rid], let rid { layout.add(id: id, byteCount: rid.byteCount) }
        let isCommon = layout != HeaderExtensionLayout()
        if let told, let id = map[.videoOrientation] { layout.add(id: id, byteCount: told.byteCount) }
        common = isCommon ? block(layout, telling: nil) : []
        last = told == nil ? common : block(layout, telling: told)
    }

    private func block(_ layout: HeaderExtensionLayout, telling orientation: VideoOrientation?) -> [UInt8] {
        [UInt8](capacity: layout.byteCount) { output in
            let writer = HeaderExtensionWriter(layout, into: &output)
            if let id = map[.transportSequenceNumber] {
                writer.append(TransportSequenceNumber(SequenceNumber(0)), id: id, into: &output)
            }
            if isNamed, let id = map[.mid], let mid { writer.append(mid, id: id, into: &output) }
            if isNamed, let id = map[.rid], let rid { writer.append(rid, id: id, into: &output) }
            if let orientation, let id = map[.videoOrientation] {
                writer.append(orientation, id: id, into: &output)
            }
            writer.finish(into: &output)
        }
    }
}

extension RTPHeaderExtension {
    /// A block of ``StreamExtensions``; `nil` where it has no bytes.
    @_lifetime(copy bytes)
    init?(written bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return nil }
        do throws(RTPError) { try self.init(parsing: bytes) } catch {
            preconditionFailure("a header extension that was written here cannot be read: \(error)")
        }
    }
}
