#if Window
import CSDL

/// Lines of text in a corner of a picture.
///
/// Threads: the window's.
@safe final class Lettering {
    private let renderer: OpaquePointer
    private let font: OpaquePointer
    private var drawn: [String: (texture: OpaquePointer, width: Int32, height: Int32)] = unsafe [:]
    private var used: Set<String> = []

    /// The monospaced font of Debian's fonts-dejavu-core.
    private static let path = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"

    /// Loads the font.
    ///
    /// - Parameters:
    ///   - renderer: the renderer of the window.
    ///   - size: the font size in points.
    /// - Throws: ``SDLFailure`` if there is no font.
    init(_ renderer: OpaquePointer, size: Int) throws {
        guard TTF_WasInit() > 0 || TTF_Init() == 0, let font = unsafe TTF_OpenFont(Lettering.path, Int32(size)) else {
            throw SDLFailure("\(Lettering.path) (Debian: fonts-dejavu-core)")
        }
        unsafe (self.renderer, self.font) = unsafe (renderer, font)
    }

    deinit {
        unsafe drawn.values.forEach { unsafe SDL_DestroyTexture($0.texture) }
        unsafe TTF_CloseFont(font)
    }

    /// Draws lines on a dark background, downwards from a point.
    func draw(_ lines: [String], x: Int, y: Int) {
        var top = Int32(y)
        for text in lines where !text.isEmpty {
            guard let line = unsafe texture(of: text) else { continue }
            var ground = unsafe SDL_Rect(x: Int32(x) - 4, y: top, w: line.width + 8, h: line.height)
            unsafe SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND)
            unsafe SDL_SetRenderDrawColor(renderer, 0, 0, 0, 150)
            unsafe SDL_RenderFillRect(renderer, &ground)
            var target = unsafe SDL_Rect(x: Int32(x), y: top, w: line.width, h: line.height)
            unsafe SDL_RenderCopy(renderer, line.texture, nil, &target)
            unsafe top += line.height
        }
    }

    /// Frees the lines that were not drawn since the last call.
    func forgetUnused() {
        for text in unsafe Array(drawn.keys) where !used.contains(text) {
            guard let line = unsafe drawn.removeValue(forKey: text) else { continue }
            unsafe SDL_DestroyTexture(line.texture)
        }
        used.removeAll(keepingCapacity: true)
    }

    private func texture(of text: String) -> (texture: OpaquePointer, width: Int32, height: Int32)? {
        used.insert(text)
        if let line = unsafe drawn[text] { return unsafe line }
        let white = SDL_Color(r: 255, g: 255, b: 255, a: 255)
        guard let surface = unsafe TTF_RenderUTF8_Blended(font, text, white) else { return nil }
        defer { unsafe SDL_FreeSurface(surface) }
        guard let texture = unsafe SDL_CreateTextureFromSurface(renderer, surface) else { return nil }
        let line = unsafe (texture, surface.pointee.w, surface.pointee.h)
        unsafe drawn[text] = unsafe line
        return unsafe line
    }
}
#endif
