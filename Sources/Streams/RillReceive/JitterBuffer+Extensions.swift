import RillCore
import RillRTP

// What header extensions tell of a frame.

extension JitterBuffer {
    /// Returns the picture's rotation from the packet; `nil` if there is none, or it cannot be read.
    mutating func rotation(toldBy bytes: Span<UInt8>) -> Rotation? {
        read(.videoOrientation, in: bytes) { data in
            (try? VideoOrientation(parsing: data)).map { Rotation($0.rotation) }
        }
    }

    /// Takes from the dependency descriptor of a frame's first packet what the frame itself need not show: whether it
    /// is a key frame, and its size. Without a descriptor that can be read, nothing changes.
    mutating func describe(_ piece: inout FramePiece, by bytes: Span<UInt8>) {
        let told = read(.dependencyDescriptor, in: bytes) { data in try? DependencyDescriptor(parsing: data) }
        guard let told, told.startsFrame else { return }
        piece.isKey = told.isKey
        guard told.isKey, piece.width == 0 else { return }
        let size = told.size ?? .unknown
        (piece.width, piece.height) = (UInt16(clamping: size.width), UInt16(clamping: size.height))
    }

    /// Reads the element of a kind of header extension.
    private mutating func read<Value>(
        _ kind: HeaderExtensionKind, in bytes: Span<UInt8>, _ body: (Span<UInt8>) -> Value?
    ) -> Value? {
        // The packet was located before, so parsing it cannot throw.
        guard let id = settings.headerExtensions[kind], let packet = try? RTPPacket(parsing: bytes),
            let block = packet.headerExtension
        else { return nil }
        var elements = block.elements
        // A damaged block ends here; it does not affect the rest of the packet.
        while let element = try? elements.next() {
            if element.id == id { return body(element.data) }
        }
        return nil
    }
}

extension Rotation {
    fileprivate init(_ told: VideoOrientation.Rotation) {
        switch told {
        case .none: self = .none
        case .clockwise90: self = .clockwise90
        case .clockwise180: self = .clockwise180
        case .clockwise270: self = .clockwise270
        }
    }
}
