internal import CJPEG
import RillCore
import RillImage

/// Decodes the JPEG pictures of a camera into I420 frames in limited range, and refuses those that are damaged.
///
/// JPEG keeps Y, Cb and Cr apart, so nothing is converted: rows of 4:2:0 are decoded straight into the frame, those of
/// other samplings by way of a few rows of memory in which chroma is averaged down. The range is brought to limited row by
/// row while the rows are in the cache.
///
/// Each picture is decoded to its end before it counts as good: a decoder gets over almost any damage, and only counts
/// it. Single owner.
@safe
final class JPEGReader {
    private let resolution: Resolution
    private let decoder: OpaquePointer
    /// Where the decoder is told to put its rows: for each component the addresses of as many as one call gives.
    private let rows: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
    /// The three places in `rows` where those of a component begin.
    private let table: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?>
    /// Rows that belong to no frame: chroma to be averaged, and what a picture has below its last row.
    private let scratch: UnsafeMutablePointer<UInt8>
    private let scratchStride: Int

    private static let maximumRows = Int(CJPEG_maximum_rows)
    private static let componentCount = Int(CJPEG_maximum_components)
    /// Rows below the picture's own that a JPEG may have: cameras round heights up to whole blocks.
    private static let maximumExcessHeight = 15

    /// `nil` where there is no memory.
    init?(_ resolution: Resolution) {
        guard let decoder = unsafe CJPEG_create() else { return nil }
        self.resolution = resolution
        unsafe self.decoder = decoder
        unsafe rows = .allocate(capacity: Self.componentCount * Self.maximumRows)
        unsafe rows.initialize(repeating: nil, count: Self.componentCount * Self.maximumRows)
        unsafe table = .allocate(capacity: Self.componentCount)
        for index in 0..<Self.componentCount {
            unsafe (table + index).initialize(to: rows + index * Self.maximumRows)
        }
        // The decoder writes whole blocks, up to 16 pixels wide.
        scratchStride = (resolution.width + 63) / 64 * 64
        let byteCount = scratchStride * Self.componentCount * Self.maximumRows
        unsafe scratch = .allocate(capacity: byteCount)
        unsafe scratch.initialize(repeating: 0, count: byteCount)
    }

    deinit {
        unsafe CJPEG_destroy(decoder)
        unsafe table.deallocate()
        unsafe rows.deallocate()
        unsafe scratch.deallocate()
    }

    /// Decodes a picture; what is wrong with it, if something is.
    func read(_ bytes: Span<UInt8>, into frame: inout MutableFrame) -> FrameFault? {
        if let header = JPEGHeader(parsing: bytes), let damage = JPEGScanCheck.damage(of: bytes, header) {
            return .damagedJPEG(damage)
        }
        guard let sampling = begin(bytes) else { return .notDecodable }
        let isDecoded = decode(sampling, into: &frame)
        let isDone = unsafe isDecoded && CJPEG_finish(decoder)
        let warnings = unsafe CJPEG_warning_count(decoder)
        unsafe CJPEG_abort(decoder)
        guard isDone, warnings == 0 else { return .damagedJPEG(.decoder(warnings: warnings)) }
        return nil
    }

