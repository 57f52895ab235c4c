#if Window
import CSDL

/// Lines of text in a corner of a picture.
///
/// Threads: the window's.
final class Lettering {
    private let renderer: OpaquePointer
    private let font: OpaquePointer
    private var drawn: [String: (texture: OpaquePointer, width: Int32, height: Int32)] = [:]
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
        guard TTF_WasInit() > 0 || TTF_Init() == 0, let font = TTF_OpenFont(Lettering.path, Int32(size)) else {
            throw SDLFailure("\(Lettering.path) (Debian: fonts-dejavu-core)")
        }
        (self.renderer, self.font) = (renderer, font)
    }

    deinit {
        for line in drawn.values { SDL_DestroyTexture(line.texture) }
        TTF_CloseFont(font)
    }

    /// Draws lines on a dark background, downwards from a point.
    func draw(_ lines: [String], x: Int, y: Int) {
        var top = Int32(y)
        for text in lines where !text.isEmpty {
            guard let line = texture(of: text) else { continue }
            var ground = SDL_Rect(x: Int32(x) - 4, y: top, w: line.width + 8, h: line.height)
            SDL_SetRenderDrawBlendMode(renderer, SDL_BLENDMODE_BLEND)
            SDL_SetRenderDrawColor(renderer, 0, 0, 0, 150)
            SDL_RenderFillRect(renderer, &ground)
            var target = SDL_Rect(x: Int32(x), y: top, w: line.width, h: line.height)
            SDL_RenderCopy(renderer, line.texture, nil, &target)
            top += line.height
        }
    }

    /// Frees the lines that were not drawn since the last call.
    func forgetUnused() {
        for (text, line) in drawn where !used.contains(text) {
            SDL_DestroyTexture(line.texture)
            drawn[text] = nil
        }
        used.removeAll(keepingCapacity: true)
    }

    private func texture(of text: String) -> (texture: OpaquePointer, width: Int32, height: Int32)? {
        used.insert(text)
        if let line = drawn[text] { return line }
        let white = SDL_Color(r: 255, g: 255, b: 255, a: 255)
        guard let surface = TTF_RenderUTF8_Blended(font, text, white) else { return nil }
        defer { SDL_FreeSurface(surface) }
        guard let texture = SDL_CreateTextureFromSurface(renderer, surface) else { return nil }
        let line = (texture, surface.pointee.w, surface.pointee.h)
        drawn[text] = line
        return line
    }
}
#endif
