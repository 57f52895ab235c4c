#if Window
import CSDL
import RillCore

/// A frame as a texture of the renderer, which is replaced when the frame size changes.
///
/// Threads: the window's.
@safe final class Picture {
    private let renderer: OpaquePointer
    private var texture: OpaquePointer?
    private var shape: Shape?
    private(set) var rotation = Rotation.none

    private struct Shape: Equatable {
        var resolution: Resolution
        var format: PixelFormat
        var colorSpace: ColorSpace
    }

    init(_ renderer: OpaquePointer) { unsafe self.renderer = unsafe renderer }

    deinit { if let texture = unsafe texture { unsafe SDL_DestroyTexture(texture) } }

    /// The size of the upright picture; `nil` before the first frame.
    var size: Resolution? { shape.map { rotation.applied(to: $0.resolution) } }

    /// Uploads a frame's pixels.
    func take(_ frame: VideoFrame) throws {
        let new = Shape(resolution: frame.resolution, format: frame.format, colorSpace: frame.colorSpace)
        if unsafe new != shape || texture == nil { try make(new) }
        rotation = frame.rotation
        guard let texture = unsafe texture else { return }
        let luma = frame.y
        let result = unsafe luma.bytes.withUnsafeBufferPointer { y in
            unsafe frame.format == .nv12
                ? update(texture, nv12: y, luma.stride, frame) : update(texture, i420: y, luma.stride, frame)
        }
        guard result == 0 else { throw SDLFailure("a frame of \(frame.resolution)") }
    }

    private func update(
        _ texture: OpaquePointer, i420 y: UnsafeBufferPointer<UInt8>, _ stride: Int, _ frame: VideoFrame
    ) -> Int32 {
        let (u, v) = (frame.u, frame.v)
        return unsafe u.bytes.withUnsafeBufferPointer { uBytes in
            unsafe v.bytes.withUnsafeBufferPointer { vBytes in
                unsafe SDL_UpdateYUVTexture(
                    texture, nil, y.baseAddress, Int32(stride), uBytes.baseAddress, Int32(u.stride), vBytes.baseAddress,
                    Int32(v.stride))
            }
        }
    }

    private func update(
        _ texture: OpaquePointer, nv12 y: UnsafeBufferPointer<UInt8>, _ stride: Int, _ frame: VideoFrame
    ) -> Int32 {
        let chroma = frame.u
        return unsafe chroma.bytes.withUnsafeBufferPointer { bytes in
            unsafe SDL_UpdateNVTexture(
                texture, nil, y.baseAddress, Int32(stride), bytes.baseAddress, Int32(chroma.stride))
        }
    }

    private func make(_ new: Shape) throws {
        if let texture = unsafe texture { unsafe SDL_DestroyTexture(texture) }
        unsafe texture = nil
        // SDL applies the conversion mode when a texture is created.
        let mode =
            switch (new.colorSpace.range, new.colorSpace.matrix) {
            case (.full, _): SDL_YUV_CONVERSION_JPEG
            case (.limited, .bt601): SDL_YUV_CONVERSION_BT601
            case (.limited, .bt709): SDL_YUV_CONVERSION_BT709
            }
        SDL_SetYUVConversionMode(mode)
        let format = new.format == .nv12 ? SDL_PIXELFORMAT_NV12 : SDL_PIXELFORMAT_IYUV
        unsafe texture = unsafe SDL_CreateTexture(
            renderer, format.rawValue, Int32(SDL_TEXTUREACCESS_STREAMING.rawValue), Int32(new.resolution.width),
            Int32(new.resolution.height))
        guard let texture = unsafe texture else { throw SDLFailure("a texture of \(new.resolution)") }
        unsafe SDL_SetTextureScaleMode(texture, SDL_ScaleModeLinear)
        shape = new
    }

    /// Draws it into an area.
    func draw(_ scaling: Scaling, in area: Area, isMirrored: Bool) {
        guard let texture = unsafe texture, let size else { return }
        var clip = SDL_Rect(area)
        unsafe SDL_RenderSetClipRect(renderer, &clip)
        let upright = scaling.area(of: size.width, size.height, in: area)
        var target = SDL_Rect(upright)
        // SDL scales the picture before it rotates it around the center.
        if rotation.exchangesSides {
            target.x += (target.w - target.h) / 2
            target.y += (target.h - target.w) / 2
            swap(&target.w, &target.h)
        }
        // Mirroring swaps left and right of the upright picture, which are top and bottom of one rotated by 90 degrees.
        let flip =
            !isMirrored ? SDL_FLIP_NONE : (rotation.exchangesSides ? SDL_FLIP_VERTICAL : SDL_FLIP_HORIZONTAL)
        unsafe SDL_RenderCopyEx(renderer, texture, nil, &target, Double(rotation.degrees), nil, flip)
        unsafe SDL_RenderSetClipRect(renderer, nil)
    }
}

extension SDL_Rect {
    init(_ area: Area) {
        self.init(x: Int32(area.x), y: Int32(area.y), w: Int32(area.width), h: Int32(area.height))
    }
}
#endif