    /// Begins a picture, whose bytes must stay until its end; `nil` for what is none of the size that is expected.
    private func begin(_ bytes: Span<UInt8>) -> JPEGSampling? {
        var header = CJPEG_header()
        // The reader's caller keeps the bytes until the picture is read, or given up.
        let isBegun = unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            return unsafe CJPEG_begin(decoder, base, bytes.count, &header)
        }
        guard isBegun, fits(header), let sampling = JPEGSampling(header) else {
            unsafe CJPEG_abort(decoder)
            return nil
        }
        return sampling
    }

    private func fits(_ header: CJPEG_header) -> Bool {
        Int(header.width) == resolution.width
            && (0...Self.maximumExcessHeight).contains(Int(header.height) - resolution.height)
    }

    /// Decodes row by row of blocks; `false` where the decoder gives up.
    private func decode(_ sampling: JPEGSampling, into frame: inout MutableFrame) -> Bool {
        for top in stride(from: 0, to: sampling.height, by: 8 * sampling.lumaRows) {
            aim(top, sampling, &frame)
            // The table leads to rows that have room for whole blocks.
            guard unsafe CJPEG_read(decoder, table) else { return false }
            bring(top, sampling, into: &frame)
        }
        if sampling.isGrey { frame.fillGrey() }
        return true
    }

    /// Says where the rows from `top` on are to go: into the frame as they are, or to memory of our own.
    private func aim(_ top: Int, _ sampling: JPEGSampling, _ frame: inout MutableFrame) {
        for component in 0..<(sampling.isGrey ? 1 : Self.componentCount) {
            let isDirect = component == 0 || sampling.chroma == .asI420
            let plane = frame.layout[plane: component]
            let count = 8 * (component == 0 ? sampling.lumaRows : sampling.chromaRows)
            let first = component == 0 ? top : top / 2
            for row in 0..<count {
                let place = component * Self.maximumRows + row
                if isDirect, first + row < plane.height {
                    // The frame's rows lie 64-byte aligned one after the other: there is room for whole blocks.
                    unsafe rows[place] = frame.mutablePointer(plane: component) + (first + row) * plane.stride
                } else {
                    unsafe rows[place] = scratch + place * scratchStride
                }
            }
        }
    }

    /// Finishes the rows from `top` on: range, and chroma that is to be averaged.
    private func bring(_ top: Int, _ sampling: JPEGSampling, into frame: inout MutableFrame) {
        var planes = frame.planes
        for row in top..<min(top + 8 * sampling.lumaRows, planes.y.height) {
            var samples = planes.y.row(row)
            RangeReduction.reduceLuma(&samples)
        }
        guard !sampling.isGrey else { return }
        let first = top / 2
        let last = min(first + 4 * sampling.lumaRows, planes.u.height)
        for row in first..<max(first, last) {
            var u = planes.u.row(row)
            finish(&u, row - first, component: 1, sampling)
            var v = planes.v.row(row)
            finish(&v, row - first, component: 2, sampling)
        }
    }

    @_lifetime(samples: copy samples)
    private func finish(
        _ samples: inout MutableSpan<UInt8>, _ row: Int, component: Int, _ sampling: JPEGSampling
    ) {
        switch sampling.chroma {
        case .asI420: RangeReduction.reduceChroma(&samples)
        case .tall:
            RangeReduction.reduceChroma(decoded(component, 2 * row), decoded(component, 2 * row + 1), to: &samples)
        case .wide:
            RangeReduction.reduceWideChroma(decoded(component, row), decoded(component, row), to: &samples)
        case .full:
            RangeReduction.reduceWideChroma(decoded(component, 2 * row), decoded(component, 2 * row + 1), to: &samples)
        }
    }

    /// A row of chroma in our own memory.
    @_lifetime(borrow self)
    private func decoded(_ component: Int, _ row: Int) -> Span<UInt8> {
        let start = unsafe scratch + (component * Self.maximumRows + row) * scratchStride
        // The memory has that many rows of that length, and lives as long as `self`.
        let bytes = unsafe Span(_unsafeStart: start, count: scratchStride)
        return unsafe _overrideLifetime(bytes, borrowing: self)
    }
}

/// How many samples of each kind a JPEG has.
struct JPEGSampling: Equatable {
    /// Where chroma stands to what I420 has.
    enum Chroma {
        /// The same (4:2:0).
        case asI420
        /// Twice the rows (4:2:2, what most webcams send).
        case tall
        /// Twice the columns (4:4:0).
        case wide
        /// Twice of both (4:4:4).
        case full
    }

    /// Rows of the picture.
    var height: Int
    var isGrey: Bool
    var chroma: Chroma
    /// Rows of blocks of luma that one call gives.
    var lumaRows: Int
    /// Those of chroma.
    var chromaRows: Int { chroma == .tall || chroma == .full ? lumaRows : lumaRows / 2 }
}

extension JPEGSampling {
    /// `nil` for samplings that no camera has: less luma than chroma, or two chromas that differ.
    fileprivate init?(_ header: CJPEG_header) {
        height = Int(header.height)
        isGrey = header.component_count == 1
        lumaRows = Int(header.vertical.0)
        guard header.horizontal.0 == header.maximum_horizontal, header.vertical.0 == header.maximum_vertical else {
            return nil
        }
        guard !isGrey else {
            chroma = .asI420
            return
        }
        guard header.horizontal.1 == header.horizontal.2, header.vertical.1 == header.vertical.2 else { return nil }
        let isWide = header.horizontal.1 == header.maximum_horizontal
        let isTall = header.vertical.1 == header.maximum_vertical
        chroma = isWide ? (isTall ? .full : .wide) : (isTall ? .tall : .asI420)
    }
}
