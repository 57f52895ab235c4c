/// What a clip declares of its colors, as the numbers of ITU-T H.273 that containers and bitstreams store.
///
/// ```swift
/// let source = try ContainerSource(path: "hdr.mkv")
/// if source.colors.isHDR { print("\(source.colors)") }
/// ```
///
/// ``ContainerSource`` converts a matrix that Rill does not have. Red, green and blue stay the same then, so the
/// primaries and the transfer function remain valid.
public struct ColorDescription: Hashable, Sendable {
    /// `MatrixCoefficients` of the samples; `nil` if it is not declared.
    public var matrix: UInt8?
    /// `ColourPrimaries`; `nil` if they are not declared.
    public var primaries: UInt8?
    /// `TransferCharacteristics`; `nil` if they are not declared.
    public var transfer: UInt8?

    /// Creates a description; without arguments nothing is declared.
    public init(matrix: UInt8? = nil, primaries: UInt8? = nil, transfer: UInt8? = nil) {
        self.matrix = matrix
        self.primaries = primaries
        self.transfer = transfer
    }

    /// Whether the transfer function is that of HDR video: PQ (SMPTE ST 2084) or HLG (ARIB STD-B67).
    public var isHDR: Bool { transfer == 16 || transfer == 18 }

    /// The name of a transfer function that is not the usual one of SD and HD video; `nil` for that, and for none.
    public var unusualTransfer: String? {
        switch transfer {
        // BT.709, BT.601 and the two of BT.2020 have the same curve.
        case nil, 1, 6, 14, 15: nil
        case 4: "gamma 2.2"
        case 5: "gamma 2.8"
        case 7: "SMPTE 240M"
        case 8: "linear"
        case 13: "sRGB"
        case 16: "PQ"
        case 18: "HLG"
        case let number?: "number \(number) of H.273"
        }
    }

    /// The name of primaries that are not those of SD or HD video; `nil` for these, and for none.
    public var unusualPrimaries: String? {
        switch primaries {
        case nil, 1, 5, 6, 7: nil
        case 9: "BT.2020"
        case 11: "DCI-P3"
        case 12: "Display P3"
        case let number?: "number \(number) of H.273"
        }
    }
}

extension ColorDescription: CustomStringConvertible {
    /// The numbers of matrix, primaries and transfer function: `matrix 1, primaries 9, transfer 16`.
    public var description: String {
        let values = [("matrix", matrix), ("primaries", primaries), ("transfer", transfer)]
        return values.map { "\($0.0) \($0.1.map { "\($0)" } ?? "undeclared")" }.joined(separator: ", ")
    }
}
