internal import CJPEG
import RillCore
import RillImage

/// Decodes a camera's JPEG pictures into I420 frames in limited range, and rejects damaged ones.
///
/// JPEG stores Y, Cb and Cr separately, so no color conversion is needed. Rows of 4:2:0 are decoded straight into the
/// frame. Other samplings pass through a few rows of memory in which chroma is averaged down. The range is converted
/// row by row while the rows are in the cache.
///
/// A picture counts as valid only after it is decoded to its end: a decoder recovers from almost any damage and
/// merely counts it. Where all blocks are there (``JPEGScanCheck``), its warnings about bytes around them do not count.
/// Single owner.
@safe
final class JPEGReader {
    private let resolution: Resolution
    private let decoder: OpaquePointer
    /// The row addresses for the decoder: for each component, as many as one call fills.
    private let rows: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
    /// The start of each of the three components in `rows`.
    private let table: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?>
    /// Rows outside the frame: chroma to be averaged, and rows below the picture's last.
    private let scratch: UnsafeMutablePointer<UInt8>
    private let scratchStride: Int

    private static let maximumRows = Int(CJPEG_maximum_rows)
    private static let componentCount = Int(CJPEG_maximum_components)
    /// The most rows below the picture's own that a JPEG may have: cameras round heights up to whole blocks.
    private static let maximumExcessHeight = 15

    /// Returns `nil` if there is no memory.
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

    /// Decodes a picture. Returns its fault, or `nil` if it is valid.
    func read(_ bytes: Span<UInt8>, into frame: inout MutableFrame) -> FrameFault? {
        guard let header = JPEGHeader(parsing: bytes) else { return read(bytes, CJPEG_unchecked, into: &frame) }
        let picture = bytes.extracting(header.start...)
        switch JPEGScanCheck.check(bytes, header) {
        case .damaged(let damage): return .damagedJPEG(damage)
        case .whole(.asAnnounced): return read(picture, CJPEG_whole, into: &frame)
        case .whole(.omitted): return read(picture, CJPEG_whole_without_restarts, into: &frame)
        }
    }

    private func read(_ bytes: Span<UInt8>, _ scan: CJPEG_scan, into frame: inout MutableFrame) -> FrameFault? {
        guard let sampling = begin(bytes, scan) else { return .notDecodable }
        let isDecoded = decode(sampling, into: &frame)
        // The bytes after the blocks of a checked scan do not matter.
        let isDone = unsafe isDecoded && (scan != CJPEG_unchecked || CJPEG_finish(decoder))
        let warnings = unsafe CJPEG_warning_count(decoder)
        unsafe CJPEG_abort(decoder)
        guard isDone, warnings == 0 else { return .damagedJPEG(.decoder(warnings: warnings)) }
        return nil
    }

    /// Starts a picture, whose bytes must stay valid until its end. Returns `nil` unless it is a JPEG of the expected
    /// size.
    private func begin(_ bytes: Span<UInt8>, _ scan: CJPEG_scan) -> JPEGSampling? {
        var header = CJPEG_header()
        // The reader's caller keeps the bytes until the picture is decoded or abandoned.
        let isBegun = unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return false }
            return unsafe CJPEG_begin(decoder, base, bytes.count, scan, &header)
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

    /// Decodes one row of blocks after the other. Returns `false` if the decoder gives up.
    private func decode(_ sampling: JPEGSampling, into frame: inout MutableFrame) -> Bool {
        for top in stride(from: 0, to: sampling.height, by: 8 * sampling.lumaRows) {
            aim(top, sampling, &frame)
            // The table's rows have room for whole blocks.
            guard unsafe CJPEG_read(decoder, table) else { return false }
            bring(top, sampling, into: &frame)
        }
        if sampling.isGrey { frame.fillGrey() }
        return true
    }

    /// Sets the destination of the rows from `top` on: directly into the frame, or into the scratch memory.
    private func aim(_ top: Int, _ sampling: JPEGSampling, _ frame: inout MutableFrame) {
        for component in 0..<(sampling.isGrey ? 1 : Self.componentCount) {
            let isDirect = component == 0 || sampling.chroma == .asI420
            let plane = frame.layout[plane: component]
            let count = 8 * (component == 0 ? sampling.lumaRows : sampling.chromaRows)
            let first = component == 0 ? top : top / 2
            for row in 0..<count {
                let place = component * Self.maximumRows + row
                if isDirect, first + row < plane.height {
                    // The frame's rows are 64-byte aligned and consecutive, so there is room for whole blocks.
                    unsafe rows[place] = frame.mutablePointer(plane: component) + (first + row) * plane.stride
                } else {
                    unsafe rows[place] = scratch + place * scratchStride
                }
            }
        }
    }

    /// Finishes the rows from `top` on: converts the range, and averages chroma where needed.
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

    /// A row of chroma in the scratch memory.
    @_lifetime(borrow self)
    private func decoded(_ component: Int, _ row: Int) -> Span<UInt8> {
        let start = unsafe scratch + (component * Self.maximumRows + row) * scratchStride
        // The scratch memory has that many rows of that length, and lives as long as `self`.
        let bytes = unsafe Span(_unsafeStart: start, count: scratchStride)
        return unsafe _overrideLifetime(bytes, borrowing: self)
    }
}

/// The sampling of a JPEG.
struct JPEGSampling: Equatable {
    /// The chroma sampling relative to I420.
    enum Chroma {
        /// The same (4:2:0).
        case asI420
        /// Twice as many rows (4:2:2, what most webcams send).
        case tall
        /// Twice as many columns (4:4:0).
        case wide
        /// Twice as many of both (4:4:4).
        case full
    }

    /// The height of the picture in rows.
    var height: Int
    var isGrey: Bool
    var chroma: Chroma
    /// Rows of luma blocks that one call decodes.
    var lumaRows: Int
    /// Rows of chroma blocks that one call decodes.
    var chromaRows: Int { chroma == .tall || chroma == .full ? lumaRows : lumaRows / 2 }
}

extension JPEGSampling {
    /// Returns `nil` for samplings that no camera uses: less luma than chroma, or different sampling of the two
    /// chroma components.
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
